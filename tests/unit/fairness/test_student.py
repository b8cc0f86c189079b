from __future__ import annotations

import math

import pytest

from guard.fairness.student import (
    incomplete_beta,
    log_incomplete_beta,
    one_sample,
    t_quantile,
    two_sided_p,
)

# Two-sided 5 % and 1 % points of Student's t, from the tables printed in any textbook.
TABLE = {
    1: (12.706, 63.657),
    2: (4.303, 9.925),
    3: (3.182, 5.841),
    4: (2.776, 4.604),
    5: (2.571, 4.032),
    8: (2.306, 3.355),
    10: (2.228, 3.169),
    19: (2.093, 2.861),
    30: (2.042, 2.750),
    60: (2.000, 2.660),
    120: (1.980, 2.617),
}


@pytest.mark.parametrize("df", TABLE)
def test_quantiles_are_those_of_the_printed_table(df: int) -> None:
    for quantile, wanted in zip((0.975, 0.995), TABLE[df], strict=True):
        assert t_quantile(quantile, df) == pytest.approx(wanted, abs=6e-4)
        assert t_quantile(1 - quantile, df) == pytest.approx(-wanted, abs=6e-4)


@pytest.mark.parametrize("t", [0.0, 1e-6, 0.3, 1.0, 2.5, 12.0, 1e4])
def test_p_values_with_a_closed_form(t: float) -> None:
    assert two_sided_p(t, 1) == pytest.approx(1 - 2 * math.atan(t) / math.pi, rel=1e-9, abs=1e-15)
    assert two_sided_p(-t, 2) == pytest.approx(1 - t / math.sqrt(2 + t * t), rel=1e-6, abs=1e-15)


def test_large_degrees_of_freedom_are_normal() -> None:
    assert two_sided_p(1.959963984540054, 1e7) == pytest.approx(0.05, rel=1e-5)
    assert two_sided_p(40.0, 1e6) < 1e-300


@pytest.mark.parametrize("x", [0.0, 0.01, 0.3, 0.5, 0.77, 1.0])
def test_incomplete_beta_with_a_closed_form(x: float) -> None:
    assert incomplete_beta(1, 1, x) == pytest.approx(x, abs=1e-15)
    assert incomplete_beta(1, 4, x) == pytest.approx(1 - (1 - x) ** 4, rel=1e-12)
    assert incomplete_beta(3, 1, x) == pytest.approx(x**3, rel=1e-12)
    arcsine = 2 / math.pi * math.asin(math.sqrt(x))
    assert incomplete_beta(0.5, 0.5, x) == pytest.approx(arcsine, rel=1e-12)


def test_incomplete_beta_is_a_binomial_tail() -> None:
    tail = sum(math.comb(20, k) * 0.2**k * 0.8 ** (20 - k) for k in range(7, 21))
    assert incomplete_beta(7, 14, 0.2) == pytest.approx(tail, rel=1e-12)


def test_tails_below_the_smallest_float_keep_their_logarithm() -> None:
    assert log_incomplete_beta(1e4, 1, 0.5) == pytest.approx(1e4 * math.log(0.5), rel=1e-12)
    assert log_incomplete_beta(5e6, 5e6, 0.6) == pytest.approx(0.0, abs=1e-12)
    assert log_incomplete_beta(5e6, 5e6, 0.4) < -1e5


def test_the_t_of_one_sample_comes_from_its_sums() -> None:
    values = [0.1, 0.4, -0.2, 0.3]
    found = one_sample(4, sum(values), sum(x * x for x in values))
    assert found == pytest.approx((1.13389341902768, 3.0))
    assert one_sample(1, 0.3, 0.09) is None
    assert one_sample(3, 0.3, 0.03) is None


def test_misuse_names_the_argument() -> None:
    with pytest.raises(ValueError, match="df 0"):
        two_sided_p(1.0, 0)
    with pytest.raises(ValueError, match="p 1"):
        t_quantile(1.0, 3)
    with pytest.raises(ValueError, match="x 2"):
        incomplete_beta(1, 1, 2)
