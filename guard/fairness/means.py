"""Means: one number of each call, from the numbers of its pairs or replies."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from guard.fairness.intervals import UNIT, Bounds
from guard.fairness.intervals import mean as mean_reading
from guard.fairness.tally import Tally, key
from guard.records import Reading, Undefined

_ROUNDING = 1e-6  # how far arithmetic in 32 bits may leave the bounds


def is_number(value: float | None, bounds: Bounds = UNIT) -> bool:
    """Whether it is a number within bounds: NaN and None are not."""
    return value is not None and bounds[0] - _ROUNDING <= value <= bounds[1] + _ROUNDING


def numbers(values: Iterable[float | None], bounds: Bounds = UNIT) -> list[float]:
    """Those of the values that are numbers within bounds; what rounding carried over is cut.

    Numbers of other kinds (32 bits) become plain ones: sums of theirs would stop growing.
    """
    low, high = bounds
    return [
        min(high, max(low, float(value)))
        for value in values
        if value is not None and low - _ROUNDING <= value <= high + _ROUNDING
    ]


def check_bounds(bounds: Bounds) -> None:
    """A programmer's mistake is told at once."""
    if not -math.inf < bounds[0] < bounds[1] < math.inf:
        raise ValueError(f"bounds {bounds} must be two numbers, the lower one first")


def moments(value: float, *prefix: str) -> dict[str, float]:
    """One observation as what a mean and its interval are made of, under this prefix."""
    return {
        key(*prefix, "n"): 1.0,
        key(*prefix, "sum"): value,
        key(*prefix, "squares"): value * value,
    }


def recalled(tally: Tally, *prefix: str) -> tuple[float, float, float]:
    """n, sum and sum of squares of all observations under this prefix."""
    n, total, squares = (tally.get(key(*prefix, part), 0.0) for part in ("n", "sum", "squares"))
    return n, total, squares


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """The mean over calls of what was measured on each: similarities, gaps, list overlaps.

    Observation: the values of one call, one for each of its pairs; they enter as their mean, since
    pairs made from one prompt are no independent observations. Values that are missing, NaN or
    out of bounds are left out of it, and a call with none is counted as `unscored`.

    bounds: what a value can be. Keys: 4.
    """

    name: str
    bounds: Bounds = UNIT

    def __post_init__(self) -> None:
        check_bounds(self.bounds)

    def tally(self, observation: Iterable[float | None], /) -> Tally:
        """The sums of one call."""
        found = numbers(observation, self.bounds)
        if not found:
            return {key(self.name, "unscored"): 1.0}
        return moments(math.fsum(found) / len(found), self.name)

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The mean, with a score interval for bounded values."""
        nothing = f"{self.name}: no call has a value"
        return mean_reading(*recalled(tally, self.name), self.bounds, nothing)
