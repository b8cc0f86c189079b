"""Areas, intervals and ranks against figures worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evaluate.suites.statistics import (
    area,
    bootstrap_area,
    bootstrap_difference,
    bootstrap_mean,
    midranks,
    wilson,
)


def floats(*values: float) -> np.ndarray:
    return np.asarray(values, dtype=np.float64)


def test_wilson_against_a_known_interval() -> None:
    reading = wilson(8, 10)
    assert reading is not None
    assert (reading.value, reading.n) == (0.8, 10)
    assert reading.low == pytest.approx(0.4902, abs=1e-4)
    assert reading.high == pytest.approx(0.9433, abs=1e-4)


def test_wilson_at_the_ends() -> None:
    none, every = wilson(0, 40), wilson(40, 40)
    assert none is not None
    assert every is not None
    assert (none.low, every.high) == (0.0, 1.0)
    assert none.high == pytest.approx(1 - every.low)


def test_no_data_no_figure() -> None:
    assert wilson(0, 0) is None
    assert bootstrap_mean([], rounds=10, seed=0) is None
    assert bootstrap_difference([], [1.0], rounds=10, seed=0) is None


def test_ties_share_their_rank() -> None:
    assert midranks(floats(3, 1, 3, 2)).tolist() == [3.5, 1.0, 3.5, 2.0]


def test_areas_by_hand() -> None:
    assert area(floats(0.1, 0.2), floats(0.8, 0.9)) == 1.0
    assert area(floats(0.8, 0.9), floats(0.1, 0.2)) == 0.0
    assert area(floats(0.5), floats(0.5)) == 0.5
    assert area(floats(0.1, 0.6), floats(0.5, 0.6)) == pytest.approx((1 + 0 + 1 + 0.5) / 4)


def test_the_bootstrap_holds_the_area_and_repeats() -> None:
    rng = np.random.default_rng(1)
    negative, positive = rng.normal(0, 1, 200), rng.normal(1, 1, 100)
    first = bootstrap_area(negative, positive, rounds=200, seed=3)
    assert first.low < first.value < first.high
    assert first.value == pytest.approx(area(negative, positive))
    assert first == bootstrap_area(negative, positive, rounds=200, seed=3)


def test_a_difference_of_means() -> None:
    reading = bootstrap_difference([0.0, 0.2] * 30, [0.5, 0.7] * 30, rounds=300, seed=0)
    assert reading is not None
    assert reading.value == pytest.approx(0.5)
    assert 0.4 < reading.low < 0.5 < reading.high < 0.6
