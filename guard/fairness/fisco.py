"""FiSCo: do replies to two groups mean the same, claim by claim?

Every claim of a reply is checked against another reply: entailed, neutral, contradicted. For two
replies a and b, over the claims of a checked against b and of b against a,

    sim(a, b) = (alpha_E #E + alpha_N #N + alpha_C #C) / (#E + #N + #C)

in [0, 1]: 1 when every claim of each follows from the other, 0 when none does (with the default
weights). Of k replies per group, inter are the k^2 similarities across, intra the k(k-1) inside;
Welch's t-test compares their means. Remove names and group words from the texts first.

Welch's test is published as the paper has it, and is no decision. Pairs share replies, and it takes
them for independent. What a reply has in common with all others cancels between groups of one size
and widens the test's own error: it then calls hardly any difference. Between groups of unequal size
it does not cancel, and the test calls differences where there are none (5 against 15 replies: one
time in four). The decision is the permutation test on 1 - sim, in `decision`, exact in both cases.
Source: FiSCo (arXiv 2506.19028) §3, METRICS §6 and §7.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from guard.fairness.permutation import LARGEST, Permutation, permutation_test
from guard.fairness.student import TTest
from guard.records import Undefined

HIGHEST_NEUTRAL = 0.8

Matrix: TypeAlias = NDArray[np.float64]
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What a claim counts that is entailed, neutral, contradicted; neutral never above 0.8."""

    entailed: float = 1.0
    neutral: float = 0.0
    contradicted: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.neutral <= HIGHEST_NEUTRAL:
            raise ValueError(f"neutral {self.neutral} must be between 0 and {HIGHEST_NEUTRAL}")
        if not 0.0 <= self.contradicted <= self.neutral <= self.entailed <= 1.0:
            raise ValueError(
                "weights must fall from entailed over neutral to contradicted, in 0..1"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fisco:
    """Two groups: their Welch test as published, and the permutation test that decides.

    p_adjusted: the permutation p-value after Holm's correction over all pairs of groups.
    """

    welch: TTest | Undefined
    permutation: Permutation
    p_adjusted: float


_PLAIN = Weights()


def claim_similarity(
    entailed: float, neutral: float, contradicted: float, weights: Weights = _PLAIN
) -> float | Undefined:
    """Of two replies, from the labels of the claims of both, added up over both directions."""
    counts = (entailed, neutral, contradicted)
    if not all(count >= 0 for count in counts):
        raise ValueError(f"entailed, neutral, contradicted must be counts, not {counts}")
    total = sum(counts)
    if not 0 < total < float("inf"):
        return Undefined(reason="no claims in either reply")
    parts = (weights.entailed, weights.neutral, weights.contradicted)
    return sum(part * count for part, count in zip(parts, counts, strict=True)) / total


def claim_similarities(labels: ArrayLike, weights: Weights = _PLAIN) -> Matrix:
    """All similarities of n replies; NaN for two replies without any claim.

    labels: n x n x 3, how many claims of reply i are entailed, neutral, contradicted by reply j.
    """
    counts = np.asarray(labels, dtype=float)
    if counts.ndim != 3 or counts.shape[0] != counts.shape[1] or counts.shape[2] != 3:
        raise ValueError(f"labels must be of shape n x n x 3, not {counts.shape}")
    if (counts < 0).any():
        raise ValueError("labels must be counts, not below 0")
    scored = counts @ np.array([weights.entailed, weights.neutral, weights.contradicted])
    return combined(scored, counts.sum(axis=2))


def combined(scores: ArrayLike, claims: ArrayLike) -> Matrix:
    """sim_ij = (S_ij + S_ji) / (n_ij + n_ji), from weighted sums S and numbers of claims n."""
    one, other = np.asarray(scores, dtype=float), np.asarray(claims, dtype=float)
    if one.ndim != 2 or one.shape[0] != one.shape[1] or one.shape != other.shape:
        raise ValueError(f"scores {one.shape} and claims {other.shape} must be n x n")
    total = other + other.T
    filled = np.full(one.shape, np.nan)
    return np.asarray(np.divide(one + one.T, total, out=filled, where=total > 0))


def inter_intra(similarity: ArrayLike, first: int) -> tuple[Matrix, Matrix]:
    """The similarities across the groups, and those of the pairs inside them.

    similarity: n x n, its first `first` rows one group and the rest the other.
    """
    matrix = np.asarray(similarity, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"similarity must be square, not of shape {matrix.shape}")
    if not 0 < first < len(matrix):
        raise ValueError(f"first {first} must be between 1 and {len(matrix) - 1}")
    inside = [part[np.triu_indices(len(part), 1)] for part in _diagonal(matrix, first)]
    return matrix[:first, first:].ravel(), np.concatenate(inside)


def welch(intra: ArrayLike, inter: ArrayLike) -> TTest | Undefined:
    """Welch's t-test of two samples with variances of their own, first minus second.

    Welch-Satterthwaite degrees of freedom. t above 0: replies to one group are more alike than
    replies across. p_value takes pairs that share replies for independent: not for a decision.
    """
    one, other = np.ravel(np.asarray(intra, dtype=float)), np.ravel(np.asarray(inter, dtype=float))
    if min(one.size, other.size) < 2:
        return Undefined(reason="fewer than two pairs inside or across the groups")
    if not all((np.abs(sample) < LARGEST).all() for sample in (one, other)):
        return Undefined(reason="a similarity is not a number")
    parts = [float(sample.var(ddof=1)) / sample.size for sample in (one, other)]
    spread = parts[0] + parts[1]
    if not spread > 1e-24 * float(np.abs(one).max() + np.abs(other).max()) ** 2:
        return Undefined(reason="no variance inside and across the groups")
    t = float(one.mean() - other.mean()) / sqrt(spread)
    share = parts[0] / spread
    df = 1.0 / (share**2 / (one.size - 1) + (1.0 - share) ** 2 / (other.size - 1))
    return TTest(t=t, df=df)


def decision(
    similarity: ArrayLike, first: int, *, generator: np.random.Generator | None = None
) -> Permutation | Undefined:
    """The permutation test on 1 - sim: whether replies across differ more than those inside."""
    return permutation_test(1.0 - np.asarray(similarity, dtype=float), first, generator=generator)


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """P-values corrected for being many (Holm 1979), in the order they came."""
    if not all(0.0 <= p <= 1.0 for p in p_values.values()):
        raise ValueError("p_values must be between 0 and 1")
    adjusted: dict[Name, float] = {}
    highest, left = 0.0, len(p_values)
    for name in sorted(p_values, key=p_values.__getitem__):
        highest = max(highest, min(1.0, left * p_values[name]))
        adjusted[name], left = highest, left - 1
    return {name: adjusted[name] for name in p_values}


def fisco(
    similarity: ArrayLike, groups: Sequence[str], *, generator: np.random.Generator | None = None
) -> dict[tuple[str, str], Fisco | Undefined]:
    """Every pair of groups, with Holm's correction over the pairs that could be tested.

    similarity: n x n. groups: the group of each reply, in the order of the rows.
    """
    matrix = np.asarray(similarity, dtype=float)
    if matrix.shape != (len(groups), len(groups)):
        raise ValueError(f"groups: {len(groups)} labels for a similarity of shape {matrix.shape}")
    labels, pairs = np.array(groups), combinations(dict.fromkeys(groups), 2)
    parts = {pair: _part(matrix, labels, pair) for pair in pairs}
    tests = {pair: decision(*part, generator=generator) for pair, part in parts.items()}
    done = {pair: test for pair, test in tests.items() if isinstance(test, Permutation)}
    adjusted = holm({pair: test.p_value for pair, test in done.items()})
    return {
        pair: _outcome(parts[pair], test, adjusted.get(pair, 1.0)) for pair, test in tests.items()
    }


def _outcome(
    part: tuple[Matrix, int], test: Permutation | Undefined, adjusted: float
) -> Fisco | Undefined:
    if isinstance(test, Undefined):
        return test
    inter, intra = inter_intra(*part)
    return Fisco(welch=welch(intra, inter), permutation=test, p_adjusted=adjusted)


def _part(matrix: Matrix, labels: NDArray[np.str_], pair: tuple[str, str]) -> tuple[Matrix, int]:
    rows = [np.flatnonzero(labels == group) for group in pair]
    both = np.concatenate(rows)
    return matrix[np.ix_(both, both)], len(rows[0])


def _diagonal(matrix: Matrix, first: int) -> tuple[Matrix, Matrix]:
    return matrix[:first, :first], matrix[first:, first:]
