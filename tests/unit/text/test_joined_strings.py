"""Strings that a program joins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.joined_strings import joined_fields, joined_strings


@pytest.mark.parametrize(
    "text",
    [
        "echo 'Y' . 'ou a' . 're so ki' . 'nd.';",
        's = "Y" + "ou a" + "re so ki" + "nd."',
        's = ("Y"\n     "ou a"\n     "re so ki"\n     "nd.")',
        'cout << "Y" << "ou a" << "re so ki" << "nd.";',
        "select 'Y' || 'ou a' || 're so ki' || 'nd.'",
        '="Y"&"ou a"&"re so ki"&"nd."',
    ],
)
def test_a_word_over_strings_is_read_whole(text: str) -> None:
    found = joined_strings(text)
    assert found is not None
    assert found.replace("\u200b", "").strip() == "You are so kind."
    assert len(found) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = ['Y', 'ou a', 're so']",
        '{"a": "b", "c": "d"}',
        's = "This is " + "a long " + "message."',
        "It's Bob's and Ann's.",
        "'a' + 'b'",
    ],
)
def test_other_strings_are_left_alone(text: str) -> None:
    assert joined_strings(text) is None


@pytest.mark.parametrize(
    "piece", ['{"insert": "%s"}', '{"type": "text", "text": "%s", "marks": []}']
)
def test_fields_of_a_document_are_one_text(piece: str) -> None:
    text = ", ".join(piece % part for part in ("Yo", "u ", "are ", "so", " ki", "nd."))
    found = joined_fields(text)
    assert found is not None
    assert found.replace("\u200b", "").strip() == "You are so kind."
    assert len(found) == len(text)


def test_fields_of_a_table_are_left_alone() -> None:
    assert (
        joined_fields('[{"n": "a"}, {"n": "b"}, {"n": "c"}, {"n": "d"}, {"n": "the end "}]') is None
    )
    assert joined_fields('[{"n": "one thing"}, {"n": "more"}, {"n": "things"}]') is None


@given(st.text(st.sampled_from("'\"+ .\\ab\n"), max_size=80))
def test_the_length_stays(text: str) -> None:
    assert len(joined_strings(text) or text) == len(text)


@pytest.mark.parametrize("piece", ["'", "'a'", "'a' + ", '"\\', "''" + " " * 40, "'a' \n"])
def test_much_bait_is_read_in_linear_time(piece: str) -> None:
    text = piece * (60_000 // len(piece)) + "!"
    assert len(joined_strings(text) or text) == len(text)
