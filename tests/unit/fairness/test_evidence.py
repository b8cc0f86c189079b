from __future__ import annotations

import math

import numpy as np
import pytest

from guard.fairness.evidence import (
    GRID,
    MeanSums,
    MeanTest,
    RateSums,
    RateTest,
    TwoRatesTest,
    TwoRateSums,
    log_mean_e,
    mean_evidence,
    rate_evidence,
    rates_evidence,
)
from guard.fairness.sequential import confidence_sequence
from guard.fairness.tally import add, key
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


def interval(sums: MeanSums | RateSums | TwoRateSums) -> Estimate:
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
    assert 1e6 < rate_evidence(RateSums(n=HUGE, hits=HUGE), 0.5) < 1e7
    assert rate_evidence(RateSums(n=HUGE, hits=0.0), 0.5, one_sided=True) < 0.0
    apart = TwoRateSums(first=RateSums(n=HUGE, hits=HUGE), second=RateSums(n=HUGE, hits=0.0))
    assert 1e6 < rates_evidence(apart) < 1e7


def test_no_data_is_no_evidence_and_no_interval() -> None:
    for test in (MeanTest(name="a"), RateTest(name="a", rate=0.1), _pair()):
        assert test.log10_e({}) == pytest.approx(0.0, abs=1e-12)
        assert isinstance(confidence_sequence(test.sums({})), Undefined)


def _pair(tolerance: float = 0.0) -> TwoRatesTest:
    return TwoRatesTest(name="a", first="x", second="y", tolerance=tolerance)


def test_a_rate_against_the_integral_of_its_mixture() -> None:
    share = np.linspace(0, 1, 200_001)[1:-1]
    rates = np.sin(share * np.pi / 2) ** 2  # where Beta(1/2, 1/2) has that share below
    likelihood = rates**3 * (1 - rates) ** 9 / (0.1**3 * 0.9**9)
    whole, part = likelihood.mean(), likelihood[rates > 0.1].mean()
    sums = RateSums(n=12, hits=3)
    assert rate_evidence(sums, 0.1) == pytest.approx(math.log10(whole), abs=1e-3)
    assert rate_evidence(sums, 0.1, one_sided=True) == pytest.approx(math.log10(part), abs=1e-3)


def test_equal_rates_are_the_tolerance_of_zero() -> None:
    sums = TwoRateSums(first=RateSums(n=40, hits=9), second=RateSums(n=60, hits=30))
    assert rates_evidence(sums) == pytest.approx(sums.above(0.0) / math.log(10), abs=1e-9)
    assert rates_evidence(sums, tolerance=0.1) < rates_evidence(sums)
    assert rates_evidence(sums, tolerance=0.9) < 0.0


def test_the_best_likelihood_at_a_gap_is_the_best() -> None:
    sums = TwoRateSums(first=RateSums(n=40, hits=9), second=RateSums(n=60, hits=30))
    for gap in (-0.4, -0.1, 0.0, 0.2):
        grid = np.linspace(max(0, -gap), min(1, 1 - gap), 4001)[1:-1]
        brute = max(
            sums.first.log_likelihood(q + gap) + sums.second.log_likelihood(q) for q in grid
        )
        mixture = sums.first.log_mixture + sums.second.log_mixture
        assert sums.above(gap) == pytest.approx(mixture - brute, abs=1e-4)


@pytest.mark.parametrize(
    "sums",
    [
        sums_of(VALUES),
        MeanSums(n=900, total=90, squares=300),
        MeanSums(n=5, total=-5, squares=5),
        RateSums(n=50, hits=0),
        RateSums(n=50, hits=50),
        RateSums(n=1000, hits=37),
        TwoRateSums(first=RateSums(n=40, hits=0), second=RateSums(n=60, hits=60)),
        TwoRateSums(first=RateSums(n=400, hits=90), second=RateSums(n=600, hits=100)),
    ],
)
def test_an_interval_holds_what_is_not_rejected(sums: MeanSums | RateSums | TwoRateSums) -> None:
    found, needed = interval(sums), math.log(20)
    low, high = sums.ends
    assert low <= found.low <= found.value <= found.high <= high
    for bound in np.linspace(low, high, 101)[1:-1]:
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
    for hits in range(20, 110, 10):
        pair = TwoRateSums(first=RateSums(n=200, hits=hits), second=RateSums(n=200, hits=60))
        out = interval(pair).low > 0.0 or interval(pair).high < 0.0
        assert out == (rates_evidence(pair) >= math.log10(20))


def test_several_pairs_of_one_call_enter_as_their_mean() -> None:
    test = MeanTest(name="gap")
    assert test.tally([0.25, 0.75, 0.5, 0.5]) == test.tally(0.5)
    assert test.tally(np.array([0.5, 0.25])) == test.tally(0.375)


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1.1, -2, None, [], [0.1, None], [math.nan]])
def test_what_cannot_be_measured_is_counted(bad: object) -> None:
    assert MeanTest(name="gap").tally(bad) == {"gap|unscored": 1.0}  # type: ignore[arg-type]
    assert RateTest(name="tox", rate=0.1).tally(bad) == {"tox|unscored": 1.0}  # type: ignore[arg-type]
    assert _pair().tally(("x", bad)) == {"a|x|unscored": 1.0}  # type: ignore[arg-type]


def test_other_groups_do_not_enter() -> None:
    assert _pair().tally(("z", 1.0)) == {}


def test_tallies_of_two_groups() -> None:
    test = _pair()
    total = add(test.tally(("x", 1)), test.tally(("x", 0)), test.tally(("y", True)))
    wanted = TwoRateSums(first=RateSums(n=2, hits=1), second=RateSums(n=1, hits=1))
    assert test.sums(total) == wanted
    assert total[key("a", "x", "hits")] == 1.0


def test_misuse_names_the_argument() -> None:
    with pytest.raises(ValueError, match="tolerance"):
        MeanTest(name="gap", tolerance=1.0)
    with pytest.raises(ValueError, match="tolerance"):
        _pair(tolerance=-0.1)
    with pytest.raises(ValueError, match="rate"):
        RateTest(name="tox", rate=0.0)
    with pytest.raises(ValueError, match="rate"):
        rate_evidence(RateSums(n=1, hits=1), 1.0)
    with pytest.raises(ValueError, match="alpha"):
        confidence_sequence(RateSums(n=1, hits=1), alpha=0.0)
