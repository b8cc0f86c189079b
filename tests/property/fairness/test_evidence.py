"""What makes evidence valid, checked exactly: no simulation, no luck."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.evidence import (
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
from guard.fairness.sequential import confidence_sequence, e_bh
from guard.fairness.tally import Tally, add
from guard.records import Estimate

UNIT = st.floats(-1.0, 1.0)
SHARE = st.floats(0.0, 1.0)
MEAN = MeanTest(name="gap", tolerance=0.1)
RATE = RateTest(name="tox", rate=0.1)
PAIR = TwoRatesTest(name="refused", first="x", second="y")


def mean_sums(values: list[float]) -> MeanSums:
    return MeanSums(n=len(values), total=sum(values), squares=sum(d * d for d in values))


@given(
    past=st.lists(UNIT, max_size=20),
    up=st.floats(1e-3, 1.0),
    down=st.floats(1e-3, 1.0),
    bound=st.floats(-0.9, 0.9),
)
def test_evidence_cannot_be_expected_to_grow(
    past: list[float], up: float, down: float, bound: float
) -> None:
    """A next difference whose mean is `bound`: the e-value is a supermartingale."""
    high, low = bound + up * (1 - bound), bound - down * (1 + bound)
    chance = (bound - low) / (high - low)

    def e(values: list[float]) -> float:
        sums = mean_sums(values)
        return float(np.exp(log_mean_e(sums.n, sums.total, sums.squares, bound)))

    expected = chance * e([*past, high]) + (1 - chance) * e([*past, low])
    assert expected <= e(past) * (1 + 1e-9)


@given(st.lists(UNIT, min_size=1, max_size=30))
def test_evidence_falls_as_the_null_grows(values: list[float]) -> None:
    """Without this the confidence sequence could not be found by bisection."""
    sums = mean_sums(values)
    bounds = np.linspace(-1.0, 1.0, 81)
    above = [sums.above(float(bound)) for bound in bounds]
    assert all(later <= former + 1e-9 for former, later in pairwise(above))
    below = [sums.below(float(bound)) for bound in bounds]
    assert all(later >= former - 1e-9 for former, later in pairwise(below))


@pytest.mark.parametrize("n", [1, 2, 7, 30])
@pytest.mark.parametrize("rate", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("one_sided", [False, True])
def test_the_evidence_of_a_rate_is_one_in_expectation(n: int, rate: float, one_sided: bool) -> None:
    def expected(truth: float) -> float:
        return sum(
            math.comb(n, hits)
            * truth**hits
            * (1 - truth) ** (n - hits)
            * 10 ** rate_evidence(RateSums(n=n, hits=hits), rate, one_sided=one_sided)
            for hits in range(n + 1)
        )

    assert expected(rate) == pytest.approx(1.0, rel=1e-9)
    if one_sided:
        assert all(expected(share * rate) <= 1.0 + 1e-9 for share in (0.0, 0.3, 0.8))


@pytest.mark.parametrize(("first", "second"), [(1, 1), (3, 9), (12, 12)])
@pytest.mark.parametrize("gap", [0.0, 0.1])
def test_the_evidence_of_two_rates_is_at_most_one(first: int, second: int, gap: float) -> None:
    def chance(n: int, hits: int, rate: float) -> float:
        return math.comb(n, hits) * rate**hits * (1 - rate) ** (n - hits)

    for rate in (0.0, 0.02, 0.4, 0.9):
        expected = 0.0
        for one in range(first + 1):
            for other in range(second + 1):
                sums = TwoRateSums(
                    first=RateSums(n=first, hits=one), second=RateSums(n=second, hits=other)
                )
                weight = chance(first, one, rate + gap) * chance(second, other, rate)
                expected += weight * 10 ** rates_evidence(sums, tolerance=gap)
        assert expected <= 1.0 + 1e-9


def tallies(values: list[float]) -> list[Tally]:
    shares = [abs(value) for value in values]
    groups = ["x" if at % 3 else "y" for at in range(len(values))]
    return [
        *map(MEAN.tally, values),
        *map(RATE.tally, shares),
        *map(PAIR.tally, zip(groups, shares, strict=True)),
    ]


@given(values=st.lists(UNIT, max_size=30), data=st.data())
def test_any_order_and_any_split_is_the_batch(values: list[float], data: st.DataObject) -> None:
    each = tallies(values)
    order = data.draw(st.permutations(range(len(each))))
    cut = data.draw(st.integers(0, len(each)))
    parts = [add(*(each[at] for at in part)) for part in (order[:cut], order[cut:])]
    batch, merged = add(*each), add(*parts, {})
    assert merged == pytest.approx(batch, abs=1e-9)
    for test in (MEAN, RATE, PAIR):
        assert test.log10_e(merged) == pytest.approx(test.log10_e(batch), abs=1e-6)


@given(st.lists(st.floats() | st.none(), max_size=20))
def test_hostile_values_never_make_nan(values: list[float | None]) -> None:
    total = add(*(MEAN.tally(value) for value in values), *(RATE.tally(value) for value in values))
    assert all(math.isfinite(value) for value in total.values())
    assert math.isfinite(MEAN.log10_e(total))
    assert math.isfinite(RATE.log10_e(total))
    assert total.get("gap|n", 0) + total.get("gap|unscored", 0) == len(values)


@given(n=st.integers(1, 10**7), share=SHARE, alpha=st.floats(1e-6, 0.5))
def test_intervals_hold_the_estimate_and_grow_with_confidence(
    n: int, share: float, alpha: float
) -> None:
    for sums in (
        RateSums(n=n, hits=round(n * share)),
        MeanSums(n=n, total=n * (2 * share - 1), squares=n * (2 * share - 1) ** 2),
    ):
        wide = confidence_sequence(sums, alpha=alpha / 10)
        narrow = confidence_sequence(sums, alpha=alpha)
        assert isinstance(wide, Estimate)
        assert isinstance(narrow, Estimate)
        assert wide.low <= narrow.low <= narrow.value <= narrow.high <= wide.high


@given(st.lists(UNIT, min_size=1, max_size=30), st.floats(0.0, 0.5))
def test_tolerance_only_takes_away(values: list[float], tolerance: float) -> None:
    sums = mean_sums(values)
    beyond = mean_evidence(sums, tolerance=tolerance)
    assert beyond <= mean_evidence(sums) + math.log10(2)
    if abs(sums.total) <= tolerance * sums.n:
        assert beyond <= 0.0


@given(st.lists(st.tuples(st.floats(-10, 10), st.floats(0.01, 1.0)), max_size=12))
def test_e_bh_rejects_from_the_top(values: list[tuple[float, float]]) -> None:
    evidence = {name: e for name, (e, _) in enumerate(values)}
    whole = sum(share for _, share in values)
    share = {name: one / whole for name, (_, one) in enumerate(values)}
    rejected = e_bh(evidence, share.__getitem__)
    weighed = {name: e + math.log10(share[name]) for name, e in evidence.items()}
    kept = [weighed[name] for name in rejected]
    assert kept == sorted(weighed.values(), reverse=True)[: len(kept)]
    if kept:
        assert min(kept) >= -math.log10(0.05 * len(kept)) - 1e-12
