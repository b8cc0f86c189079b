"""Packing, values and windows of tokens."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from guard.records import Span
from guard.scoring.models import packed
from guard.scoring.vocabulary import TokenWindow


def window(*ids: int) -> TokenWindow:
    return TokenWindow(span=Span(start=0, end=1), ids=ids)


def test_rows_are_framed_and_padded(vocabulary) -> None:
    ids, mask = packed([window(5, 6, 7), window(8)], vocabulary)
    assert ids.tolist() == [[1, 5, 6, 7, 2], [1, 8, 2, 0, 0]]
    assert mask.tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]
    assert ids.dtype == mask.dtype == np.int64


@pytest.mark.parametrize("logit", [-1e30, -1000.0, 0.0, 1000.0, np.inf, -np.inf])
def test_values_are_in_range_whatever_the_logit(classify, logit: float) -> None:
    classifier = classify(lambda ids, _: np.full((len(ids), 2), logit, np.float32))
    (values,) = classifier.values([window(5)])
    assert values is not None
    assert all(0.0 <= value <= 1.0 for value in values)


def test_not_a_number_is_no_value(classify) -> None:
    rows = np.array([[np.nan, 0.0], [0.0, 0.0]], np.float32)
    assert classify(lambda *_: rows).values([window(5), window(6)]) == [None, [0.5, 0.5]]


def test_another_shape_is_an_error(classify) -> None:
    with pytest.raises(ValueError, match="2 heads"):
        classify(lambda ids, _: np.zeros((len(ids), 3), np.float32)).values([window(5)])


def test_windows_of_a_short_text(vocabulary) -> None:
    (only,) = vocabulary.windows(" a b ")
    assert only.span == Span(start=0, end=5)
    assert len(only.ids) == 2


def test_windows_of_a_long_text_have_exact_places(vocabulary) -> None:
    text = "".join(f"w{n} " for n in range(2000))
    found = list(vocabulary.windows(text))
    assert found[0].span.start == 0
    assert found[-1].span.end == len(text)
    for one, two in itertools.pairwise(found):
        words = text[one.span.start : one.span.end].split()
        assert len(words) == len(one.ids) == 8
        assert words[-2:] == text[two.span.start : two.span.end].split()[:2]


def test_no_tokens_no_windows(vocabulary) -> None:
    assert list(vocabulary.windows("  ")) == []
