from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from guard.fairness.permutation import (
    Permutation,
    contrast,
    permutation_test,
    smallest_p,
    untestable,
)
from guard.records import Undefined


def gaps(values: list[float]) -> np.ndarray:
    return np.abs(np.subtract.outer(values, values))


def outcome(matrix: np.ndarray, first: int, **options: Any) -> Permutation:
    found = permutation_test(matrix, first, **options)
    assert isinstance(found, Permutation)
    return found


@pytest.mark.parametrize(("n", "p"), [(2, 1 / 3), (3, 0.1), (4, 2 / 70), (5, 2 / 252)])
def test_two_separate_groups_reach_the_smallest_p(n: int, p: float) -> None:
    found = outcome(gaps([0.0] * n + [1.0] * n), n)
    assert found.p_value == found.smallest_p == smallest_p(n, n) == pytest.approx(p)
    assert (found.statistic, found.exact) == (1.0, True)


def test_equal_replies_are_all_ties() -> None:
    assert outcome(np.zeros((8, 8)), 4).p_value == 1.0


def test_values_that_agree_up_to_rounding_are_ties() -> None:
    values = [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2, 0.7, 0.1 + 0.6, 0.7, 0.7]
    rounded = [round(value, 6) for value in values]
    for order in ([0, 1, 4, 5, 2, 3, 6, 7], [0, 4, 1, 5, 6, 2, 7, 3]):
        noisy, clean = ([one[i] for i in order] for one in (values, rounded))
        assert outcome(gaps(noisy), 4).p_value == outcome(gaps(clean), 4).p_value


def test_the_statistic_is_the_difference_of_means() -> None:
    matrix = gaps([0.1, 0.5, 0.2, 0.9, 0.4])
    across = np.mean([abs(a - b) for a in (0.1, 0.5) for b in (0.2, 0.9, 0.4)])
    inside = np.mean([0.4, 0.7, 0.2, 0.5])
    assert outcome(matrix, 2).statistic == pytest.approx(across - inside)


def test_a_contrast_is_of_fours_and_turns_its_sign_when_two_replies_are_swapped() -> None:
    matrix = gaps([0.1, 0.5, 0.7, 0.9])
    assert contrast(matrix, 2) == pytest.approx((0.6 + 0.4 - 0.4 - 0.2) / 2)
    swapped = [0, 2, 1, 3]
    assert contrast(matrix[np.ix_(swapped, swapped)], 2) == pytest.approx(-0.2)
    assert contrast(gaps([0.0] * 5 + [1.0] * 5), 5) == 1.0
    assert isinstance(contrast(gaps([0.0, 1.0, 1.0]), 1), Undefined)


def test_monte_carlo_agrees_with_the_enumeration() -> None:
    generator = np.random.default_rng(3)
    matrix = gaps([*generator.random(6), *(generator.random(6) + 0.3)])
    exact = outcome(matrix, 6)
    drawn = outcome(matrix, 6, generator=generator, exact_limit=100, draws=9_999)
    assert (exact.exact, exact.deals) == (True, 924)
    assert (drawn.exact, drawn.deals) == (False, 10_000)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.02)


def test_monte_carlo_never_says_zero() -> None:
    matrix = gaps([0.0] * 20 + [1.0] * 20)
    found = outcome(matrix, 20, generator=np.random.default_rng(1), draws=99)
    assert found.p_value == found.smallest_p == 0.01


def test_what_speaks_against_a_test() -> None:
    assert untestable(4, 5) is None
    assert "3 replies" in str(untestable(5, 3))
    assert "deterministic" in str(untestable(5, 5, deterministic=True))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_undefined(bad: float) -> None:
    matrix = np.zeros((8, 8))
    matrix[1, 2] = matrix[2, 1] = bad
    assert isinstance(permutation_test(matrix, 4), Undefined)


def test_the_diagonal_does_not_count() -> None:
    matrix = gaps([0.1, 0.5, 0.2, 0.9])
    filled = matrix.copy()
    np.fill_diagonal(filled, np.nan)
    assert permutation_test(filled, 2) == permutation_test(matrix, 2)


def test_one_reply_per_side_is_undefined() -> None:
    assert isinstance(permutation_test(gaps([0.0, 1.0]), 1), Undefined)


def test_misuse_names_the_argument() -> None:
    with pytest.raises(ValueError, match="square"):
        permutation_test(np.zeros((3, 4)), 2)
    with pytest.raises(ValueError, match="first"):
        permutation_test(np.zeros((4, 4)), 4)
    with pytest.raises(ValueError, match="symmetric"):
        permutation_test(np.triu(np.ones((4, 4))), 2)
    with pytest.raises(ValueError, match="generator"):
        permutation_test(np.zeros((8, 8)), 4, exact_limit=10)
    with pytest.raises(ValueError, match="draws"):
        permutation_test(
            np.zeros((8, 8)), 4, exact_limit=10, draws=0, generator=np.random.default_rng(1)
        )
