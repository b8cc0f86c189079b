"""Reviewing cases: which case a reviewer gets, votes, undo, adjudication, figures."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from guard.errors import AlreadyClosed, NoSuchCase, NotHeld, StoreError
from guard.ports import Clock, Store
from guard.records import Audit, CaseFilter, CaseRecord, CaseState, QueuePlace, ReviewCursor, Vote
from guard.review.case_view import open_case, vote_of
from guard.review.decision_counts import count_new_decisions
from guard.review.queue_order import comes_later
from guard.review.statistics import ReviewStatistics, statistics, sums_by_use_case
from guard.review.thresholds import ThresholdProposal, proposals
from guard.review.views import CaseCount, CasePage, CaseSummary, OpenedCase, check_verdict

MAX_COUNT: Final = 1_000
MAX_NOTE_LENGTH: Final = 10_000
MAX_UNDO: Final = 20
"""How many votes a reviewer can take back, one after the other."""
MAX_PASSED_OVER: Final = 100
"""How many cases at the front of a queue may wait for others that come before them."""
MAX_OPENED: Final = 20
"""How many cases that were opened by their address one reviewer holds at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewService:
    """What reviewers, adjudicators and admins do. Thread-safe. Callers check roles.

    clock: Unix seconds. order_key: the secret that decides the order of sides. lease_seconds: how
    long a case is held by who opened it. Methods raise StoreError, and ReviewError with a message
    for people.
    """

    store: Store
    clock: Clock
    order_key: bytes = b""
    lease_seconds: float = 900.0

    def next(self, reviewer: str, where: CaseFilter | None = None) -> OpenedCase | None:
        """The first open case of the queue that this reviewer can decide; None without one.

        The queue begins with the largest and surest differences, see `Case.priority`. A case the
        reviewer holds comes first, and a pair before the reply that it is about. After a skip, the
        cases behind the skipped one follow, and then the first again.
        """
        where = replace(where or CaseFilter(), state=CaseState.OPEN)
        skipped = _skipped_place(self.store.cursor(reviewer))
        if skipped is not None:
            if record := self._take(where, reviewer, behind=skipped):
                return self._open_record(record, reviewer)
            self._move_cursor(reviewer, None)
        record = self._take(where, reviewer)
        return self._open_record(record, reviewer) if record else None

    def open(self, case_id: str, reviewer: str) -> OpenedCase | None:
        """A case by id: held if it is free and wants this reviewer's vote, else to read only.

        Disputed cases are not held. None when there is no such case. Of cases opened so, a reviewer
        holds the last MAX_OPENED: opening one more releases the one before those.
        """
        record = self._find(case_id)
        if record is None:
            return None
        if record.state is CaseState.OPEN and vote_of(record, reviewer) is None:
            self._hold(case_id, reviewer)
            record = self.store.case(case_id)
        return self._open_record(record, reviewer) if record else None

    def peek(self, case_id: str, reviewer: str) -> OpenedCase | None:
        """The same without holding it."""
        record = self._find(case_id)
        return self._open_record(record, reviewer) if record else None

    def reveal(self, case_id: str, by: str) -> OpenedCase | None:
        """All of a case, for who may see it undecided; the audit keeps who did."""
        record = self._find(case_id)
        if record is None:
            return None
        self.store.note(actor=by, event="revealed", case_id=case_id)
        return open_case(record, by, self.order_key, reveal=True)

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
        """Vote on a case that the reviewer holds, and release it.

        Raises NotHeld, AlreadyClosed, NoSuchCase, WrongVerdict; then nothing is changed. Sent a
        second time (a double click, a page sent again) it is NotHeld, and the first vote stands.
        """
        record = self._case(case_id)
        vote = Vote(
            case_id=case_id,
            reviewer=reviewer,
            verdict=check_verdict(verdict, record.case.kind),
            at_seconds=self.clock(),
            reason=_storable(reason),
            note=_storable(note),
            seconds_taken=seconds_taken,
        )
        if record.holder == reviewer:
            self.store.update_cursor(reviewer, lambda cursor: _with_vote(cursor, case_id))
        return self._count_decision(self.store.vote(vote)) or self._refuse(case_id)

    def skip(self, case_id: str, reviewer: str) -> None:
        """Release a case and go on behind it. Nothing happens if it is not held."""
        record = self.store.case(case_id)
        if record and self.store.leave(case_id, reviewer=reviewer):
            self._move_cursor(reviewer, record.case.place)

    def leave(self, case_id: str, reviewer: str) -> bool:
        """Release a case; it is handed out again at once."""
        return self.store.leave(case_id, reviewer=reviewer)

    def undo(self, reviewer: str) -> OpenedCase | None:
        """Take the reviewer's last vote back and hold the case again.

        None when there is none, or it cannot be taken back: an adjudicator decided, or somebody
        else has the case open.
        """
        for case_id in reversed(self.store.cursor(reviewer).recent_votes):
            record = self.store.case(case_id)
            if record and vote_of(record, reviewer):
                return self._undone(case_id, reviewer)
            self._forget_vote(reviewer, case_id)
        return None

    def adjudicate(self, case_id: str, by: str, verdict: str, note: str = "") -> CaseRecord:
        """Close a case, whatever its votes are. Raises AlreadyClosed, NoSuchCase, WrongVerdict."""
        check_verdict(verdict, self._case(case_id).case.kind)
        closed = self.store.close(case_id, by=by, verdict=verdict, note=_storable(note))
        return self._count_decision(closed) or self._refuse(case_id)

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
        """Decisions and backlog, of one use case or of all."""
        complete = self.count_new()
        return statistics(self.store, use_case, now=self.clock(), complete=complete)

    def proposals(
        self, use_case: str | None = None, *, wanted: float = 0.8
    ) -> Sequence[ThresholdProposal]:
        """Thresholds at which flags would have the wanted precision. wanted: in (0, 1)."""
        self.count_new()
        found = sums_by_use_case(self.store, use_case)
        return [one for name, sums in found.items() for one in proposals(name, sums, wanted=wanted)]

    def count_new(self, *, pages: int = 3) -> bool:
        """Count decisions that are not counted yet, a bounded number; whether that was all."""
        return count_new_decisions(self.store, pages=pages)

    def audit(self, case_id: str = "", *, after: int = 0, limit: int = 1000) -> Sequence[Audit]:
        """The entries of one case or of all, in order."""
        return self.store.audit(case_id=case_id, after=after, limit=limit)

    def _hold(self, case_id: str, reviewer: str) -> None:
        if not self.store.hold(case_id, reviewer=reviewer, seconds=self.lease_seconds):
            return
        too_many: tuple[str, ...] = ()

        def opened(cursor: ReviewCursor) -> ReviewCursor:
            nonlocal too_many
            found = _with_last(cursor.recently_opened, case_id)
            too_many = found[:-MAX_OPENED]
            return replace(cursor, recently_opened=found[-MAX_OPENED:])

        self.store.update_cursor(reviewer, opened)
        for each in too_many:
            self.store.leave(each, reviewer=reviewer)

    def _move_cursor(self, reviewer: str, skipped: QueuePlace | None) -> None:
        self.store.update_cursor(reviewer, lambda cursor: _with_place(cursor, skipped))

    def _forget_vote(self, reviewer: str, case_id: str) -> None:
        self.store.update_cursor(reviewer, lambda cursor: _without_vote(cursor, case_id))

    def _take(
        self, where: CaseFilter, reviewer: str, *, behind: QueuePlace | None = None
    ) -> CaseRecord | None:
        """The first that does not come later for this reviewer; where all do, the first of all."""
        after = behind
        for _ in range(MAX_PASSED_OVER):
            record = self._hold_first(where, reviewer, after)
            if record is None or not comes_later(self.store, record, reviewer):
                break
            self.store.leave(record.case.id, reviewer=reviewer)
            after = record.case.place
        else:
            record = None
        return record or self._hold_first(where, reviewer, behind)

    def _hold_first(
        self, where: CaseFilter, reviewer: str, behind: QueuePlace | None
    ) -> CaseRecord | None:
        return self.store.take(where, reviewer=reviewer, seconds=self.lease_seconds, behind=behind)

    def _open_record(self, record: CaseRecord, reviewer: str) -> OpenedCase:
        return open_case(record, reviewer, self.order_key)

    def _undone(self, case_id: str, reviewer: str) -> OpenedCase | None:
        unvoted = self.store.unvote(case_id, reviewer=reviewer, seconds=self.lease_seconds)
        record = self._count_decision(unvoted)
        if record is None:
            return None
        self._forget_vote(reviewer, case_id)
        return self._open_record(record, reviewer)

    def _count_decision(self, record: CaseRecord | None) -> CaseRecord | None:
        """The decision stands even if it cannot be counted now; the next call counts it."""
        if record is not None:
            with suppress(StoreError):
                self.count_new()
        return record

    def _find(self, case_id: str) -> CaseRecord | None:
        """A case that people vote on; examples show more than a reviewer may see."""
        record = self.store.case(case_id)
        return None if record and record.state is CaseState.EXAMPLE else record

    def _case(self, case_id: str) -> CaseRecord:
        record = self._find(case_id)
        if record is None:
            raise NoSuchCase("there is no such case; it may have been erased")
        return record

    def _refuse(self, case_id: str) -> NoReturn:
        if self._case(case_id).state is CaseState.CLOSED:
            raise AlreadyClosed("this case was closed meanwhile; your verdict was not counted")
        raise NotHeld(
            "you no longer hold this case: you decided it, or your time ran out; open it again to"
            " decide it"
        )


def _skipped_place(cursor: ReviewCursor) -> QueuePlace | None:
    if cursor.skipped_at is None:
        return None
    return QueuePlace(priority=cursor.skipped_priority, opened_at=cursor.skipped_at)


def _with_place(cursor: ReviewCursor, skipped: QueuePlace | None) -> ReviewCursor:
    if skipped is None:
        return replace(cursor, skipped_at=None, skipped_priority=0.0)
    return replace(cursor, skipped_at=skipped.opened_at, skipped_priority=skipped.priority)


def _with_vote(cursor: ReviewCursor, case_id: str) -> ReviewCursor:
    votes = _with_last(cursor.recent_votes, case_id)
    return replace(cursor, recent_votes=votes[-MAX_UNDO:])


def _with_last(ids: tuple[str, ...], case_id: str) -> tuple[str, ...]:
    return (*(one for one in ids if one != case_id), case_id)


def _without_vote(cursor: ReviewCursor, case_id: str) -> ReviewCursor:
    return replace(cursor, recent_votes=tuple(one for one in cursor.recent_votes if one != case_id))


def _storable(note: str) -> str:
    """A note as a store can keep it."""
    return note.encode("utf-8", "replace").decode("utf-8")[:MAX_NOTE_LENGTH]
