"""Old cases go: their texts, and what people wrote on them. Figures and the audit stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Final

from guard.ports import Clock, Store
from guard.records import CaseFilter
from guard.review.decision_counts import count_new_decisions

PAGE: Final = 100
UNSETTLED: Final = "review/unsettled"
OWED: Final = "yes"
MAX_DEAD_LETTERS: Final = 100_000


def never() -> bool:
    """For a purge that nobody ends early."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureResult:
    """What was erased. records: cases and jobs. settled: False when the store's own files may
    hold texts until it is asked again."""

    records: int
    settled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Erases what is old. clock: Unix seconds. kept_seconds: None keeps everything."""

    store: Store
    clock: Clock
    kept_seconds: float | None

    def purge(self, *, by: str, is_ending: Callable[[], bool] = never) -> ErasureResult:
        """Erase the calls of all cases that are older, and of jobs that failed for good.

        Decisions are counted first. is_ending: asked between two steps, each of one call; once it
        says so the rest stays for the next time. Raises StoreError; what went by then is gone.
        """
        if self.kept_seconds is None:
            return ErasureResult(records=0, settled=True)
        before = self.clock() - self.kept_seconds
        return self.purge_before(before, by=by, is_ending=is_ending)

    def purge_before(
        self, before: float, *, by: str, is_ending: Callable[[], bool] = never
    ) -> ErasureResult:
        """The same up to a moment of choice, in Unix seconds."""
        if not self._count_decisions(is_ending):
            return ErasureResult(records=0, settled=True)
        calls = chain(self._calls(before), self._report_failures(before))
        left = takewhile(lambda _: not is_ending(), calls)
        records = sum(self._erase(call_id, by) for call_id in left)
        return ErasureResult(records=records, settled=self._is_settled())

    def erase(self, call_id: str, *, by: str) -> ErasureResult:
        """Erase everything about one call, also what comes in for it later."""
        self._count_decisions()
        return ErasureResult(records=self._erase(call_id, by), settled=self._is_settled())

    def _erase(self, call_id: str, by: str) -> int:
        self._owe(OWED)
        return self.store.erase(call_id, by=by)

    def _is_settled(self) -> bool:
        """Whether no text of what was ever erased here is left to the store's files."""
        if self.store.fact(UNSETTLED) != OWED:
            return True
        settled = self.store.settle()
        if settled:
            self._owe("")
        return settled

    def _owe(self, what: str) -> None:
        """Remembered in the store: who is killed in between leaves it to the next."""
        self.store.update_fact(UNSETTLED, lambda _: what)

    def _count_decisions(self, is_ending: Callable[[], bool] = never) -> bool:
        """While it is known what they are about. False where the end came before all were."""
        while not is_ending():
            if count_new_decisions(self.store):
                return True
        return False

    def _report_failures(self, failed_before: float) -> Iterator[str]:
        dead = self.store.dead_letters(limit=MAX_DEAD_LETTERS)
        yield from (one.job.call_id for one in dead if one.failed_at < failed_before)

    def _calls(self, opened_before: float) -> Iterator[str]:
        """Calls with old cases, each until it is erased; a case of nobody's call cannot be."""
        where, after = CaseFilter(opened_before=opened_before), ""
        while found := self.store.query(where, after=after, limit=PAGE):
            stuck = [one.case.id for one in found if not one.case.call_id]
            yield from dict.fromkeys(one.case.call_id for one in found if one.case.call_id)
            after = stuck[-1] if stuck else after
