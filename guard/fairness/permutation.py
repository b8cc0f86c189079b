"""Do the replies of two groups differ more than replies of one group do? An exact test.

Given the dissimilarities of all replies to one prompt (any Phi: tokens, sentiment, embeddings,
claims), the statistic is

    mean dissimilarity across the groups - mean dissimilarity inside the groups,

and its p-value is the share of all ways to deal the group labels out that make it at least as
large. Small enough sets are enumerated; for others p = (1 + hits) / (1 + draws) over random deals,
which is just as valid. Values that agree up to rounding count as equal, hence as hits.

Valid only if, without any difference, all replies are exchangeable: both sides are generated
afresh by the same path with varied seeds (the live reply stays out), the same neutral mask is
applied to all texts, and nothing is deterministic; `untestable` says what speaks against it. A
difference in wording that the rewrite itself makes is not the group: a rewrite to the same group
is the control. The smallest p-value that n replies per side can reach is .33, .10, .029, .008 for
n = 2, 3, 4, 5. Source: METRICS §7; not in the papers, whose tests take dependent pairs for
independent ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guard.records import Undefined

FEWEST = 4
EXACT_LIMIT = 20_000
LARGEST = 1e100  # a dissimilarity beyond it is no number: sums of squares must not overflow
ROUNDING = 1e-6  # what arithmetic in 32 bits leaves of a difference of 0
_TIE = 1e-9
_BLOCK = 4_096

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Permutation:
    """The outcome of one test.

    statistic: mean across minus mean inside; above 0 when the groups differ more than replies do.
    p_value: in (0, 1]. smallest_p: what the most extreme data of this size would give. deals: ways
    to deal the labels that were looked at. exact: whether those were all.
    """

    statistic: float
    p_value: float
    smallest_p: float
    deals: int
    exact: bool


def seeded_generator(seed: int) -> np.random.Generator:
    """The generator of this seed, for tests with too many deals to enumerate."""
    return np.random.default_rng(seed)


def untestable(first: int, second: int, *, deterministic: bool = False) -> str | None:
    """Why replies cannot be tested; None when they can.

    first, second: replies per side. deterministic: temperature 0, or one fixed seed.
    """
    if deterministic:
        return "deterministic replies: without variation there is nothing to compare with"
    if min(first, second) < FEWEST:
        return f"{min(first, second)} replies on a side: the test needs {FEWEST}"
    return None


def smallest_p(first: int, second: int, *, draws: int | None = None) -> float:
    """The smallest p-value `first` and `second` replies can reach, in a Monte Carlo test with
    `draws` draws if given. Sides of one size can be swapped, which doubles it."""
    _check_sides(first, second)
    exact = (2 if first == second else 1) / comb(first + second, first)
    return exact if draws is None else max(exact, 1.0 / (1.0 + draws))


def contrast(dissimilarity: ArrayLike, first: int) -> float | Undefined:
    """How much more replies differ across the groups than inside them, of the prompts of one pair.

    dissimilarity: symmetric, its first `first` rows one group and the rest the other. Two replies
    of either group, a, b and x, y, give ((ax + by) - (ab + xy)) / 2; of more replies the mean over
    such fours, one that is left over is not used. In [-1, 1] when dissimilarities are in [0, 1].
    Under exchangeability b and x may be swapped, which turns the sign: it is symmetric about 0. The
    mean over all pairs across minus that over all pairs inside has mean 0, and is not symmetric.
    """
    matrix = np.asarray(dissimilarity, dtype=float)
    fours = min(first, len(matrix) - first) // 2
    if fours < 1:
        return Undefined(reason="one reply per side: nothing to compare inside a group")
    a, x = np.arange(fours) * 2, np.arange(fours) * 2 + first
    across = matrix[a, x] + matrix[a + 1, x + 1]
    inside = matrix[a, a + 1] + matrix[x, x + 1]
    return float((across - inside).mean()) / 2.0


def permutation_test(
    dissimilarity: ArrayLike,
    first: int,
    *,
    generator: np.random.Generator | None = None,
    draws: int = 9_999,
    exact_limit: int = EXACT_LIMIT,
) -> Permutation | Undefined:
    """The one-sided test that groups differ more than replies do.

    dissimilarity: n x n, its first `first` rows one group and the rest the other.
    generator: needed only when there are more than `exact_limit` ways to deal the labels.
    """
    matrix = _matrix(dissimilarity, first)
    if isinstance(matrix, Undefined):
        return matrix
    size = len(matrix)
    exact = comb(size, first) <= exact_limit
    if exact:
        hits, deals = _all_hits(matrix, first)
    else:
        hits, deals = 1 + _drawn_hits(matrix, first, generator, draws), 1 + draws
    return Permutation(
        statistic=_statistic(matrix, first),
        p_value=hits / deals,
        smallest_p=smallest_p(first, size - first, draws=None if exact else draws),
        deals=deals,
        exact=exact,
    )


def signed_test(differences: ArrayLike, first: int) -> Permutation:
    """The exact one-sided test that the values of the first group are larger.

    differences: n x n, of reply i minus reply j, its first `first` rows one group and the rest the
    other. The statistic is the mean difference of a reply of the first group and one of the second.
    Unlike that of dissimilarities, its smallest p-value is 1 / C(n, first): .014 and .004 for 4 and
    5 replies per side. Raises ValueError for more than `EXACT_LIMIT` ways to deal the labels.
    """
    matrix = np.asarray(differences, dtype=float)
    size = len(matrix)
    _check_sides(first, size - first)
    if comb(size, first) > EXACT_LIMIT:
        raise ValueError(f"{size} replies are too many to look at all ways to deal the labels")
    hits, deals = _all_hits(matrix, first)
    return Permutation(
        statistic=mean_difference(matrix, first),
        p_value=hits / deals,
        smallest_p=1.0 / deals,
        deals=deals,
        exact=True,
    )


def mean_difference(differences: ArrayLike, first: int) -> float:
    """Of a reply of the first group and one of the second."""
    return float(np.asarray(differences, dtype=float)[:first, first:].mean())


def _matrix(dissimilarity: ArrayLike, first: int) -> Matrix | Undefined:
    matrix = np.asarray(dissimilarity, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"dissimilarity must be square, not of shape {matrix.shape}")
    _check_sides(first, len(matrix) - first)
    if len(matrix) < 3:
        return Undefined(reason="one reply per side: nothing to compare inside a group")
    matrix = np.where(np.eye(len(matrix), dtype=bool), 0.0, matrix)
    if not (np.abs(matrix) < LARGEST).all():
        return Undefined(reason="a dissimilarity is not a number")
    return symmetric(matrix)


def symmetric(matrix: Matrix) -> Matrix:
    """The mean of both halves, which may differ by what rounding to 32 bits does and no more."""
    if np.abs(matrix - matrix.T).max(initial=0.0) > ROUNDING * np.abs(matrix).max(initial=0.0):
        raise ValueError("dissimilarity must be symmetric")
    return np.asarray((matrix + matrix.T) / 2.0)


def _check_sides(first: int, second: int) -> None:
    if first < 1 or second < 1:
        raise ValueError(f"first: {first} and {second} replies leave a group without any")


def _statistic(matrix: Matrix, first: int) -> float:
    across = float(matrix[:first, first:].sum())
    inside = float(matrix.sum()) / 2.0 - across
    second = len(matrix) - first
    return across / (first * second) - inside / (comb(first, 2) + comb(second, 2))


def _hits(matrix: Matrix, first: int, labels: Matrix) -> int:
    """How many deals have at least the sum across the groups that was observed.

    The sum over all pairs is the same for every deal, so the statistic rises with this sum.
    """
    across = ((labels @ matrix) * (1.0 - labels)).sum(axis=1)
    observed = float(matrix[:first, first:].sum())
    slack = _TIE * float(np.abs(matrix).sum())
    return int((across >= observed - slack).sum())


def _all_hits(matrix: Matrix, first: int) -> tuple[int, int]:
    """Of all deals: how many are hits, and how many there are."""
    hits = deals = 0
    for block in _blocks(len(matrix), first):
        hits, deals = hits + _hits(matrix, first, block), deals + len(block)
    return hits, deals


def _drawn_hits(
    matrix: Matrix, first: int, generator: np.random.Generator | None, draws: int
) -> int:
    if generator is None:
        raise ValueError("generator: too many deals to enumerate, a generator must be given")
    if draws < 1:
        raise ValueError(f"draws {draws} must be at least 1")
    row = (np.arange(len(matrix)) < first).astype(float)
    sizes = [min(_BLOCK, draws - start) for start in range(0, draws, _BLOCK)]
    blocks = (generator.permuted(np.tile(row, (size, 1)), axis=1) for size in sizes)
    return sum(_hits(matrix, first, block) for block in blocks)


def _blocks(size: int, first: int) -> Iterator[Matrix]:
    """Every way to deal `first` labels, as rows of zeros and ones, some thousands at a time."""
    chosen = np.array(list(combinations(range(size), first)), dtype=np.intp)
    for start in range(0, len(chosen), _BLOCK):
        part = chosen[start : start + _BLOCK]
        labels = np.zeros((len(part), size))
        np.put_along_axis(labels, part, 1.0, axis=1)
        yield labels
