"""Evidence against symmetry is valid: checked exactly, over all signs, with no luck."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.symmetric import (
    SLOPES,
    SymmetricTest,
    log_cosh,
    log_sign_e,
    log_size_e,
    log_symmetric_e,
)
from guard.fairness.tally import Tally, add

SIZE = st.floats(0.0, 1.0)
UNIT = st.floats(-1.0, 1.0)
TEST = SymmetricTest(name="gap")


def summed(values: list[float]) -> Tally:
    return add(*map(TEST.tally, values))


def e(values: list[float]) -> float:
    return math.exp(log_symmetric_e(TEST.sums(summed(values))))


@given(st.lists(SIZE, max_size=7))
def test_over_all_signs_the_evidence_is_one_in_the_mean(sizes: list[float]) -> None:
    """The null hypothesis: every difference is as likely to be +|d| as -|d|."""
    each = [
        e([sign * size for sign, size in zip(signs, sizes, strict=True)])
        for signs in product((-1, 1), repeat=len(sizes))
    ]
    assert math.fsum(each) / len(each) == pytest.approx(1.0, rel=1e-9)


@given(past=st.lists(UNIT, max_size=20), size=SIZE)
def test_evidence_cannot_be_expected_to_grow(past: list[float], size: float) -> None:
    """At every look, whatever has been seen: this makes it valid at all looks together."""
    following = (e([*past, size]) + e([*past, -size])) / 2
    assert following == pytest.approx(e(past), rel=1e-9)


@given(st.lists(UNIT, max_size=30))
def test_it_does_not_matter_from_which_side_it_is_seen(values: list[float]) -> None:
    assert e(values) == pytest.approx(e([-one for one in values]), rel=1e-9)


@given(values=st.lists(UNIT, max_size=30), data=st.data())
def test_any_order_and_any_split_is_the_batch(values: list[float], data: st.DataObject) -> None:
    order = data.draw(st.permutations(values))
    cut = data.draw(st.integers(0, len(values)))
    merged = add(summed(order[:cut]), summed(order[cut:]), {})
    assert merged == pytest.approx(summed(values), abs=1e-9)
    assert TEST.log10_e(merged) == pytest.approx(TEST.log10_e(summed(values)), abs=1e-6)


def normal_mixture(values: list[float]) -> float:
    """ln e of METRICS §7, for comparison: lambda^2 d^2 / 2 stands for ln cosh(lambda d)."""
    total, squares = sum(values), sum(one * one for one in values)
    each = [
        math.exp(-0.5 * math.log(spread) + rho**2 * total**2 / (2 * spread))
        for rho in (1, 2, 4, 8, 16, 32)
        if (spread := 1 + rho**2 * squares)
    ]
    return math.log(sum(each) / len(each))


@given(st.lists(UNIT, min_size=1, max_size=30))
def test_no_bet_loses_more_than_with_the_bound_by_squares(values: list[float]) -> None:
    squares = sum(one * one for one in values)
    for slope, cosh in zip(SLOPES, TEST.sums(summed(values)).log_cosh, strict=True):
        assert cosh <= slope**2 * squares / 2 + 1e-12


@pytest.mark.parametrize(
    ("values", "normal", "here"),
    [
        ([0.2] * 25, 4.19, 6.52),
        ([1.0] * 11 + [0.0] * 37, 1.27, 2.73),
        ([0.1, -0.05, 0.2, 0.15] * 10, 3.43, 4.38),
    ],
    ids=["always", "rare", "mixed"],
)
def test_against_the_normal_mixture(values: list[float], normal: float, here: float) -> None:
    assert normal_mixture(values) / math.log(10) == pytest.approx(normal, abs=0.01)
    assert TEST.log10_e(summed(values)) == pytest.approx(here, abs=0.01)


def test_the_bet_on_signs_is_the_likelihood_of_all_signs() -> None:
    sums = TEST.sums(summed([0.3, 0.01, -0.2, 0.0, -0.009, 0.9]))
    assert (sums.positive, sums.negative) == (3.0, 1.0)
    mixture = math.gamma(3.5) * math.gamma(1.5) / math.gamma(5.0) / math.pi
    assert math.exp(log_sign_e(sums)) == pytest.approx(16 * mixture)
    together = 0.75 * math.exp(log_size_e(sums)) + 0.25 * math.exp(log_sign_e(sums))
    assert math.exp(log_symmetric_e(sums)) == pytest.approx(together)


@given(st.lists(st.floats() | st.none(), max_size=20))
def test_hostile_values_never_make_nan(values: list[float | None]) -> None:
    total = add(*map(TEST.tally, values))
    assert all(map(math.isfinite, total.values()))
    assert math.isfinite(TEST.log10_e(total))
    assert total.get("gap|n", 0) + total.get("gap|unscored", 0) == len(values)


@given(st.floats(-1e6, 1e6))
def test_log_cosh(x: float) -> None:
    direct = math.log(math.cosh(x)) if abs(x) < 300 else abs(x) - math.log(2)
    assert log_cosh(x) == pytest.approx(direct, abs=1e-9)


def test_nothing_seen_is_no_evidence() -> None:
    assert TEST.log10_e({}) == pytest.approx(0.0)
    assert TEST.log10_e(TEST.tally(0.0)) == pytest.approx(0.0)


def test_with_a_tolerance_small_differences_are_none() -> None:
    lenient = SymmetricTest(name="gap", tolerance=0.2)
    assert TEST.log10_e(summed([0.1] * 200)) > 2 > 0 > lenient.log10_e(summed([0.1] * 200))
