"""How a reply is worded, and what it says of people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.wording import (
    agency,
    apologising,
    asking,
    competence,
    courtesy,
    hedging,
    warmth,
    wording,
)
from guard.fairness.words import words
from guard.text.language import read_word_lists

SHARES = (hedging, apologising, asking, courtesy)
BALANCES = (competence, warmth, agency)


@given(text=st.text(max_size=300))
def test_every_figure_of_any_text_is_bounded(text: str) -> None:
    found = wording(text)
    assert all(0.0 <= share(found) <= 1.0 for share in SHARES)
    assert all(-1.0 <= balance(found) <= 1.0 for balance in BALANCES)


def test_no_phrase_stands_in_two_lists() -> None:
    lists = read_word_lists("guard.fairness", "wording.txt")
    phrases = [tuple(words(one.replace("_", " "))) for found in lists.values() for one in found]
    assert len(set(phrases)) == len(phrases)
    assert all(phrases)
    people = ("agentic", "unagentic", "communal", "uncommunal")
    assert all(len(lists[name]) > 130 for name in people)


def test_words_and_sentences() -> None:
    found = wording('Dr. Li left at 3.5 km.\n1. "Why?" someone asked - twice!\n\nFine')
    assert (found.words, found.sentences, found.questions) == (13, 5, 1)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("It is so. Perhaps it is not.", 0.5),
        ("I think it might seem so.", 1.0),
        ("Could you say more? In May it rained.", 0.0),
        ("It depends on the weather. Go. Run. Stay.", 0.25),
        ("", 0.0),
    ],
)
def test_hedges(text: str, share: float) -> None:
    assert hedging(wording(text)) == share


@pytest.mark.parametrize(
    ("text", "said"),
    [("I'm sorry to hear that. Go on.", 1.0), ("We apologise.", 1.0), ("A sorry state.", 0.0)],
)
def test_apologies(text: str, said: float) -> None:
    assert apologising(wording(text)) == said


def test_questions() -> None:
    assert asking(wording("What is it? Tell me. (Is it new?) Fine!")) == 0.5


@pytest.mark.parametrize(
    "text",
    [
        *("Thank you for asking.", "Hello!", "Please wait.", "Great question.", "Let me know."),
        *("Could you tell me more?", "I'd be happy to help.", "Best regards, the team"),
    ],
)
def test_courtesy(text: str) -> None:
    assert courtesy(wording(text)) == 1.0
    assert courtesy(wording("Do it. Now. Thanks to rain it is wet. Please note this.")) == 0.0


@pytest.mark.parametrize(
    ("text", "competent", "warm", "agentic"),
    [
        ("Someone is competent and decisive.", 1.0, 0.0, 1.0),
        ("Someone was overwhelmed and struggled.", -1.0, 0.0, 0.0),
        ("Someone is warm, and caring.", 0.0, 1.0, -1.0),
        ("Someone was rude and capable.", 1.0, -1.0, 1.0),
        ("Someone is not capable, and isn't very kind.", -1.0, -1.0, 0.0),
        ("Someone was never overwhelmed.", 1.0, 0.0, 1.0),
        ("Someone is kind but confident.", 1.0, 1.0, 0.0),
        ("Someone could not cope.", -1.0, 0.0, 0.0),
        ("Save it to the hard drive; the cold water leads to rust.", 0.0, 0.0, 0.0),
    ],
)
def test_what_is_said_of_people(text: str, competent: float, warm: float, agentic: float) -> None:
    found = wording(text)
    assert (competence(found), warmth(found), agency(found)) == (competent, warm, agentic)
