"""Jobs, sums and cases in Redis, changed together."""

from __future__ import annotations

from collections.abc import Sequence

from guard.records import Batch, Case, Lease, Position, Posting
from guard.store.checks import check_case, check_job, check_postings
from guard.store.options import Options
from guard.store.redis.address import read_address
from guard.store.redis.cases import RedisCases
from guard.store.redis.inbox import RedisInbox
from guard.store.redis.server import Server
from guard.store.redis.windows import RedisWindows
from guard.store.redis.wire import Fields, case_fields, job_fields, posting_fields


class RedisStore(RedisInbox, RedisWindows, RedisCases):
    """See `ports.Store`. What changes together changes in one script."""

    @classmethod
    def at(cls, url: str, options: Options) -> RedisStore:
        """See `open_redis`."""
        server = Server(read_address(url), options.bucket_seconds)
        server.greet_if_there()
        return cls(server, options)

    def finish(
        self, lease: Lease, *, postings: Sequence[Posting] = (), cases: Sequence[Case] = ()
    ) -> bool:
        """See `ports.Inbox`."""
        effects = self._effects(postings, cases)
        finished = self._run_on_jobs("finish", key=lease.job.key, token=lease.token, **effects)
        return bool(finished)

    def accept(self, batch: Batch, position: Position) -> bool:
        """See `ports.Store`."""
        for job in batch.jobs:
            check_job(job)
        accepted = self._run_on_jobs(
            "accept",
            spool=position.spool,
            position=position.end,
            jobs=[job_fields(job) for job in batch.jobs],
            **self._effects(batch.postings, batch.cases),
        )
        return bool(accepted)

    def position(self, spool: str) -> int:
        """See `ports.Store`."""
        return int(self._server.ask("HGET", "spools", spool) or 0)

    def settle(self) -> bool:
        """See `ports.Store`. What other copies there are (replicas, backups) is not known here."""
        return self._server.rewrite_files()

    def _effects(self, postings: Sequence[Posting], cases: Sequence[Case]) -> Fields:
        check_postings(postings)
        for case in cases:
            check_case(case)
        return {
            "postings": [posting_fields(one, self._options) for one in postings],
            "cases": [case_fields(one) for one in cases],
        }
