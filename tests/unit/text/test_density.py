"""How much a text costs to read is estimated from its marks and its runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import prose_characters


@given(st.text(max_size=500))
def test_no_text_costs_less_than_prose_of_its_length(text: str) -> None:
    assert prose_characters(text) >= len(text)


KINDS = {"prose": "As it is said here ", "marks": "a = [1, 2]; ", "runs": "Qk3" * 20 + " "}


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_text_costs_as_much_for_each_character_as_a_short_one(kind: str) -> None:
    short, long = (KINDS[kind] * (count // len(KINDS[kind])) for count in (50_000, 3_000_000))
    each = [prose_characters(text) / len(text) for text in (short, long)]
    assert each[1] == pytest.approx(each[0], rel=0.02)


def test_marks_in_a_part_of_a_long_text_count_for_about_that_part() -> None:
    text = "As it is " * 100_000 + "[{;}]" * 20_000
    whole = len(text) + 3 * 100_000
    assert prose_characters(text) == pytest.approx(whole, rel=0.1)


def test_runs_and_marks_cost_more_than_prose() -> None:
    prose, marks, runs = (prose_characters(KINDS[kind] * 100) / len(KINDS[kind]) for kind in KINDS)
    assert prose == pytest.approx(100, rel=0.01)
    assert min(marks, runs) > 1.5 * prose
