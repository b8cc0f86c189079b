"""Which threshold a flag would need for so many of its cases to be right.

The cases people saw are those at or above the threshold of then: about lower ones nothing can be
said. The curve is read from the same verdicts that it is judged by, so that a proposal from few of
them is too hopeful; the interval says how far it can be trusted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from guard.fairness.intervals import wilson
from guard.fairness.tally import Tally, within
from guard.records import Reading, Undefined
from guard.review.decision_counts import LOW_IS_STRONG
from guard.review.statistics import precision
from guard.review.views import CONFIRMED, REJECTED

LEAST_VERDICTS: Final = 10
"""Below so many at or above a threshold, it is not proposed."""
MOST_VERDICTS: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdProposal:
    """What the verdicts say about the threshold of a flag.

    seen_from: the weakest figure that was judged; nothing is known beyond it. seen: the precision
    from there on, what the flag has now. threshold: the weakest from which on the wanted precision
    was reached; None where none was. precision: there. low, high: no threshold weaker than `low`
    can be said to have the wanted precision, since its interval ends below; from `high` on it is
    sure, None where it nowhere is. more_verdicts: how many more at or above the threshold it would
    take to be sure, if they come out as those so far; 0 when it is, None where more would not help.
    """

    use_case: str
    reason: str
    wanted: float
    seen_from: float
    seen: Reading | Undefined
    threshold: float | None
    precision: Reading | Undefined
    low: float | None
    high: float | None
    more_verdicts: int | None


def proposals(use_case: str, tally: Tally, *, wanted: float = 0.8) -> Iterator[ThresholdProposal]:
    """One for each flag with a figure on which somebody decided. wanted: in (0, 1)."""
    for reason, bins in sorted(_count_judged(tally).items()):
        points = list(_points(reason, bins))
        if points:
            yield _proposal(use_case, reason, points, wanted)


@dataclass(frozen=True, slots=True)
class _Point:
    """A threshold, and what was judged at it or beyond."""

    threshold: float
    confirmed: int
    rejected: int

    @property
    def n(self) -> int:
        return self.confirmed + self.rejected


def _count_judged(tally: Tally) -> dict[str, Counter[tuple[float, bool]]]:
    """By reason, how many were judged: by figure, and by whether they were confirmed."""
    found: dict[str, Counter[tuple[float, bool]]] = {}
    for (reason, verdict, figure), cases in within(tally, "flag").items():
        if figure and verdict in CONFIRMED | REJECTED and round(cases):
            bins = found.setdefault(reason, Counter())
            bins[float(figure), verdict in CONFIRMED] += round(cases)
    return found


def _points(reason: str, bins: Counter[tuple[float, bool]]) -> Iterator[_Point]:
    """Strongest first."""
    confirmed = rejected = 0
    figures = {figure for figure, _ in bins}
    for figure in sorted(figures, reverse=reason not in LOW_IS_STRONG):
        confirmed, rejected = confirmed + bins[figure, True], rejected + bins[figure, False]
        yield _Point(figure, confirmed, rejected)


def _proposal(
    use_case: str, reason: str, points: Sequence[_Point], wanted: float
) -> ThresholdProposal:
    enough = [point for point in points if point.n >= LEAST_VERDICTS]
    reached = [one for one in enough if one.confirmed / one.n >= wanted]
    possible = [one for one in points if wilson(one.confirmed, one.n)[1] >= wanted]
    sure = [one for one in enough if _is_sure(one.confirmed, one.n, wanted)]
    best = reached[-1] if reached else None
    return ThresholdProposal(
        use_case=use_case,
        reason=reason,
        wanted=wanted,
        seen_from=points[-1].threshold,
        seen=precision(points[-1].confirmed, points[-1].rejected),
        threshold=best.threshold if best else None,
        precision=precision(best.confirmed, best.rejected) if best else _not_reached(enough),
        low=possible[-1].threshold if possible else None,
        high=sure[-1].threshold if sure else None,
        more_verdicts=_more(best, points[-1], wanted),
    )


def _not_reached(enough: Sequence[_Point]) -> Undefined:
    if not enough:
        return Undefined(f"fewer than {LEAST_VERDICTS} verdicts")
    return Undefined("no threshold that was judged reaches the precision that is wanted")


def _is_sure(confirmed: float, n: float, wanted: float) -> bool:
    return wilson(confirmed, n)[0] >= wanted


def _more(best: _Point | None, weakest: _Point, wanted: float) -> int | None:
    """Verdicts at the rate so far until the interval lies above what is wanted."""
    if best is None:
        return LEAST_VERDICTS - weakest.n if weakest.n < LEAST_VERDICTS else None
    share = best.confirmed / best.n
    if not _is_sure(share * MOST_VERDICTS, MOST_VERDICTS, wanted):
        return None
    numbers = range(best.n, best.n + MOST_VERDICTS)
    return bisect_left(numbers, x=True, key=lambda n: _is_sure(share * n, n, wanted))
