from __future__ import annotations

import math

import numpy as np
import pytest

from guard.fairness.fisco import (
    Fisco,
    Weights,
    claim_similarities,
    claim_similarity,
    combined,
    decision,
    fisco,
    holm,
    inter_intra,
    welch,
)
from guard.fairness.permutation import Permutation
from guard.records import Undefined


def alike(groups: int, n: int, across: float = 0.2, seed: int = 5) -> np.ndarray:
    """Similarities near 0.8 inside each group, lower across."""
    noise = np.random.default_rng(seed).uniform(-0.05, 0.05, (groups * n, groups * n))
    same = np.kron(np.eye(groups), np.ones((n, n)))
    return across + (0.8 - across) * same + (noise + noise.T) / 2


def test_similarity_weighs_the_labels_of_both_directions() -> None:
    assert claim_similarity(3, 4, 1) == 3 / 8
    assert claim_similarity(3, 4, 1, Weights(neutral=0.5)) == 5 / 8
    assert isinstance(claim_similarity(0, 0, 0), Undefined)
    with pytest.raises(ValueError, match="entailed"):
        claim_similarity(-1, 0, 0)


@pytest.mark.parametrize("neutral", [0.81, -0.1, math.nan])
def test_neutral_never_counts_above_its_bound(neutral: float) -> None:
    with pytest.raises(ValueError, match="neutral"):
        Weights(neutral=neutral)


def test_weights_fall() -> None:
    with pytest.raises(ValueError, match="fall"):
        Weights(neutral=0.1, contradicted=0.2)
    with pytest.raises(ValueError, match="fall"):
        Weights(entailed=1.2)


def test_similarities_of_labels() -> None:
    labels = np.zeros((3, 3, 3))
    labels[0, 1], labels[1, 0] = (2, 1, 0), (1, 0, 3)
    found = claim_similarities(labels)
    assert found[0, 1] == found[1, 0] == claim_similarity(3, 1, 3)
    assert math.isnan(found[0, 2])
    with pytest.raises(ValueError, match="labels"):
        claim_similarities(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="scores"):
        combined(np.zeros((2, 2)), np.zeros((3, 3)))


def test_welch_by_the_formula() -> None:
    one, other = np.array([0.9, 0.7, 0.8]), np.array([0.1, 0.5, 0.2, 0.4])
    found = welch(one, other)
    assert not isinstance(found, Undefined)
    assert found.t == pytest.approx(0.5 / math.sqrt(0.01 / 3 + 0.1 / 3 / 4))
    assert found.df == pytest.approx(
        (0.01 / 3 + 0.1 / 12) ** 2 / ((0.01 / 3) ** 2 / 2 + (0.1 / 12) ** 2 / 3)
    )
    assert 0.0 < found.p_value < 0.01


@pytest.mark.parametrize(
    ("one", "other"),
    [([], []), ([0.1], [0.2, 0.3]), ([0.1, math.nan], [0.2, 0.3]), ([0.3] * 3, [0.1 + 0.2] * 3)],
)
def test_welch_undefined(one: list[float], other: list[float]) -> None:
    assert isinstance(welch(one, other), Undefined)


def test_several_groups_are_compared_pair_by_pair() -> None:
    labels = ["a", "b", "c"] * 5
    order = np.argsort(np.array(labels), kind="stable")
    matrix = np.empty((15, 15))
    matrix[np.ix_(order, order)] = alike(3, 5)
    found = fisco(matrix, labels)
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    for one in found.values():
        assert isinstance(one, Fisco)
        assert one.permutation.p_value == pytest.approx(2 / 252)
        assert one.p_adjusted == pytest.approx(3 * 2 / 252)
        assert not isinstance(one.welch, Undefined)
        assert one.welch.t > 0


def test_one_group_has_no_pairs_and_a_missing_similarity_no_test() -> None:
    assert fisco(alike(1, 5), ["a"] * 5) == {}
    matrix = alike(2, 5)
    matrix[0, 1] = matrix[1, 0] = math.nan
    assert isinstance(fisco(matrix, ["a"] * 5 + ["b"] * 5)["a", "b"], Undefined)
    with pytest.raises(ValueError, match="groups"):
        fisco(matrix, ["a"])


def test_the_decision_is_the_permutation_test() -> None:
    found = decision(alike(2, 5), 5)
    assert isinstance(found, Permutation)
    assert found.p_value == pytest.approx(2 / 252)


def test_inter_and_intra() -> None:
    inter, intra = inter_intra(np.arange(16.0).reshape(4, 4), 1)
    assert inter.tolist() == [1, 2, 3]
    assert intra.tolist() == [6, 7, 11]
    with pytest.raises(ValueError, match="first"):
        inter_intra(np.zeros((2, 2)), 2)
    with pytest.raises(ValueError, match="square"):
        inter_intra(np.zeros((2, 3)), 1)


def test_holm() -> None:
    assert holm({}) == {}
    found = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert found == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    with pytest.raises(ValueError, match="p_values"):
        holm({"a": math.nan})
