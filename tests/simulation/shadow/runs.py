"""Runs over a pool: thousands of calls, a look after each, and whether anybody is alarmed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard.fairness.evidence import log_mean_e
from tests.simulation.shadow.pool import Pool

Array = NDArray[np.float64]
ALPHA = 0.05
_LN10 = math.log(10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run. first: (tests,), the first look at which e-BH rejects; 0 for never.

    alone: likewise for e >= 1/alpha by itself. top: (tests,), the largest log10 e of the run.
    """

    first: NDArray[np.intp]
    alone: NDArray[np.intp]
    top: Array


def run(values: Array, calls: NDArray[np.intp]) -> Run:
    """A run of these calls: every test looked at after each.

    values: (pool, tests). calls: (looks,), which of the pool came when.
    """
    evidence = np.column_stack([log10_e(values[calls, test]) for test in range(values.shape[1])])
    return Run(
        first=_first(rejected(evidence)),
        alone=_first(evidence >= -math.log10(ALPHA)),
        top=evidence.max(axis=0),
    )


def log10_e(observed: Array) -> Array:
    """log10 of the evidence of `MeanTest` after each observation; NaN is none."""
    if np.isnan(observed).all():
        return np.zeros(len(observed))
    d = np.nan_to_num(observed)
    n, total, squares = np.cumsum(~np.isnan(observed)), np.cumsum(d), np.cumsum(d * d)
    both = np.logaddexp(log_mean_e(n, total, squares), log_mean_e(n, -total, squares))
    return np.asarray((both - math.log(2)) / _LN10)


def rejected(evidence: Array) -> NDArray[np.bool_]:
    """e-BH at each look, row by row: what `guard.fairness.e_bh` rejects."""
    size = evidence.shape[1]
    ranked = -np.sort(-evidence, axis=1)
    needed = np.log10(size / (ALPHA * np.arange(1, size + 1)))
    enough = ranked >= needed
    kept = np.where(enough.any(axis=1), size - np.argmax(enough[:, ::-1], axis=1), 0)
    least = np.where(kept > 0, ranked[np.arange(len(ranked)), np.maximum(kept, 1) - 1], np.inf)
    return np.asarray(evidence >= least[:, None])


def _first(rings: NDArray[np.bool_]) -> NDArray[np.intp]:
    return np.where(rings.any(axis=0), rings.argmax(axis=0) + 1, 0)


def alike(pool: Pool, looks: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Calls as they come when nothing depends on the group."""
    return rng.integers(len(pool.values), size=looks)


def biased(
    pool: Pool, looks: int, rng: np.random.Generator, *, strength: float, cold: tuple[int, ...]
) -> NDArray[np.intp]:
    """Calls as they come when a reply about women is, with this probability, a harsh one instead.

    Of the pool's deals, those where the side about women has a harsh reply come more often.
    """
    females = np.array(pool.groups)[pool.prompt] == "female"
    said = np.where(females, pool.own, pool.other)
    weights = np.zeros(len(said))
    for number in range(len(pool.groups)):
        here = pool.prompt == number
        harsh = here & np.isin(said, cold)
        often = strength if harsh.any() else 0.0
        weights[here] = (1 - often) / max(here.sum(), 1)
        weights[harsh] += often / max(harsh.sum(), 1)
    return rng.choice(len(said), size=looks, p=weights / weights.sum())
