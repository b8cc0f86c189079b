"""A store in one SQLite file, which any number of processes of one machine may share: sums, and all
parts together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from guard.records import Batch, Case, Job, Lease, Position, Posting
from guard.store.common import StoreOptions, check_batch, check_postings, effects_of
from guard.store.named import NamedRecords, RecordTable
from guard.store.sqlite.cases import SqliteCases, erase_cases, insert_case
from guard.store.sqlite.connections import (
    Connections,
    Database,
    SqliteBase,
    check_whole,
    connect,
    store_errors,
)
from guard.store.sqlite.file_watch import lock_folder
from guard.store.sqlite.inbox import SqliteInbox, erase_jobs
from guard.store.sqlite.schema import agree_on, file_path, is_ready, migrate, migrations

Row = tuple[str, int | str, str, float]


class SqliteWindows(SqliteBase, NamedRecords):
    def add(self, postings: Sequence[Posting]) -> None:
        check_postings(postings)
        with self._writing() as db:
            add_postings(db, postings, self._options)

    def total(self, use_case: str, buckets: range) -> Mapping[str, float]:
        with self._reading() as db:
            return dict(db.run("total", (use_case, buckets.start, buckets.stop)))

    def series(self, use_case: str, buckets: range) -> Mapping[int, Mapping[str, float]]:
        with self._reading() as db:
            rows = db.run("series", (use_case, buckets.start, buckets.stop)).fetchall()
        return {
            bucket: {key: value for _, key, value in group}
            for bucket, group in groupby(rows, key=itemgetter(0))
        }

    def evidence(self, use_case: str, epochs: Collection[str]) -> Mapping[str, Mapping[str, float]]:
        with self._reading() as db:
            return {epoch: dict(db.run("evidence", (use_case, epoch))) for epoch in epochs}

    def use_cases(self) -> Sequence[str]:
        with self._reading() as db:
            return [name for [name] in db.run("use_cases")]

    def expire(self, *, before_bucket: int) -> int:
        with self._writing() as db:
            [buckets] = db.run("count_old_buckets", (before_bucket,)).fetchone()
            db.run("delete_old_buckets", (before_bucket,))
            return int(buckets)

    def _texts(self, place: RecordTable) -> Mapping[str, str]:
        with self._reading() as db:
            return dict(db.execute(f"SELECT name, value FROM {place}"))  # noqa: S608 - three tables

    def _text(self, place: RecordTable, name: str) -> str | None:
        with self._reading() as db:
            found = db.execute(f"SELECT value FROM {place} WHERE name = ?", (name,))  # noqa: S608
            row = found.fetchone()
        return row and str(row[0])

    def _swap(self, place: RecordTable, name: str, expected: str | None, new: str | None) -> bool:
        if expected is None:
            statement = f"INSERT OR IGNORE INTO {place} (value, name) VALUES (?, ?)"  # noqa: S608
            values = [new, name]
        elif new is None:
            statement = f"DELETE FROM {place} WHERE name = ? AND value = ?"  # noqa: S608
            values = [name, expected]
        else:
            statement = f"UPDATE {place} SET value = ? WHERE name = ? AND value = ?"  # noqa: S608
            values = [new, name, expected]
        with self._writing() as db:
            return bool(db.execute(statement, values).rowcount)


def add_postings(db: Database, postings: Sequence[Posting], options: StoreOptions) -> None:
    """Add sums inside the transaction that is open."""
    sums: list[Row] = [
        (one.use_case, bucket, key, float(value))
        for one in postings
        for bucket in [options.bucket(one.at_seconds)]
        for key, value in one.sums.items()
    ]
    evidence: list[Row] = [
        (one.use_case, epoch, key, float(value))
        for one in postings
        for epoch, found in one.evidence.items()
        for key, value in found.items()
    ]
    named = [*sums, *evidence]
    db.run_many("name_use_case", [(name,) for name in sorted({row[0] for row in named})])
    db.run_many("name_key", [(name,) for name in sorted({row[2] for row in named})])
    db.run_many("add_sum", sums)
    db.run_many("add_evidence", evidence)


class SqliteStore(SqliteInbox, SqliteWindows, SqliteCases):
    """Any number of threads and processes of one machine may share the file."""

    def finish(
        self,
        lease: Lease,
        *,
        postings: Sequence[Posting] = (),
        cases: Sequence[Case] = (),
        jobs: Sequence[Job] = (),
    ) -> bool:
        effects = effects_of(postings, cases, jobs)
        with self._writing() as db:
            now = self._options.clock()
            if not self._end_job(db, lease, now):
                return False
            self._commit(db, effects, now)
            return True

    def accept(self, batch: Batch, position: Position) -> bool:
        check_batch(batch)
        with self._writing() as db:
            now = self._options.clock()
            seen = (position.spool, position.end)
            if position.end <= 0 or not db.run("keep_position", seen).rowcount:
                return False
            self._commit(db, batch, now)
            return True

    def position(self, spool: str) -> int:
        with self._reading() as db:
            row = db.run("position", (spool,)).fetchone()
        return int(row[0]) if row else 0

    def erase(self, call_id: str, *, by: str) -> int:
        """Afterwards the text is in no file of the store.

        Raises StoreError when another process reads for so long that the write-ahead log cannot
        be emptied: then erase again.
        """
        if not call_id:
            return 0
        with self._writing() as db:
            now = self._options.clock()
            cases, jobs = erase_cases(db, call_id), erase_jobs(db, call_id)
            rows = [(now, by, "erased", case_id, call_id) for case_id in cases]
            rows += [(now, by, "erased", "", key) for key in jobs]
            db.run_many("insert_audit", rows)
        self._connections.scrub()
        return len(cases) + len(jobs)

    def settle(self) -> bool:
        self._connections.scrub()
        return True

    def _commit(self, db: Database, batch: Batch, now: float) -> None:
        for job in batch.jobs:
            self._put(db, job, now)
        add_postings(db, batch.postings, self._options)
        for case in batch.cases:
            insert_case(db, case, now)


def open_sqlite(url: str, options: StoreOptions) -> SqliteStore:
    """The store in the file that `url` names, made or brought up to date.

    Raises SettingsError and StoreError as `open_store` does.
    """
    path = file_path(url)
    with store_errors(url), lock_folder(path.parent):
        path.touch(mode=0o600)  # prompts are in it; its companions take its mode
        _prepare_file(url, path, options)
    return SqliteStore(Connections(url, path), options)


def _prepare_file(url: str, path: Path, options: StoreOptions) -> None:
    """A file that is ready is read alone: who writes to it meanwhile, or a disk that is full, keeps
    nobody from opening it. Raises StoreError for one that is damaged."""
    steps = migrations()
    with closing(connect(path, statements={})) as connection:
        check_whole(connection, url, path.stat().st_size)
        if is_ready(connection, url, len(steps)):
            agree_on(connection, url, "bucket_seconds", options.bucket_seconds)
            return
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        migrate(connection, url, steps)
        agree_on(connection, url, "bucket_seconds", options.bucket_seconds)
        connection.execute("COMMIT")
