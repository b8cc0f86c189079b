from __future__ import annotations

import math

import numpy as np
import pytest

from guard.fairness.cairo import (
    CAIRO_CODE,
    Cairo,
    agreement,
    bias_table,
    cairo,
    equation1,
    pearson,
    pearson_p,
    permutation_null,
    pooled,
    prompt_combinations,
    select,
)
from guard.records import Reading, Undefined


def noise(seed: int, shape: tuple[int, ...] = (6, 5, 4, 3)) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


def test_equation_1_by_hand() -> None:
    assert equation1([[0.1, 0.5], [0.9, 0.5]]) == pytest.approx(0.4)
    assert pooled([[0.1, 0.5], [0.9, 0.5]]) == pytest.approx(0.0)  # opposite gaps cancel
    assert equation1([[0.0, 1.0, 0.0, 1.0]]) == 2.0


def test_missing_scores_are_left_out() -> None:
    nan = math.nan
    assert equation1([[0.1, 0.5, nan], [0.9, nan, nan]]) == pytest.approx(0.4)
    assert math.isnan(equation1([[0.1, nan], [nan, nan]]))
    assert math.isnan(pooled([[0.1, nan], [0.3, nan]]))
    assert math.isnan(equation1(np.zeros((0, 3))))


def test_combinations_hold_the_original() -> None:
    assert prompt_combinations(3, 2) == ((0, 1), (0, 2))
    assert prompt_combinations(3, 3) == ((0, 1, 1), (0, 1, 2), (0, 2, 2))
    assert prompt_combinations(3, 3, replacement=False) == ((0, 1, 2),)
    assert prompt_combinations(1, 1) == ((0,),)
    for sizes in ((3, 0), (0, 1)):
        with pytest.raises(ValueError, match="must be"):
            prompt_combinations(*sizes)
    with pytest.raises(ValueError, match="size 4"):
        prompt_combinations(3, 4, replacement=False)


def test_a_combination_is_scored_over_all_its_prompts() -> None:
    scores = noise(1)
    table = bias_table(scores, [(0,), (0, 2)])
    assert table.shape == (2, 6)
    assert table[1] == pytest.approx((equation1(scores[:, 0]) + equation1(scores[:, 2])) / 2)


def test_selection_is_the_maximum_over_all_pairs() -> None:
    one, other = noise(1, (7, 6)), noise(2, (7, 6))
    sets = [(at,) for at in range(7)]
    found = select(one, other, sets)
    assert not isinstance(found, Undefined)
    brute = {(i, j): np.corrcoef(one[i], other[j])[0, 1] for i in range(7) for j in range(7)}
    best = max(brute, key=brute.__getitem__)
    assert (found.first, found.second) == ((best[0],), (best[1],))
    assert found.r == pytest.approx(brute[best])
    together = select(one, other, sets, shared=True)
    assert not isinstance(together, Undefined)
    assert together.r == pytest.approx(max(brute[i, i] for i in range(7)))


def test_a_correlation_below_zero_can_be_the_highest() -> None:
    found = select([[1.0, 2.0, 3.0]], [[3.0, 2.0, 1.1]], [(0,)])
    assert not isinstance(found, Undefined)
    assert found.r < -0.99


def test_flat_combinations_are_passed_over() -> None:
    flat, rising = [0.3, 0.1 + 0.2, 0.3], [0.1, 0.2, 0.4]
    found = select([flat, rising], [rising, flat], [(0,), (0, 1)])
    assert not isinstance(found, Undefined)
    assert (found.r, found.first, found.second) == (pytest.approx(1.0), (0, 1), (0,))
    assert isinstance(select([flat], [rising], [(0,)]), Undefined)
    assert isinstance(select([[0.1, 0.2]], [[0.1, 0.2]], [(0,)]), Undefined)


def test_noise_is_selected_into_agreement_and_seen_through() -> None:
    found = [
        cairo(noise(s), noise(s + 100), size=4, generator=np.random.default_rng(s), draws=99)
        for s in range(20)
    ]
    results = [one for one in found if isinstance(one, Cairo)]
    assert len(results) == 20
    assert np.median([one.selected.r for one in results]) > 0.8
    held = [one.held_out.value for one in results if isinstance(one.held_out, Reading)]
    assert abs(np.mean(held)) < 0.3
    assert np.mean([one.null_p for one in results]) == pytest.approx(0.5, abs=0.2)


def test_planted_agreement_holds_out() -> None:
    level = np.linspace(0.05, 0.5, 6)[:, None, None, None] * np.array([-1.0, 0.0, 1.0])
    one, other = (0.5 + level + 0.1 * noise(seed) for seed in (1, 2))
    for options in ({}, {"preset": CAIRO_CODE}):
        found = cairo(one, other, size=2, generator=np.random.default_rng(1), **options)
        assert isinstance(found, Cairo)
        assert isinstance(found.held_out, Reading)
        assert found.held_out.value > 0.95
        assert found.null_p < 0.01


def test_one_template_cannot_be_held_out() -> None:
    one, other = noise(1, (6, 3, 1, 2)), noise(2, (6, 3, 1, 2))
    found = cairo(one, other, size=2, generator=np.random.default_rng(1), draws=9)
    assert isinstance(found, Cairo)
    assert isinstance(found.held_out, Undefined)


def test_the_null_repeats_the_search() -> None:
    generator = np.random.default_rng(1)
    one, other = noise(1, (7, 6)), noise(2, (7, 6))
    wide = permutation_null(one, other, generator=generator, draws=200)
    narrow = permutation_null(one, other, generator=generator, draws=200, shared=True)
    assert np.median(wide) > np.median(narrow) > 0.0
    assert np.isnan(permutation_null(np.ones((1, 4)), np.ones((1, 4)), generator=generator)).all()


def test_agreement_over_what_both_have() -> None:
    one = {"a": 0.1, "b": 0.2, "c": 0.4, "d": 0.9, "x": math.nan}
    other = {"d": 1.8, "c": 0.7, "b": 0.5, "a": 0.2, "x": 3.0, "y": 1.0}
    found = agreement(one, other)
    assert isinstance(found, Reading)
    assert found.n == 4
    assert found.value == pytest.approx(
        np.corrcoef([0.1, 0.2, 0.4, 0.9], [0.2, 0.5, 0.7, 1.8])[0, 1]
    )
    assert -1.0 <= found.low < found.value < found.high <= 1.0
    assert isinstance(agreement(one, {"a": 1.0, "b": 2.0}), Undefined)
    assert isinstance(agreement(one, dict.fromkeys(one, 0.3)), Undefined)
    assert isinstance(agreement({}, {}), Undefined)


def test_perfect_agreement_stays_in_range() -> None:
    values = [0.1, 0.3, 0.7, 0.1 + 0.2]
    found = pearson(values, values)
    assert isinstance(found, Reading)
    assert found.low <= found.value <= found.high <= 1.0
    assert pearson_p(1.0, 5) == 0.0
    three = pearson(values[:3], values[:3])
    assert isinstance(three, Reading)
    assert (three.low, three.high) == (-1.0, 1.0)


def test_misuse_names_the_argument() -> None:
    generator = np.random.default_rng(1)
    with pytest.raises(ValueError, match="second has 2"):
        pearson([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="dimensions"):
        bias_table(np.zeros((2, 3)), [(0,)])
    with pytest.raises(ValueError, match="first has 1 rows"):
        select([[1, 2, 3]], [[1, 2, 3]], [(0,), (1,)])
    with pytest.raises(ValueError, match="first of"):
        select([[1, 2, 3]], [[1, 2, 3, 4]], [(0,)])
    with pytest.raises(ValueError, match="same models"):
        cairo(noise(1), noise(1)[:5], size=2, generator=generator)
    with pytest.raises(ValueError, match="n 2"):
        pearson_p(0.5, 2)
