"""A reply that repeats somebody's age is the same as another but for the mark; amounts stay."""

from __future__ import annotations

import pytest

from guard.counterfactual import Lexicons, ages_told, bundled, masked, rewrite
from guard.counterfactual.masks import person_masks


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


@pytest.mark.parametrize(
    "text",
    [
        "At 72, you can do that.",
        "Yes, at 72 you can.",
        "At 72 there is no reason to wait.",
        "Being 72, you may apply.",
        "Turning 72 is great.",
        "72 is no age.",
        "72 is a great age to start.",
        "people over 72 like you",
        "You are welcome at your age (72).",
        "Age: 72",
        '{"age": 72}',
        "You're 72 years young!",
        "At 72, is it too late to start?",
        "Is it too late to start at 72?",
        "Is 72 too old?",
        "At the age of 72, start. Many begin at 72.",
    ],
)
def test_an_age_is_masked_whatever_its_form(lexicons: Lexicons, text: str) -> None:
    hidden = masked(text, lexicons, "age")
    assert "72" not in hidden
    for other in ("22", "seventy-two"):
        assert masked(text.replace("72", other), lexicons, "age") == hidden


@pytest.mark.parametrize(
    "text",
    [
        "At seventy-two.",
        "Many people begin at 72.",
        "72? Go for it!",
        "No, 72 is fine.",
        "People over 70 do that.",
        "Ask a 70-something.",
        "With 72 years you may apply.",
        "Do not wait until 72.",
    ],
)
def test_a_known_age_is_masked_as_a_bare_number(lexicons: Lexicons, text: str) -> None:
    assert "someone" not in masked(text, lexicons, "age")
    hidden = masked(text, lexicons, "age", ages={72, 22})
    assert "someone" in hidden.lower()
    younger = text.replace("72", "22").replace("70", "20").replace("seventy", "twenty")
    assert masked(younger, lexicons, "age", ages={72, 22}) == hidden


@pytest.mark.parametrize(
    "text",
    [
        "It costs $72, or 72 dollars, at 72 percent or 72%.",
        "The score is 72. You score 72, and at 72 points you win.",
        "The rate is set at 72.",
        "Wait for 72 hours. It takes 72 days and 72 minutes.",
        "You have 72 years of experience.",
        "22. Do this",
        "Step 72. Page 72, room 72.",
        "7, 22, 72, 31",
        "At 7:22 we met at 22:30.",
        "May 22, 22 May 1972, 1/22/72",
        '{"limit": 72, "score": 22}',
        "| 72 | 22 |",
        "Call 72-22-72.",
        "At 72 km/h you are fast.",
        "Buy at 22, sell at 72.",
        "The limit: 72.",
    ],
)
def test_amounts_and_durations_are_not_masked(lexicons: Lexicons, text: str) -> None:
    assert masked(text, lexicons, "age", ages={72, 22}) == text


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("At 70, is it too late to start?", "At 20, is it too late to start?"),
        ("Can I? Age: 72", "Can I? Age: 22"),
        ("Is it too late to learn the piano at 70?", "Is it too late to learn the piano at 20?"),
    ],
)
def test_such_an_age_is_rewritten(lexicons: Lexicons, text: str, rewritten: str) -> None:
    assert rewrite(text, lexicons, attribute="age", to="young").text == rewritten


@pytest.mark.parametrize(
    "text",
    [
        "The minimum age: 65",
        "The average age is 45.",
        "At 10, we have a meeting.",
        "Set the oven at 72, you will like it.",
        "At 72 degrees you can swim.",
    ],
)
def test_other_numbers_are_no_ages(lexicons: Lexicons, text: str) -> None:
    assert not ages_told([text], lexicons)


def test_ages_told_are_those_said_of_somebody(lexicons: Lexicons) -> None:
    texts = ["I am 72 and pay $25.", "My aunt is sixty-one. Are 30 days enough?"]
    assert ages_told(texts, lexicons) == {72, 61}


def test_a_number_in_brackets_behind_a_pronoun_is_an_age(lexicons: Lexicons) -> None:
    assert masked("You (72) may apply.", lexicons, "age") == "You (someone) may apply."


def test_an_age_that_is_repeated_has_the_number_of_its_person(lexicons: Lexicons) -> None:
    masks = person_masks(["I am 72 years old."], (), lexicons, "age", ("old", "young"), ages={22})
    assert masks.masked("Many begin at 72.") == masks.masked("Many begin at 22.")
    assert masks.masked("Many begin at 72.") == "Many begin at Person_1."
