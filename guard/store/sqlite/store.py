"""Jobs, sums and cases in one file, changed together."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from guard.records import Batch, Case, Lease, Position, Posting
from guard.store.checks import check_case, check_job, check_postings
from guard.store.sqlite.cases import SqliteCases
from guard.store.sqlite.filed import AUDIT, erase_cases, file
from guard.store.sqlite.inbox import SqliteInbox, erase_jobs
from guard.store.sqlite.windows import SqliteWindows, post

SEEN = """
INSERT INTO positions VALUES (?, ?)
ON CONFLICT DO UPDATE SET seen = excluded.seen WHERE seen < excluded.seen
"""


class SqliteStore(SqliteInbox, SqliteWindows, SqliteCases):
    """See `ports.Store`. Any number of threads and processes of one machine may share the file."""

    def finish(
        self, lease: Lease, *, postings: Sequence[Posting] = (), cases: Sequence[Case] = ()
    ) -> bool:
        """See `ports.Inbox`."""
        _check(postings, cases)
        with self._writing() as db:
            now = self._options.clock()
            if not self._ended(db, lease, now):
                return False
            self._commit(db, postings, cases, now)
            return True

    def accept(self, batch: Batch, position: Position) -> bool:
        """See `ports.Store`."""
        for job in batch.jobs:
            check_job(job)
        _check(batch.postings, batch.cases)
        with self._writing() as db:
            now = self._options.clock()
            if position.end <= 0 or not db.execute(SEEN, (position.spool, position.end)).rowcount:
                return False
            for job in batch.jobs:
                self._put(db, job, now)
            self._commit(db, batch.postings, batch.cases, now)
            return True

    def position(self, spool: str) -> int:
        """See `ports.Store`."""
        with self._reading() as db:
            row = db.execute("SELECT seen FROM positions WHERE spool = ?", (spool,)).fetchone()
        return int(row[0]) if row else 0

    def erase(self, call_id: str, *, by: str) -> int:
        """See `ports.Cases`. Afterwards the text is in no file of the store.

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
        """See `ports.Store`."""
        self._connections.scrub()
        return True

    def _commit(
        self,
        db: sqlite3.Connection,
        postings: Sequence[Posting],
        cases: Sequence[Case],
        now: float,
    ) -> None:
        post(db, postings, self._options)
        for case in cases:
            file(db, case, now)


def _check(postings: Sequence[Posting], cases: Sequence[Case]) -> None:
    check_postings(postings)
    for case in cases:
        check_case(case)
