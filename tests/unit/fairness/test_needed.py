"""How many more comparisons are needed: the forecast holds where what comes is like what was."""

from __future__ import annotations

from itertools import accumulate
from math import cos

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.needed import FEWEST, comparisons_needed, expected_sums
from guard.fairness.symmetric import SymmetricSums, SymmetricTest
from guard.fairness.tally import add

BAR = 3.0
TESTS = (SymmetricTest(name="gap"), SymmetricTest(name="gap", tolerance=0.02))


def tally(values: list[float], test: SymmetricTest = TESTS[0]) -> dict[str, float]:
    return add(*(test.tally(value) for value in values))


def seen(values: list[float], test: SymmetricTest = TESTS[0]) -> SymmetricSums:
    return test.sums(tally(values, test))


def even(count: int, spread: float) -> list[float]:
    """Differences with a mean of 0."""
    return [spread if number % 2 else -spread for number in range(count)]


@pytest.mark.parametrize("test", TESTS)
@given(
    count=st.integers(min_value=FEWEST, max_value=400),
    spread=st.floats(min_value=0.0, max_value=0.8),
    difference=st.floats(min_value=0.05, max_value=1.0),
)
def test_it_is_the_first_count_whose_expected_evidence_reaches_the_bar(
    test: SymmetricTest, count: int, spread: float, difference: float
) -> None:
    sums = seen(even(count, spread))
    needed = comparisons_needed(test, sums, difference=difference, log10_e=BAR)
    assert needed is not None
    assert needed > 0
    assert test.evidence(expected_sums(sums, needed, difference)) >= BAR
    assert test.evidence(expected_sums(sums, needed - 1, difference)) < BAR


@pytest.mark.parametrize("spread", [0.05, 0.2, 0.6])
def test_a_true_difference_is_seen_after_about_so_many(spread: float) -> None:
    test, before = TESTS[0], even(40, spread)
    needed = comparisons_needed(test, seen(before), difference=0.1, log10_e=BAR)
    assert needed is not None
    coming = (0.1 + spread * 2**0.5 * cos(2.4 * number) for number in range(4 * needed))
    sums = accumulate((test.tally(value) for value in coming), add, initial=tally(before))
    seen_at = next(
        number for number, one in enumerate(sums) if test.evidence(test.sums(one)) >= BAR
    )
    assert needed / 3 <= seen_at <= 1.2 * needed


def test_more_noise_and_smaller_differences_need_more() -> None:
    def needed(spread: float, difference: float) -> int:
        found = comparisons_needed(
            TESTS[0], seen(even(50, spread)), difference=difference, log10_e=BAR
        )
        assert found is not None
        return found

    assert needed(0.1, 0.1) < needed(0.3, 0.1) < needed(0.3, 0.05)


def test_nothing_is_needed_where_the_evidence_is_there() -> None:
    assert comparisons_needed(TESTS[0], seen([0.4] * 60), difference=0.1, log10_e=BAR) == 0


def test_a_few_comparisons_say_nothing_of_how_they_vary() -> None:
    sums = seen([0.0] * (FEWEST - 1))
    assert comparisons_needed(TESTS[0], sums, difference=0.1, log10_e=BAR) is None


def test_a_difference_within_the_tolerance_is_never_seen() -> None:
    test = SymmetricTest(name="gap", tolerance=0.2)
    sums = seen(even(50, 0.3), test)
    assert comparisons_needed(test, sums, difference=0.1, log10_e=BAR) is None


@pytest.mark.parametrize("difference", [0.0, -0.1, 1.5])
def test_a_difference_is_a_size(difference: float) -> None:
    with pytest.raises(ValueError, match="difference"):
        comparisons_needed(TESTS[0], seen(even(50, 0.1)), difference=difference, log10_e=BAR)
