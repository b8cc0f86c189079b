"""Names that are surnames as well as first names: which of them stands here."""

from __future__ import annotations

import pytest

from guard.counterfactual import Lexicons, bundled, rewrite

NAMES = ("Smith", "Clark", "Thomas", "Scott")  # known both as first names and as surnames


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("J. {} lost his badge.", "J. {} lost her badge."),
        ("Please help J. {}, who lost his badge.", "Please help J. {}, who lost her badge."),
        ("{}, John: he lost his badge.", "{}, Kimberly: she lost her badge."),
        ("Agent {} lost his badge.", "Agent {} lost her badge."),
    ],
)
def test_a_surname_stays(lexicons: Lexicons, name: str, before: str, after: str) -> None:
    done = rewrite(before.format(name), lexicons, attribute="gender", to="female")
    assert done.text == after.format(name)


@pytest.mark.parametrize(
    "text",
    [
        "Uncle {} lost his badge.",
        "A. John lost his badge.\nB. {} lost his badge.",
        "J. {} Brown lost his badge.",
        "{}, John and Peter lost their badges.",
        "{} lost his badge.",
        "He saw John, {}",
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_a_first_name_changes(lexicons: Lexicons, name: str, text: str) -> None:
    done = rewrite(text.format(name), lexicons, attribute="gender", to="female")
    assert done.text is not None
    assert name not in done.text


@pytest.mark.parametrize("text", ["He met Scott,", "He met Scott, John", "J. Scott", "Scott"])
def test_a_text_may_end_anywhere(lexicons: Lexicons, text: str) -> None:
    rewrite(text, lexicons, attribute="gender", to="female")
