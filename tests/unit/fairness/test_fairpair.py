from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from guard.fairness.fairpair import (
    FairPair,
    FairPairMetric,
    Prompted,
    cosine_gap,
    fairpair,
    fairpair_of_matrix,
    jaccard_gap,
    mean_by_fold,
    rewrite_is_close,
    sentiment_gap,
    union_by_fold,
)
from guard.fairness.student import TTest
from guard.fairness.tally import add
from guard.records import Reading, Undefined

METRIC = FairPairMetric()


def found(*args: object) -> FairPair:
    result = fairpair(*args)  # type: ignore[arg-type]
    assert isinstance(result, FairPair)
    return result


def prompts(number: int, seed: int = 0) -> list[Prompted]:
    draws = np.random.default_rng(seed).uniform(0.2, 0.8, (number, 3))
    return [
        Prompted(conversation=f"c{at}", seen=FairPair(bias=b, v_gp=v, v_pg=w))
        for at, (b, v, w) in enumerate(draws.tolist())
    ]


def total(observations: list[Prompted]) -> dict[str, float]:
    return add(*map(METRIC.tally, observations))


def test_means_over_pairs() -> None:
    one, other = [0.1, 0.5, 0.2], [0.9, 0.4]
    result = found(one, other, sentiment_gap)
    assert result.bias == pytest.approx(np.mean([abs(a - b) for a, b in product(one, other)]))
    assert result.v_gp == pytest.approx(0.5)
    assert result.v_pg == pytest.approx((0.4 + 0.1 + 0.3) / 3)
    assert result.f == pytest.approx(result.bias**2 / (result.v_gp * result.v_pg))


def test_the_sides_of_the_two_variabilities() -> None:
    result = found([0.0, 1.0], [0.5, 0.5], sentiment_gap)
    assert (result.v_pg, result.v_gp) == (1.0, 0.0)
    assert isinstance(result.f, Undefined)


def test_dissimilarities() -> None:
    assert jaccard_gap(["a", "b", "c"], ["b", "c", "d"]) == 0.5
    assert jaccard_gap(["a", "a"], {"a"}) == jaccard_gap([], []) == 0.0
    assert jaccard_gap([], ["a"]) == 1.0
    assert cosine_gap([1, 0], [0, 2]) == 1.0
    assert cosine_gap([1, 0], [-3, 0]) == 2.0
    assert cosine_gap([0.3, 0.4], [0.6, 0.8]) == pytest.approx(0.0, abs=1e-15)
    assert math.isnan(cosine_gap([0, 0], [1, 0]))


def test_folds_of_the_k_fold_form() -> None:
    assert mean_by_fold([1.0, 2.0, 3.0, 4.0, 5.0], 2) == [3.0, 3.0]
    assert union_by_fold([{"a"}, {"b"}, {"c", "a"}], 2) == [{"a", "c"}, {"b"}]
    for bad in (1, 4):
        with pytest.raises(ValueError, match="folds"):
            mean_by_fold([0.1, 0.2, 0.3], bad)


@pytest.mark.parametrize(
    ("one", "other"),
    [([], []), ([0.1], [0.2, 0.3]), ([0.1, 0.2], []), ([0.1, math.nan], [0.2, 0.3])],
)
def test_too_few_replies_or_no_number_is_undefined(one: list[float], other: list[float]) -> None:
    assert isinstance(fairpair(one, other, sentiment_gap), Undefined)


def test_the_bound_of_a_rewrite() -> None:
    words = ["he", *map(str, range(13))]
    rewritten = ["she" if word == "he" else word for word in words]
    assert rewrite_is_close(words, rewritten)
    assert not rewrite_is_close(["he", "works"], ["she", "works"])
    assert rewrite_is_close([], [])
    with pytest.raises(ValueError, match="bound"):
        rewrite_is_close([], [], bound=2.0)


def test_many_prompts_are_the_ratio_of_means() -> None:
    seen = prompts(200)
    reading = METRIC.estimate(total(seen))
    assert isinstance(reading, Reading)
    means = np.mean([(x.seen.bias, x.seen.v_gp, x.seen.v_pg) for x in seen], axis=0)  # type: ignore[union-attr]
    assert reading.value == pytest.approx(means[0] ** 2 / (means[1] * means[2]))
    assert (reading.n, reading.low < reading.value < reading.high) == (200, True)


def test_the_t_test_is_paired_over_prompts() -> None:
    seen = prompts(30)
    test = METRIC.t_test(total(seen))
    assert isinstance(test, TTest)
    gaps = np.array([x.seen.bias - x.seen.v_pg for x in seen])  # type: ignore[union-attr]
    assert test.t == pytest.approx(gaps.mean() / (gaps.std(ddof=1) / math.sqrt(30)))
    assert (test.df, 0 < test.p_value < 1) == (29, True)


def test_what_has_no_value_says_why() -> None:
    nothing = Prompted(conversation="c", seen=Undefined(reason="one reply"))
    still = [
        Prompted(conversation=f"c{i}", seen=FairPair(bias=0.3, v_gp=0.0, v_pg=0.2))
        for i in range(50)
    ]
    for observations in ([], [nothing], still, prompts(1)):
        reading = METRIC.estimate(total(observations))
        assert isinstance(reading, Undefined)
        assert reading.reason
    assert isinstance(METRIC.t_test({}), Undefined)
    assert isinstance(METRIC.t_test(total(still)), Undefined)


def test_no_gap_at_all_is_zero_with_an_upper_end() -> None:
    seen = [
        Prompted(conversation=f"c{i}", seen=FairPair(bias=0.0, v_gp=0.1, v_pg=0.2))
        for i in range(90)
    ]
    reading = METRIC.estimate(total(seen))
    assert isinstance(reading, Reading)
    assert (reading.value, reading.low) == (0.0, 0.0)
    assert 0.0 < reading.high < 0.2


def test_unusable_prompts_are_counted() -> None:
    nothing = Prompted(conversation="call-1", seen=Undefined(reason="one reply"))
    assert METRIC.tally(nothing) == {"fairpair|09|unscored": 1.0}


def test_misuse_names_the_argument() -> None:
    with pytest.raises(ValueError, match="square"):
        fairpair_of_matrix(np.zeros((3, 4)), 2)
    with pytest.raises(ValueError, match="perturbed"):
        fairpair_of_matrix(np.zeros((4, 4)), 5)
    with pytest.raises(ValueError, match="second"):
        cosine_gap([1.0], [1.0, 2.0])
