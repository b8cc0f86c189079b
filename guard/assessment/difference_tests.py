"""Tests of one difference, each with the interval that belongs to it.

The interval at a level leaves 0 out if, and only if, the test rejects at that level: it is the
test turned round, so that no report finds a difference with one and not with the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Protocol

from guard.fairness.exact import fisher_exact
from guard.fairness.intervals import difference, score_limits
from guard.fairness.student import t_quantile, two_sided_p
from guard.fairness.tally import SIGNED, Bounds
from guard.records import Reading, Undefined

POWER = 0.8
FEW_DIFFERING = 20
"""With fewer prompts that differ at all, Student's interval is too sure of what was seldom seen."""
_NORMAL = 1000
"""From so many degrees of freedom on Student's t is taken to be normal."""
_ROUNDS = 20
_STILL = 1e-12
_LEAST_LEVEL = 1e-12
"""Below all levels of a run; the quantile of a much smaller one is infinite."""
_BEFORE = 1 - 1e-9


class DifferenceTest(Protocol):
    """A two-sided test that a difference is 0."""

    @property
    def p_value(self) -> float:
        """Of the test, not corrected."""

    def limits(self, level: float) -> Bounds:
        """The interval at 1 - level; without 0 where, and only where, the p-value is at most
        level."""

    def detectable(self, level: float) -> float | None:
        """The size that is found with 80 %; None where that cannot be told, or none would be: the
        prompts that differ are too few for any test at this level."""

    def needed(self, level: float, size: float) -> int | None:
        """The observations with which a difference of this size is found with 80 %."""


def reading_of(test: DifferenceTest, value: float, n: int) -> Reading:
    """The difference with its pointwise interval."""
    low, high = test.limits(0.05)
    return Reading(value=value, low=low, high=high, n=n)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanTest:
    """That the mean of n >= 2 differences is 0: Student's t, from their sum and sum of squares.

    differing: how many are not 0. The p-value is never below 2^(1 - differing): no exact test of
    them could give less. bounds: of a difference.
    """

    n: int
    total: float
    squares: float
    differing: int
    bounds: Bounds = SIGNED

    @property
    def value(self) -> float:
        """The mean."""
        return self.total / self.n

    @property
    def p_value(self) -> float:
        least = 2.0 ** min(0, 1 - self.differing) if self.differing < _NORMAL else 0.0
        error = self._error
        return max(least, _p_value(self.value / error, self.n - 1)) if error else least

    def limits(self, level: float) -> Bounds:
        """The interval at 1 - level; that at a smaller level contains it.

        It is Student's together with that of the few. Where the test rejects, the end of the latter
        on the side of 0 is drawn in, so far that it comes to 0 where the test no longer rejects.
        """
        reach, p_value = _t(1 - level / 2, self.n - 1), self.p_value
        ends = self._at(reach)
        if p_value > level:
            low, high = _hull(ends, (0.0, 0.0))
        else:
            drawn = self._at(reach, reach * self._drawn_in(p_value))
            low, high = (drawn[0], ends[1]) if self.value > 0 else (ends[0], drawn[1])
        return max(self.bounds[0], low), min(self.bounds[1], high)

    def detectable(self, level: float) -> float | None:
        error = self._error
        if not error or 2.0 ** (1 - self.differing) > level:
            return None
        return self._reach(level, self.n) * error

    def needed(self, level: float, size: float) -> int | None:
        deviation = self._error * math.sqrt(self.n)
        if not deviation or size <= 0:
            return None
        fewest = self._fewest(level)
        n, before = max(fewest, self.n), 0
        for _ in range(_ROUNDS):
            n, before = max(fewest, math.ceil((self._reach(level, n) * deviation / size) ** 2)), n
            if n == before:
                break
        return n

    def _fewest(self, level: float) -> int:
        """The prompts of which, with 80 %, so many differ that a test could reject at all, where as
        many of them differ as did of these."""
        share, differing = max(1, self.differing) / self.n, 1 + math.ceil(-math.log2(level))
        spread = NormalDist().inv_cdf(POWER) * math.sqrt(1 - share)
        return math.ceil((spread + math.sqrt(spread**2 + 4 * differing)) ** 2 / (4 * share))

    @property
    def _error(self) -> float:
        """The standard error; 0 where all differences are equal but for rounding."""
        spread = self.squares - self.total**2 / self.n
        return math.sqrt(spread / (self.n - 1) / self.n) if spread > _STILL * self.squares else 0.0

    @property
    def _is_short_of_spread(self) -> bool:
        """Whether what was seen says too little of how far differences lie apart: few differ, or
        all are equal."""
        return self.differing < FEW_DIFFERING or not self._error

    def _at(self, reach: float, of_few: float | None = None) -> Bounds:
        """Both intervals at so many standard errors. of_few: those of the score interval."""
        student = self.value - reach * self._error, self.value + reach * self._error
        return _hull(student, self._of_the_few(reach if of_few is None else of_few))

    def _of_the_few(self, reach: float) -> Bounds:
        """The score interval, which has a width where all differences are equal."""
        if not self._is_short_of_spread:
            return self.value, self.value
        low, high = score_limits(self.n, self.total, self.squares, self.bounds, reach)
        return min(low, self.value), max(high, self.value)

    def _drawn_in(self, p_value: float) -> float:
        """The part of its reach with which the score interval, at the level of the p-value, ends
        at 0; 1 where it ends before."""
        if not self._is_short_of_spread:
            return 1.0
        most = _t(1 - max(p_value, _LEAST_LEVEL) / 2, self.n - 1)

        def reaches(part: float) -> bool:
            low, high = self._of_the_few(part * most)
            return low <= 0.0 <= high

        return _least(reaches, 0.0) * _BEFORE if reaches(1.0) else 1.0

    @staticmethod
    def _reach(level: float, n: int) -> float:
        """How many standard errors a difference is away that is found with 80 %."""
        return _t(1 - level / 2, n - 1) + _t(POWER, n - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatesTest:
    """That two groups have one rate, each given as (hits, n), n above 0: Fisher's exact test.

    The interval is Newcombe's, drawn to 0 where the test does not reject, and the p-value that at
    which Newcombe's leaves 0 out where it is larger than Fisher's.
    """

    first: tuple[float, float]
    second: tuple[float, float]

    @property
    def value(self) -> float:
        """The difference of the rates."""
        return self.first[0] / self.first[1] - self.second[0] / self.second[1]

    @property
    def p_value(self) -> float:
        exact = fisher_exact(self.first, self.second)
        return exact if self._excludes(exact) else _least(self._excludes, exact)

    def limits(self, level: float) -> Bounds:
        found = self._newcombe(level)
        return _hull(found, (0.0, 0.0)) if self.p_value > level else found

    def detectable(self, level: float) -> float | None:
        """By the normal distribution, corrected for continuity as Fisher's test asks for."""
        return _reach_of_normal(level) * self._error + self._step / 2

    def needed(self, level: float, size: float) -> int | None:
        """Cases of both groups together, in the proportion they have now."""
        if size <= 0:
            return None
        n = self.first[1] + self.second[1]
        scale, step = _reach_of_normal(level) * self._error * math.sqrt(n), self._step * n
        return math.ceil(((scale + math.sqrt(scale**2 + 2 * size * step)) / (2 * size)) ** 2)

    @property
    def _step(self) -> float:
        return 1 / self.first[1] + 1 / self.second[1]

    @property
    def _error(self) -> float:
        shares = [((hits + 1) / (n + 2), n) for hits, n in (self.first, self.second)]
        return math.sqrt(sum(share * (1 - share) / n for share, n in shares))

    def _newcombe(self, level: float) -> Bounds:
        found = difference(self.first, self.second, level=level)
        return (0.0, 0.0) if isinstance(found, Undefined) else (found.low, found.high)

    def _excludes(self, level: float) -> bool:
        low, high = self._newcombe(level) if level < 1 else (0.0, 0.0)
        return level >= 1 or low > 0 or high < 0


def _hull(one: Bounds, other: Bounds) -> Bounds:
    return min(one[0], other[0]), max(one[1], other[1])


def _least(holds: Callable[[float], bool], low: float) -> float:
    """The least number, from `low` to 1, at which it holds; it holds at all higher ones."""
    high = 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _reach_of_normal(level: float) -> float:
    normal = NormalDist()
    return normal.inv_cdf(1 - level / 2) + normal.inv_cdf(POWER)


def _p_value(t: float, degrees: int) -> float:
    return math.erfc(abs(t) / math.sqrt(2)) if degrees >= _NORMAL else two_sided_p(t, degrees)


@lru_cache(maxsize=4096)
def _t(p: float, degrees: int) -> float:
    return NormalDist().inv_cdf(p) if degrees >= _NORMAL else t_quantile(p, max(1, degrees))
