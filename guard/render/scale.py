"""Axes: which values a plot shows, and where on the paper each of them stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
WANTED_TICKS: Final = 4
SMALLEST_RATIO: Final = 0.1
MOST_DECADES: Final = 6
LARGEST, LEAST_SPAN = 1e15, 1e-6
"""Bounds of what is drawn, so that no arithmetic of an axis overflows or vanishes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Values from `low` to `high` between the positions `left` and `right`, in SVG units.

    is_log: equal ratios are equally far apart; then both ends are above 0.
    """

    low: float
    high: float
    left: float
    right: float
    is_log: bool = False

    def place(self, value: float) -> float:
        """Where a value stands; what is beyond the scale stands at its end."""
        inside = min(max(value, self.low), self.high)
        share = self._share(inside)
        return self.left + (self.right - self.left) * share

    def ticks(self) -> list[float]:
        """Even values on the scale, its ends among them where they are even."""
        if self.is_log:
            return _log_ticks(self.low, self.high)
        step = _step(self.high - self.low)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [step * number for number in range(first, last + 1)]

    def _share(self, value: float) -> float:
        if self.is_log:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def ratio_scale_over(values: Iterable[float], left: float, right: float) -> Scale:
    """A logarithmic scale for ratios, with powers of 10 at its ends, around 1.

    All values from SMALLEST_RATIO to LARGEST are on it; what is smaller stands at its end.
    """
    known = [min(max(value, SMALLEST_RATIO), LARGEST) for value in (*values, 1.0)]
    low, high = floor(log10(min(known)) + 1e-9), ceil(log10(max(known)) - 1e-9)
    ends = (low - 1, high + 1) if low == high else (low, high)
    return Scale(low=10.0 ** ends[0], high=10.0 ** ends[1], left=left, right=right, is_log=True)


def _log_ticks(low: float, high: float) -> list[float]:
    """Powers of 10, and 2 and 5 times these where there is room."""
    first, last = round(log10(low)), round(log10(high))
    every = ceil((last - first) / MOST_DECADES)
    steps = (1.0, 2.0, 5.0) if last - first <= 2 else (1.0,)
    found = [10.0**power * step for power in range(first, last + 1, every) for step in steps]
    return [one for one in found if one <= high]


def scale_over(values: Iterable[float], left: float, right: float) -> Scale:
    """A scale with even ends on which all values stand."""
    known = [min(max(value, -LARGEST), LARGEST) for value in values] or [0.0]
    low, high = min(known), max(known)
    least = max(abs(low), abs(high), 1.0) * LEAST_SPAN
    if high - low < least:
        low, high = low - least, high + least
    step = _step(high - low)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return Scale(low=step * first, high=step * last, left=left, right=right)


def even_count(most: int) -> int:
    """An even round number at or above the highest count."""
    if most <= 4:
        return 4 if most > 2 else 2
    unit = 10 ** int(log10(most))
    return next(int(unit * step) for step in (1, 2, 4, 6, 8, 10) if unit * step >= most)


def _step(span: float) -> float:
    unit = 10.0 ** floor(log10(span / WANTED_TICKS))
    return next(unit * step for step in STEPS if unit * step * WANTED_TICKS >= span * (1 - 1e-9))
