"""Different people are masked differently, and the same on both sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from guard.counterfactual import PersonMasks, bundled, person_masks

GENDERS = ("female", "male")
TABLE = Path(__file__).parent / "data" / "people_masked.tsv"


def masks(*conversation: str, replies: tuple[str, ...] = ()) -> PersonMasks:
    return person_masks(conversation, replies, bundled(), "gender", GENDERS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Emily met Laura.", "Person_1 met Person_2."),
        ("Emily met Laura. Laura left Emily.", "Person_1 met Person_2. Person_2 left Person_1."),
        ("Emily lost her keys.", "Person_1 lost Person_1 keys."),
        ("Emily met Laura and lost her keys.", "Person_1 met Person_2 and lost someone keys."),
        ("She lost her keys.", "someone lost someone keys."),
        ("An actor met Mr. Smith.", "A Person_1 met Person_2 Smith."),
        ("Emily Stone called. Mrs. Stone is ill.", "Person_1 Stone called. Person_1 Stone is ill."),
        ("Ms. Mary Smith is ill. Mary left.", "Person_1 Smith is ill. Person_1 left."),
        (
            "Dr. Mary Smith is ill. Ms. Smith left.",
            "Dr. Person_1 Smith is ill. Person_1 Smith left.",
        ),
        ("My sister met a nun.", "My Person_1 met a Person_2."),
        ("Nobody is here.", "Nobody is here."),
    ],
)
def test_people_are_numbered(text: str, expected: str) -> None:
    assert masks(text).masked(text) == expected


def test_a_word_and_its_counterpart_have_one_number() -> None:
    own = masks("My sister met an actress.")
    assert own.masked("My brother met an actor.") == own.masked("My sister met an actress.")


def test_numbers_hold_for_all_texts() -> None:
    texts = ("Emily asks Laura.", "Laura, please answer.")
    own = masks(*texts, replies=("Emily and Julia know Laura.", "Julia knows."))
    assert own.masked(texts[1]) == "Person_2, please answer."
    assert own.masked("Emily and Julia know Laura.") == "Person_1 and Person_3 know Person_2."
    assert own.masked("Julia knows.") == "Person_3 knows."


def test_who_is_in_no_text_that_was_numbered_is_someone() -> None:
    assert masks("Emily left.").masked("Laura left.") == "someone left."


def test_a_first_name_and_a_surname_are_one_person() -> None:
    text = "DeShawn Jackson met Juan Garcia. Mr. Jackson left."
    own = person_masks([text], (), bundled(), "race_by_name", ("black", "hispanic"))
    assert own.masked(text) == "Person_1 met Person_2. Mr. Person_1 left."


def test_a_race_and_a_name_that_tells_it() -> None:
    text = "The Black engineer met Jamal."
    own = person_masks([text], (), bundled(), "race", ("black", "white"))
    assert own.masked(text) == "The Person_1 engineer met Person_2."


def test_two_hundred_texts_of_several_people() -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()[1:]
    assert len(set(lines)) >= 200
    faults = []
    for text, attribute, groups, expected in (line.split("\t") for line in lines):
        made = person_masks([text], (), bundled(), attribute, groups.split(",")).masked(text)
        faults += [f"{text}\n    got  {made}\n    want {expected}"] if made != expected else []
    assert not faults, "\n".join(faults)


def test_two_given_names_are_one_person() -> None:
    own = masks("Mary Jane Smith called. Ask Mary whether she agrees.")
    assert own.masked("Mary Jane is late. Jane agreed.") == "Person_1 is late. Person_1 agreed."
    assert masks("Mary\nJane").masked("Jane is late.") == "Person_2 is late."
