"""Sums in SQLite, all parts of the store together, and from a URL to an open store."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from guard.records import Batch, Case, Lease, Position, Posting
from guard.store.common import StoreOptions, check_batch, check_postings, effects_of
from guard.store.named import NamedRecords, RecordTable
from guard.store.sqlite.cases import AUDIT, SqliteCases, erase_cases, insert_case
from guard.store.sqlite.connections import Connections, SqliteBase, connect, store_errors
from guard.store.sqlite.inbox import SqliteInbox, erase_jobs
from guard.store.sqlite.schema import agree_on, file_path, migrate, migrations

NAME_USE_CASE = "INSERT OR IGNORE INTO use_cases (name) VALUES (?)"
NAME_KEY = "INSERT OR IGNORE INTO keys (name) VALUES (?)"
ADD_SUM = """
INSERT INTO sums (use_case, bucket, key, value)
VALUES ((SELECT id FROM use_cases WHERE name = ?), ?, (SELECT id FROM keys WHERE name = ?), ?)
ON CONFLICT DO UPDATE SET value = value + excluded.value
"""
ADD_EVIDENCE = """
INSERT INTO evidence (use_case, epoch, key, value)
VALUES ((SELECT id FROM use_cases WHERE name = ?), ?, (SELECT id FROM keys WHERE name = ?), ?)
ON CONFLICT DO UPDATE SET value = value + excluded.value
"""
TOTAL = """
SELECT keys.name, sum(value) FROM sums JOIN keys ON keys.id = sums.key
WHERE use_case = (SELECT id FROM use_cases WHERE name = ?) AND bucket >= ? AND bucket < ?
GROUP BY sums.key
"""
SERIES = """
SELECT bucket, keys.name, value FROM sums JOIN keys ON keys.id = sums.key
WHERE use_case = (SELECT id FROM use_cases WHERE name = ?) AND bucket >= ? AND bucket < ?
ORDER BY bucket
"""
EVIDENCE = """
SELECT keys.name, value FROM evidence JOIN keys ON keys.id = evidence.key
WHERE use_case = (SELECT id FROM use_cases WHERE name = ?) AND epoch = ?
"""
USE_CASES = """
SELECT name FROM use_cases
WHERE EXISTS (SELECT 1 FROM sums WHERE sums.use_case = use_cases.id)
   OR EXISTS (SELECT 1 FROM evidence WHERE evidence.use_case = use_cases.id)
ORDER BY name
"""
OLD_BUCKETS = """
SELECT count(*) FROM (
    SELECT DISTINCT use_case, bucket FROM sums
    WHERE use_case IN (SELECT id FROM use_cases) AND bucket < ?
)
"""
EXPIRE = "DELETE FROM sums WHERE use_case IN (SELECT id FROM use_cases) AND bucket < ?"
SEEN = """
INSERT INTO positions VALUES (?, ?)
ON CONFLICT DO UPDATE SET seen = excluded.seen WHERE seen < excluded.seen
"""

Row = tuple[str, int | str, str, float]


class SqliteWindows(SqliteBase, NamedRecords):
    def add(self, postings: Sequence[Posting]) -> None:
        check_postings(postings)
        with self._writing() as db:
            add_postings(db, postings, self._options)

    def total(self, use_case: str, buckets: range) -> Mapping[str, float]:
        with self._reading() as db:
            return dict(db.execute(TOTAL, (use_case, buckets.start, buckets.stop)))

    def series(self, use_case: str, buckets: range) -> Mapping[int, Mapping[str, float]]:
        with self._reading() as db:
            rows = db.execute(SERIES, (use_case, buckets.start, buckets.stop)).fetchall()
        return {
            bucket: {key: value for _, key, value in group}
            for bucket, group in groupby(rows, key=itemgetter(0))
        }

    def evidence(self, use_case: str, epochs: Collection[str]) -> Mapping[str, Mapping[str, float]]:
        with self._reading() as db:
            return {epoch: dict(db.execute(EVIDENCE, (use_case, epoch))) for epoch in epochs}

    def use_cases(self) -> Sequence[str]:
        with self._reading() as db:
            return [name for [name] in db.execute(USE_CASES)]

    def expire(self, *, before_bucket: int) -> int:
        with self._writing() as db:
            [buckets] = db.execute(OLD_BUCKETS, (before_bucket,)).fetchone()
            db.execute(EXPIRE, (before_bucket,))
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


def add_postings(
    db: sqlite3.Connection, postings: Sequence[Posting], options: StoreOptions
) -> None:
    """Add sums inside the transaction that is open."""
    sums: list[Row] = [
        (one.use_case, bucket, key, value)
        for one in postings
        for bucket in [options.bucket(one.at_seconds)]
        for key, value in one.sums.items()
    ]
    evidence: list[Row] = [
        (one.use_case, epoch, key, value)
        for one in postings
        for epoch, found in one.evidence.items()
        for key, value in found.items()
    ]
    named = [*sums, *evidence]
    db.executemany(NAME_USE_CASE, [(name,) for name in sorted({row[0] for row in named})])
    db.executemany(NAME_KEY, [(name,) for name in sorted({row[2] for row in named})])
    db.executemany(ADD_SUM, sums)
    db.executemany(ADD_EVIDENCE, evidence)


class SqliteStore(SqliteInbox, SqliteWindows, SqliteCases):
    """Any number of threads and processes of one machine may share the file."""

    def finish(
        self, lease: Lease, *, postings: Sequence[Posting] = (), cases: Sequence[Case] = ()
    ) -> bool:
        effects = effects_of(postings, cases)
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
            if position.end <= 0 or not db.execute(SEEN, (position.spool, position.end)).rowcount:
                return False
            for job in batch.jobs:
                self._put(db, job, now)
            self._commit(db, batch, now)
            return True

    def position(self, spool: str) -> int:
        with self._reading() as db:
            row = db.execute("SELECT seen FROM positions WHERE spool = ?", (spool,)).fetchone()
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
            db.executemany(AUDIT, rows)
        self._connections.scrub()
        return len(cases) + len(jobs)

    def settle(self) -> bool:
        self._connections.scrub()
        return True

    def _commit(self, db: sqlite3.Connection, batch: Batch, now: float) -> None:
        add_postings(db, batch.postings, self._options)
        for case in batch.cases:
            insert_case(db, case, now)


def open_sqlite(url: str, options: StoreOptions) -> SqliteStore:
    """The store in the file that `url` names, made or brought up to date.

    Raises SettingsError and StoreError as `open_store` does.
    """
    path = file_path(url)
    with store_errors(url), _lock_folder(path.parent):
        path.touch(mode=0o600)  # prompts are in it; its companions take its mode
        _prepare_file(url, path, options)
    return SqliteStore(Connections(url, path), options)


def _prepare_file(url: str, path: Path, options: StoreOptions) -> None:
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        migrate(connection, url, migrations())
        agree_on(connection, url, "bucket_seconds", options.bucket_seconds)
        connection.execute("COMMIT")


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """While all others wait who open a store in this folder.

    Who changes the journal mode does not wait for others, whatever time SQLite is given.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
