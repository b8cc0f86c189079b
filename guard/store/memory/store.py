"""Jobs, sums and cases in memory, changed together."""

from __future__ import annotations

from collections.abc import Sequence

from guard.records import Batch, Case, Lease, Position, Posting
from guard.store.checks import check_case, check_job, check_postings
from guard.store.memory.cases import MemoryCases
from guard.store.memory.inbox import MemoryInbox
from guard.store.memory.windows import MemoryWindows
from guard.store.options import Options


class MemoryStore(MemoryInbox, MemoryWindows, MemoryCases):
    """See `ports.Store`. Everything stays until the process ends, ended keys and erased ids too."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._positions: dict[str, int] = {}

    def finish(
        self, lease: Lease, *, postings: Sequence[Posting] = (), cases: Sequence[Case] = ()
    ) -> bool:
        """See `ports.Inbox`."""
        _check(postings, cases)
        with self._alone() as now:
            if self._of(lease) is None:
                return False
            self._end(lease.job.key, now)
            self._commit(postings, cases)
            return True

    def accept(self, batch: Batch, position: Position) -> bool:
        """See `ports.Store`."""
        for job in batch.jobs:
            check_job(job)
        _check(batch.postings, batch.cases)
        with self._alone() as now:
            if self.position(position.spool) >= position.end:
                return False
            self._positions[position.spool] = position.end
            for job in batch.jobs:
                self._put(job, now)
            self._commit(batch.postings, batch.cases)
            return True

    def position(self, spool: str) -> int:
        """See `ports.Store`."""
        with self._alone():
            return self._positions.get(spool, 0)

    def open(self, case: Case) -> bool:
        """See `ports.Cases`."""
        return case.call_id not in self._erased_calls and super().open(case)

    def erase(self, call_id: str, *, by: str) -> int:
        """See `ports.Cases`."""
        if not call_id:
            return 0
        with self._alone() as now:
            cases, jobs = self._erase_cases(call_id), self._erase_jobs(call_id)
            for case_id in cases:
                self._write(by, [("erased", call_id)], case_id, now)
            self._write(by, [("erased", key) for key in jobs], "", now)
            return len(cases) + len(jobs)

    def settle(self) -> bool:
        """See `ports.Store`. There is no file."""
        return True

    def _commit(self, postings: Sequence[Posting], cases: Sequence[Case]) -> None:
        self._post(postings)
        for case in cases:
            self.open(case)


def _check(postings: Sequence[Posting], cases: Sequence[Case]) -> None:
    check_postings(postings)
    for case in cases:
        check_case(case)
