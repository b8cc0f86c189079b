"""What the decisions and the intervals do over many repetitions of the same world."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from guard.fairness.cairo import equation1, permutation_null
from guard.fairness.fairpair import (
    FairPair,
    FairPairMetric,
    Prompted,
    cosine_gap,
    fairpair_of_matrix,
    jaccard_gap,
    sentiment_gap,
)
from guard.fairness.fisco import combined, inter_intra, welch
from guard.fairness.permutation import permutation_test
from guard.fairness.tally import add
from guard.records import Reading, Undefined
from tests.repeats import repeats

pytestmark = [pytest.mark.slow, pytest.mark.soak]

Array = np.ndarray
Phi = Callable[[np.random.Generator], Array]
SIDE, ALPHA, TESTS, REPETITIONS = 5, 0.05, repeats(400, soak=1000), repeats(300, soak=600)
MOST = ALPHA * TESTS + 3 * math.sqrt(ALPHA * (1 - ALPHA) * TESTS)


def pairwise(replies: list[object], phi: Callable[..., float]) -> Array:
    return np.array([[phi(one, other) for other in replies] for one in replies])


def sentiments(rng: np.random.Generator) -> Array:
    return pairwise(list(rng.normal(size=2 * SIDE)), sentiment_gap)


def coarse_sentiments(rng: np.random.Generator) -> Array:
    return pairwise(list(rng.integers(0, 3, 2 * SIDE) / 3), sentiment_gap)


def tokens(rng: np.random.Generator) -> Array:
    replies = [set(rng.integers(0, 15, 8).tolist()) for _ in range(2 * SIDE)]
    return pairwise(list(replies), jaccard_gap)


def embeddings(rng: np.random.Generator) -> Array:
    return pairwise(list(rng.normal(size=(2 * SIDE, 4))), cosine_gap)


def claims(rng: np.random.Generator, size: int = 2 * SIDE) -> Array:
    """1 - sim of FiSCo: replies that share more or less of what can be said."""
    common, numbers = rng.random(size), rng.integers(3, 9, size)
    counts = np.repeat(numbers[:, None], size, axis=1)
    return 1.0 - combined(rng.binomial(counts, np.sqrt(np.outer(common, common))), counts)


ALL_PHI = [sentiments, coarse_sentiments, tokens, embeddings, claims]


@pytest.mark.parametrize("phi", ALL_PHI)
def test_the_permutation_test_keeps_its_level(phi: Phi) -> None:
    rng = np.random.default_rng(30)
    p_values = [permutation_test(phi(rng), SIDE).p_value for _ in range(TESTS)]  # type: ignore[union-attr]
    assert sum(p <= ALPHA for p in p_values) <= MOST


@pytest.mark.parametrize(
    ("first", "second", "least", "most"), [(5, 5, 0.0, 0.01), (5, 15, 0.15, 0.35)]
)
def test_welch_does_not(first: int, second: int, least: float, most: float) -> None:
    """Without any difference: far too timid for groups of one size, far too bold otherwise."""
    rng, called = np.random.default_rng(31), 0
    for _ in range(TESTS):
        inter, intra = inter_intra(1.0 - claims(rng, first + second), first)
        found = welch(intra, inter)
        called += not isinstance(found, Undefined) and found.p_value <= ALPHA
    assert least <= called / TESTS <= most


@pytest.mark.parametrize("phi", ALL_PHI)
def test_f_above_one_is_no_test(phi: Phi) -> None:
    rng = np.random.default_rng(34)
    pairs = (fairpair_of_matrix(phi(rng), SIDE) for _ in range(TESTS))
    values = [pair.f for pair in pairs if isinstance(pair, FairPair)]
    assert sum(f > 1.0 for f in values if isinstance(f, float)) > 0.3 * TESTS


def test_selection_finds_agreement_in_noise() -> None:
    """6 models, 2 x 2 paraphrases, 4 prompt sets per combination: METRICS says r = 0.93."""
    rng = np.random.default_rng(32)
    tables = [equation1(rng.random((20, 6, 16, 3))) for _ in range(2)]
    assert np.median(permutation_null(*tables, generator=rng, draws=200)) > 0.85


def replies(world: str, rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Array, Array]:
    """Sentiments of five replies per side, prompts of unequal level."""
    level = rng.normal(0.0, 0.3, (*shape, 1))
    one, other = (level + 0.2 * rng.normal(size=(*shape, SIDE)) for _ in range(2))
    if world == "coarse":
        return np.round(1.2 * np.tanh(one)), np.round(1.2 * np.tanh(other) + 0.05)
    if world == "shifted":
        other = other + 0.2
    if world == "one prompt in ten":
        other = other + 0.8 * (rng.random((*shape, 1)) < 0.1)
    return np.tanh(one), np.tanh(other)


def measured(world: str, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """B, V_gp and V_pg of every prompt, along the last axis."""
    one, other = replies(world, rng, shape)
    pairs = SIDE * (SIDE - 1)
    across = np.abs(one[..., :, None] - other[..., None, :]).mean(axis=(-1, -2))
    inside = [
        np.abs(x[..., :, None] - x[..., None, :]).sum(axis=(-1, -2)) / pairs for x in (other, one)
    ]
    return np.stack([across, *inside], axis=-1)


@pytest.mark.parametrize("world", ["same", "shifted", "one prompt in ten", "coarse"])
@pytest.mark.parametrize("prompts", [50, 200])
def test_the_interval_of_f_covers(world: str, prompts: int) -> None:
    rng, metric, repetitions = np.random.default_rng(33), FairPairMetric(), REPETITIONS
    means = np.mean([measured(world, rng, (100, 400)).mean(axis=(0, 1)) for _ in range(10)], axis=0)
    truth, covered = means[0] ** 2 / (means[1] * means[2]), 0
    for at, values in enumerate(measured(world, rng, (repetitions, prompts)).tolist()):
        seen = (
            Prompted(conversation=f"{at}-{number}", seen=FairPair(bias=b, v_gp=v, v_pg=w))
            for number, (b, v, w) in enumerate(values)
        )
        reading = metric.estimate(add(*map(metric.tally, seen)))
        covered += isinstance(reading, Reading) and reading.low <= truth <= reading.high
    assert covered >= 0.93 * repetitions
