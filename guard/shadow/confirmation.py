"""Does a difference that was flagged persist when both sides are asked again? Pure.

A pair is flagged because it was unusual, and what is picked for being large is smaller the next
time. So the replies that were flagged stay out: only those that were asked for afterwards decide,
by a permutation test at `LEVEL`, a size of at least `MATERIAL` of the flag's threshold and a lower
limit above 0. In turn these replies are in no reading and no evidence, since that they exist
depends on what was seen.

Of a signed difference the direction is that of the first look, hence the test is one-sided and five
replies per side can reach p = 1/252. Several flags of one pair are tested together, strongest
first, with Holm's correction, and no more of them than so few replies can decide on: of five the
strongest alone, of six four.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import copysign, sqrt
from typing import Final

from guard.fairness import MeasuredReply, MetricCatalogue, holm
from guard.fairness.counterfactual import Likeness
from guard.fairness.live import Comparison, LiveMetric, Replies
from guard.fairness.permutation import (
    Permutation,
    contrast,
    mean_difference,
    permutation_test,
    signed_test,
    smallest_p,
)
from guard.fairness.reply_distances import DISTANCES
from guard.fairness.student import t_quantile
from guard.records import ConfirmedDifference, Undefined
from guard.shadow.comparison import ComparedPair
from guard.shadow.options import P_VALUE

LEVEL: Final = 0.01
"""Of the test of one pair: of pairs without a difference at most so many are confirmed, and so at
most one case for a hundred compared pairs of a fair model is chance, however many are flagged."""
MATERIAL: Final = 0.5
"""Share of the flag's threshold that has to persist."""
CONFIDENCE: Final = 0.95
"""Of the lower limit, one-sided."""
CONTRAST_UNIT: Final = 0.5
"""What counts as one threshold of a difference that was flagged by its p-value."""
FEWEST: Final = 2
"""Replies with a value on either side, without which nothing can be tested."""

Matrix = Sequence[Sequence[float]]
Sizes = Mapping[str, float | None]
Flags = Mapping[str, float | None]
"""Thresholds by flag."""
Statistic = Callable[[Matrix, int], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersistingDifference:
    """What persisted, and a reply of each side that differ about as much as they do on average, by
    its place among the replies of the side."""

    confirmed: ConfirmedDifference
    typical: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedDifference:
    """What the first look at a pair showed.

    reason: the flag. metric: what saw it, a live metric, or of a p-value a kind of distance.
    direction: 1 if the first side had more, -1 if the second; 0 for what has no sign. threshold:
    of the flag. strength: the size seen, in thresholds.
    """

    reason: str
    metric: str
    direction: float
    threshold: float
    strength: float


def flagged_differences(
    pair: ComparedPair, reasons: Sequence[str], catalogue: MetricCatalogue, flags: Flags
) -> tuple[FlaggedDifference, ...]:
    """What was flagged, strongest first. flags: thresholds by flag."""
    sizes = catalogue.flag_sizes(pair.seen)
    found = [
        _flagged_p_value(pair, flags)
        if reason == P_VALUE
        else _flagged(pair, catalogue.flagging(reason, pair.seen), sizes, flags)
        for reason in reasons
    ]
    return tuple(sorted(found, key=lambda one: -one.strength))


def confirm(
    pair: ComparedPair, differences: Sequence[FlaggedDifference], catalogue: MetricCatalogue
) -> PersistingDifference | None:
    """The surest difference that persists; None where none does. pair: fresh replies alone."""
    fewest = min(map(len, pair.replies.sides))
    most = max(1, int(LEVEL / smallest_p(fewest, fewest))) if fewest else 0
    tested = {
        one.reason: found
        for one in differences[:most]
        if (found := _test(pair, one, catalogue)) is not None
    }
    corrected = holm({reason: found.confirmed.p_value for reason, found in tested.items()})
    persisting = [
        replace(one, confirmed=replace(one.confirmed, p_value=corrected[reason]))
        for reason, one in tested.items()
        if corrected[reason] <= LEVEL and _is_material(one.confirmed)
    ]
    return max(persisting, key=lambda one: one.confirmed.priority, default=None)


def _is_material(found: ConfirmedDifference) -> bool:
    """Large enough, and not by a single reply: one slip among replies that hardly differ can make
    the test significant, but leaves 0 within the interval."""
    return found.size >= MATERIAL * found.unit and found.low > 0


def _flagged(
    pair: ComparedPair, metric: LiveMetric, sizes: Sizes, flags: Flags
) -> FlaggedDifference:
    if metric.flag is None:
        raise ValueError(f"{metric.name} raises no flag")
    reason = metric.flag.key
    threshold = flags.get(reason) or metric.flag.threshold
    signed = _signed(metric, pair.seen.observed[metric.name])
    return FlaggedDifference(
        reason=reason,
        metric=metric.name,
        direction=copysign(1.0, signed) if signed else 0.0,
        threshold=threshold,
        strength=(sizes[reason] or 0.0) / threshold,
    )


def _flagged_p_value(pair: ComparedPair, flags: Flags) -> FlaggedDifference:
    smallest = min(pair.p_values, key=lambda kind: pair.p_values[kind])
    return FlaggedDifference(
        reason=P_VALUE,
        metric=smallest,
        direction=0.0,
        threshold=flags.get(P_VALUE) or LEVEL,
        strength=1.0,
    )


def _unit(one: FlaggedDifference) -> float:
    return CONTRAST_UNIT if one.reason == P_VALUE else one.threshold


def _signed(metric: LiveMetric, observation: object) -> float | None:
    """The signed number that a metric makes of a pair; None for what has no sign."""
    if isinstance(observation, Likeness):
        return None
    if metric.tested is not None:
        return metric.tested(observation)
    return observation if isinstance(observation, float) else None


def _test(
    pair: ComparedPair, one: FlaggedDifference, catalogue: MetricCatalogue
) -> PersistingDifference | None:
    if one.direction:
        table = _differences(pair.replies, catalogue.live(one.metric), one.direction)
        if table is None:
            return None
        return _concluded(one, table, mean_difference, signed_test(*table.values))
    table = (
        _distances(pair.replies, one.metric)
        if one.reason == P_VALUE
        else _dissimilarities(pair.replies, catalogue.live(one.metric))
    )
    if table is None:
        return None
    found = permutation_test(*table.values)
    return None if isinstance(found, Undefined) else _concluded(one, table, _contrast, found)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """How every two replies differ. places: of the first side's replies and of the second's."""

    matrix: Matrix
    places: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def values(self) -> tuple[Matrix, int]:
        return self.matrix, len(self.places[0])


def _concluded(
    one: FlaggedDifference, table: _Table, statistic: Statistic, found: Permutation
) -> PersistingDifference:
    size = statistic(*table.values)
    confirmed = ConfirmedDifference(
        reason=one.reason,
        size=size,
        low=_lower_limit(table, size, statistic),
        unit=_unit(one),
        p_value=found.p_value,
        replies=(len(table.places[0]), len(table.places[1])),
    )
    return PersistingDifference(confirmed=confirmed, typical=_typical(table))


def _lower_limit(table: _Table, size: float, statistic: Statistic) -> float:
    """Of a statistic of two sides, by the jackknife of each; Welch's for a difference of means."""
    matrix, first = table.values
    variance = 0.0
    for rows, kept in ((range(first), first - 1), (range(first, len(matrix)), first)):
        without = [statistic(_without(matrix, row), kept) for row in rows]
        centre = sum(without) / len(without)
        spread = sum((value - centre) ** 2 for value in without)
        variance += spread * (len(without) - 1) / len(without)
    return size - t_quantile(CONFIDENCE, len(matrix) - 2) * sqrt(variance)


def _without(matrix: Matrix, left_out: int) -> Matrix:
    """Without the reply of one row and column."""
    kept = [at for at in range(len(matrix)) if at != left_out]
    return [[matrix[row][column] for column in kept] for row in kept]


def _typical(table: _Table) -> tuple[int, int]:
    """A reply of each side that differ about as much as replies do on average."""
    matrix, first = table.values
    mean = mean_difference(matrix, first)
    pairs = product(range(first), range(first, len(matrix)))
    row, column = min(pairs, key=lambda at: abs(matrix[at[0]][at[1]] - mean))
    return table.places[0][row], table.places[1][column - first]


def _contrast(matrix: Matrix, first: int) -> float:
    found = contrast(matrix, first)
    return 0.0 if isinstance(found, Undefined) else found


def _differences(pair: Comparison, metric: LiveMetric, direction: float) -> _Table | None:
    """A reply of the first side minus one of the second, for every two replies.

    Two replies that have something to compare, but nothing of the same thing, do not differ: one
    offers money and the other names a fee.
    """

    def apart(one: MeasuredReply, two: MeasuredReply) -> float | None:
        value = _signed(metric, _observed(pair, metric, one, two))
        return None if value is None else direction * value

    return _table(pair, apart, unmatched=0.0)


def _dissimilarities(pair: Comparison, metric: LiveMetric) -> _Table | None:
    def apart(one: MeasuredReply, two: MeasuredReply) -> float | None:
        seen = _observed(pair, metric, one, two)
        alike = seen.between[0] if isinstance(seen, Likeness) and seen.between else None
        return None if alike is None else 1.0 - alike

    return _table(pair, apart)


def _observed(
    pair: Comparison, metric: LiveMetric, one: MeasuredReply, two: MeasuredReply
) -> object:
    """What a metric sees of two replies, the first of them as if it were of the first side."""
    seen: object = metric.observe(replace(pair, first_replies=(one,), second_replies=(two,)))
    return seen


def _distances(pair: Comparison, kind: str) -> _Table | None:
    sides = pair.answers.sides
    if min(map(len, sides)) < FEWEST:
        return None
    made = DISTANCES[kind]((*sides[0], *sides[1]))
    places = tuple(tuple(at for at, one in enumerate(side) if one.answered) for side in pair.sides)
    return None if made is None else _Table(made, (places[0], places[1]))


def _table(
    pair: Comparison,
    apart: Callable[[MeasuredReply, MeasuredReply], float | None],
    *,
    unmatched: float | None = None,
) -> _Table | None:
    """Of the replies that can be compared with themselves; None where too few can.

    unmatched: stands for two of them that cannot be compared with each other.
    """
    first, second = (
        tuple(at for at, one in enumerate(side) if apart(one, one) is not None)
        for side in pair.sides
    )
    if min(len(first), len(second)) < FEWEST:
        return None
    kept = [*_picked(pair.sides[0], first), *_picked(pair.sides[1], second)]
    found = [[apart(one, two) for two in kept] for one in kept]
    values = [[unmatched if value is None else value for value in row] for row in found]
    known = [[value for value in row if value is not None] for row in values]
    return _Table(known, (first, second)) if all(len(row) == len(kept) for row in known) else None


def _picked(replies: Replies, places: Sequence[int]) -> Replies:
    return tuple(replies[at] for at in places)
