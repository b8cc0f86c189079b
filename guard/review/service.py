"""The review desk: who sees which case, who decides it, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NoReturn

from guard.errors import AlreadyClosed, NoSuchCase, NotHeld, StoreError
from guard.ports import Clock
from guard.records import Audit, CaseFilter, CaseRecord, CaseState, Vote
from guard.review.case_view import open_case, vote_of
from guard.review.decision_counts import DecisionCounter, DecisionStore
from guard.review.reviewer_memory import ReviewerMemory
from guard.review.statistics import ReviewStatistics, statistics, sums_by_use_case
from guard.review.thresholds import ThresholdProposal, proposals
from guard.review.verdicts import check_verdict
from guard.review.views import CaseCount, CasePage, CaseSummary, OpenedCase

MAX_COUNT = 1_000
MAX_NOTE_LENGTH = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewService:
    """What reviewers, adjudicators and admins do. Thread-safe; who may do what is for the caller.

    clock: Unix seconds. order_key: secret, of the order of sides. lease_seconds: how long a case
    stays in a person's hands. Methods raise StoreError, and ReviewError with a message for people.
    """

    store: DecisionStore
    clock: Clock
    order_key: bytes = b""
    lease_seconds: float = 900.0

    def next(self, reviewer: str, where: CaseFilter | None = None) -> OpenedCase | None:
        """The oldest fitting open case that this person can decide; None when there is none.

        What the person holds already comes first. After a skip it goes on behind what was
        skipped, and begins with the oldest again when nothing is left there.
        """
        where = replace(where or CaseFilter(), state=CaseState.OPEN)
        passed = self._memory.passed_at(reviewer)
        if passed is not None:
            if filed := self._take(_behind(where, passed), reviewer):
                return self._opened(filed, reviewer)
            self._memory.passed(reviewer, None)
        filed = self._take(where, reviewer)
        return self._opened(filed, reviewer) if filed else None

    def open(self, case_id: str, reviewer: str) -> OpenedCase | None:
        """A certain case: held when it is free and wants this person's vote, else to be read.

        A disputed one is for an adjudicator, and not held. None when there is none.
        """
        filed = self.store.case(case_id)
        if filed is None:
            return None
        if filed.state is CaseState.OPEN and vote_of(filed, reviewer) is None:
            self.store.hold(case_id, reviewer=reviewer, seconds=self.lease_seconds)
            filed = self.store.case(case_id)
        return self._opened(filed, reviewer) if filed else None

    def peek(self, case_id: str, reviewer: str) -> OpenedCase | None:
        """The same without holding it."""
        filed = self.store.case(case_id)
        return self._opened(filed, reviewer) if filed else None

    def reveal(self, case_id: str, by: str) -> OpenedCase | None:
        """All of a case, for who may see it undecided; the audit keeps who did."""
        filed = self.store.case(case_id)
        if filed is None:
            return None
        self.store.note(actor=by, event="revealed", case_id=case_id)
        return open_case(filed, by, self.order_key, reveal=True)

    def decide(
        self,
        case_id: str,
        reviewer: str,
        verdict: str,
        *,
        reason: str = "",
        note: str = "",
        seconds_taken: float | None = None,
    ) -> CaseRecord:
        """Vote on a case one holds, and let go of it.

        Raises NotHeld, AlreadyClosed, NoSuchCase, WrongVerdict; then nothing is changed. Sent a
        second time (a double click, a page sent again) it is NotHeld, and the first vote stands.
        """
        filed = self._case(case_id)
        vote = Vote(
            case_id=case_id,
            reviewer=reviewer,
            verdict=check_verdict(verdict, filed.case.kind),
            at_seconds=self.clock(),
            reason=_storable(reason),
            note=_storable(note),
            seconds_taken=seconds_taken,
        )
        if filed.holder == reviewer:
            self._memory.voted(reviewer, case_id)
        return self._counted(self.store.vote(vote)) or self._refused(case_id)

    def skip(self, case_id: str, reviewer: str) -> None:
        """Give a case back; the next one comes from behind it. Nothing when it is not held."""
        filed = self.store.case(case_id)
        if filed and self.store.leave(case_id, reviewer=reviewer):
            self._memory.passed(reviewer, filed.case.opened_at)

    def leave(self, case_id: str, reviewer: str) -> bool:
        """Give a case back, to be handed out again at once."""
        return self.store.leave(case_id, reviewer=reviewer)

    def undo(self, reviewer: str) -> OpenedCase | None:
        """Take the person's last vote back and hold the case again.

        None when there is none, or it cannot be taken back: an adjudicator decided, or somebody
        else has the case open.
        """
        for case_id in reversed(self._memory.votes(reviewer)):
            filed = self.store.case(case_id)
            if filed and vote_of(filed, reviewer):
                return self._undone(case_id, reviewer)
            self._memory.unvoted(reviewer, case_id)
        return None

    def adjudicate(self, case_id: str, by: str, verdict: str, note: str = "") -> CaseRecord:
        """Decide a case whatever its votes are. Raises AlreadyClosed, NoSuchCase, WrongVerdict."""
        check_verdict(verdict, self._case(case_id).case.kind)
        closed = self.store.close(case_id, by=by, verdict=verdict, note=_storable(note))
        return self._counted(closed) or self._refused(case_id)

    def queue(
        self, where: CaseFilter | None = None, *, after: str = "", limit: int = 50
    ) -> CasePage:
        """Fitting cases, oldest first. after: `next` of the page before."""
        found = self.store.query(where or CaseFilter(), after=after, limit=limit + 1)
        items = tuple(map(CaseSummary.of, found[:limit]))
        return CasePage(items=items, next=items[-1].id if len(found) > limit else "")

    def count(self, where: CaseFilter | None = None) -> CaseCount:
        """How many cases fit."""
        found = self.store.count(where or CaseFilter(), most=MAX_COUNT + 1)
        return CaseCount(cases=min(found, MAX_COUNT), exact=found <= MAX_COUNT)

    def statistics(self, use_case: str | None = None) -> ReviewStatistics:
        """What was decided and what waits, of one use case or of all."""
        complete = self.count_new()
        return statistics(self.store, self.store, use_case, now=self.clock(), complete=complete)

    def proposals(
        self, use_case: str | None = None, *, wanted: float = 0.8
    ) -> Sequence[ThresholdProposal]:
        """Thresholds at which so many of a flag's cases would be right. wanted: in (0, 1)."""
        self.count_new()
        found = sums_by_use_case(self.store, self.store, use_case)
        return [one for name, sums in found.items() for one in proposals(name, sums, wanted=wanted)]

    def count_new(self, *, pages: int = 3) -> bool:
        """Count decisions that are not counted yet, a bounded number; whether that was all."""
        return DecisionCounter(store=self.store).count_new(pages=pages)

    def audit(self, case_id: str = "", *, after: int = 0, limit: int = 1000) -> Sequence[Audit]:
        """What was done, to one case or to all, in order."""
        return self.store.audit(case_id=case_id, after=after, limit=limit)

    @property
    def _memory(self) -> ReviewerMemory:
        return ReviewerMemory(windows=self.store)

    def _take(self, where: CaseFilter, reviewer: str) -> CaseRecord | None:
        return self.store.take(where, reviewer=reviewer, seconds=self.lease_seconds)

    def _opened(self, filed: CaseRecord, reviewer: str) -> OpenedCase:
        return open_case(filed, reviewer, self.order_key)

    def _undone(self, case_id: str, reviewer: str) -> OpenedCase | None:
        unvoted = self.store.unvote(case_id, reviewer=reviewer, seconds=self.lease_seconds)
        filed = self._counted(unvoted)
        if filed is None:
            return None
        self._memory.unvoted(reviewer, case_id)
        return self._opened(filed, reviewer)

    def _counted(self, filed: CaseRecord | None) -> CaseRecord | None:
        """The decision stands, even if it cannot be counted just now: the next one sees to it."""
        if filed is not None:
            with suppress(StoreError):
                self.count_new()
        return filed

    def _case(self, case_id: str) -> CaseRecord:
        filed = self.store.case(case_id)
        if filed is None:
            raise NoSuchCase("this case is not there; perhaps its texts were erased meanwhile")
        return filed

    def _refused(self, case_id: str) -> NoReturn:
        if self._case(case_id).state is CaseState.CLOSED:
            raise AlreadyClosed("this case was decided meanwhile; your verdict was not counted")
        raise NotHeld(
            "this case is no longer in your hands, because you decided it or the time ran out;"
            " open it again to decide it"
        )


def _behind(where: CaseFilter, opened_at: float) -> CaseFilter:
    return replace(where, opened_after=max(opened_at, where.opened_after or opened_at))


def _storable(note: str) -> str:
    """A note as a store can keep it."""
    return note.encode("utf-8", "replace").decode("utf-8")[:MAX_NOTE_LENGTH]
