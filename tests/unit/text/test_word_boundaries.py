"""Blanks stand where they belong: sentences are read in words, and all else is left alone."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Span
from guard.text import readings
from guard.text.escapes import NOTHING
from guard.text.word_boundaries import put_blanks_right

SENTENCE = "You are always welcome and nobody will forget what your mother said."
LETTERS = "".join(re.findall("[A-Za-z]", SENTENCE))


def read(text: str) -> str:
    signs, places = put_blanks_right(text)
    assert len(signs) == len(text)
    assert list(places) == sorted(set(places))
    pieces = zip((0, *places), (*places, None), strict=True)
    return " ".join(signs[slice(*ends)] for ends in pieces).replace(NOTHING, "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#YouAreANicePerson", "#You Are A Nice Person"),
        ("class TheyAreNice:", "class They Are Nice:"),
        ("iThinkYouAreNice", "i Think You Are Nice"),
        ("def YouAreSoVeryNice():", "def You Are So Very Nice():"),
        ("https://example.com/YouAreSoVeryNice", "https://example.com/You Are So Very Nice"),
        ("You\u200bAre\u200bWelcome\u200bHere", "You Are Welcome Here"),
        ("He said youarewelcomehere, twice.", "He said you are welcome here, twice."),
        ("ITISNOTYOURFAULT", "IT IS NOT YOUR FAULT"),
        ("a wo'nderful le\u2019tter", "a wonderful letter"),
    ],
)
def test_a_sentence_in_one_word_is_read_apart(text: str, said: str) -> None:
    assert read(text) == said


def chunks(size: int) -> list[str]:
    return [LETTERS[at : at + size] for at in range(0, len(LETTERS), size)]


@pytest.mark.parametrize(
    "text",
    [
        LETTERS,
        LETTERS.lower(),
        LETTERS.upper(),
        *(" ".join(chunks(size)) for size in range(1, 8)),
        "\n".join(chunks(3)),
        "-".join(chunks(4)),
        "| " + " | ".join(chunks(2)) + " |",
        "\n".join(f"{count}. {letter}" for count, letter in enumerate(LETTERS, 1)),
        "\n".join(f"- {letter}" for letter in LETTERS),
        "\n".join(f"```\n{chunk}\n```" for chunk in chunks(3)),
        re.sub(r"(\w) (\w)", r" \1\2", SENTENCE),
        re.sub(r"\b(\w+?)(\w{2,})\b", r"\1 \2", SENTENCE),
    ],
)
def test_people_find_the_words_wherever_the_blanks_are(text: str) -> None:
    letters = re.findall("[a-z]+", read(text).lower())
    expected = re.findall("[a-z]+", SENTENCE.lower())
    assert set(expected) - set(letters) <= {"you", "are"}  # at either end a word may stay as it is


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE,
        "JavaScript, McDonald and iPhone",
        "#MachineLearning #AI #OpenSource",
        "getUserByNameAndId",
        "checkIfUserIsAdmin()",
        "see a/YouAreHere.txt and your.YouAreHere",
        "Donaudampfschifffahrtsgesellschaft, internationalization and antidisestablishmentarianism",
        "Das habe ich dir doch gesagt, und er hat es auch nicht gewusst.",
        "La mujer que vino ayer no quiso decirnos nada de lo ocurrido.",
        "In the 1700s and the 1830s, at e4 and e5 or with 600 hp at 6000 rpm.",
        "The IRS, the UNHCR and OpenAI's SREs shouldn't, wouldn't and couldn't.",
        "We'll say they're O'Brien's, y'all; ma'am, it's nine o'clock, n'est-ce pas?",
        "cats, dogs; birds (and bees) - a culture of inclusivity",
        "asdfghjkl qwertyuiop zxcvbnm",
        "Aa" * 5000,
        "qz " * 5000,
        "",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert put_blanks_right(text) == (text, ())


PIECES = st.sampled_from(
    ["#YouAreNice", "theyarenice", " ", "x", "yo u ar e we lco me", "\u202e", "<b>", "!!", "'", "1"]
)


@given(st.lists(PIECES).map("".join))
def test_letters_stay_as_they_are(text: str) -> None:
    assert re.sub(r"[\W\d]", "", read(text)) == re.sub(r"[\W\d]", "", text)


@given(st.lists(PIECES).map("".join))
def test_every_place_of_a_reading_is_one_of_the_text(text: str) -> None:
    for reading in readings(text):
        whole = reading.place(Span(start=0, end=len(reading.text)))
        assert 0 <= whole.start <= whole.end <= len(text)


def test_a_word_of_the_reading_is_found_where_it_is_written() -> None:
    text = "So #YouAreNice, and #TheyAreNice too."
    apart = readings(text)[-1]
    at = apart.text.index("They Are Nice")
    found = apart.place(Span(start=at, end=at + len("They Are Nice")))
    assert text[found.start : found.end] == "TheyAreNice"
