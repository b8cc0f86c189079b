"""Intervals, areas and percentiles."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evaluate.suites.records import Reading

Array = npt.NDArray[np.float64]
Z = 1.959963984540054


def wilson(hits: int, n: int) -> Reading | None:
    """A share with Wilson's 95 % interval; None without data."""
    return None if n == 0 else at_size(hits / n, n, n)


def at_size(share: float, size: float, n: int) -> Reading:
    """Wilson's interval of a share of `n` items that weigh as much as `size` independent ones."""
    extra = Z * Z / size
    middle = (share + extra / 2) / (1 + extra)
    half = Z * math.sqrt(share * (1 - share) / size + extra / (4 * size)) / (1 + extra)
    low = 0.0 if share == 0 else middle - half
    high = 1.0 if share == 1 else middle + half
    return Reading(value=share, low=low, high=high, n=n)


def clustered_share(hits: Sequence[tuple[int, int]]) -> Reading | None:
    """A share over clusters of like items, given as (hits, items) of each; None without items.

    Wilson's interval at the number of independent items that would have the variance seen between
    clusters (Kish 1965, section 5.4): at least the number of clusters, at most that of items.
    Where all or none hit, no variance is seen, and it is the number of clusters.
    """
    clusters, n = len(hits), sum(items for _, items in hits)
    if n == 0:
        return None
    share = sum(count for count, _ in hits) / n
    spread = sum((count - share * items) ** 2 for count, items in hits)
    if clusters == 1 or spread == 0:
        return at_size(share, clusters, n)
    size = share * (1 - share) * n**2 * (clusters - 1) / (clusters * spread)
    return at_size(share, min(max(size, clusters), n), n)


def midranks(values: Array) -> Array:
    """Ranks from 1, ties sharing their mean."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts).astype(np.float64)
    means: Array = last - (counts - 1) / 2
    return means[place]


def area(negative: Array, positive: Array) -> float:
    """ROC-AUC: how often a positive scores over a negative, ties counted half."""
    ranks = midranks(np.concatenate([negative, positive]))
    above = ranks[len(negative) :].sum() - len(positive) * (len(positive) + 1) / 2
    return float(above / (len(negative) * len(positive)))


def resampled(rng: np.random.Generator, n: int, rounds: int) -> Array:
    """How often each of `n` items is drawn, in each of the rounds."""
    return rng.multinomial(n, [1 / n] * n, size=rounds).astype(np.float64)


def bootstrap_area(negative: Array, positive: Array, *, rounds: int, seed: int) -> Reading:
    """ROC-AUC with a percentile interval from resampling either side on its own."""
    rng = np.random.default_rng(seed)
    n, m = len(negative), len(positive)
    difference = positive[np.newaxis, :] - negative[:, np.newaxis]
    wins = (difference > 0) + 0.5 * (difference == 0)
    drawn = (resampled(rng, n, rounds) @ wins) * resampled(rng, m, rounds)
    low, high = np.percentile(drawn.sum(axis=1) / (n * m), [2.5, 97.5])
    return Reading(value=area(negative, positive), low=float(low), high=float(high), n=n + m)


def bootstrap_mean(values: Sequence[float], *, rounds: int, seed: int) -> Reading | None:
    """A mean with a percentile interval; None without data."""
    if not values:
        return None
    given = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(seed).integers(0, len(given), (rounds, len(given)))
    low, high = np.percentile(given[draws].mean(axis=1), [2.5, 97.5])
    return Reading(value=float(given.mean()), low=float(low), high=float(high), n=len(given))


def bootstrap_difference(
    before: Sequence[float], after: Sequence[float], *, rounds: int, seed: int
) -> Reading | None:
    """The mean after less the mean before, either side resampled on its own."""
    if not before or not after:
        return None
    rng = np.random.default_rng(seed)
    first, second = (np.asarray(side, dtype=np.float64) for side in (before, after))
    drawn = resampled(rng, len(second), rounds) @ second / len(second) - resampled(
        rng, len(first), rounds
    ) @ first / len(first)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Reading(
        value=float(second.mean() - first.mean()),
        low=float(low),
        high=float(high),
        n=len(first) + len(second),
    )
