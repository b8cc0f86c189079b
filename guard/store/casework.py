"""What people do to a case: from a case as it stands to the case after it, and what to audit.

Pure: every store that can read a case, hand it to one of these and write the result in one
transaction has the same rules. None means that it may not be done.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from guard.records import Case, CaseFilter, CaseRecord, CaseState, Vote

OPENER = "guard"
"""The actor in the audit of cases that were opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A case after something was done. entries: event and detail, for the audit."""

    filed: CaseRecord
    actor: str
    entries: tuple[tuple[str, str], ...]


def shown(filed: CaseRecord, now: float) -> CaseRecord:
    """The case without a hold that ran out."""
    if filed.held_until is None or filed.held_until > now:
        return filed
    return _released(filed)


def held(filed: CaseRecord, reviewer: str, now: float, seconds: float) -> Change | None:
    """In the hands of `reviewer` for so long."""
    filed = shown(filed, now)
    if filed.state is CaseState.CLOSED or filed.holder not in {"", reviewer}:
        return None
    entries = () if filed.holder else (("held", ""),)
    after = replace(filed, holder=reviewer, held_until=now + seconds)
    return Change(filed=after, actor=reviewer, entries=entries)


def left(filed: CaseRecord, reviewer: str, now: float) -> Change | None:
    """Given back undecided."""
    filed = shown(filed, now)
    if not reviewer or filed.holder != reviewer:
        return None
    return Change(filed=_released(filed), actor=reviewer, entries=(("left", ""),))


def voted(filed: CaseRecord, vote: Vote, now: float) -> Change | None:
    """With this vote, let go of; closed or disputed when all wanted votes are in."""
    filed = shown(filed, now)
    if filed.state is CaseState.CLOSED or not vote.reviewer or filed.holder != vote.reviewer:
        return None
    votes = in_order((*_without(filed, vote.reviewer), vote))
    after = _counted(replace(_released(filed), votes=votes), now)
    entries = [("voted", vote.verdict)]
    if after.state is CaseState.CLOSED:
        entries.append(("closed", after.verdict))
    elif after.state is CaseState.DISPUTED:
        entries.append(("disputed", ""))
    return Change(filed=after, actor=vote.reviewer, entries=tuple(entries))


def unvoted(filed: CaseRecord, reviewer: str, now: float, seconds: float) -> Change | None:
    """Open again without this person's vote, and in his or her hands."""
    filed = shown(filed, now)
    votes = _without(filed, reviewer)
    if votes == filed.votes or filed.decided_by or filed.holder not in {"", reviewer}:
        return None
    after = replace(
        filed,
        state=CaseState.OPEN,
        votes=votes,
        verdict="",
        closed_at=None,
        holder=reviewer,
        held_until=now + seconds,
    )
    return Change(filed=after, actor=reviewer, entries=(("unvoted", ""),))


def closed(filed: CaseRecord, *, by: str, verdict: str, note: str, now: float) -> Change | None:
    """Decided by one person, whatever the votes are."""
    if filed.state is CaseState.CLOSED:
        return None
    after = replace(
        _released(filed),
        state=CaseState.CLOSED,
        verdict=verdict,
        closed_at=now,
        decided_by=by,
        note=note,
    )
    return Change(filed=after, actor=by, entries=(("closed", verdict),))


def fits(filed: CaseRecord, where: CaseFilter) -> bool:
    """Whether a case is one of those."""
    case = filed.case
    return (
        _among(case, where)
        and where.state in {None, filed.state}
        and (where.opened_before is None or case.opened_at < where.opened_before)
        and (where.opened_after is None or case.opened_at > where.opened_after)
        and where.not_voted_by not in {vote.reviewer for vote in filed.votes}
    )


def takeable(where: CaseFilter, reviewer: str) -> CaseFilter | None:
    """Which cases may be handed to `reviewer`; None for none, since all are closed."""
    if where.state is CaseState.CLOSED:
        return None
    return replace(where, state=where.state or CaseState.OPEN, not_voted_by=reviewer)


def in_order(votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """Votes by time, then reviewer."""
    return tuple(sorted(votes, key=lambda vote: (vote.at_seconds, vote.reviewer)))


def _among(case: Case, where: CaseFilter) -> bool:
    return (
        where.use_case in {None, case.use_case}
        and where.kind in {None, case.kind}
        and where.attribute in {None, case.attribute}
        and where.reason in {None, *case.reasons}
        and where.call_id in {None, case.call_id}
    )


def _counted(filed: CaseRecord, now: float) -> CaseRecord:
    if len(filed.votes) < filed.case.reviewers:
        return filed
    verdicts = {vote.verdict for vote in filed.votes}
    if len(verdicts) > 1:
        return replace(filed, state=CaseState.DISPUTED)
    return replace(filed, state=CaseState.CLOSED, verdict=verdicts.pop(), closed_at=now)


def _without(filed: CaseRecord, reviewer: str) -> tuple[Vote, ...]:
    return tuple(vote for vote in filed.votes if vote.reviewer != reviewer)


def _released(filed: CaseRecord) -> CaseRecord:
    return replace(filed, holder="", held_until=None)
