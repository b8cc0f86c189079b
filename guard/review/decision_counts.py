"""What decisions add to the figures: sums made from the audit, each entry counted once.

Votes and audit change in one transaction of the store. What an entry adds to the figures follows
later, together with the number of the entry: a second process adds nothing again, and what a
killed process left out the next one adds. An entry adds the difference between the sums of its
case after it and before it, so that a vote that was taken back leaves nothing.

Keys: `flag|reason|verdict|bin of the flagged figure`, `verdict|kind|verdict`, `day|date|event`,
`seconds|up to`, `milliseconds`, `cases|what`, and those of `fairness.rater_agreement`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce
from math import ceil, floor
from typing import Final

from guard.fairness.rater_agreement import agreement_tally
from guard.fairness.tally import key, merged
from guard.ports import Store
from guard.records import (
    Audit,
    Batch,
    Case,
    CaseKind,
    Position,
    Posting,
    decode_pair,
    decode_response,
)

SUMS: Final = "review"
"""Where they are among what does not expire."""
UP_TO_SECONDS: Final = (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600)
"""Ends of the bins of the time a decision took; what is above all is in the bin `more`."""
LOW_IS_STRONG: Final = frozenset({"p_value"})
"""Figures that are flagged when they are low."""
MILLISECONDS: Final = "milliseconds"
"""The time of all decisions, in whole ones, so that what is taken back leaves nothing."""
STEPS_PER_UNIT: Final = 100
P_VALUE_STEPS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedVote:
    """A verdict, when it was given, and how long it took from opening the case."""

    verdict: str
    at_seconds: float
    seconds_taken: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseHistory:
    """How a case stands after some of its audit. votes, opened_by: by reviewer. closed: verdict
    and when."""

    votes: Mapping[str, TimedVote] = field(default_factory=dict)
    opened_by: Mapping[str, float] = field(default_factory=dict)
    disputed: bool = False
    closed: tuple[str, float] | None = None


def entry_sums(case: Case, trail: Sequence[Audit], number_of_entry: int) -> dict[str, float]:
    """What the entry with this number adds to the sums; trail: all entries of the case."""
    upto = [entry for entry in trail if entry.number <= number_of_entry]
    before = [entry for entry in upto if entry.number < number_of_entry]
    gone = {name: -value for name, value in decision_sums(case, replay(before)).items()}
    change = merged((decision_sums(case, replay(upto)), gone))
    return {name: value for name, value in change.items() if value != 0.0}


def replay(trail: Iterable[Audit]) -> CaseHistory:
    """What the audit of a case says of it."""
    return reduce(_after, trail, CaseHistory())


def decision_sums(case: Case, state: CaseHistory) -> dict[str, float]:
    """Everything the decisions on a case amount to."""
    counted = merged(_tallies(case, state))
    return {name: value for name, value in counted.items() if value}


def _after(state: CaseHistory, entry: Audit) -> CaseHistory:
    who, at = entry.actor, entry.at_seconds
    match entry.event:
        case "held":
            return replace(state, opened_by={**state.opened_by, who: at})
        case "voted":
            taken = round(max(0.0, at - state.opened_by.get(who, at)), 3)
            vote = TimedVote(verdict=entry.detail, at_seconds=at, seconds_taken=taken)
            return replace(state, votes={**state.votes, who: vote})
        case "unvoted":
            others = {name: vote for name, vote in state.votes.items() if name != who}
            opened_by = {**state.opened_by, who: at}
            return replace(state, votes=others, opened_by=opened_by, disputed=False, closed=None)
        case "disputed":
            return replace(state, disputed=True)
        case "closed":
            return replace(state, closed=(entry.detail, at))
        case _:
            return state


def _tallies(case: Case, state: CaseHistory) -> Iterable[Mapping[str, float]]:
    votes = state.votes.items()
    yield agreement_tally(case.id, case.kind, {who: vote.verdict for who, vote in votes})
    for _, vote in votes:
        yield {key("day", day_of(vote.at_seconds), "voted"): 1.0}
        yield _time_sums(vote.seconds_taken)
    yield {key("cases", "disputed"): float(state.disputed)}
    if state.closed is not None:
        yield from _closed_sums(case, *state.closed)
        yield {key("cases", "adjudicated"): float(not _by_votes(case, state))}


def _by_votes(case: Case, state: CaseHistory) -> bool:
    """Whether the votes alone close it: then no adjudicator has anything to decide."""
    return (
        len(state.votes) >= case.reviewers
        and len({vote.verdict for vote in state.votes.values()}) == 1
    )


def _closed_sums(case: Case, verdict: str, at: float) -> Iterable[Mapping[str, float]]:
    yield {key("verdict", case.kind, verdict): 1.0, key("day", day_of(at), "closed"): 1.0}
    figures = figures_of(case)
    for reason in case.reasons:
        yield {key("flag", reason, verdict, bin_of(reason, figures.get(reason))): 1.0}


def _time_sums(seconds: float) -> Mapping[str, float]:
    up_to = next((str(end) for end in UP_TO_SECONDS if seconds <= end), "more")
    return {key("seconds", up_to): 1.0, MILLISECONDS: float(round(seconds * 1000))}


def day_of(at_seconds: float) -> str:
    """The date of a time, in UTC."""
    return datetime.fromtimestamp(at_seconds, UTC).date().isoformat()


def bin_of(reason: str, value: float | None) -> str:
    """The bin of a flagged figure, by its end nearest to harmless; empty where it has no figure."""
    if value is None:
        return ""
    if reason in LOW_IS_STRONG:
        return f"{ceil(value * P_VALUE_STEPS - 1e-9) / P_VALUE_STEPS:.3f}"
    return f"{floor(value * STEPS_PER_UNIT + 1e-9) / STEPS_PER_UNIT:.2f}"


def figures_of(case: Case) -> dict[str, float | None]:
    """By reason, the figure that was flagged: its size for a gap, None for a refusal."""
    if case.kind is CaseKind.RESPONSE:
        response = decode_response(case.body)
        return {one.score: one.value for one in response.fired} if response else {}
    pair = decode_pair(case.body)
    if pair is None:
        return {}
    sizes = {name: None if gap is None else abs(gap) for name, gap in pair.grounded_gaps.items()}
    return sizes | {
        "similarity_deficit": pair.similarity_deficit,
        "claims_deficit": pair.claims_deficit,
        "p_value": pair.corrected_p_value,
    }


POSITION_NAME: Final = "review/audit"
"""The name under which the store keeps how far the audit was read."""
COUNTED_EVENTS: Final = frozenset({"voted", "unvoted", "closed", "disputed"})
AUDIT_PAGE: Final = 1000
MAX_CASE_ENTRIES: Final = 10_000


def count_new_decisions(store: Store, *, pages: int = 3) -> bool:
    """Count what people decided since, up to so many pages of the audit; whether that was all.

    Any number of processes may do it at once. Raises StoreError; what was counted by then stays
    counted, and is not counted again.
    """
    at = store.position(POSITION_NAME)
    for _ in range(pages):
        entries = store.audit(after=at, limit=AUDIT_PAGE)
        for entry in entries:
            if entry.event in COUNTED_EVENTS:
                _count(store, entry)
        if len(entries) < AUDIT_PAGE:
            return True
        at = entries[-1].number
        _accept(store, Batch(), at)
    return False


def _count(store: Store, entry: Audit) -> None:
    case_id = entry.case_id
    record = store.case(case_id)
    if record is None:  # erased: what it was about is not known any more
        _accept(store, Batch(), entry.number)
        return
    trail = store.audit(case_id=case_id, limit=MAX_CASE_ENTRIES)
    sums = entry_sums(record.case, trail, entry.number)
    posting = Posting(
        use_case=record.case.use_case, at_seconds=entry.at_seconds, evidence={SUMS: sums}
    )
    _accept(store, Batch(postings=(posting,) if sums else ()), entry.number)


def _accept(store: Store, batch: Batch, number: int) -> None:
    store.accept(batch, Position(spool=POSITION_NAME, end=number))
