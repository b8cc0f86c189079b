"""Jobs in memory, and the lock that all parts of a store in memory share."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count

from guard.errors import StoreError
from guard.records import DeadLetter, InboxCounts, Job, Lease, Offered
from guard.store.common import (
    LONGEST_WAIT_SECONDS,
    REMEMBERED_SECONDS,
    StoreBase,
    StoreOptions,
    check_job,
    storable_text,
)


class MemoryBase(StoreBase):
    """The lock that all parts of a store in memory share."""

    def __init__(self, options: StoreOptions) -> None:
        super().__init__(options)
        self._lock = threading.RLock()
        self._is_shut = False

    def shut(self) -> None:
        with self._lock:
            self._is_shut = True

    @contextmanager
    def _locked(self) -> Iterator[float]:
        """Nobody else meanwhile; the time."""
        with self._lock:
            if self._is_shut:
                raise StoreError("memory: was shut; open another one (setting store.url)")
            yield self._options.clock()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedJob:
    """A job that is not ended. free_at: from then on it may be handed out."""

    job: Job
    number: int
    free_at: float
    attempt: int = 0
    token: str = ""

    def is_due(self, now: float) -> bool:
        """Whether it may be handed out."""
        return not now < self.free_at <= now + LONGEST_WAIT_SECONDS


class MemoryInbox(MemoryBase):
    def __init__(self, options: StoreOptions) -> None:
        super().__init__(options)
        self._numbers = count()
        self._jobs: dict[str, QueuedJob] = {}
        self._dead_letters: dict[str, DeadLetter] = {}
        self._ended: dict[str, float] = {}
        self._erased_calls: set[str] = set()
        self._full = 0

    def offer(self, job: Job) -> Offered:
        check_job(job)
        with self._locked() as now:
            return self._put(job, now)

    def lease(
        self, lanes: Collection[str], *, worker: str, limit: int, seconds: float
    ) -> Sequence[Lease]:
        with self._locked() as now:
            due = [one for one in self._due(now) if one.job.lane in lanes]
            oldest = sorted(due, key=lambda one: (one.free_at, one.number))[: max(limit, 0)]
            return [self._lease_job(one, worker, now + seconds) for one in oldest]

    def renew(self, lease: Lease, *, seconds: float) -> Lease | None:
        with self._locked() as now:
            held = self._leased_job(lease)
            if held is None:
                return None
            self._jobs[held.job.key] = replace(held, free_at=now + seconds)
            return replace(lease, expires_at=now + seconds)

    def retry(self, lease: Lease, *, after_seconds: float, error: str) -> bool:
        del error
        with self._locked() as now:
            held = self._leased_job(lease)
            if held is not None:
                self._jobs[held.job.key] = replace(held, free_at=now + after_seconds, token="")
            return held is not None

    def dead_letter(self, lease: Lease, *, error: str) -> bool:
        with self._locked() as now:
            held = self._leased_job(lease)
            if held is not None:
                del self._jobs[held.job.key]
                self._dead_letters[held.job.key] = DeadLetter(
                    job=held.job, attempts=held.attempt, error=storable_text(error), failed_at=now
                )
            return held is not None

    def lanes(self) -> Collection[str]:
        with self._locked():
            return {one.job.lane for one in self._jobs.values()}

    def job_counts(self) -> InboxCounts:
        with self._locked() as now:
            waiting = [one for one in self._jobs.values() if not one.is_due(now)]
            leased = sum(one.token != "" for one in waiting)
            offered = [one.job.offered_at for one in self._jobs.values()]
            return InboxCounts(
                ready=len(offered) - len(waiting),
                delayed=len(waiting) - leased,
                leased=leased,
                dead_letters=len(self._dead_letters),
                full=self._full,
                oldest_at=min(offered, default=None),
            )

    def dead_letters(self, *, limit: int) -> Sequence[DeadLetter]:
        with self._locked():
            latest_first = reversed(self._dead_letters.values())
            ordered = sorted(latest_first, key=lambda one: one.failed_at, reverse=True)
            return ordered[: max(limit, 0)]

    def requeue(self, key: str) -> bool:
        with self._locked() as now:
            dead_letter = self._dead_letters.pop(key, None)
            if dead_letter is not None:
                self._keep(dead_letter.job, now)
            return dead_letter is not None

    def _put(self, job: Job, now: float) -> Offered:
        if self._is_known(job, now):
            return Offered.DUPLICATE
        if len(self._jobs) >= self._options.max_jobs:
            self._full += 1
            return Offered.FULL
        self._keep(job, now)
        return Offered.ACCEPTED

    def _is_known(self, job: Job, now: float) -> bool:
        forgotten = now - REMEMBERED_SECONDS
        return (
            job.key in self._jobs
            or job.key in self._dead_letters
            or self._ended.get(job.key, forgotten) > forgotten
            or job.call_id in self._erased_calls
        )

    def _keep(self, job: Job, now: float) -> None:
        free_at = min(job.offered_at, now)
        self._jobs[job.key] = QueuedJob(job=job, number=next(self._numbers), free_at=free_at)

    def _due(self, now: float) -> Iterable[QueuedJob]:
        return (one for one in self._jobs.values() if one.is_due(now))

    def _lease_job(self, held: QueuedJob, worker: str, until: float) -> Lease:
        token = self._options.new_token()
        after = replace(held, free_at=until, attempt=held.attempt + 1, token=token)
        self._jobs[held.job.key] = after
        return Lease(
            job=held.job, worker=worker, token=token, attempt=after.attempt, expires_at=until
        )

    def _leased_job(self, lease: Lease) -> QueuedJob | None:
        """The job of a lease that is not lost."""
        held = self._jobs.get(lease.job.key)
        return held if held is not None and held.token == lease.token != "" else None

    def _end(self, key: str, now: float) -> None:
        del self._jobs[key]
        self._ended[key] = now

    def _erase_jobs(self, call_id: str) -> list[str]:
        """Their keys."""
        self._erased_calls.add(call_id)
        return sorted(_pop_jobs(self._jobs, call_id) + _pop_jobs(self._dead_letters, call_id))


def _pop_jobs(kept: dict[str, QueuedJob] | dict[str, DeadLetter], call_id: str) -> list[str]:
    keys = [key for key, one in kept.items() if one.job.call_id == call_id]
    for key in keys:
        del kept[key]
    return keys
