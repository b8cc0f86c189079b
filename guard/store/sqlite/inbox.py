"""Jobs in SQLite."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from hashlib import blake2b
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any

from guard.records import DeadLetter, InboxCounts, Job, Lease, Offered
from guard.store.common import LONGEST_WAIT_SECONDS, REMEMBERED_SECONDS, check_job, storable_text
from guard.store.sqlite.connections import Database, SqliteBase

JOB_NAMES = tuple(field.name for field in fields(Job))
_JOB_VALUES = attrgetter(*JOB_NAMES)


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
        if not self._update_lease("renew_lease", until, lease):
            return None
        return replace(lease, expires_at=until)

    def retry(self, lease: Lease, *, after_seconds: float, error: str) -> bool:
        """Only the error of a dead letter is kept."""
        del error
        return self._update_lease("return_job", self._options.clock() + after_seconds, lease)

    def dead_letter(self, lease: Lease, *, error: str) -> bool:
        with self._writing() as db:
            now = self._options.clock()
            letter = (storable_text(error), now, lease.job.key, lease.token)
            there = db.run("insert_dead_letter", letter).rowcount
            return bool(there) and _take_out(db, lease)

    def lanes(self) -> Collection[str]:
        with self._reading() as db:
            return [lane for [lane] in db.run("lanes").fetchall()]

    def job_counts(self) -> InboxCounts:
        with self._reading() as db:
            now = self._options.clock()
            until = now + LONGEST_WAIT_SECONDS
            row = db.run("job_counts", {"now": now, "until": until}).fetchone()
        names = ("ready", "delayed", "leased", "dead_letters", "full", "oldest_at")
        return InboxCounts(**dict(zip(names, row, strict=True)))

    def dead_letters(self, *, limit: int) -> Sequence[DeadLetter]:
        with self._reading() as db:
            rows = db.run("dead_letters", (max(limit, 0),)).fetchall()
        return [
            DeadLetter(attempts=attempts, error=error, failed_at=at, job=_job(job))
            for attempts, error, at, *job in rows
        ]

    def requeue(self, key: str) -> bool:
        with self._writing() as db:
            row = db.run("delete_dead_letter", (key,)).fetchone()
            if row is not None:
                *_, offered_at = row
                db.run("insert_job", (*row, min(offered_at, self._options.clock())))
            return row is not None

    def _put(self, db: Database, job: Job, now: float) -> Offered:
        if _is_known(db, job, now):
            return Offered.DUPLICATE
        [jobs] = db.run("waiting_jobs").fetchone()
        if jobs >= self._options.max_jobs:
            db.run("count_refused_offer")
            return Offered.FULL
        db.run("insert_job", (*_JOB_VALUES(job), min(job.offered_at, now)))
        return Offered.ACCEPTED

    def _lease_job(self, db: Database, number: int, worker: str, until: float) -> Lease:
        token = self._options.new_token()
        attempt, *job = db.run("lease_job", (token, until, number)).fetchone()
        return Lease(job=_job(job), worker=worker, token=token, attempt=attempt, expires_at=until)

    def _update_lease(self, statement: str, free_at: float, lease: Lease) -> bool:
        if not lease.token:
            return False
        with self._writing() as db:
            return bool(db.run(statement, (free_at, lease.job.key, lease.token)).rowcount)

    def _end_job(self, db: Database, lease: Lease, now: float) -> bool:
        """Take the job out, and remember for a while that it was done."""
        if not _take_out(db, lease):
            return False
        db.run("remember_key", (_digest(lease.job.key), now))
        db.run("forget_keys", (now - REMEMBERED_SECONDS,))
        return True


def erase_jobs(db: Database, call_id: str) -> list[str]:
    """Delete the jobs of a call wherever they are; their keys."""
    db.run("erase_call", (call_id,))
    jobs = db.run("erase_jobs", (call_id,)).fetchall()
    dead = db.run("erase_dead_letters", (call_id,)).fetchall()
    return sorted(key for [key] in jobs + dead)


def _is_known(db: Database, job: Job, now: float) -> bool:
    names = {"key": job.key, "digest": _digest(job.key), "call_id": job.call_id}
    [known] = db.run("job_is_known", {**names, "forgotten": now - REMEMBERED_SECONDS}).fetchone()
    return bool(known)


def _due(db: Database, lanes: Collection[str], now: float, limit: int) -> list[int]:
    """Numbers of jobs that may be handed out, those longest free first."""
    limit = max(limit, 0)
    bounds = {"due_jobs": now, "jobs_too_far_ahead": now + LONGEST_WAIT_SECONDS}
    due = [
        db.run(statement, (lane, bound, limit)).fetchall()
        for statement, bound in bounds.items()
        for lane in sorted(set(lanes))
    ]
    return [number for _, number in islice(merge(*due), limit)]


def _take_out(db: Database, lease: Lease) -> bool:
    return bool(lease.token) and bool(db.run("delete_job", (lease.job.key, lease.token)).rowcount)


def _job(row: Sequence[Any]) -> Job:
    return Job(**dict(zip(JOB_NAMES, row, strict=True)))


def _digest(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=16).digest()
