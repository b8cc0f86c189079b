"""FairPair, FiSCo, CAIRO and the permutation test on whatever they are given."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.cairo import agreement, equation1, pooled
from guard.fairness.fairpair import (
    FairPair,
    FairPairMetric,
    Prompted,
    cosine_gap,
    fairpair,
    jaccard_gap,
    sentiment_gap,
)
from guard.fairness.fisco import fisco, holm, welch
from guard.fairness.permutation import Permutation, permutation_test
from guard.fairness.tally import add
from guard.records import Reading, Undefined

ANY = st.floats()
SHARE = st.floats(0.0, 1.0)
METRIC = FairPairMetric()
WORDS = st.frozensets(st.sampled_from("abcdef"), max_size=4)
PROMPT = st.builds(
    Prompted,
    conversation=st.text(max_size=4),
    seen=st.builds(FairPair, bias=SHARE, v_gp=SHARE, v_pg=SHARE)
    | st.builds(Undefined, reason=st.just("one reply")),
)


def usable(value: object) -> bool:
    """A number, or the reason why there is none."""
    return bool(value.reason) if isinstance(value, Undefined) else math.isfinite(value)  # type: ignore[arg-type]


@given(st.lists(ANY, max_size=6), st.lists(ANY, max_size=6))
def test_fairpair_of_any_scores(one: list[float], other: list[float]) -> None:
    found = fairpair(one, other, sentiment_gap)
    assert usable(found.f if isinstance(found, FairPair) else found)


@given(st.lists(WORDS, min_size=2, max_size=5), st.lists(WORDS, min_size=2, max_size=5))
def test_fairpair_of_token_sets(one: list[frozenset[str]], other: list[frozenset[str]]) -> None:
    found = fairpair(one, other, jaccard_gap)
    assert isinstance(found, FairPair)
    assert all(0.0 <= x <= 1.0 for x in (found.bias, found.v_gp, found.v_pg))
    assert usable(found.f)
    swapped = fairpair(other, one, jaccard_gap)
    assert isinstance(swapped, FairPair)
    assert swapped.bias == pytest.approx(found.bias)


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.floats(1e-3, 1e3))
def test_cosine_does_not_see_length(vector: list[float], scale: float) -> None:
    gap = cosine_gap(vector, [scale * x for x in vector])
    assert math.isnan(gap) or gap == pytest.approx(0.0, abs=1e-9)


@given(observations=st.lists(PROMPT, max_size=60), data=st.data())
def test_fairpair_merges_in_any_order(observations: list[Prompted], data: st.DataObject) -> None:
    each = [METRIC.tally(one) for one in observations]
    order = data.draw(st.permutations(range(len(each))))
    cut = data.draw(st.integers(0, len(each)))
    merged = add(add(*(each[at] for at in order[:cut])), add(*(each[at] for at in order[cut:])))
    batch, parts = METRIC.estimate(add(*each)), METRIC.estimate(merged)
    assert type(batch) is type(parts)
    if isinstance(batch, Reading) and isinstance(parts, Reading):
        assert parts.value == pytest.approx(batch.value)
        assert parts.low == pytest.approx(batch.low, rel=1e-4, abs=1e-9)
        assert batch.low <= batch.value <= batch.high
        assert all(map(math.isfinite, (batch.low, batch.high)))
    else:
        assert usable(batch)


@given(st.lists(ANY, max_size=6), st.lists(ANY, max_size=6))
def test_welch_of_anything(one: list[float], other: list[float]) -> None:
    found = welch(one, other)
    assert usable(found if isinstance(found, Undefined) else found.t)
    if not isinstance(found, Undefined):
        assert 0.0 <= found.p_value <= 1.0


def outcome_of(matrix: np.ndarray, first: int) -> float:
    """Mean across the groups minus mean inside them, by the definition."""
    size = len(matrix)
    across = [matrix[i, j] for i in range(first) for j in range(first, size)]
    inside = [matrix[i, j] for i, j in combinations(range(size), 2) if (i < first) == (j < first)]
    return float(np.mean(across) - np.mean(inside))


@given(st.lists(SHARE, min_size=4, max_size=9), st.integers(1, 3))
def test_a_p_value_is_a_share_of_all_deals(values: list[float], first: int) -> None:
    matrix = np.abs(np.subtract.outer(values, values))
    found = permutation_test(matrix, first)
    assert isinstance(found, Permutation)
    each = []
    for chosen in combinations(range(len(values)), first):
        order = [*chosen, *(at for at in range(len(values)) if at not in chosen)]
        each.append(outcome_of(matrix[np.ix_(order, order)], first))
    inside = len(values) * (len(values) - 1) / 2 - first * (len(values) - first)
    tie = 1e-9 * float(matrix.sum())  # of the sum across, as the test counts ties
    slack = tie * (1 / (first * (len(values) - first)) + 1 / inside)
    hits = sum(one >= found.statistic - slack for one in each)
    assert found.smallest_p <= found.p_value <= 1.0
    assert found.p_value == pytest.approx(hits / len(each), abs=2 / len(each))


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=8), st.data())
def test_fisco_of_any_similarities(groups: list[str], data: st.DataObject) -> None:
    size = len(groups)
    values = data.draw(st.lists(SHARE | st.just(math.nan), min_size=size**2, max_size=size**2))
    half = np.array(values).reshape(size, size)
    found = fisco((half + half.T) / 2, groups)
    assert len(found) == math.comb(len(set(groups)), 2)
    for one in found.values():
        assert isinstance(one, Undefined) or one.p_adjusted >= one.permutation.p_value


@given(st.dictionaries(st.text(max_size=2), SHARE, max_size=8))
def test_holm_only_raises_and_keeps_the_order(p_values: dict[str, float]) -> None:
    found = holm(p_values)
    assert list(found) == list(p_values)
    assert all(p_values[name] <= found[name] <= 1.0 for name in found)
    ranked = sorted(p_values, key=p_values.__getitem__)
    adjusted = [found[name] for name in ranked]
    assert adjusted == sorted(adjusted)


@given(st.lists(st.lists(SHARE | st.just(math.nan), min_size=3, max_size=3), max_size=6))
def test_biases_are_missing_or_in_range(rows: list[list[float]]) -> None:
    for bias in (equation1, pooled):
        value = float(bias(np.array(rows).reshape(-1, 3)))
        assert math.isnan(value) or 0.0 <= value <= 2.0


@given(
    st.dictionaries(st.text(max_size=2), ANY, max_size=9),
    st.dictionaries(st.text(max_size=2), st.floats(-1e300, 1e300), max_size=9),
)
def test_agreement_of_anything(one: dict[str, float], other: dict[str, float]) -> None:
    found = agreement(one, {**other, **dict.fromkeys(list(one)[:5], 0.5)})
    if isinstance(found, Reading):
        assert -1.0 <= found.low <= found.value <= found.high <= 1.0
    else:
        assert found.reason
