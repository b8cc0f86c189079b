"""A matrix of cosines holds the cosine of each two vectors, whatever else stands in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.counterfactual import cosine
from guard.fairness.vectors import cosine_between, cosine_matrix, scaled_vector
from guard.records import Undefined

NUMBER = st.floats(-1e6, 1e6) | st.sampled_from((0.0, 1e300, -1e300, 1e-300, float("inf")))
VECTORS = st.integers(1, 8).flatmap(
    lambda size: st.lists(st.lists(NUMBER, min_size=size, max_size=size), min_size=1, max_size=6)
)


@given(VECTORS)
def test_each_entry_is_the_cosine_of_two(vectors: list[list[float]]) -> None:
    found = cosine_matrix(vectors)
    assert found.shape == (len(vectors), len(vectors))
    for i, one in enumerate(vectors):
        for j, two in enumerate(vectors):
            plain = cosine(one, two)
            alike = cosine_between(scaled_vector(one), scaled_vector(two))
            if isinstance(plain, Undefined):
                assert alike is None
                assert np.isnan(found[i, j])
            else:
                assert alike == found[i, j] == pytest.approx(plain, abs=1e-12)


@given(VECTORS)
def test_neighbours_change_nothing(vectors: list[list[float]]) -> None:
    found = cosine_matrix(vectors)
    pair = cosine_matrix([vectors[0], vectors[-1]])
    assert np.array_equal(pair[0, 1], found[0, -1], equal_nan=True)
    assert np.array_equal(found, found.T, equal_nan=True)


@given(st.lists(st.floats(-1.0, 1.0), min_size=1).filter(any).map(lambda few: few * 40))
def test_equal_vectors_have_exactly_one(vector: list[float]) -> None:
    assert cosine_matrix([vector, vector])[0, 1] == 1.0


def test_no_vectors_and_vectors_of_different_sizes() -> None:
    assert cosine_matrix([]).shape == (0, 0)
    with pytest.raises(ValueError, match="inhomogeneous"):
        cosine_matrix([[1.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="dimension"):
        cosine_between(scaled_vector([1.0]), scaled_vector([1.0, 2.0]))
