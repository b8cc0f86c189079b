"""Values with their 95 % intervals, from sums alone.

The intervals are pointwise: each covers the quantity it is about in 95 of 100 repetitions when it
is looked at once. They are made for plots; who looks again and again and wants to be alarmed
needs the confidence sequences of `guard.fairness.evidence`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import TypeAlias

from guard.fairness.student import t_quantile
from guard.fairness.tally import UNIT, Bounds, Parts, merged
from guard.records import Reading, Undefined

Sums: TypeAlias = Mapping[Parts, float]

LEAST_FOLDS = 5
_WIDER = 1.25
_LEAST = 1e-300
_Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution


def wilson(hits: float, n: float, z: float = _Z) -> Bounds:
    """Wilson's score interval of a proportion, `0 <= hits <= n`, `n > 0`.

    It never leaves [0, 1] and has a width at 0 of n and at n of n.
    """
    share, z2 = min(1.0, max(0.0, hits / n)), z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))


def widened(hits: float, n: float, z: float = _Z) -> Bounds:
    """The interval of a proportion that the readings use: Agresti and Coull's, within [0, 1].

    It has the middle of Wilson's and contains it. Wilson's own covers 84 % only where one hit in
    300 is expected from 50 trials; this one 93 % or more from n = 50 on, at every rate.
    """
    share = (min(n, max(0.0, hits)) + z * z / 2) / (n + z * z)
    half = z * math.sqrt(share * (1 - share) / (n + z * z))
    return max(0.0, share - half), min(1.0, share + half)


@lru_cache(maxsize=4096)
def _t(degrees: int, level: float = 0.05) -> float:
    return t_quantile(1 - level / 2, degrees) if degrees < 1000 else _z(level)


def _z(level: float) -> float:
    return _Z if level == 0.05 else -NormalDist().inv_cdf(max(level, _LEAST) / 2)


def proportion(hits: float, n: float, nothing: str = "nothing was counted") -> Reading | Undefined:
    """The share of hits, with Wilson's interval, widened; undefined, with a reason, at n = 0."""
    if n <= 0:
        return Undefined(nothing)
    low, high = widened(hits, n)
    return Reading(value=min(1.0, max(0.0, hits / n)), low=low, high=high, n=round(n))


def clustered(
    clusters: float, n: float, hits: float, products: tuple[float, float, float]
) -> Reading | Undefined:
    """The share of hits among n answers that came in clusters, such as replies to one prompt.

    products: over clusters with h hits of k answers, the sums of h h, h k and k k. Answers of one
    cluster say less than as many of their own, so the interval is that of a proportion of n divided
    by how much wider the clusters scatter (the ratio estimator's variance), with Student's t.
    """
    if clusters < 2:
        return Undefined("fewer than two prompts: an interval needs two")
    share = min(1.0, hits / n)
    hit_squares, crossed, squares = products
    scatter = max(0.0, hit_squares - 2 * share * crossed + share * share * squares)
    variance, plain = scatter * clusters / (clusters - 1) / n**2, share * (1 - share) / n
    size = n / max(1.0, variance / plain) if plain > 0 else clusters
    low, high = widened(share * size, size, _t(round(clusters) - 1))
    return Reading(value=share, low=min(low, share), high=max(high, share), n=round(n))


def mean(
    n: float,
    total: float,
    squares: float,
    bounds: Bounds = UNIT,
    nothing: str = "no values",
    *,
    level: float = 0.05,
) -> Reading | Undefined:
    """The mean of n values that lie within bounds, from their sum and their sum of squares.

    The interval is a score interval: the variance is taken to vary over the range as that of a
    proportion does, scaled to the variance seen, and Student's t stands for the normal quantile.
    So it keeps to the bounds, leans the way a skewed distribution asks for, and has a width even
    where all values are equal.
    """
    if n <= 0:
        return Undefined(nothing)
    if n < 2:
        return Undefined("a single value: an interval needs two")
    low, high = score_limits(n, total, squares, bounds, _t(round(n) - 1, level))
    value = min(bounds[1], max(bounds[0], total / n))
    return Reading(value=value, low=min(low, value), high=max(high, value), n=round(n))


def score_limits(n: float, total: float, squares: float, bounds: Bounds, reach: float) -> Bounds:
    """The ends of the score interval of `mean`. n: at least 2. reach: how many standard errors it
    is wide to either side, such as a quantile of Student's t."""
    floor, width = bounds[0], bounds[1] - bounds[0]
    centre = min(1.0, max(0.0, (total / n - floor) / width))
    scatter = max(0.0, squares / n - (total / n) ** 2) * n / (n - 1) / width**2
    size = _size(n, centre, scatter)
    low, high = widened(centre * size, size, reach)
    return floor + width * low, floor + width * high


def _size(n: float, centre: float, scatter: float) -> float:
    """How many yes-or-no answers would say as much about the mean as n values of this scatter."""
    most = centre * (1 - centre)
    if most < 1e-12:
        return n
    return n / min(1.0, scatter / most + 1 / n)


def paired(
    n: float, total: float, squares: float, nothing: str = "no pairs"
) -> Reading | Undefined:
    """The mean of differences of two yes-or-no answers (or of shares), each within [-1, 1].

    Agresti and Min's interval: half a pair is added to each cell of the two by two table.
    """
    if n <= 0:
        return Undefined(nothing)
    value, centre = total / n, total / (n + 2)
    half = _Z * math.sqrt(max(0.0, (squares + 1) / (n + 2) - centre**2) / (n + 2))
    low, high = max(-1.0, centre - half), min(1.0, centre + half)
    return Reading(value=value, low=min(low, value), high=max(high, value), n=round(n))


def difference(
    first: tuple[float, float], second: tuple[float, float], *, level: float = 0.05
) -> Reading | Undefined:
    """The signed difference of two proportions, each given as (hits, n); Newcombe's interval.

    level: 1 minus what it covers.
    """
    if first[1] <= 0 or second[1] <= 0:
        return Undefined("a group without observations")
    p, q = first[0] / first[1], second[0] / second[1]
    z = _z(level)
    (p_low, p_high), (q_low, q_high) = wilson(*first, z), wilson(*second, z)
    return Reading(
        value=p - q,
        low=p - q - math.hypot(p - p_low, q_high - q),
        high=p - q + math.hypot(p_high - p, q - q_low),
        n=round(first[1] + second[1]),
    )


def ratio(first: tuple[float, float], second: tuple[float, float]) -> Reading | Undefined:
    """The ratio of two proportions, each given as (hits, n).

    Its interval spans two: the logarithmic one with halves added to the counts, and the one made of
    the limits of both proportions. Fit to read from about five hits below the line: with fewer the
    upper end is too low.
    """
    if first[1] <= 0 or second[1] <= 0:
        return Undefined("a group without observations")
    if second[0] <= 0:
        return Undefined("the rate below the line is 0: a ratio has no value")
    value = first[0] / first[1] / (second[0] / second[1])
    (low, high), (other_low, other_high) = _logarithmic(first, second), _of_limits(first, second)
    return Reading(
        value=value,
        low=min(value, low, other_low),
        high=max(value, high, other_high),
        n=round(first[1] + second[1]),
    )


def _logarithmic(first: tuple[float, float], second: tuple[float, float]) -> Bounds:
    (hits, n), (other_hits, other_n) = [(h + 0.5, k + 0.5) for h, k in (first, second)]
    middle = math.log(hits / n) - math.log(other_hits / other_n)
    half = _Z * math.sqrt(max(0.0, 1 / hits - 1 / n + 1 / other_hits - 1 / other_n))
    return math.exp(middle - half), math.exp(middle + half)


def _of_limits(first: tuple[float, float], second: tuple[float, float]) -> Bounds:
    """From the limits of each proportion, their distances added as squares on a log scale."""
    share, other = first[0] / first[1], second[0] / second[1]
    low, high = widened(*first)
    other_low, other_high = wilson(second[0], second[1])
    if share <= 0:
        return 0.0, high / other
    above = math.hypot(math.log(high / share), math.log(other / other_low))
    if low <= 0:
        return 0.0, share / other * math.exp(above)
    below = math.hypot(math.log(share / low), math.log(other_high / other))
    return share / other * math.exp(-below), share / other * math.exp(above)


def absolute(reading: Reading | Undefined) -> Reading | Undefined:
    """The size of a signed quantity; its interval is the image of the signed one."""
    if isinstance(reading, Undefined):
        return reading
    low, high = abs(reading.low), abs(reading.high)
    least = 0.0 if reading.low <= 0 <= reading.high else min(low, high)
    return Reading(value=abs(reading.value), low=least, high=max(low, high), n=reading.n)


def jackknife(
    folds: Mapping[str, Sums],
    statistic: Callable[[Sums], float | Undefined],
    n: float,
    bounds: Bounds | None = None,
) -> Reading | Undefined:
    """A statistic of sums with its delete-one-fold jackknife interval, Student's t on top.

    Left to itself it covers 83 to 95 % in simulations (of SCSP, SA and COBS, n = 50 to 200), so it
    is widened. The reach is a quarter longer. A distance is never negative, so that noise alone
    makes it positive, by about 1/sqrt(n), of which the jackknife sees half: twice its estimate of
    the bias is added at the end the bias comes from, and for a distance (bounds that begin at 0)
    at least one standard error below. That covers 95 % or more in all of them. With fewer than
    five folds, or where all hangs on one of them, there is no interval, and no reading.
    """
    if not folds:
        return Undefined("no observations")
    value = statistic(merged(folds.values()))
    if isinstance(value, Undefined):
        return value
    if len(folds) < LEAST_FOLDS:
        return Undefined(f"observations in {len(folds)} folds: an interval needs {LEAST_FOLDS}")
    left = [statistic(rest) for rest in _without_each(folds)]
    kept = [one for one in left if not isinstance(one, Undefined)]
    if len(kept) < len(left):
        return Undefined("the value hangs on a single fold: no interval")
    return _around(value, kept, n, bounds)


def _without_each(folds: Mapping[str, Sums]) -> list[dict[Parts, float]]:
    """The sums with one fold left out, for each fold: what is before it and what is after it.

    Nothing is subtracted, so that a sum that ought to be zero is zero.
    """
    each = [folds[name] for name in sorted(folds)]
    before, after = _running(each[:-1]), _running(each[:0:-1])
    return [merged(pair) for pair in zip(before, reversed(after), strict=True)]


def _running(folds: Sequence[Sums]) -> list[Sums]:
    """The sums of the first none, one, two, ... of them."""
    sums: list[Sums] = [{}]
    for fold in folds:
        sums.append(merged((sums[-1], fold)))
    return sums


def _around(
    value: float, left: Sequence[float], n: float, bounds: Bounds | None
) -> Reading | Undefined:
    count = len(left)
    middle = math.fsum(left) / count
    error = math.sqrt((count - 1) / count * math.fsum((one - middle) ** 2 for one in left))
    bias = (count - 1) * (middle - value)
    if error <= 1e-15:
        return _still(value, n, bounds)
    reach, noise = _WIDER * _t(count - 1) * error, error if bounds and bounds[0] == 0 else 0.0
    low, high = value - reach - max(0.0, noise, 2 * bias), value + reach + 2 * max(0.0, -bias)
    if bounds:
        low, high = max(bounds[0], min(value, low)), min(bounds[1], max(value, high))
    return Reading(value=value, low=low, high=high, n=round(n))


def _still(value: float, n: float, bounds: Bounds | None) -> Reading | Undefined:
    """Where no fold differs from another the width is that of a proportion never yet seen."""
    if bounds is None or n <= 0:
        return Undefined("the folds do not differ: no interval")
    slack = wilson(0.0, n)[1] * (bounds[1] - bounds[0])
    low, high = max(bounds[0], value - slack), min(bounds[1], value + slack)
    return Reading(value=value, low=min(low, value), high=max(high, value), n=round(n))
