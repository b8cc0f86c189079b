"""What people do to a case: from a case as it stands to the case after it, and what to audit.

The functions are pure: every store that can read a case, hand it to one of these and write the
result in one transaction has the same rules. None means that it may not be done.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

from guard.records import Case, CaseFilter, CaseRecord, CaseState, QueuePlace, Vote
from guard.store.common import LONGEST_WAIT_SECONDS, check_vote

OPENER = "guard"
"""The actor in the audit of cases that were opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChange:
    """A case after something was done. entries: event and detail, for the audit."""

    record: CaseRecord
    actor: str
    entries: tuple[tuple[str, str], ...]


def without_expired_hold(record: CaseRecord, now: float) -> CaseRecord:
    """The case without a hold that ran out, or that a clock made which has been set back since."""
    if record.held_until is None or now < record.held_until <= now + LONGEST_WAIT_SECONDS:
        return record
    return _release(record)


def hold(record: CaseRecord, reviewer: str, now: float, seconds: float) -> CaseChange | None:
    """In the hands of `reviewer` for so long."""
    record = without_expired_hold(record, now)
    if not record.state.waits or record.holder not in {"", reviewer}:
        return None
    entries = () if record.holder else (("held", ""),)
    after = replace(record, holder=reviewer, held_until=now + seconds)
    return CaseChange(record=after, actor=reviewer, entries=entries)


def leave(record: CaseRecord, reviewer: str, now: float) -> CaseChange | None:
    """Given back undecided."""
    record = without_expired_hold(record, now)
    if not reviewer or record.holder != reviewer:
        return None
    return CaseChange(record=_release(record), actor=reviewer, entries=(("left", ""),))


def add_vote(record: CaseRecord, vote: Vote, now: float) -> CaseChange | None:
    """With this vote, let go of; closed or disputed when all wanted votes are in."""
    record = without_expired_hold(record, now)
    if not record.state.waits or not vote.reviewer or record.holder != vote.reviewer:
        return None
    votes = sort_votes((*_votes_without(record, vote.reviewer), vote))
    after = _count_votes(replace(_release(record), votes=votes), now)
    entries = [("voted", vote.verdict)]
    if after.state is CaseState.CLOSED:
        entries.append(("closed", after.verdict))
    elif after.state is CaseState.DISPUTED:
        entries.append(("disputed", ""))
    return CaseChange(record=after, actor=vote.reviewer, entries=tuple(entries))


def remove_vote(record: CaseRecord, reviewer: str, now: float, seconds: float) -> CaseChange | None:
    """Open again without this person's vote, and in his or her hands."""
    record = without_expired_hold(record, now)
    votes = _votes_without(record, reviewer)
    if votes == record.votes or record.decided_by or record.holder not in {"", reviewer}:
        return None
    after = replace(
        record,
        state=CaseState.OPEN,
        votes=votes,
        verdict="",
        closed_at=None,
        holder=reviewer,
        held_until=now + seconds,
    )
    return CaseChange(record=after, actor=reviewer, entries=(("unvoted", ""),))


def close(record: CaseRecord, *, by: str, verdict: str, note: str, now: float) -> CaseChange | None:
    """Decided by one person, whatever the votes are."""
    if not record.state.waits:
        return None
    after = replace(
        _release(record),
        state=CaseState.CLOSED,
        verdict=verdict,
        closed_at=now,
        decided_by=by,
        note=note,
    )
    return CaseChange(record=after, actor=by, entries=(("closed", verdict),))


def matches(record: CaseRecord, where: CaseFilter) -> bool:
    """Whether a case is one of those."""
    case = record.case
    return (
        _case_matches(case, where)
        and where.state in {None, record.state}
        and (where.opened_before is None or case.opened_at < where.opened_before)
        and (where.opened_after is None or case.opened_at > where.opened_after)
        and where.not_voted_by not in {vote.reviewer for vote in record.votes}
    )


def is_behind(case: Case, place: QueuePlace | None) -> bool:
    """Whether a case comes after this place in the queue."""
    return place is None or case.place.order > place.order


def takeable(where: CaseFilter) -> CaseFilter | None:
    """Which cases may be handed out to whoever has not voted on them; None for none, since none of
    them waits."""
    if where.state is not None and not where.state.waits:
        return None
    return replace(where, state=where.state or CaseState.OPEN)


def may_take(record: CaseRecord, where: CaseFilter, reviewer: str) -> bool:
    """Whether a case is one of those, and this person has not voted on it."""
    return matches(record, where) and matches(record, CaseFilter(not_voted_by=reviewer))


def sort_votes(votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """Votes by time, then reviewer."""
    return tuple(sorted(votes, key=lambda vote: (vote.at_seconds, vote.reviewer)))


def _case_matches(case: Case, where: CaseFilter) -> bool:
    return (
        where.use_case in {None, case.use_case}
        and where.kind in {None, case.kind}
        and where.attribute in {None, case.attribute}
        and where.reason in {None, *case.reasons}
        and where.call_id in {None, case.call_id}
    )


def _count_votes(record: CaseRecord, now: float) -> CaseRecord:
    if len(record.votes) < record.case.reviewers:
        return record
    verdicts = {vote.verdict for vote in record.votes}
    if len(verdicts) > 1:
        return replace(record, state=CaseState.DISPUTED)
    return replace(record, state=CaseState.CLOSED, verdict=verdicts.pop(), closed_at=now)


def _votes_without(record: CaseRecord, reviewer: str) -> tuple[Vote, ...]:
    return tuple(vote for vote in record.votes if vote.reviewer != reviewer)


def _release(record: CaseRecord) -> CaseRecord:
    return replace(record, holder="", held_until=None)


class CaseTransitions(ABC):
    """The methods of `ports.Cases` that look at a case and change it."""

    @abstractmethod
    def _change(
        self, case_id: str, how: Callable[[CaseRecord, float], CaseChange | None]
    ) -> CaseRecord | None:
        """The case after the change, made with nobody between look and change; None where the
        case is not there or `how` refuses. how: called with the case and the time."""

    def hold(self, case_id: str, *, reviewer: str, seconds: float) -> bool:
        held = self._change(case_id, lambda one, now: hold(one, reviewer, now, seconds))
        return held is not None

    def leave(self, case_id: str, *, reviewer: str) -> bool:
        return self._change(case_id, lambda one, now: leave(one, reviewer, now)) is not None

    def vote(self, vote: Vote) -> CaseRecord | None:
        check_vote(vote)
        return self._change(vote.case_id, lambda one, now: add_vote(one, vote, now))

    def unvote(self, case_id: str, *, reviewer: str, seconds: float) -> CaseRecord | None:
        return self._change(case_id, lambda one, now: remove_vote(one, reviewer, now, seconds))

    def close(self, case_id: str, *, by: str, verdict: str, note: str = "") -> CaseRecord | None:
        (by + verdict + note).encode()  # a lone surrogate can be kept nowhere
        return self._change(
            case_id, lambda one, now: close(one, by=by, verdict=verdict, note=note, now=now)
        )
