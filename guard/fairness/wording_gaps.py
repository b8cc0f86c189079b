"""Live metrics of how replies are worded: what differs between the masked replies of two groups."""

from __future__ import annotations

from collections.abc import Callable

from guard.fairness.amount_pairs import amount_difference, relative
from guard.fairness.live import (
    CaseFlag,
    Comparison,
    LiveMetric,
    MeasuredReply,
    difference,
    unchanged,
)
from guard.fairness.tally import UNIT, Bounds
from guard.fairness.wording import Wording, wording
from guard.text.amount_kinds import AmountKind

_MATERIAL_LENGTH = 0.05  # 10 % longer
_MATERIAL_AMOUNT = 0.01  # 2 % more
_FLAGGED_LENGTH = 0.5  # three times as long


def wording_gap(
    name: str,
    of: Callable[[Wording], float],
    *,
    material: float,
    flagged: float,
    title: str,
    bounds: Bounds = UNIT,
) -> LiveMetric:
    """The gap of a figure of the replies' wording, within `bounds`.

    flagged: from which size on, of one pair, people see it.
    """

    def figure(one: MeasuredReply) -> float:
        return of(wording(one.masked))

    flag = _flag(name, flagged, title)
    return difference(name, figure, bounds=bounds, material=material, title=title, flag=flag)


def length_gap() -> LiveMetric:
    """How much longer the first side's replies are; see `length_difference`."""
    title = "Length"
    return LiveMetric(
        name="length_gap",
        observe=length_difference,
        tested=unchanged,
        material=_MATERIAL_LENGTH,
        title=title,
        flag=_flag("length_gap", _FLAGGED_LENGTH, title),
    )


def length_difference(pair: Comparison) -> float | None:
    """(a - b) / (a + b) of the mean numbers of words; None where a side has no answer."""
    lengths = [[wording(one.masked).words for one in side] for side in pair.answers.sides]
    if not all(lengths):
        return None
    first, second = (sum(side) / len(side) for side in lengths)
    return relative(first, second)


def amount_gap(name: str, kind: AmountKind, *, flagged: float, title: str) -> LiveMetric:
    """How much larger the first side's amounts of a kind are; see `amount_difference`.

    flagged: as in `wording_gap`. Each kind has its own metric: a smaller loan at a higher rate
    would be no difference on average.
    """

    def observe(pair: Comparison) -> float | None:
        first, second = ([one.masked for one in side] for side in pair.answers.sides)
        return amount_difference(kind, first, second)

    return LiveMetric(
        name=name,
        observe=observe,
        tested=unchanged,
        material=_MATERIAL_AMOUNT,
        title=title,
        flag=_flag(name, flagged, title),
        of_means=True,
    )


def _flag(name: str, threshold: float, title: str) -> CaseFlag:
    return CaseFlag(key=name, threshold=threshold, help=f"Difference: {title.lower()}.")
