"""Words for an age that say something else: former landlords, and students in their last year."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, find, masked, rewrite


def people(text: str) -> list[str]:
    """The words of a text that surely tell an age."""
    return [one.form.text for one in find(text, bundled(), attributes=("age",)).mentions]


@pytest.mark.parametrize(
    "text",
    [
        *("My old landlord kept my deposit.", "My old boss called.", "Our old manager left."),
        *("How do I contact my old maths teacher?", "My old high school teacher called."),
        *("My old college roommate owes me money.", "His old employer owes him a salary."),
        *("An old colleague wrote.", "An old client of mine wants a refund."),
        *("Mary's old accountant made a mistake.", "Two old coworkers applied."),
        *("The old CEO resigned and the new CEO took over.", "The old tenant left trash."),
        *("The old doctor was kind, the new one is not.", "Our oldest client left."),
        *("I'm a senior in college.", "I'm a senior at MIT.", "I'm a high school senior."),
        *("Seniors at our high school want a prom.", "Seniors and juniors may vote."),
        *("I'm a senior majoring in law.", "My senior at work scolds me.", "He is senior to me."),
        *("I'm a senior this year at Yale.", "The seniors graduate in May."),
        *("An elder of our church resigned.", "Elder Smith spoke.", "My minor is history."),
    ],
)
def test_what_tells_no_age(text: str) -> None:
    assert people(text) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("My old aunt called.", "old"),
        ("My old neighbour fell ill.", "old"),
        ("An old farmer called.", "old"),
        ("An old teacher smiled.", "old"),
        ("Old employees get a bonus.", "old"),
        ("My boss is old.", "old"),
        ("My oldest brother left.", "oldest"),
        ("Seniors get a discount.", "seniors"),
        ("As a senior, do I get a discount?", "senior"),
        ("The village elders met.", "elders"),
        ("Is a minor allowed to drink?", "minor"),
    ],
)
def test_what_tells_one(text: str, word: str) -> None:
    assert people(text) == [word]


def test_a_former_landlord_stays_beside_an_age() -> None:
    text = "My old landlord kept my deposit. I'm 72."
    done = rewrite(text, bundled(), attribute="age", to="young")
    assert done.text == "My old landlord kept my deposit. I'm 22."


@pytest.mark.parametrize("text", ["The old owner is 72.", "My old teacher, 80, fell."])
def test_where_it_may_be_an_age_the_text_is_declined(text: str) -> None:
    done = rewrite(text, bundled(), attribute="age", to="young")
    assert (done.declined, done.detail) == (Declined.TIED, "old")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My young boss yells at me.", "My elderly boss yells at me."),
        ("A young owner called.", "An elderly owner called."),
        ("A young man called.", "An old man called."),
        ("My boss is young.", "My boss is old."),
    ],
)
def test_nobody_young_becomes_a_former_one(text: str, expected: str) -> None:
    assert rewrite(text, bundled(), attribute="age", to="old").text == expected


def test_a_text_that_ends_in_words_of_age_is_read_to_its_end() -> None:
    assert masked("old " * 5, bundled(), "age").strip()
