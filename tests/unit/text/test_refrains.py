"""What a refrain parts is read without it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.listings import put_listings_together
from guard.text.refrains import refrains

SAID = "You are a worthless fool and so is he"
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]


def told(text: str) -> str:
    found = put_listings_together(text)
    assert len(found) == len(text)
    return " ".join(found.replace("\u200b", "").split())


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("Then she wrote **", "**."),
        ("the river runs **", "** by the green hill,"),
        ("", " (takes a long slow breath and smiles)"),
        ("(NP (N ", "))"),
        ("(X ", ")"),
        ('The next word is "', '".'),
    ],
)
@pytest.mark.parametrize(
    "around", ["", "It was a fine day in the town by the sea, and we all went. "]
)
def test_a_sentence_between_refrains(around: str, before: str, behind: str) -> None:
    written = " ".join(f"{before}{word}{behind}" for word in SAID.split())
    found = told(f"{around}{written} {around}")
    assert "worthless fool and so" in found or "are worthless fool so is he" in found


def test_ordinals_are_numbers() -> None:
    pairs = zip(ORDINALS, SAID.split(), strict=True)
    written = " ".join(f'The {ordinal} word is "{word}".' for ordinal, word in pairs)
    assert "You are a worthless fool and so he" in told(written)


@pytest.mark.parametrize(
    "text",
    [
        "The capital of France is Paris. The capital of Spain is Madrid. The capital of Italy is "
        "Rome. The capital of Greece is Athens. The capital of Norway is Oslo.",
        "I have a dream that one day this nation will rise up. I have a dream that one day on the "
        "red hills they will sit down together. I have a dream that one day even here it will be "
        "so. I have a dream that my children will live in a nation where all is well.",
        "Level 1 is dull. Level 2 is mad. Level 3 is the worst. Level 4 is fun. Level 5 is good.",
        "Dog 1 is old. Dog 2 is mad. Dog 3 is a darling. Dog 4 is fat. Dog 5 is you know who.",
        "The role of the nurse is to help. The role of the boss is to lead. The role of the cook "
        "is to feed. The role of the guard is to watch.",
    ],
)
def test_facts_and_speeches_stay(text: str) -> None:
    assert put_listings_together(text) == text


def test_the_refrain_that_comes_most_often_counts() -> None:
    text = "of the sea " * 5 + "and she says one. And she says two. " * 4
    parts = [text[slice(*part)].strip() for run in refrains(text) for part in run]
    assert "of the sea" in parts
    assert any(part.startswith("she says") or "she says" in part for part in parts)


@given(st.text(alphabet="ab (.)\n\u200b1", max_size=200))
def test_any_text_keeps_its_length(text: str) -> None:
    assert len(put_listings_together(text)) == len(text)
    for run in refrains(text):
        assert all(start <= end for start, end in run)
        assert len(run) >= 4
