"""Student's t and the regularised incomplete beta function, which the standard library lacks.

I_x(a, b) is computed from its continued fraction (Lentz's method, as in Numerical Recipes §6.4)
on the side of the mean where it converges fast, in logarithms, so that tails far below the
smallest float keep their logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, expm1, fabs, isnan, lgamma, log, log1p, sqrt

_TINY = 1e-300
_PRECISION = 1e-15
_STEPS = 100_000
_LOG_HALF = log(0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class TTest:
    """Student's t and its degrees of freedom."""

    t: float
    df: float

    @property
    def p_value(self) -> float:
        """Two-sided."""
        return two_sided_p(self.t, self.df)


def log_beta(a: float, b: float) -> float:
    """ln B(a, b), for positive `a` and `b`."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def log_incomplete_beta(a: float, b: float, x: float) -> float:
    """ln I_x(a, b): the chance, in logarithm, that a Beta(a, b) variable is at most `x`."""
    _check_shape(a, b, x)
    if x <= 0.0:
        return -float("inf")
    if x >= 1.0:
        return 0.0
    if x <= (a + 1.0) / (a + b + 2.0):
        return min(_log_tail(a, b, x), 0.0)
    return _log_complement(min(_log_tail(b, a, 1.0 - x), 0.0))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), in [0, 1]: the chance that a Beta(a, b) variable is at most `x`."""
    return exp(log_incomplete_beta(a, b, x))


def two_sided_p(t: float, df: float) -> float:
    """The chance that Student's t with `df` degrees of freedom is at least |t| away from 0."""
    if not df > 0.0 or isnan(t):
        raise ValueError(f"t {t} must be a number and df {df} positive")
    squared = t * t
    if squared <= df:
        return 1.0 - incomplete_beta(0.5, df / 2.0, squared / (df + squared))
    return incomplete_beta(df / 2.0, 0.5, df / (df + squared))


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: float) -> float:
    """The value that Student's t with `df` degrees of freedom stays below with probability `p`."""
    if not 0.0 < p < 1.0:
        raise ValueError(f"p {p} must be between 0 and 1")
    if p < 0.5:
        return -t_quantile(1.0 - p, df)
    low, high = 0.0, 1.0
    while two_sided_p(high, df) > 2.0 * (1.0 - p):
        low, high = high, 2.0 * high
    return _bisect(low, high, df, 2.0 * (1.0 - p))


def one_sample(n: float, total: float, squares: float) -> tuple[float, float] | None:
    """(t, df) of the mean of `n` numbers against 0, from their sums; None without variance.

    A sum of squares that differs from the square of the sum by rounding alone has none.
    """
    spread = squares - total * total / n if n >= 2 else 0.0
    if not spread > 1e-12 * squares:
        return None
    return total / n / sqrt(spread / (n - 1.0) / n), n - 1.0


def _bisect(low: float, high: float, df: float, wanted: float) -> float:
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in {low, high}:
            break
        if two_sided_p(middle, df) > wanted:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _check_shape(a: float, b: float, x: float) -> None:
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0):
        raise ValueError(f"a {a} and b {b} must be positive, x {x} between 0 and 1")


def _log_complement(log_p: float) -> float:
    """ln(1 - p) from ln p, exact at both ends."""
    if log_p >= 0.0:
        return -float("inf")
    return log(-expm1(log_p)) if log_p > _LOG_HALF else log1p(-exp(log_p))


def _log_tail(a: float, b: float, x: float) -> float:
    front = a * log(x) + b * log1p(-x) - log_beta(a, b)
    return front + log(_fraction(a, b, x)) - log(a)


def _fraction(a: float, b: float, x: float) -> float:
    """Lentz's evaluation of the continued fraction; x is below the mean of Beta(a, b)."""
    c, d = 1.0, 1.0 / _away(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 / _away(1.0 + term * d)
            c = _away(1.0 + term / c)
            value *= d * c
        if fabs(d * c - 1.0) < _PRECISION:
            break
    return value


def _away(x: float) -> float:
    return x if fabs(x) > _TINY else _TINY
