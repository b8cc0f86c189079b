"""Long texts are read part by part."""

import re
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.records import Span
from guard.text import readings, readings_of
from guard.text.readings import as_written
from tests.unit.text.test_readings import ODD

PROSE = "The river is calm, and the valley is mild this week.\n"
SAID = "k<b>in</b>d"


def always() -> bool:
    return True


def test_a_short_text_is_read_as_it_is() -> None:
    text = f"You are {SAID}."
    assert readings_of(text, lambda: False) == readings(text)


def test_what_is_hidden_is_found_wherever_it_stands() -> None:
    for lines in (0, 300, 315, 600, 900, 1200):
        text = f"{PROSE * lines}You are {SAID}.\n{PROSE * (1300 - lines)}"
        found = readings_of(text, always)
        assert found is not None
        places = [
            one.place(Span(start=hit.start(), end=hit.end()))
            for one in found[1:]
            for hit in re.finditer("k\u200b*in\u200b*d", one.text)
        ]
        assert places
        assert {text[one.start : one.end] for one in places} == {SAID}


def test_the_first_reading_is_of_all_of_it() -> None:
    text = f"{PROSE * 700}You are {SAID}.\n{PROSE * 100}"
    found = readings_of(text, always)
    assert found is not None
    assert found[0].text == text
    assert not found[0].excerpt
    assert all(one.excerpt for one in found[1:])
    assert len(found) < 6


@given(st.text(alphabet=ODD, max_size=60))
def test_the_first_reading_is_that_of_a_short_text(text: str) -> None:
    assert as_written(text) == readings(text)[0]


def test_it_is_given_up_between_two_parts() -> None:
    asked = count()
    assert readings_of(PROSE * 2000, lambda: next(asked) < 2) is None
    assert next(asked) == 3


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(0, 2000), st.sampled_from(["<i>a</i>b ", "a ", "\\n", "\n", "x" * 99]))
def test_places_lie_in_the_text(more: int, piece: str) -> None:
    text = piece * ((40_000 + more) // len(piece))
    for one in readings_of(text, always) or ():
        whole = one.place(Span(start=0, end=len(one.text)))
        assert 0 <= whole.start <= whole.end <= len(text)


def test_prose_between_long_blocks_of_code_is_read_without_them() -> None:
    code = "```\n" + "zz = 1;  # {}\n" * 1250 + "```\n"
    text = f"{code}You are kind.\n{code}"
    found = readings_of(text, always)
    assert found is not None
    assert [one.text.split() for one in found[1:2]] == [["You", "are", "kind."]]
    at = found[1].text.index("kind")
    span = found[1].place(Span(start=at, end=at + 4))
    assert text[span.start : span.end] == "kind"


def test_a_range_over_two_pieces_is_where_most_of_it_is_from() -> None:
    text = f"You are <b>ki</b>nd.\n{PROSE * 3000}And <i>ni</i>ce too.\n"
    found = readings_of(text, always)
    assert found is not None
    for one in found[1:]:
        for at in range(0, len(one.text) - 1200, 300):
            span = one.place(Span(start=at, end=at + 1200))
            assert span.end - span.start < 3000
