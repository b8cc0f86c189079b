"""The table `data/unknown_names.tsv`: texts with a name that no list has, and texts without one.

Companies, products, places and desks stand where persons do; they are no names.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from guard.counterfactual import Declined, bundled, rewrite
from guard.counterfactual.tokens import words_of
from guard.counterfactual.unknown_names import notice_names

TABLE = Path(__file__).parent / "data" / "unknown_names.tsv"
ROWS = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]]


def noticed(text: str) -> set[str]:
    words = words_of(text.replace("\\n", "\n"))
    return {words.surface(at) for at, _ in notice_names(words, bundled())}


def test_names_are_noticed_and_companies_products_and_places_are_not() -> None:
    assert sum(bool(name) for name, _ in ROWS) >= 60
    assert sum(not name for name, _ in ROWS) >= 60
    found = {text: (noticed(text), {name} - {""}) for name, text in ROWS}
    assert {text: both for text, both in found.items() if both[0] != both[1]} == {}


@pytest.mark.parametrize(
    "text",
    [
        "Xochiquetzal says she never got her refund.",
        "Please tell Tadhg that his loan is approved.",
        "Did Xochiquetzal get her money back?",
        "Xochiquetzal called today. She wants her money back.",
        "I am a mother of two and wait for my parcel. Signed, Xochiquetzal",
    ],
)
def test_a_name_that_would_stay_while_its_pronouns_change_is_declined(text: str) -> None:
    source = "male" if "Tadhg" in text else "female"
    target = "female" if source == "male" else "male"
    made = rewrite(text, bundled(), attribute="gender", to=target, source=source)
    assert (made.text, made.declined) == (None, Declined.UNKNOWN_NAME)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ms. Quillfeather lost her card.", "Mr. Quillfeather lost his card."),
        (
            "My sister lost her card. Signed, Xochiquetzal",
            "My brother lost his card. Signed, Xochiquetzal",
        ),
        (
            "Her bank told Xochiquetzal that it closes.",
            "His bank told Xochiquetzal that it closes.",
        ),
        ("Netflix says she owes two months.", "Netflix says he owes two months."),
    ],
)
def test_a_name_that_nothing_is_said_of_may_stay(text: str, expected: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").text == expected


def test_a_word_that_is_written_small_elsewhere_is_no_name() -> None:
    assert noticed("Zorbing lost her a tooth. She likes zorbing.") == set()
    assert noticed("Zorbin lost her tooth.") == {"Zorbin"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("my sister emily lost her job", "emily"),
        ("a woman called emily lost her job", "emily"),
        ("my wife mary and i are moving", "mary"),
    ],
)
def test_a_name_in_small_letters_beside_its_noun_declines_the_text(text: str, name: str) -> None:
    done = rewrite(text, bundled(), attribute="gender", to="male")
    assert (done.text, done.declined, done.detail) == (None, Declined.UNKNOWN_NAME, name)


@pytest.mark.parametrize(
    ("text", "to", "left"),
    [
        ("my wife said shes leaving me", "male", "shes"),
        ("my husband said hes leaving me", "female", "hes"),
        ("my moms birthday is tomorrow, what should she get", "male", "moms"),
        ("my husbands car broke down, he needs help", "female", "husbands"),
        ("my gf is tired, what should i tell her", "male", "gf"),
    ],
)
def test_words_without_an_apostrophe_decline_the_text(text: str, to: str, left: str) -> None:
    done = rewrite(text, bundled(), attribute="gender", to=to)
    assert (done.text, done.declined, done.detail) == (None, Declined.TIED, left)


def test_plurals_change_with_their_pronouns() -> None:
    done = rewrite("my daughters are in school", bundled(), attribute="gender", to="male")
    assert done.text == "my sons are in school"
