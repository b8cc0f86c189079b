"""Fisher's exact test of two proportions."""

from __future__ import annotations

from math import erfc, exp, lgamma, sqrt

MOST_TABLES = 20_000
"""Up to so many tables all of them are looked at; beyond, the normal approximation is as good."""
_TIE = 1e-7


def fisher_exact(first: tuple[float, float], second: tuple[float, float]) -> float:
    """The two-sided p-value that two groups have one rate, each given as (hits, n), n above 0.

    The chance of all tables with these margins that are at most as likely as the one observed.
    """
    (hits, n), (other_hits, other_n) = ((round(h), round(k)) for h, k in (first, second))
    total = hits + other_hits
    low, high = max(0, total - other_n), min(n, total)
    if high - low > MOST_TABLES:
        return _approximate(hits / n, other_hits / other_n, n, other_n)
    logs = [_log_ways(n, k) + _log_ways(other_n, total - k) for k in range(low, high + 1)]
    top = max(logs)
    chances = [exp(one - top) for one in logs]
    observed = chances[hits - low] * (1 + _TIE)
    return min(1.0, sum(one for one in chances if one <= observed) / sum(chances))


def _log_ways(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _approximate(rate: float, other: float, n: int, other_n: int) -> float:
    """By the normal distribution, with Yates's correction for continuity."""
    pooled = (rate * n + other * other_n) / (n + other_n)
    error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / other_n))
    apart = max(0.0, abs(rate - other) - (1 / n + 1 / other_n) / 2)
    return erfc(apart / error / sqrt(2)) if error > 0 else 1.0
