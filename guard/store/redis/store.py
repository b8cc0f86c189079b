"""Sums in Redis, and all parts of the store, changed together."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isfinite

from guard.errors import StoreContentError, StoreError
from guard.records import Batch, Case, Job, Lease, Position, Posting
from guard.store.common import StoreOptions, check_batch, check_postings, effects_of
from guard.store.log_lines import RepeatedLine
from guard.store.named import NamedRecords, RecordTable
from guard.store.redis import read_address
from guard.store.redis.cases import RedisCases
from guard.store.redis.encoding import Fields, case_fields, posting_fields
from guard.store.redis.inbox import RedisInbox
from guard.store.redis.server import OTHER_TYPE, RedisBase, RedisClient

AT_ONCE = 64
"""Buckets asked for together: the server does nothing else meanwhile."""
MOST_UNREADABLE = 1000
"""Keys that cannot be read, and are counted and named one by one."""

_log = logging.getLogger(__name__)


class RedisWindows(RedisBase, NamedRecords):
    def __init__(self, server: RedisClient, options: StoreOptions) -> None:
        super().__init__(server, options)
        self._unreadable: set[str] = set()
        self._unreadable_line = RepeatedLine(_log, options.clock)

    def add(self, postings: Sequence[Posting]) -> None:
        check_postings(postings)
        fields = [posting_fields(one, self._options) for one in postings]
        self._is_done(self._run("add", postings=fields))

    def total(self, use_case: str, buckets: range) -> Mapping[str, float]:
        total: dict[str, float] = {}
        for _, sums in self._buckets(use_case, buckets):
            for key, value in sums.items():
                total[key] = total.get(key, 0.0) + value
        return total

    def series(self, use_case: str, buckets: range) -> Mapping[int, Mapping[str, float]]:
        return dict(self._buckets(use_case, buckets))

    def evidence(self, use_case: str, epochs: Collection[str]) -> Mapping[str, Mapping[str, float]]:
        names = list(epochs)
        width = len(use_case.encode())
        sums = self._hashes([f"epoch:{width}:{use_case}:{epoch}" for epoch in names])
        return dict(zip(names, sums, strict=True))

    def use_cases(self) -> Sequence[str]:
        return sorted(self._server.ask("SMEMBERS", "use_cases"))

    def expire(self, *, before_bucket: int) -> int:
        return int(self._run("expire", before_bucket=str(before_bucket)))

    def _texts(self, place: RecordTable) -> Mapping[str, str]:
        return dict(self._server.ask("HGETALL", place))

    def _text(self, place: RecordTable, name: str) -> str | None:
        kept: str | None = self._server.ask("HGET", place, name)
        return kept

    def _swap(self, place: RecordTable, name: str, expected: str | None, new: str | None) -> bool:
        return bool(self._run("swap", place=place, name=name, expected=expected, new=new))

    def _buckets(self, use_case: str, buckets: range) -> Iterator[tuple[int, Mapping[str, float]]]:
        """Those that there are, in order."""
        if not buckets:
            return
        place = f"buckets:{use_case}"
        numbers = self._numbers(place, buckets)
        for at in range(0, len(numbers), AT_ONCE):
            some = numbers[at : at + AT_ONCE]
            hashes = self._hashes([f"bucket:{number}:{use_case}" for number in some])
            yield from ((number, sums) for number, sums in zip(some, hashes, strict=True) if sums)

    def _hashes(self, names: Sequence[str]) -> list[dict[str, float]]:
        found = self._server.read_hashes(names)
        return [self._sums_if_whole(*one) for one in zip(names, found, strict=True)]

    def _numbers(self, place: str, buckets: range) -> list[int]:
        try:
            kept = self._server.ask("ZRANGEBYSCORE", place, buckets.start, buckets.stop - 1)
            return [int(number) for number in kept]
        except StoreContentError as error:
            self._pass_over(place, error)
        except ValueError:
            self._pass_over(place, self._server.wrong_key(place, "holds no numbers of buckets"))
        return []

    def _sums_if_whole(self, name: str, kept: Mapping[str, str] | None) -> dict[str, float]:
        try:
            return self._sums(name, kept)
        except StoreContentError as error:
            self._pass_over(name, error)
            return {}

    def _pass_over(self, name: str, error: StoreContentError) -> None:
        """Sums are read again and again."""
        if name not in self._unreadable and len(self._unreadable) < MOST_UNREADABLE:
            self._unreadable.add(name)
            self.unreadable += 1
            self._unreadable_line.error("sums are left out of readings: %s", error)

    def _sums(self, name: str, kept: Mapping[str, str] | None) -> dict[str, float]:
        if kept is None:
            raise self._server.wrong_key(name, OTHER_TYPE)
        try:
            sums = {key: float(value) for key, value in kept.items()}
        except ValueError as error:
            raise self._server.wrong_key(name, "holds no sums") from error
        if not all(map(isfinite, sums.values())):
            raise self._server.wrong_key(name, "holds no sums")
        return sums


class RedisStore(RedisInbox, RedisWindows, RedisCases):
    """What changes together changes in one script."""

    @classmethod
    def at(cls, url: str, options: StoreOptions) -> RedisStore:
        """See `open_redis`."""
        server = RedisClient(read_address(url), options.bucket_seconds)
        server.check_if_reachable()
        return cls(server, options)

    def finish(
        self,
        lease: Lease,
        *,
        postings: Sequence[Posting] = (),
        cases: Sequence[Case] = (),
        jobs: Sequence[Job] = (),
    ) -> bool:
        effects = self._effects(effects_of(postings, cases, jobs))
        job = {"key": lease.job.key, "token": lease.token}
        return self._is_done(self._run_on_jobs("finish", **job, **effects))

    def accept(self, batch: Batch, position: Position) -> bool:
        check_batch(batch)
        spool = {"spool": position.spool, "position": position.end}
        return self._is_done(self._run_on_jobs("accept", **spool, **self._effects(batch)))

    def position(self, spool: str) -> int:
        kept = self._server.ask("HGET", "spools", spool) or "0"
        if not kept.isdecimal():
            raise StoreError(
                f"{self._server.shown} holds what evenguard did not write: the position"
                f" {kept!r:.40} of the spool {spool}; delete that, or change store.url"
            )
        return int(kept)

    def settle(self) -> bool:
        """What other copies there are (replicas, backups) is not known here."""
        return self._server.rewrite_files()

    def _effects(self, batch: Batch) -> Fields:
        return {
            "jobs": [asdict(job) for job in batch.jobs],
            "postings": [posting_fields(one, self._options) for one in batch.postings],
            "cases": [case_fields(one) for one in batch.cases],
        }
