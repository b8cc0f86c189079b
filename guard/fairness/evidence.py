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
E falls as b grows, whatever the data, so that `confidence` can invert it by bisection.

Rates: the mixture of the binomial likelihoods over Beta(1/2, 1/2) against the likelihood of the
stated rate; for two groups, the product of two such mixtures over the largest likelihood that the
null hypothesis allows. Both hold for observations anywhere in [0, 1] (a mean of several pairs of
one prompt), because the likelihood ratio is convex in the observation.

Valid when the mean of each observation, given the past, is null: one observation per call or
conversation, sampling decided before the outcome, delays and drops that do not depend on the
outcome, one epoch (see `epochs`). Source: METRICS §7. Not for rolling windows, where old events
leave: E is no supermartingale there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, log
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guard.fairness.student import log_beta, log_incomplete_beta
from guard.fairness.tally import Tally, hit_or_miss, hits_of, key, moments, numbers, recalled

GRID = tuple(0.58 * 0.6**step for step in range(15))
_LAMBDA = np.array(GRID)
_PSI = -np.log1p(-_LAMBDA) - _LAMBDA
_LN10 = log(10.0)
_LN2 = log(2.0)
_HALF = 0.5

Values: TypeAlias = float | Iterable[float | None] | None


# What all sums give to confidence sequences: `count`, the observations; `centre`, the point
# estimate, None without data; `ends`, the smallest and the largest value it can have; `above`, ln e
# against the hypothesis that the truth is `bound` or less, which falls with `bound`; `below`, ln e
# against the hypothesis that it is `bound` or more, which rises with `bound`.


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
        return round(self.n)

    @property
    def centre(self) -> float | None:
        return min(max(self.total / self.n, -1.0), 1.0) if self.n > 0 else None

    @property
    def ends(self) -> tuple[float, float]:
        return -1.0, 1.0

    def above(self, bound: float) -> float:
        return float(log_mean_e(self.n, self.total, self.squares, bound)) - _LN2

    def below(self, bound: float) -> float:
        return float(log_mean_e(self.n, -self.total, self.squares, -bound)) - _LN2


@dataclass(frozen=True, slots=True, kw_only=True)
class RateSums:
    """`n` observations in [0, 1], usually 0 or 1, and their sum `hits`."""

    n: float
    hits: float

    @property
    def count(self) -> int:
        return round(self.n)

    @property
    def centre(self) -> float | None:
        return min(max(self.hits / self.n, 0.0), 1.0) if self.n > 0 else None

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def log_mixture(self) -> float:
        """ln of the likelihood, averaged over rates drawn from Beta(1/2, 1/2)."""
        return log_beta(self.hits + _HALF, self.misses + _HALF) - log_beta(_HALF, _HALF)

    @property
    def misses(self) -> float:
        return max(self.n - self.hits, 0.0)

    def log_likelihood(self, rate: float) -> float:
        """ln of the chance of these observations in their order."""
        return _times_log(self.hits, rate) + _times_log(self.misses, 1.0 - rate)

    def above(self, bound: float) -> float:
        return self.log_mixture - self.log_likelihood(bound)

    below = above

    def exceeds(self, bound: float) -> float:
        """ln e against a rate of at most `bound`: the mixture is over the rates above it."""
        kept = log_incomplete_beta(self.misses + _HALF, self.hits + _HALF, 1.0 - bound)
        return self.above(bound) + kept - log_incomplete_beta(_HALF, _HALF, 1.0 - bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoRateSums:
    """Two groups; what is estimated is the rate of `first` minus the rate of `second`."""

    first: RateSums
    second: RateSums

    @property
    def count(self) -> int:
        return self.first.count + self.second.count

    @property
    def centre(self) -> float | None:
        one, other = self.first.centre, self.second.centre
        return None if one is None or other is None else one - other

    @property
    def ends(self) -> tuple[float, float]:
        return -1.0, 1.0

    def above(self, bound: float) -> float:
        return self._log_mixture - self._best(bound)

    below = above

    def equal(self) -> float:
        """ln e against equal rates: the mixture over the largest likelihood under equality."""
        both = self.first.n + self.second.n
        rate = (self.first.hits + self.second.hits) / both if both else 0.0
        return self._log_mixture - self._log_likelihood(rate, rate)

    @property
    def _log_mixture(self) -> float:
        return self.first.log_mixture + self.second.log_mixture

    def _log_likelihood(self, first: float, second: float) -> float:
        return self.first.log_likelihood(first) + self.second.log_likelihood(second)

    def _best(self, gap: float) -> float:
        """The largest ln likelihood of two rates that differ by `gap`; concave, so bisected."""
        low, high = max(0.0, -gap), min(1.0, 1.0 - gap)
        for _ in range(60):
            middle = 0.5 * (low + high)
            if self._slope(middle, gap) > 0.0:
                low = middle
            else:
                high = middle
        rate = 0.5 * (low + high)
        return self._log_likelihood(min(max(rate + gap, 0.0), 1.0), rate)

    def _slope(self, rate: float, gap: float) -> float:
        up = _ratio(self.first.hits, rate + gap) + _ratio(self.second.hits, rate)
        down = _ratio(self.first.misses, 1.0 - rate - gap)
        return up - down - _ratio(self.second.misses, 1.0 - rate)


Sums: TypeAlias = MeanSums | RateSums | TwoRateSums


def log_mean_e(
    n: ArrayLike, total: ArrayLike, squares: ArrayLike, bound: float = 0.0
) -> NDArray[np.float64]:
    """ln of the one-sided e-value against a mean of at most `bound`; arrays of sums broadcast."""
    n, total, squares = (np.asarray(one, dtype=float) for one in (n, total, squares))
    scale = 1.0 + abs(bound)
    first = (total - n * bound) / scale
    second = np.maximum(squares - 2.0 * bound * total + n * bound * bound, 0.0) / scale**2
    exponents = _LAMBDA * first[..., None] - _PSI * second[..., None]
    top = exponents.max(axis=-1)
    mean = np.exp(exponents - top[..., None]).mean(axis=-1)
    return np.asarray(top + np.log(mean))


def mean_evidence(sums: MeanSums, *, tolerance: float = 0.0) -> float:
    """log10 e against a mean within `tolerance` of 0, on either side."""
    _check_tolerance(tolerance)
    return float(np.logaddexp(sums.above(tolerance), sums.below(-tolerance))) / _LN10


def rate_evidence(sums: RateSums, rate: float, *, one_sided: bool = False) -> float:
    """log10 e against the stated `rate`; `one_sided`: against any rate up to it."""
    if not 0.0 < rate < 1.0:
        raise ValueError(f"rate {rate} must be between 0 and 1")
    return (sums.exceeds(rate) if one_sided else sums.above(rate)) / _LN10


def rates_evidence(sums: TwoRateSums, *, tolerance: float = 0.0) -> float:
    """log10 e against two rates that differ by at most `tolerance`."""
    _check_tolerance(tolerance)
    gap = sums.centre
    if gap is None or tolerance == 0.0:
        return sums.equal() / _LN10
    nearest = min(max(gap, -tolerance), tolerance)
    return sums.above(nearest) / _LN10


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanTest:
    """Whether a mean difference in [-1, 1] is beyond `tolerance` of 0.

    Fed with signed gaps of scores (toxicity, sentiment), or with `contrast` of `permutation`. When
    a smaller bound on |d| is known, divide by it (and the tolerance too): evidence comes faster.
    """

    name: str
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        _check_tolerance(self.tolerance)

    def tally(self, observation: Values, /) -> Tally:
        """One call: one difference, or those of all its pairs, which enter as their mean."""
        value = _single(observation, -1.0, 1.0)
        return {key(self.name, "unscored"): 1.0} if value is None else moments(value, self.name)

    def sums(self, tally: Tally) -> MeanSums:
        """What the e-process needs, out of a sum of tallies."""
        n, total, squares = recalled(tally, self.name)
        return MeanSums(n=n, total=total, squares=squares)

    def log10_e(self, tally: Tally) -> float:
        """log10 of the evidence so far; 0 without data."""
        return mean_evidence(self.sums(tally), tolerance=self.tolerance)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateTest:
    """Whether a rate is other than the stated `rate`, or, `one_sided`, above it."""

    name: str
    rate: float
    one_sided: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < self.rate < 1.0:
            raise ValueError(f"rate {self.rate} must be between 0 and 1")

    def tally(self, observation: Values, /) -> Tally:
        """One call: 0 or 1, or several of them, which enter as their mean."""
        return _rate_tally(observation, self.name)

    def sums(self, tally: Tally) -> RateSums:
        """What the e-process needs, out of a sum of tallies."""
        return _rate_sums(tally, self.name)

    def log10_e(self, tally: Tally) -> float:
        """log10 of the evidence so far; 0 without data."""
        return rate_evidence(self.sums(tally), self.rate, one_sided=self.one_sided)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoRatesTest:
    """Whether the rates of the groups `first` and `second` differ by more than `tolerance`."""

    name: str
    first: str
    second: str
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        _check_tolerance(self.tolerance)
        if self.first == self.second:
            raise ValueError(f"second {self.second!r} is the group of first as well")

    def tally(self, observation: tuple[str, Values], /) -> Tally:
        """One call: its group and its 0 or 1. A call of any other group adds nothing."""
        group, values = observation
        return _rate_tally(values, self.name, group) if group in {self.first, self.second} else {}

    def sums(self, tally: Tally) -> TwoRateSums:
        """What the e-process needs, out of a sum of tallies."""
        first, second = (_rate_sums(tally, self.name, one) for one in (self.first, self.second))
        return TwoRateSums(first=first, second=second)

    def log10_e(self, tally: Tally) -> float:
        """log10 of the evidence so far; 0 without data."""
        return rates_evidence(self.sums(tally), tolerance=self.tolerance)


SequentialTest: TypeAlias = MeanTest | RateTest | TwoRatesTest


def _rate_tally(observation: Values, *parts: str) -> Tally:
    value = _single(observation, 0.0, 1.0)
    return {key(*parts, "unscored"): 1.0} if value is None else hit_or_miss(value, *parts)


def _rate_sums(tally: Tally, *parts: str) -> RateSums:
    hits, n = hits_of(tally, *parts)
    return RateSums(n=n, hits=hits)


def _single(observation: Values, low: float, high: float) -> float | None:
    """The mean of what was seen in one call; None when any of it is no number in range."""
    seen = observation if isinstance(observation, Iterable) else (observation,)
    values = list(seen)
    usable = numbers(values, (low, high))
    return sum(usable) / len(usable) if usable and len(usable) == len(values) else None


def _check_tolerance(tolerance: float) -> None:
    if not 0.0 <= tolerance < 1.0:
        raise ValueError(f"tolerance {tolerance} must be at least 0 and below 1")


def _times_log(count: float, x: float) -> float:
    if count <= 0.0:
        return 0.0
    return count * log(x) if x > 0.0 else -inf


def _ratio(count: float, x: float) -> float:
    if count <= 0.0:
        return 0.0
    return count / x if x > 0.0 else inf
