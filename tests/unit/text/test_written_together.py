"""Sentences in one word are read in words, and names of things in programs are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Span
from guard.text import readings
from guard.text.written_together import missing_blanks


def apart(text: str) -> str:
    places = missing_blanks(text)
    pieces = zip((0, *places), (*places, None), strict=True)
    return " ".join(text[slice(*ends)] for ends in pieces)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#YouAreANicePerson", "#You Are A Nice Person"),
        ("class TheyAreNice:", "class They Are Nice:"),
        ("iThinkYouAreNice", "i Think You Are Nice"),
        ("so #BakeMoreBread, #bread", "so #Bake More Bread, #bread"),
        ("def YouAreSoVeryNice():", "def You Are So Very Nice():"),
        ("https://example.com/YouAreSoVeryNice", "https://example.com/You Are So Very Nice"),
    ],
)
def test_a_sentence_in_one_word_is_read_apart(text: str, said: str) -> None:
    assert apart(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "JavaScript, McDonald and iPhone",
        "#MachineLearning #AI #OpenSource",
        "getUserByNameAndId",
        "checkIfUserIsAdmin()",
        "YOUAREANICEPERSON",
        "see a/YouAreHere.txt and your.YouAreHere",
        "Aa" * 5000,
    ],
)
def test_other_words_stay(text: str) -> None:
    assert missing_blanks(text) == ()


@given(st.lists(st.sampled_from(["#YouAreNice", "TheyAreNice", " ", "x", "\u202e", "<b>", "!!"])))
def test_every_place_of_a_reading_is_one_of_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    for reading in readings(text):
        whole = reading.place(Span(start=0, end=len(reading.text)))
        assert 0 <= whole.start <= whole.end <= len(text)


def test_a_word_of_the_reading_is_found_where_it_is_written() -> None:
    text = "So #YouAreNice, and #TheyAreNice too."
    apart_ = readings(text)[-1]
    at = apart_.text.index("They Are Nice")
    found = apart_.place(Span(start=at, end=at + len("They Are Nice")))
    assert text[found.start : found.end] == "TheyAreNice"
