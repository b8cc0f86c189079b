"""Small statistics for the table: shares with an interval, and quantiles. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Final

Z_95: Final = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many. `low` and `high` bound the true share with 95 % confidence (Wilson)."""

    count: int
    of: int

    def __add__(self, other: Share) -> Share:
        return Share(count=self.count + other.count, of=self.of + other.of)

    @property
    def value(self) -> float:
        """The observed share; of nothing, 0."""
        return self.count / self.of if self.of else 0.0

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return max(0.0, self._centre - self._half_width) if self.of and self.count else 0.0

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        if self.count == self.of:
            return 1.0
        return min(1.0, self._centre + self._half_width)

    @property
    def _centre(self) -> float:
        return (self.value + Z_95**2 / (2 * self.of)) / (1 + Z_95**2 / self.of)

    @property
    def _half_width(self) -> float:
        spread = self.value * (1 - self.value) / self.of + Z_95**2 / (4 * self.of**2)
        return Z_95 * sqrt(spread) / (1 + Z_95**2 / self.of)


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` of all values do not exceed; None of none."""
    if not values:
        return None
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]
