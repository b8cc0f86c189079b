"""Runs over a pool: thousands of calls, a look after each, and whether anybody is alarmed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard.fairness import CATALOGUE
from guard.fairness.group_tests import OmnibusTest, omnibus_of, shares
from guard.fairness.symmetric import ON_SIGN, SLIGHT, SLOPES
from tests.simulation.shadow.pool import Pool

Array = NDArray[np.float64]
ALPHA = 0.05
_LN10 = math.log(10)
_NONE = -300.0
"""log10 e of what does not count."""
_MOST = 200_001
_HALVES = np.concatenate([[0.0], np.log(np.arange(_MOST) + 0.5).cumsum()]) + math.lgamma(0.5)
"""ln Gamma(k + 1/2), by k."""
_WHOLES = np.concatenate([[0.0], np.log(np.arange(1, _MOST + 1)).cumsum()])
"""ln Gamma(k + 1), by k."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run. first: (columns,), the first look at which e-BH rejects; 0 for never.

    alone: likewise for e >= 1/alpha by itself. top: (columns,), the largest log10 e of the run.
    """

    first: NDArray[np.intp]
    alone: NDArray[np.intp]
    top: Array


def run(values: Array, calls: NDArray[np.intp], tests: Sequence[str]) -> Run:
    """A run of these calls: every test looked at after each.

    values: (pool, tests). calls: (looks,), which of the pool came when. tests: the name of each
    column, tests of groups. What is returned has a column for each of them and then one for each
    omnibus test, in the order of their first group.
    """
    observed = values[calls]
    of_groups = np.column_stack([log10_e(column) for column in observed.T])
    counted = np.where(_matters(observed, tests), of_groups, _NONE)
    omnibus, members = _omnibus(tests)
    evidence = np.hstack([of_groups, _means(of_groups, members)])
    raising = np.hstack([counted, _means(counted, members)])
    return Run(
        first=_first(rejected(raising, _shares(tests, omnibus))),
        alone=_first(evidence >= -math.log10(ALPHA)),
        top=evidence.max(axis=0),
    )


def log10_e(observed: Array) -> Array:
    """log10 of the evidence of `SymmetricTest` after each observation; NaN is none."""
    d = np.nan_to_num(observed)
    slopes = np.array(SLOPES)[:, None]
    penalty = (np.logaddexp(slopes * d, -slopes * d) - math.log(2)).cumsum(axis=1)
    bets = slopes * d.cumsum()
    on_size = np.logaddexp.reduce(np.vstack([bets - penalty, -bets - penalty])) - math.log(
        2 * len(SLOPES)
    )
    positive, negative = (d >= SLIGHT).cumsum(), (d <= -SLIGHT).cumsum()
    known = _HALVES[positive] + _HALVES[negative] - _WHOLES[positive + negative]
    on_sign = known - math.log(math.pi) + (positive + negative) * math.log(2)
    both = np.logaddexp(math.log(1 - ON_SIGN) + on_size, math.log(ON_SIGN) + on_sign)
    return np.asarray(both / _LN10)


def _matters(observed: Array, tests: Sequence[str]) -> NDArray[np.bool_]:
    """Where the mean so far is of a size that raises an alarm."""
    sizes = {metric.name: metric.material for metric in CATALOGUE.tested}
    material = np.array([sizes.get(name.split(":")[0], 0.0) for name in tests])
    seen = np.maximum((~np.isnan(observed)).cumsum(axis=0), 1)
    return np.asarray(np.abs(np.nan_to_num(observed).cumsum(axis=0) / seen) >= material)


def _omnibus(tests: Sequence[str]) -> tuple[list[str], list[list[int]]]:
    """The omnibus tests, and which columns each is a mean of."""
    members: dict[str, list[int]] = {}
    for at, name in enumerate(tests):
        members.setdefault(omnibus_of(name), []).append(at)
    return list(members), list(members.values())


def _means(of_groups: Array, members: Sequence[Sequence[int]]) -> Array:
    means = [
        np.logaddexp.reduce(of_groups[:, columns] * _LN10, axis=1) / _LN10
        - math.log10(len(columns))
        for columns in members
    ]
    return np.column_stack(means)


def _shares(tests: Sequence[str], omnibus: Sequence[str]) -> Array:
    """Of alpha, by column; the groups of a test are those that have a column."""
    share = shares(
        OmnibusTest(
            metric=name.split(":")[0],
            attribute=name.split(":")[1],
            groups=sum(omnibus_of(test) == name for test in tests),
        )
        for name in omnibus
    )
    return np.array([share(name) for name in (*tests, *omnibus)])


def rejected(evidence: Array, share: Array) -> NDArray[np.bool_]:
    """e-BH at each look, row by row: what `guard.fairness.e_bh` rejects."""
    weighed = evidence + np.log10(share)
    size = evidence.shape[1]
    ranked = -np.sort(-weighed, axis=1)
    enough = ranked >= -np.log10(ALPHA * np.arange(1, size + 1))
    kept = np.where(enough.any(axis=1), size - np.argmax(enough[:, ::-1], axis=1), 0)
    least = np.where(kept > 0, ranked[np.arange(len(ranked)), np.maximum(kept, 1) - 1], np.inf)
    return np.asarray(weighed >= least[:, None])


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
