"""Statistics of decisions: precision of flags, agreement, time taken, and the backlog."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from guard.fairness.intervals import wilson
from guard.fairness.rater_agreement import alphas, kappas
from guard.fairness.tally import Tally, merged, within
from guard.ports import Cases, Store, Windows
from guard.records import CaseFilter, CaseState, Judged, Reading, Undefined, VoteTimes
from guard.review.decision_counts import MILLISECONDS, SUMS, UP_TO_SECONDS, day_of
from guard.review.views import CONFIRMED, REJECTED

DAYS: Final = 30
MAX_COUNT: Final = 100_000
HOUR: Final = 3600.0
AGES: Final = (
    ("1 hour", HOUR),
    ("1 day", 24 * HOUR),
    ("3 days", 72 * HOUR),
    ("7 days", 168 * HOUR),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagPrecision:
    """How often a flag was right. undecided: closed as unsure or as a bad rewrite.

    precision: confirmed / (confirmed + rejected), with Wilson's interval; Undefined without any.
    """

    use_case: str
    reason: str
    confirmed: int
    rejected: int
    undecided: int
    precision: Reading | Undefined


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerAgreement:
    """Krippendorff's alpha over all reviewers, or Cohen's kappa of two.

    kind: response or pair. first, second: the two in alphabetical order; empty for all.
    """

    kind: str
    reading: Reading | Undefined
    first: str = ""
    second: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCounts:
    """One day, in UTC: cases opened (and not erased since), votes, cases closed."""

    date: str
    opened: int
    voted: int
    closed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionTimes:
    """How long decisions took, from opening to verdict. bins: up to so many seconds (None: more
    than all others) to how many. median_seconds: from the bins."""

    votes: int
    mean_seconds: float | None
    median_seconds: float | None
    bins: tuple[tuple[int | None, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What waits. ages: open and disputed ones, older than the age before and up to this one;
    the last is all that is older."""

    open: int
    disputed: int
    closed: int
    oldest_seconds: float | None
    ages: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewStatistics:
    """All of it. complete: False while decisions are still to be counted. verdicts: by kind, those
    of closed cases. disputed, adjudicated: cases that ever were."""

    use_case: str | None
    backlog: Backlog
    days: tuple[DayCounts, ...]
    flags: tuple[FlagPrecision, ...]
    alphas: tuple[ReviewerAgreement, ...]
    kappas: tuple[ReviewerAgreement, ...]
    times: DecisionTimes
    verdicts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    disputed: int = 0
    adjudicated: int = 0
    complete: bool = True


def statistics(
    store: Store, use_case: str | None, *, now: float, complete: bool = True
) -> ReviewStatistics:
    """Of one use case, or of all. now: Unix seconds. Raises StoreError."""
    sums = sums_by_use_case(store, use_case)
    tally = merged(sums.values())
    return ReviewStatistics(
        use_case=use_case,
        backlog=backlog(store, use_case, now),
        days=tuple(_days(store, use_case, tally, now)),
        flags=tuple(flag for name, one in sums.items() for flag in flags(name, one)),
        alphas=tuple(
            ReviewerAgreement(kind=kind, reading=one) for kind, one in alphas(tally).items()
        ),
        kappas=tuple(
            ReviewerAgreement(kind=kind, first=first, second=second, reading=one)
            for (kind, first, second), one in kappas(tally).items()
        ),
        times=_times(tally),
        verdicts=_verdicts(tally),
        disputed=_whole(tally.get("cases|disputed", 0.0)),
        adjudicated=_whole(tally.get("cases|adjudicated", 0.0)),
        complete=complete,
    )


def sums_by_use_case(store: Store, use_case: str | None) -> dict[str, Tally]:
    """The sums of one use case, or of each."""
    known = {*store.use_cases(), *(name for name, _ in store.case_counts())}
    names = sorted(known) if use_case is None else [use_case]
    found = {name: store.evidence(name, [SUMS])[SUMS] for name in names}
    return {name: sums for name, sums in found.items() if sums}


def flags(use_case: str, tally: Tally) -> Iterator[FlagPrecision]:
    """The flags of a use case on which something was decided."""
    by_reason: dict[str, dict[str, float]] = {}
    for (reason, verdict, *_), cases in within(tally, "flag").items():
        verdicts = by_reason.setdefault(reason, {})
        verdicts[verdict] = verdicts.get(verdict, 0.0) + cases
    for reason, verdicts in sorted(by_reason.items()):
        if _whole(sum(verdicts.values())):
            yield _flag(use_case, reason, verdicts)


def precision(confirmed: int, rejected: int) -> Reading | Undefined:
    """The share of flags that were right, of those on which people were sure."""
    n = confirmed + rejected
    if n <= 0:
        return Undefined("nothing was decided yet")
    low, high = wilson(confirmed, n)
    return Reading(value=confirmed / n, low=low, high=high, n=n)


def backlog(cases: Cases, use_case: str | None, now: float) -> Backlog:
    """What waits, of one use case or of all."""
    counts = dict.fromkeys(CaseState, 0)
    for (name, state), count in cases.case_counts().items():
        if use_case in {None, name}:
            counts[state] += count
    return Backlog(
        open=counts[CaseState.OPEN],
        disputed=counts[CaseState.DISPUTED],
        closed=counts[CaseState.CLOSED],
        oldest_seconds=_oldest(cases, use_case, now),
        ages=tuple(_ages(cases, use_case, now)),
    )


def _flag(use_case: str, reason: str, verdicts: Mapping[str, float]) -> FlagPrecision:
    confirmed, rejected = (
        _whole(sum(count for verdict, count in verdicts.items() if verdict in known))
        for known in (CONFIRMED, REJECTED)
    )
    return FlagPrecision(
        use_case=use_case,
        reason=reason,
        confirmed=confirmed,
        rejected=rejected,
        undecided=_whole(sum(verdicts.values())) - confirmed - rejected,
        precision=precision(confirmed, rejected),
    )


def _oldest(cases: Cases, use_case: str | None, now: float) -> float | None:
    waiting = (CaseState.OPEN, CaseState.DISPUTED)
    found = [
        one.case.opened_at
        for state in waiting
        for one in cases.query(CaseFilter(use_case=use_case, state=state), limit=1)
    ]
    return max(0.0, now - min(found)) if found else None


def _ages(cases: Cases, use_case: str | None, now: float) -> Iterator[tuple[str, int]]:
    younger: float | None = None
    for name, age in AGES:
        yield name, _waiting(cases, use_case, younger, now - age)
        younger = now - age
    yield "older", _waiting(cases, use_case, younger, None)


def _waiting(cases: Cases, use_case: str | None, before: float | None, after: float | None) -> int:
    return sum(
        cases.count(
            CaseFilter(use_case=use_case, state=state, opened_before=before, opened_after=after),
            most=MAX_COUNT,
        )
        for state in (CaseState.OPEN, CaseState.DISPUTED)
    )


def _days(cases: Cases, use_case: str | None, tally: Tally, now: float) -> Iterator[DayCounts]:
    today = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    events = within(tally, "day")
    for back in reversed(range(DAYS)):
        start = (today - timedelta(days=back)).timestamp()
        date = day_of(start)
        yield DayCounts(
            date=date,
            opened=_count_opened(cases, use_case, start),
            voted=_whole(events.get((date, "voted"), 0.0)),
            closed=_whole(events.get((date, "closed"), 0.0)),
        )


def _count_opened(cases: Cases, use_case: str | None, start: float) -> int:
    """A moment before the day begins, since bounds are strict; times have microseconds.

    State by state, as stores look the cases of a use case up; examples are not put before people.
    """
    day = CaseFilter(use_case=use_case, opened_after=start - 1e-6, opened_before=start + 24 * HOUR)
    states = (CaseState.OPEN, CaseState.DISPUTED, CaseState.CLOSED)
    return sum(cases.count(replace(day, state=state), most=MAX_COUNT) for state in states)


def _times(tally: Tally) -> DecisionTimes:
    found = within(tally, "seconds")
    bins = tuple(
        (end, _whole(found.get(("more" if end is None else str(end),), 0.0)))
        for end in (*UP_TO_SECONDS, None)
    )
    votes = sum(count for _, count in bins)
    return DecisionTimes(
        votes=votes,
        mean_seconds=tally.get(MILLISECONDS, 0.0) / 1000 / votes if votes else None,
        median_seconds=_median(bins, votes),
        bins=bins,
    )


def _median(bins: Sequence[tuple[int | None, int]], votes: int) -> float | None:
    """Where half of the votes are reached, straight through its bin; None beyond the last end."""
    below, start = 0, 0.0
    for end, count in bins:
        if end is None or not votes:
            return None
        if count and below + count >= votes / 2:
            return start + (end - start) * (votes / 2 - below) / count
        below, start = below + count, float(end)
    return None


def _verdicts(tally: Tally) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for (kind, verdict), count in sorted(within(tally, "verdict").items()):
        if _whole(count):
            found.setdefault(kind, {})[verdict] = _whole(count)
    return found


def _whole(count: float) -> int:
    return max(0, round(count))


def verdict_readings(windows: Windows) -> Callable[[str], Sequence[Judged]]:
    """What to ask for a use case's precision of flags and agreement. It raises StoreError."""
    return lambda use_case: list(_readings(use_case, windows.evidence(use_case, [SUMS])[SUMS]))


def vote_times(windows: Windows) -> Callable[[str], VoteTimes | None]:
    """What to ask for how long the verdicts of a use case took; None before the first. It raises
    StoreError."""

    def read(use_case: str) -> VoteTimes | None:
        found = _times(windows.evidence(use_case, [SUMS])[SUMS])
        if found.mean_seconds is None:
            return None
        seconds = found.mean_seconds * found.votes
        return VoteTimes(use_case=use_case, votes=found.votes, seconds=seconds)

    return read


def _readings(use_case: str, sums: Tally) -> Iterator[Judged]:
    precisions = ((flag.reason, flag.precision) for flag in flags(use_case, sums))
    for what, found in (("precision", precisions), ("agreement", alphas(sums).items())):
        for about, reading in found:
            if isinstance(reading, Reading):
                yield Judged(use_case=use_case, what=what, of=about, reading=reading)
