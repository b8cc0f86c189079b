"""Evidence that may be looked at after every event: e-values that are functions of sums.

A fixed-n test that is read off a dashboard every minute raises false alarms without end. An
e-process E does not: it starts at 1, is a non-negative supermartingale while the null hypothesis
holds, and so (Ville) exceeds 1/alpha at any time at all with probability at most alpha. All of
those here are functions of sums, so they merge across replicas and need no history.

Differences d in [-1, 1] whose mean, given the past, is at most 0:

    E = mean over lambda of exp(lambda sum d - (-ln(1 - lambda) - lambda) sum d^2)

because exp(lambda d - (-ln(1 - lambda) - lambda) d^2) <= 1 + lambda d for d >= -1 (Fan, Grama and
Liu 2015). Against a mean of at most b, d enters as (d - b)/(1 + |b|), which is at least -1 as
well. The grid stays at or below 0.58: up to 0.5828, where 2(-ln(1 - lambda) - lambda) = lambda,
E falls as b grows, whatever the data, so that `confidence_sequence` can invert it by bisection.

Valid when the mean of each observation, given the past, is null: one observation per call or
conversation, sampling decided before the outcome, delays and drops that do not depend on the
outcome, one epoch (see `epochs`). Source: METRICS §7. Not for rolling windows, where old events
leave: E is no supermartingale there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

GRID = tuple(0.58 * 0.6**step for step in range(15))
_LAMBDA = np.array(GRID)
_PSI = -np.log1p(-_LAMBDA) - _LAMBDA
_LN10 = log(10.0)
_LN2 = log(2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanSums:
    """`n` differences in [-1, 1], their sum and the sum of their squares.

    The two sides share one unit of evidence: each e-value is half a one-sided one, so that their
    sum, `mean_evidence`, is an e-value too.
    """

    n: float
    total: float
    squares: float

    @property
    def count(self) -> int:
        """The observations."""
        return round(self.n)

    def above(self, bound: float) -> float:
        """ln e against a mean of `bound` or less; it falls with `bound`."""
        return float(log_above(self.n, self.total, self.squares, bound))

    def below(self, bound: float) -> float:
        """ln e against a mean of `bound` or more; it rises with `bound`."""
        return float(log_above(self.n, -self.total, self.squares, -bound))


def log_above(
    n: ArrayLike, total: ArrayLike, squares: ArrayLike, bound: ArrayLike = 0.0
) -> NDArray[np.float64]:
    """`MeanSums.above` of many sums at once; arrays broadcast."""
    return log_mean_e(n, total, squares, bound) - _LN2


def log_mean_e(
    n: ArrayLike, total: ArrayLike, squares: ArrayLike, bound: ArrayLike = 0.0
) -> NDArray[np.float64]:
    """ln of the one-sided e-value against a mean of at most `bound`; arrays broadcast."""
    n, total, squares, bound = (np.asarray(one, dtype=float) for one in (n, total, squares, bound))
    scale = 1.0 + np.abs(bound)
    first = (total - n * bound) / scale
    second = np.maximum(squares - 2.0 * bound * total + n * bound * bound, 0.0) / scale**2
    exponents = _LAMBDA * first[..., None] - _PSI * second[..., None]
    top = exponents.max(axis=-1)
    mean = np.exp(exponents - top[..., None]).mean(axis=-1)
    return np.asarray(top + np.log(mean))


def log_sum_exp(exponents: Sequence[float]) -> float:
    """ln of the sum of e to each of them, without overflow."""
    top = max(exponents)
    return top + log(sum(map(exp, [one - top for one in exponents])))


def mean_evidence(sums: MeanSums, *, tolerance: float = 0.0) -> float:
    """log10 e against a mean within `tolerance` of 0, on either side."""
    _check_tolerance(tolerance)
    return float(np.logaddexp(sums.above(tolerance), sums.below(-tolerance))) / _LN10


def _check_tolerance(tolerance: float) -> None:
    if not 0.0 <= tolerance < 1.0:
        raise ValueError(f"tolerance {tolerance} must be at least 0 and below 1")
