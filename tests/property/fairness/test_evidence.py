"""What makes evidence valid, checked exactly: no simulation, no luck."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.evidence import MeanSums, log_mean_e, mean_evidence
from guard.fairness.sequential import confidence_sequence, e_bh
from guard.records import Estimate

UNIT = st.floats(-1.0, 1.0)
SHARE = st.floats(0.0, 1.0)


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


@given(n=st.integers(1, 10**7), share=SHARE, alpha=st.floats(1e-6, 0.5))
def test_intervals_hold_the_estimate_and_grow_with_confidence(
    n: int, share: float, alpha: float
) -> None:
    sums = MeanSums(n=n, total=n * (2 * share - 1), squares=n * (2 * share - 1) ** 2)
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
