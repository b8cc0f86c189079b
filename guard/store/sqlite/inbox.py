"""Jobs in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from hashlib import blake2b
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any

from guard.records import DeadLetter, InboxCounts, Job, Lease, Offered
from guard.store.common import REMEMBERED_SECONDS, check_job, storable_text
from guard.store.sqlite.connections import SqliteBase

JOB_NAMES = tuple(field.name for field in fields(Job))
JOB_COLUMNS = ", ".join(JOB_NAMES)
_JOB_VALUES = attrgetter(*JOB_NAMES)

KNOWN = """
SELECT EXISTS (SELECT 1 FROM jobs WHERE key = :key)
    OR EXISTS (SELECT 1 FROM buried WHERE key = :key)
    OR EXISTS (SELECT 1 FROM ended WHERE digest = :digest AND ended_at > :forgotten)
    OR EXISTS (SELECT 1 FROM erased_calls WHERE call_id = :call_id)
"""
PUT = """
INSERT INTO jobs (key, lane, use_case, call_id, payload, offered_at, free_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
DUE = """
SELECT free_at, number FROM jobs
WHERE lane = ? AND free_at <= ? ORDER BY free_at, number LIMIT ?
"""
HAND_OUT = f"""
UPDATE jobs SET attempt = attempt + 1, token = ?, free_at = ? WHERE number = ?
RETURNING attempt, {JOB_COLUMNS}
"""  # noqa: S608 - names of columns
RENEW = "UPDATE jobs SET free_at = ? WHERE key = ? AND token = ?"
GIVE_BACK = "UPDATE jobs SET free_at = ?, token = '' WHERE key = ? AND token = ?"
TAKE_OUT = "DELETE FROM jobs WHERE key = ? AND token = ?"
DEAD_LETTER = f"""
INSERT INTO buried ({JOB_COLUMNS}, attempts, error, buried_at)
SELECT {JOB_COLUMNS}, attempt, ?, ? FROM jobs WHERE key = ? AND token = ?
"""  # noqa: S608 - names of columns
DEAD_LETTERS = f"""
SELECT attempts, error, buried_at, {JOB_COLUMNS} FROM buried
ORDER BY buried_at DESC, number DESC LIMIT ?
"""  # noqa: S608 - names of columns
REQUEUE = f"DELETE FROM buried WHERE key = ? RETURNING {JOB_COLUMNS}"  # noqa: S608 - names of columns
COUNTS = """
SELECT count(*) FILTER (WHERE free_at <= :now),
       count(*) FILTER (WHERE free_at > :now AND token = ''),
       count(*) FILTER (WHERE free_at > :now AND token <> ''),
       (SELECT count(*) FROM buried),
       (SELECT value FROM counters WHERE name = 'full'),
       min(offered_at)
FROM jobs
"""
FORGET = "DELETE FROM ended WHERE digest IN (SELECT digest FROM ended WHERE ended_at <= ? LIMIT 10)"


class SqliteInbox(SqliteBase):
    def offer(self, job: Job) -> Offered:
        check_job(job)
        with self._writing() as db:
            return self._put(db, job, self._options.clock())

    def lease(
        self, lanes: Collection[str], *, worker: str, limit: int, seconds: float
    ) -> Sequence[Lease]:
        """Nobody is kept from writing while there is nothing to do."""
        now = self._options.clock()
        with self._reading() as db:
            if not _due(db, lanes, now, limit):
                return []
        with self._writing() as db:
            now = self._options.clock()
            numbers = _due(db, lanes, now, limit)
            return [self._lease_job(db, number, worker, now + seconds) for number in numbers]

    def renew(self, lease: Lease, *, seconds: float) -> Lease | None:
        until = self._options.clock() + seconds
        if not self._update_lease(RENEW, until, lease):
            return None
        return replace(lease, expires_at=until)

    def retry(self, lease: Lease, *, after_seconds: float, error: str) -> bool:
        """Only the error of a dead letter is kept."""
        del error
        return self._update_lease(GIVE_BACK, self._options.clock() + after_seconds, lease)

    def dead_letter(self, lease: Lease, *, error: str) -> bool:
        with self._writing() as db:
            now = self._options.clock()
            there = db.execute(
                DEAD_LETTER, (storable_text(error), now, lease.job.key, lease.token)
            ).rowcount
            return bool(there) and _take_out(db, lease)

    def job_counts(self) -> InboxCounts:
        with self._reading() as db:
            row = db.execute(COUNTS, {"now": self._options.clock()}).fetchone()
        names = ("ready", "delayed", "leased", "dead_letters", "full", "oldest_at")
        return InboxCounts(**dict(zip(names, row, strict=True)))

    def dead_letters(self, *, limit: int) -> Sequence[DeadLetter]:
        with self._reading() as db:
            rows = db.execute(DEAD_LETTERS, (max(limit, 0),)).fetchall()
        return [
            DeadLetter(attempts=attempts, error=error, failed_at=at, job=_job(job))
            for attempts, error, at, *job in rows
        ]

    def requeue(self, key: str) -> bool:
        with self._writing() as db:
            row = db.execute(REQUEUE, (key,)).fetchone()
            if row is not None:
                db.execute(PUT, (*row, self._options.clock()))
            return row is not None

    def _put(self, db: sqlite3.Connection, job: Job, now: float) -> Offered:
        if _is_known(db, job, now):
            return Offered.DUPLICATE
        [jobs] = db.execute("SELECT value FROM counters WHERE name = 'jobs'").fetchone()
        if jobs >= self._options.max_jobs:
            db.execute("UPDATE counters SET value = value + 1 WHERE name = 'full'")
            return Offered.FULL
        db.execute(PUT, (*_JOB_VALUES(job), min(job.offered_at, now)))
        return Offered.ACCEPTED

    def _lease_job(self, db: sqlite3.Connection, number: int, worker: str, until: float) -> Lease:
        token = self._options.new_token()
        attempt, *job = db.execute(HAND_OUT, (token, until, number)).fetchone()
        return Lease(job=_job(job), worker=worker, token=token, attempt=attempt, expires_at=until)

    def _update_lease(self, statement: str, free_at: float, lease: Lease) -> bool:
        if not lease.token:
            return False
        with self._writing() as db:
            return bool(db.execute(statement, (free_at, lease.job.key, lease.token)).rowcount)

    def _end_job(self, db: sqlite3.Connection, lease: Lease, now: float) -> bool:
        """Take the job out, and remember for a while that it was done."""
        if not _take_out(db, lease):
            return False
        db.execute("INSERT OR REPLACE INTO ended VALUES (?, ?)", (_digest(lease.job.key), now))
        db.execute(FORGET, (now - REMEMBERED_SECONDS,))
        return True


def erase_jobs(db: sqlite3.Connection, call_id: str) -> list[str]:
    """Delete the jobs of a call wherever they are; their keys."""
    db.execute("INSERT OR IGNORE INTO erased_calls VALUES (?)", (call_id,))
    jobs = db.execute("DELETE FROM jobs WHERE call_id = ? RETURNING key", (call_id,)).fetchall()
    dead = db.execute("DELETE FROM buried WHERE call_id = ? RETURNING key", (call_id,)).fetchall()
    return sorted(key for [key] in jobs + dead)


def _is_known(db: sqlite3.Connection, job: Job, now: float) -> bool:
    names = {"key": job.key, "digest": _digest(job.key), "call_id": job.call_id}
    [known] = db.execute(KNOWN, {**names, "forgotten": now - REMEMBERED_SECONDS}).fetchone()
    return bool(known)


def _due(db: sqlite3.Connection, lanes: Collection[str], now: float, limit: int) -> list[int]:
    """Numbers of jobs that may be handed out, those longest free first."""
    limit = max(limit, 0)
    due = [db.execute(DUE, (lane, now, limit)).fetchall() for lane in sorted(set(lanes))]
    return [number for _, number in islice(merge(*due), limit)]


def _take_out(db: sqlite3.Connection, lease: Lease) -> bool:
    return bool(lease.token) and bool(db.execute(TAKE_OUT, (lease.job.key, lease.token)).rowcount)


def _job(row: Sequence[Any]) -> Job:
    return Job(**dict(zip(JOB_NAMES, row, strict=True)))


def _digest(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=16).digest()
