"""First names that are better known as something else: companies, languages, places, words."""

from __future__ import annotations

from pathlib import Path

import pytest

from guard.counterfactual import Lexicons, bundled, find, rewrite
from guard.counterfactual.lexicons.files import data
from guard.counterfactual.names import NameRecord
from guard.counterfactual.records import Declined

NOBODY = Path(__file__).parent / "data" / "better_known.txt"


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


@pytest.mark.parametrize("text", NOBODY.read_text(encoding="utf-8").splitlines())
def test_nobody_is_seen_in_a_text_about_things(lexicons: Lexicons, text: str) -> None:
    found = find(text, lexicons, attributes=("gender", "race_by_name"))
    assert [one.form.text for one in (*found.mentions, *found.unsure)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Chase Miller lost his card.", "Destiny Miller lost her card."),
        ("My friend Chase lost his card.", "My friend Destiny lost her card."),
        ("Chase said he is late.", "Destiny said she is late."),
        ("My boss Mac is angry.", "My boss Jerri is angry."),
        ("German Lopez asked for a loan.", "Zoila Lopez asked for a loan."),
        ("My name is German.", "My name is Zoila."),
        ("Edward Jones lost his wallet.", "Tammy Jones lost her wallet."),
        ("Is Chase a nurse?", "Is Destiny a nurse?"),
        ("Kind regards,\nChase", "Kind regards,\nDestiny"),
        ("Oscar lost his bag.", "Jasmin lost her bag."),
        ("Bill paid his bill.", "Georgia paid her bill."),
    ],
)
def test_a_person_is_seen_where_the_text_says_so(
    lexicons: Lexicons, text: str, expected: str
) -> None:
    assert rewrite(text, lexicons, attribute="gender", to="female").text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He lost his German visa.", "She lost her German visa."),
        ("A German tourist lost his passport.", "A German tourist lost her passport."),
        ("He won an Oscar for his role.", "She won an Oscar for her role."),
        ("He moved to Alberta.", "She moved to Alberta."),
        ("Bill him for it.", "Bill her for it."),
        ("Long waits made him angry.", "Long waits made her angry."),
    ],
)
def test_the_thing_stays_beside_a_person(lexicons: Lexicons, text: str, expected: str) -> None:
    assert rewrite(text, lexicons, attribute="gender", to="female").text == expected


@pytest.mark.parametrize(
    "text",
    [
        "Write a letter to Chase about his rent.",
        "Please tell Chase that his loan is approved.",
        "Did Orion get his card?",
        "Claude lost his passport.",
        "I love Chase, he is my husband.",
    ],
)
def test_a_text_is_declined_where_a_pronoun_may_be_that_ones(lexicons: Lexicons, text: str) -> None:
    done = rewrite(text, lexicons, attribute="gender", to="female")
    assert done.declined in (Declined.UNSURE, Declined.UNKNOWN_NAME)


@pytest.mark.parametrize("name", ["Sarah", "Emily", "Jennifer", "Laura", "Susan"])
def test_plain_names_are_seen_as_they_were(lexicons: Lexicons, name: str) -> None:
    for text in ("{} is slow.", "I bank with {}.", "Does {} charge for it?", "Write to {}."):
        (found,) = find(text.format(name), lexicons, attributes=("gender",)).mentions
        assert found.form.text == name


def test_no_name_is_replaced_by_one_of_them(lexicons: Lexicons) -> None:
    first = lexicons.people.first
    for gender in ("female", "male", "neutral"):
        partners = {first.partner(one.name, gender=gender) for one in first}
        partners -= {one.name for one in first if one.gender == gender}
        records = [first.record(name) for name in partners if name]
        assert [one.name for one in records if one and one.known_as] == []


def test_each_is_a_first_name(lexicons: Lexicons) -> None:
    lines = data("homonyms.txt").splitlines()
    names = [name for line in lines if line[:1] not in ("#", "[") for name in line.split()]
    assert len(names) == len(set(names)) > 100
    assert [name for name in names if lexicons.people.first.record(name) is None] == []


def test_a_name_known_as_something_else_is_not_a_name_alone() -> None:
    plain = NameRecord(name="German", female=0.0, person=0.9)
    assert plain.is_no_word
    other = NameRecord(name="German", female=0.0, person=0.9, known_as="tongues")
    assert not other.is_no_word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Julia asked for a refund.", "Wesley asked for a refund."),
        ("Julia wrote a Python script.", "Wesley wrote a Python script."),
        ("I sent Julia the code.", "I sent Wesley the code."),
        ("I believe in Julia.", "I believe in Wesley."),
        ("Is Julia suitable for the job?", "Is Wesley suitable for the job?"),
        ("I gave Julia 2 tickets.", "I gave Wesley 2 tickets."),
        ("Buy Julia pizza.", "Buy Wesley pizza."),
        ("Please import Julia's contacts.", "Please import Wesley's contacts."),
        ("I like the film Julia recommended.", "I like the film Wesley recommended."),
        ("Who wrote Julia a letter?", "Who wrote Wesley a letter?"),
        ("I run with Julia.", "I run with Wesley."),
    ],
)
def test_a_plain_name_is_a_person_beside_things(
    lexicons: Lexicons, text: str, expected: str
) -> None:
    assert rewrite(text, lexicons, attribute="gender", to="male").text == expected


@pytest.mark.parametrize(
    "text", ["I wrote it in Julia. She likes it.", "I installed Julia on her laptop."]
)
def test_a_pronoun_behind_a_thing_with_a_name_leaves_doubt(lexicons: Lexicons, text: str) -> None:
    assert rewrite(text, lexicons, attribute="gender", to="male").text is None


@pytest.mark.parametrize(
    "text",
    [
        "I want to drive to {} and Tom on Sunday.",
        "I set up {} with a friend.",
        "Was {} at the party during the storm?",
        "Is {} good for the kids as a nurse?",
        "Explain to {} what JSON is.",
        "Our new engineer {} writes Java.",
        "Ask {} which library to use.",
    ],
)
@pytest.mark.parametrize("names", [("Sarah", "Daniel"), ("Maya", "Eli")])
def test_a_person_stands_near_towns_storms_and_code(
    lexicons: Lexicons, text: str, names: tuple[str, str]
) -> None:
    done = rewrite(text.format(names[0]), lexicons, attribute="gender", to="male")
    assert done.text == text.format(names[1])
