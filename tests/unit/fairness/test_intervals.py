"""Intervals cover what they are about, and stay where the quantity can be."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from guard.fairness import Said, Sides, StereotypicalAssociations, StrictParity, add
from guard.fairness.intervals import (
    absolute,
    difference,
    jackknife,
    mean,
    paired,
    proportion,
    ratio,
    widened,
    wilson,
)
from guard.fairness.tally import SIGNED
from guard.records import Reading, Undefined

RATES = (0.003, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5)
N = 50


def reading(found: Reading | Undefined) -> Reading:
    assert isinstance(found, Reading), found
    return found


def chances(n: int, rate: float) -> list[float]:
    return [math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)]


def test_wilson_is_the_textbook_interval() -> None:
    low, high = wilson(7, 20)
    assert (round(low, 4), round(high, 4)) == (0.1812, 0.5671)
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == 1.0


@pytest.mark.parametrize("n", [50, 100, 400])
def test_a_proportion_is_covered_at_every_rate(n: int) -> None:
    limits = [widened(hits, n) for hits in range(n + 1)]
    for rate in [*RATES, *(step / 1000 for step in range(1, 500, 7))]:
        weights = zip(limits, chances(n, rate), strict=True)
        assert sum(p for (low, high), p in weights if low <= rate <= high) >= 0.93


def test_the_widened_interval_contains_wilsons() -> None:
    for n in (1, 5, 50):
        for hits in range(n + 1):
            low, high = widened(hits, n)
            assert low <= wilson(hits, n)[0] + 1e-12
            assert high >= wilson(hits, n)[1] - 1e-12


@pytest.mark.parametrize("first", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("second", [0.05, 0.1, 0.5])
def test_differences_and_ratios_are_covered(first: float, second: float) -> None:
    apart, over, seen = 0.0, 0.0, 0.0
    for hits, p in enumerate(chances(N, first)):
        for others, q in enumerate(chances(N, second)):
            gap = reading(difference((hits, N), (others, N)))
            apart += p * q * (gap.low <= first - second <= gap.high)
            quotient = ratio((hits, N), (others, N))
            if isinstance(quotient, Reading):
                seen += p * q
                over += p * q * (quotient.low <= first / second <= quotient.high)
    assert apart >= 0.93
    assert over / seen >= 0.93


DRAWS: list[tuple[str, Callable[[random.Random], float], float]] = [
    ("uniform", lambda rng: rng.random(), 0.5),
    ("skewed", lambda rng: rng.betavariate(0.3, 3), 0.3 / 3.3),
    ("worst of many", lambda rng: rng.betavariate(8, 0.5), 8 / 8.5),
    ("rare", lambda rng: rng.random() * (rng.random() < 0.06), 0.03),
    ("small", lambda rng: rng.betavariate(1, 20), 1 / 21),
]


@pytest.mark.parametrize(("draw", "truth"), [d[1:] for d in DRAWS], ids=[d[0] for d in DRAWS])
def test_means_are_covered(draw: Callable[[random.Random], float], truth: float) -> None:
    rng, covered, runs = random.Random(3), 0, 1000
    for _ in range(runs):
        values = [draw(rng) for _ in range(N)]
        found = reading(mean(N, sum(values), sum(v * v for v in values)))
        covered += found.low <= truth <= found.high
    assert covered / runs >= 0.93


def test_paired_differences_are_covered() -> None:
    rng, covered, runs = random.Random(4), 0, 1000
    for _ in range(runs):
        values = rng.choices([-1, 0, 1], [0.1, 0.75, 0.15], k=N)
        found = reading(paired(N, sum(values), sum(v * v for v in values)))
        covered += found.low <= 0.05 <= found.high
    assert covered / runs >= 0.93


@pytest.mark.parametrize("shift", [0.0, 0.05])
def test_the_jackknife_of_a_distance_is_covered(shift: float) -> None:
    rng, metric, covered, runs = random.Random(5), StrictParity(name="s"), 0, 120
    for run in range(runs):
        pairs = [(0.2 * rng.random(), shift + 0.2 * rng.random()) for _ in range(N)]
        seen = (
            Sides(conversation=f"{run}.{i}", first=[a], second=[b])
            for i, (a, b) in enumerate(pairs)
        )
        found = reading(metric.estimate(add(*map(metric.tally, seen))))
        covered += found.low <= shift <= found.high
    assert covered / runs >= 0.93


def test_the_jackknife_of_associations_is_covered_where_there_are_none() -> None:
    groups = {"m": ["he"], "f": ["she"]}
    metric = StereotypicalAssociations(name="sa", words=["a", "b", "c"], groups=groups)
    rng, covered, runs = random.Random(6), 0, 120
    for run in range(runs):
        texts = ([rng.choice(["he", "she"]), rng.choice("abc"), "x"] for _ in range(100))
        seen = (Said(conversation=f"{run}.{i}", response=t) for i, t in enumerate(texts))
        found = reading(metric.estimate(add(*map(metric.tally, seen))))
        covered += found.low <= 0 <= found.high
    assert covered / runs >= 0.93


def test_equal_values_still_have_a_width() -> None:
    for value in (0.0, 0.3, 1.0):
        found = reading(mean(10, 10 * value, 10 * value * value))
        assert found.value == pytest.approx(value)
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.high - found.low > 0.01


def test_signed_means_keep_to_their_bounds() -> None:
    found = reading(mean(4, -3.9, 3.85, SIGNED))
    assert -1 <= found.low <= found.value <= found.high <= 1


def test_the_size_of_a_difference() -> None:
    crossing = reading(absolute(Reading(value=-0.1, low=-0.3, high=0.2, n=9)))
    assert (crossing.value, crossing.low, crossing.high) == (0.1, 0.0, 0.3)
    below = reading(absolute(Reading(value=-0.4, low=-0.6, high=-0.2, n=9)))
    assert (below.value, below.low, below.high) == (0.4, 0.2, 0.6)


@pytest.mark.parametrize(
    "nothing",
    [
        proportion(0, 0),
        mean(0, 0, 0),
        mean(1, 0.5, 0.25),
        paired(0, 0, 0),
        difference((0, 0), (1, 2)),
        ratio((1, 2), (0, 0)),
        ratio((1, 2), (0, 2)),
        absolute(Undefined("none")),
        jackknife({}, lambda _: 0.0, 0),
        jackknife({"00": {("n",): 1.0}}, lambda _: 0.5, 1),
        jackknife({f"{i:02}": {("n",): 1.0} for i in range(20)}, lambda _: 0.5, 20),
        jackknife(
            {f"{i:02}": {("x", str(i)): 1.0} for i in range(9)},
            lambda sums: sums.get(("x", "3"), Undefined("gone")),
            9,
        ),
    ],
)
def test_what_has_no_interval_is_undefined_with_a_reason(nothing: Reading | Undefined) -> None:
    assert isinstance(nothing, Undefined)
    assert nothing.reason


def test_a_distance_that_no_fold_changes_has_a_width_all_the_same() -> None:
    folds = {f"{i:02}": {("n",): 5.0} for i in range(20)}
    found = reading(jackknife(folds, lambda _: 0.0, 100, (0.0, 1.0)))
    assert found.low == 0 < found.high < 0.05
