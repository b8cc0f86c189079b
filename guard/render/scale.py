"""Axes: which values a plot shows, and where on the paper each of them stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
WANTED_TICKS: Final = 4
LARGEST, LEAST_SPAN = 1e15, 1e-6
"""Bounds of what is drawn, so that no arithmetic of an axis overflows or vanishes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Values from `low` to `high` between the positions `left` and `right`, in SVG units."""

    low: float
    high: float
    left: float
    right: float

    def place(self, value: float) -> float:
        """Where a value stands; what is beyond the scale stands at its end."""
        inside = min(max(value, self.low), self.high)
        share = (inside - self.low) / (self.high - self.low)
        return self.left + (self.right - self.left) * share

    def ticks(self) -> list[float]:
        """Even values on the scale, its ends among them where they are even."""
        step = _step(self.high - self.low)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [step * number for number in range(first, last + 1)]


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
