"""How far replies are apart, each from each: by their words, sentiment, embeddings and claims.

Several figures of one pair look at the same replies: FairPair, contrasts, permutation tests. A
matrix is made once for all that ask for the same replies one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import fsum, isfinite
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from guard.fairness.claim_likeness import CLAIMS, claim_distances
from guard.fairness.live import Comparison, Replies, drawn_places
from guard.fairness.permutation import (
    Permutation,
    permutation_test,
    seeded_generator,
    untestable,
)
from guard.fairness.vectors import cosine_matrix
from guard.fairness.words import words

Gaps: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = list[list[float]]
_REMEMBERED = 2  # matrices of either kind: those of one pair, and of the pair before


def token_gaps(replies: Replies) -> Gaps:
    """1 - |A and B| / |A or B| of the words of masked texts, n x n, in [0, 1]; 0 without words."""
    return _token_gaps(tuple(one.masked for one in replies))


def sentiment_gaps(replies: Replies) -> Gaps:
    """|S(u) - S(v)| of normalised texts, n x n, in [0, 1]; NaN where there is no score."""
    scores = np.array([one.normalised.get("sentiment") for one in replies], dtype=float)
    return np.asarray(np.abs(scores[:, None] - scores))


def cosine_gaps(replies: Replies) -> Gaps:
    """1 - cosine of the vectors, n x n, in [0, 2]; NaN where one has no direction."""
    return _cosine_gaps(tuple(one.vector for one in replies))


@lru_cache(maxsize=_REMEMBERED)
def _token_gaps(masks: tuple[str, ...]) -> Gaps:
    tokens = [frozenset(words(text)) for text in masks]
    made = np.array(
        [
            [_apart(one, other) for other in tokens[:at]] + [0.0] * (len(tokens) - at)
            for at, one in enumerate(tokens)
        ]
    ).reshape(len(tokens), len(tokens))
    return _kept(made + made.T)


def _apart(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    either = len(one) + len(other) - shared
    return 1.0 - shared / either if either else 0.0


@lru_cache(maxsize=_REMEMBERED)
def _cosine_gaps(vectors: tuple[tuple[float, ...], ...]) -> Gaps:
    gaps = 1.0 - cosine_matrix(vectors)
    np.fill_diagonal(gaps, 0.0)
    return _kept(gaps)


def _kept(matrix: Gaps) -> Gaps:
    """The matrix, which several share and none may change."""
    matrix.setflags(write=False)
    return matrix


def _token_distances(replies: Replies) -> Matrix | None:
    return _listed(token_gaps(replies))


def _sentiment_distances(replies: Replies) -> Matrix | None:
    gaps = sentiment_gaps(replies)
    return (
        None if any(one.normalised.get("sentiment") is None for one in replies) else _listed(gaps)
    )


def _embedding_distances(replies: Replies) -> Matrix | None:
    if not all(one.vector for one in replies):
        return None
    return _listed(cosine_gaps(replies) / 2.0)


def _listed(gaps: Gaps) -> Matrix:
    found: Matrix = gaps.tolist()
    return found


DISTANCES: Mapping[str, Callable[[Replies], Matrix | None]] = MappingProxyType(
    {
        "token": _token_distances,
        "sentiment": _sentiment_distances,
        "embedding": _embedding_distances,
        CLAIMS: claim_distances,
    }
)
"""Dissimilarities of replies, each in [0, 1], by what they look at."""


def finite_distances(name: str, replies: Replies) -> Matrix | None:
    """All dissimilarities of one kind; None where one of them cannot be told."""
    made = DISTANCES[name](replies)
    finite = made is not None and all(isfinite(value) for row in made for value in row)
    return made if finite else None


def contrast_of(distance: str, pair: Comparison) -> float | None:
    """How much further the replies to a conversation are from those about another group than from
    those about other people of its own group.

    Where the group makes no difference beyond its wording, both rewrites of the conversation can be
    exchanged, and that turns the sign. As many replies to either of them are used: the mean
    distance of two replies minus that of one is not symmetric.
    """
    if pair.control is None:
        return None
    sides = [one.fresh_answers for one in (pair, pair.control)]
    most = min(len(one.by_prompt[1]) for one in sides)
    other, same = (_mean_distance(distance, one, most) for one in sides)
    return None if other is None or same is None else other - same


def _mean_distance(distance: str, pair: Comparison, most: int) -> float | None:
    """Of the replies to the conversation itself and so many to its rewrite; None where one of the
    distances cannot be told, or where there is no reply."""
    first, second = pair.sides
    matrix = finite_distances(distance, (*first, *second))
    own, rewritten = pair.by_prompt
    if matrix is None or not own or not most:
        return None
    is_first = pair.source == pair.first
    start, other = (0, len(first)) if is_first else (len(first), 0)
    places = [other + at for at in drawn_places(len(rewritten), most, pair.call_id)]
    apart = [matrix[at][place] for at in range(start, start + len(own)) for place in places]
    return fsum(apart) / len(apart)


def p_values(pair: Comparison, *, repeats: bool) -> dict[str, float]:
    """Permutation tests of fresh answers, by kind of distance, as far as they can be made."""
    first, second = pair.fresh.answers.sides
    varies = repeats and pair.has_draws
    if untestable(len(first), len(second), deterministic=not varies) is not None:
        return {}
    matrices = {name: finite_distances(name, (*first, *second)) for name in DISTANCES}
    tests = {
        name: permutation_test(matrix, len(first), generator=seeded_generator(0))
        for name, matrix in matrices.items()
        if matrix is not None
    }
    return {name: test.p_value for name, test in tests.items() if isinstance(test, Permutation)}


def by_prompt(gaps: Callable[[Replies], Gaps], pair: Comparison) -> tuple[Gaps, int]:
    """The matrix of fresh answers, those to the conversation itself first, and how many they are.

    It is made in the order of the groups, in which the others ask for it.
    """
    answers = pair.fresh.answers
    first, second = answers.sides
    made = gaps((*first, *second))
    if answers.source == answers.first:
        return made, len(first)
    return np.roll(made, -len(first), axis=(0, 1)), len(second)
