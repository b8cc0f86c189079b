from __future__ import annotations

import math

import numpy as np
import pytest

from guard.fairness.evidence import GRID, MeanSums, log_mean_e, mean_evidence
from guard.fairness.sequential import confidence_sequence
from guard.records import Estimate, Undefined

HUGE = 10_000_000


def by_definition(values: list[float]) -> float:
    """log10 of the average over +d and -d and over the grid, term by term."""
    terms = [
        math.exp(
            grid * sign * sum(values) - (-math.log(1 - grid) - grid) * sum(d * d for d in values)
        )
        for grid in GRID
        for sign in (1, -1)
    ]
    return math.log10(sum(terms) / len(terms))


def sums_of(values: list[float]) -> MeanSums:
    return MeanSums(n=len(values), total=sum(values), squares=sum(d * d for d in values))


def interval(sums: MeanSums) -> Estimate:
    found = confidence_sequence(sums)
    assert isinstance(found, Estimate)
    return found


VALUES = [0.3, -0.1, 0.8, 1.0, -1.0, 0.0, 0.25]


def test_evidence_is_the_average_over_grid_and_sign() -> None:
    assert mean_evidence(sums_of(VALUES)) == pytest.approx(by_definition(VALUES), abs=1e-12)


def test_each_direction_has_its_own_shift() -> None:
    eps = 0.1
    up = log_mean_e(*_three([(d - eps) / (1 + eps) for d in VALUES]))
    down = log_mean_e(*_three([(-d - eps) / (1 + eps) for d in VALUES]))
    wanted = math.log10((math.exp(up) + math.exp(down)) / 2)
    assert mean_evidence(sums_of(VALUES), tolerance=eps) == pytest.approx(wanted, abs=1e-12)


def _three(values: list[float]) -> tuple[float, float, float]:
    return len(values), sum(values), sum(d * d for d in values)


@pytest.mark.parametrize("grid", GRID)
@pytest.mark.parametrize("d", [-1.0, -0.5, -1e-3, 0.0, 1e-3, 0.5, 1.0])
def test_the_inequality_behind_it(grid: float, d: float) -> None:
    psi = -math.log1p(-grid) - grid
    assert math.exp(grid * d - psi * d * d) <= 1 + grid * d + 1e-15


def test_the_grid_lets_confidence_be_found_by_bisection() -> None:
    assert all(2 * (-math.log1p(-grid) - grid) <= grid for grid in GRID)


def test_nothing_overflows_at_ten_million_events() -> None:
    sure = MeanSums(n=HUGE, total=HUGE, squares=HUGE)
    assert 1e6 < mean_evidence(sure) < 1e7
    assert -1.0 > mean_evidence(MeanSums(n=HUGE, total=0.0, squares=HUGE)) > -7e6


def test_no_data_is_no_evidence_and_no_interval() -> None:
    assert mean_evidence(sums_of([])) == pytest.approx(0.0, abs=1e-12)
    assert isinstance(confidence_sequence(sums_of([])), Undefined)


@pytest.mark.parametrize(
    "sums",
    [
        sums_of(VALUES),
        MeanSums(n=900, total=90, squares=300),
        MeanSums(n=5, total=-5, squares=5),
        MeanSums(n=50, total=0, squares=50),
        MeanSums(n=1000, total=37, squares=37),
    ],
)
def test_an_interval_holds_what_is_not_rejected(sums: MeanSums) -> None:
    found, needed = interval(sums), math.log(20)
    assert -1.0 <= found.low <= found.value <= found.high <= 1.0
    for bound in np.linspace(-1.0, 1.0, 101)[1:-1]:
        if bound < found.low - 1e-9:
            assert sums.above(float(bound)) >= needed
        elif bound > found.high + 1e-9:
            assert sums.below(float(bound)) >= needed
        elif found.low + 1e-9 < bound < found.high - 1e-9:
            evidence = sums.above if bound < found.value else sums.below
            assert evidence(float(bound)) < needed


def test_an_interval_beyond_the_tolerance_means_an_alarm() -> None:
    for total in range(0, 300, 10):
        sums = MeanSums(n=900, total=float(total), squares=500.0)
        if interval(sums).low > 0.1:
            assert mean_evidence(sums, tolerance=0.1) >= math.log10(20)


def test_misuse_names_the_argument() -> None:
    with pytest.raises(ValueError, match="tolerance"):
        mean_evidence(sums_of(VALUES), tolerance=1.0)
    with pytest.raises(ValueError, match="alpha"):
        confidence_sequence(sums_of(VALUES), alpha=0.0)
