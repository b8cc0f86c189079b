"""Jobs in Redis."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from itertools import count

from guard.records import DeadLetter, InboxCounts, Job, Lease, Offered
from guard.store.common import LONGEST_WAIT_SECONDS, StoreOptions, check_job, storable_text
from guard.store.redis.encoding import read_dead_letter, read_job
from guard.store.redis.server import RedisBase, RedisClient


class RedisInbox(RedisBase):
    def __init__(self, server: RedisClient, options: StoreOptions) -> None:
        super().__init__(server, options)
        self._turns = count()

    def offer(self, job: Job) -> Offered:
        check_job(job)
        return Offered(self._run_on_jobs("offer", job=asdict(job)))

    def lease(
        self, lanes: Collection[str], *, worker: str, limit: int, seconds: float
    ) -> Sequence[Lease]:
        if not lanes or limit < 1:
            return []
        ends_at = self._options.clock() + seconds
        tokens = [self._options.new_token() for _ in range(limit)]
        rows = self._run(
            "lease",
            lanes=self._in_turn(lanes),
            worker=worker,
            tokens=tokens,
            ends_at=ends_at,
            longest_wait=LONGEST_WAIT_SECONDS,
        )
        return [
            Lease(
                job=read_job(key, values),
                worker=worker,
                token=token,
                attempt=attempt,
                expires_at=ends_at,
            )
            for key, token, attempt, values in rows
        ]

    def renew(self, lease: Lease, *, seconds: float) -> Lease | None:
        ends_at = self._options.clock() + seconds
        renewed = self._run("renew", key=lease.job.key, token=lease.token, ends_at=ends_at)
        return replace(lease, expires_at=ends_at) if renewed else None

    def retry(self, lease: Lease, *, after_seconds: float, error: str) -> bool:
        due_at = self._options.clock() + after_seconds
        return self._give_back("retry", lease, error=storable_text(error), due_at=due_at)

    def dead_letter(self, lease: Lease, *, error: str) -> bool:
        return self._give_back("dead_letter", lease, error=storable_text(error))

    def lanes(self) -> Collection[str]:
        return list(map(str, self._run("lanes")))

    def job_counts(self) -> InboxCounts:
        waiting, delayed, leased, buried, full, oldest_at = self._run(
            "job_counts", longest_wait=LONGEST_WAIT_SECONDS
        )
        return InboxCounts(
            ready=waiting - delayed - leased,
            delayed=delayed,
            leased=leased,
            dead_letters=buried,
            full=full,
            oldest_at=float(oldest_at) if oldest_at else None,
        )

    def dead_letters(self, *, limit: int) -> Sequence[DeadLetter]:
        rows = self._run("dead_letters", limit=limit) if limit > 0 else []
        return [read_dead_letter(row) for row in rows]

    def requeue(self, key: str) -> bool:
        return bool(self._run("requeue", key=key))

    def _give_back(self, script: str, lease: Lease, **arguments: object) -> bool:
        return bool(self._run(script, key=lease.job.key, token=lease.token, **arguments))

    def _in_turn(self, lanes: Collection[str]) -> list[str]:
        """Each time another lane first, so that a full one does not keep the others waiting."""
        names = sorted(set(lanes))
        first = next(self._turns) % len(names)
        return names[first:] + names[:first]
