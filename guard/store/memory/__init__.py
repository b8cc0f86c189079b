"""A store that is gone with its process, for tests: sums, and all parts together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from guard.records import Batch, Case, Job, Lease, Position, Posting
from guard.store.common import StoreOptions, check_batch, check_postings, effects_of
from guard.store.memory.cases import MemoryCases
from guard.store.memory.inbox import MemoryBase, MemoryInbox
from guard.store.named import NamedRecords, RecordTable

P = TypeVar("P")
Sums = dict[str, float]


class MemoryWindows(MemoryBase, NamedRecords):
    def __init__(self, options: StoreOptions) -> None:
        super().__init__(options)
        self._buckets: dict[tuple[str, int], Sums] = {}
        self._epochs: dict[tuple[str, str], Sums] = {}
        self._named: dict[RecordTable, dict[str, str]] = {place: {} for place in RecordTable}

    def add(self, postings: Sequence[Posting]) -> None:
        check_postings(postings)
        with self._locked():
            self._post(postings)

    def total(self, use_case: str, buckets: range) -> Mapping[str, float]:
        total: dict[str, Sums] = {}
        for sums in self.series(use_case, buckets).values():
            _add(total, use_case, sums)
        return total.get(use_case, {})

    def series(self, use_case: str, buckets: range) -> Mapping[int, Mapping[str, float]]:
        with self._locked():
            return {
                bucket: dict(sums)
                for (name, bucket), sums in sorted(self._buckets.items())
                if name == use_case and bucket in buckets
            }

    def evidence(self, use_case: str, epochs: Collection[str]) -> Mapping[str, Mapping[str, float]]:
        with self._locked():
            return {epoch: dict(self._epochs.get((use_case, epoch), {})) for epoch in epochs}

    def use_cases(self) -> Sequence[str]:
        with self._locked():
            return sorted({name for name, _ in (*self._buckets, *self._epochs)})

    def expire(self, *, before_bucket: int) -> int:
        with self._locked():
            old = [place for place in self._buckets if place[1] < before_bucket]
            for place in old:
                del self._buckets[place]
            return len(old)

    def _texts(self, place: RecordTable) -> Mapping[str, str]:
        with self._locked():
            return dict(self._named[place])

    def _text(self, place: RecordTable, name: str) -> str | None:
        with self._locked():
            return self._named[place].get(name)

    def _swap(self, place: RecordTable, name: str, expected: str | None, new: str | None) -> bool:
        with self._locked():
            texts = self._named[place]
            if texts.get(name) != expected:
                return False
            if new is None:
                texts.pop(name, None)
            else:
                texts[name] = new
            return True

    def _post(self, postings: Sequence[Posting]) -> None:
        for posting in postings:
            bucket = self._options.bucket(posting.at_seconds)
            _add(self._buckets, (posting.use_case, bucket), posting.sums)
            for epoch, sums in posting.evidence.items():
                _add(self._epochs, (posting.use_case, epoch), sums)


def _add(kept: dict[P, Sums], place: P, sums: Mapping[str, float]) -> None:
    if sums:
        there = kept.setdefault(place, {})
        for key, value in sums.items():
            there[key] = there.get(key, 0.0) + value


class MemoryStore(MemoryInbox, MemoryWindows, MemoryCases):
    """Everything stays until the process ends, ended keys and erased ids too."""

    def __init__(self, options: StoreOptions) -> None:
        super().__init__(options)
        self._positions: dict[str, int] = {}

    def finish(
        self,
        lease: Lease,
        *,
        postings: Sequence[Posting] = (),
        cases: Sequence[Case] = (),
        jobs: Sequence[Job] = (),
    ) -> bool:
        effects = effects_of(postings, cases, jobs)
        with self._locked() as now:
            if self._leased_job(lease) is None:
                return False
            self._end(lease.job.key, now)
            self._commit(effects, now)
            return True

    def accept(self, batch: Batch, position: Position) -> bool:
        check_batch(batch)
        with self._locked() as now:
            if self.position(position.spool) >= position.end:
                return False
            self._positions[position.spool] = position.end
            self._commit(batch, now)
            return True

    def position(self, spool: str) -> int:
        with self._locked():
            return self._positions.get(spool, 0)

    def open(self, case: Case) -> bool:
        return case.call_id not in self._erased_calls and super().open(case)

    def erase(self, call_id: str, *, by: str) -> int:
        if not call_id:
            return 0
        with self._locked() as now:
            cases, jobs = self._erase_cases(call_id), self._erase_jobs(call_id)
            for case_id in cases:
                self._write(by, [("erased", call_id)], case_id, now)
            self._write(by, [("erased", key) for key in jobs], "", now)
            return len(cases) + len(jobs)

    def settle(self) -> bool:
        """There is no file."""
        return True

    def _commit(self, batch: Batch, now: float) -> None:
        for job in batch.jobs:
            self._put(job, now)
        self._post(batch.postings)
        for case in batch.cases:
            self.open(case)
