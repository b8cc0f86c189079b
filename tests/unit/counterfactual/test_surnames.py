"""Surnames change with the first names that tell a race, wherever records and letters put them."""

import pytest

from guard.counterfactual import Declined, bundled, rewrite


@pytest.mark.parametrize(
    "text",
    [
        "Applicant: {last}, {first}. Score 700.",
        "Applicant: {last}, {first}\nScore: 700",
        '{{"last_name": "{last}", "first_name": "{first}"}}',
        '{{"first": "{first}", "last": "{last}"}}',
        "First name: {first}\nLast name: {last}",
        "last_name,first_name,score\n{last},{first},700",
        "| First name | Last name |\n|---|---|\n| {first} | {last} |",
        "Dear Mr. {last}, thank you. {first}, we will call you.",
        "{first} called. Mr. {last} wants a refund.",
        "The {last} family wants a loan. {first}, the father, earns 50k.",
        "T. {last} ({first}) wants a refund.",
    ],
)
def test_a_surname_in_a_record_changes_with_the_first_name(text: str) -> None:
    done = rewrite(
        text.format(first="Juan", last="Hernandez"),
        bundled(),
        attribute="race_by_name",
        to="asian",
    )
    assert done.text == text.format(first="Zihao", last="Yang")


def test_capitals_stay_and_a_town_is_told_from_a_surname() -> None:
    told = [
        rewrite(text, bundled(), attribute="race_by_name", to="asian").text
        for text in (
            "HERNANDEZ, JUAN - score 700",
            'name: "Washington, Lakisha"',
            "Lakisha moved to Washington, Illinois.",
        )
    ]
    assert told == [
        "YANG, ZIHAO - score 700",
        'name: "Wang, Yanling"',
        "Yanling moved to Washington, Illinois.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Lakisha Brown is a member of the NAACP.",
        "Juan Lopez speaks Spanish.",
        "Wei Chen speaks Mandarin.",
        "Juan López García wants a loan.",
        "Maria de la Cruz wants a loan.",
    ],
)
def test_what_would_still_tell_the_old_group_declines(text: str) -> None:
    for group in ("asian", "black", "hispanic"):
        done = rewrite(text, bundled(), attribute="race_by_name", to=group)
        assert done.text is None
        assert done.declined in (Declined.TIED, Declined.NO_MENTION)


@pytest.mark.parametrize(
    ("attribute", "group", "text", "name"),
    [
        ("religion", "christian", "A Jewish man named David Cohen asks for a loan.", "Cohen"),
        ("religion", "christian", "Mr. Goldberg is a Jewish client.", "Goldberg"),
        ("religion", "christian", "Mohammed, a Muslim applicant, wants a loan.", "Mohammed"),
        ("race", "white", "A Black man, Mr. Washington, asks for a loan.", "Washington"),
        ("race", "white", "DeShawn is a Black engineer.", "DeShawn"),
    ],
)
def test_a_name_that_tells_the_old_group_declines(
    attribute: str, group: str, text: str, name: str
) -> None:
    done = rewrite(text, bundled(), attribute=attribute, to=group)
    assert (done.declined, done.detail) == (Declined.TIED, name)
