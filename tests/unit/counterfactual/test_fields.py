"""Names, titles and letters as values of the fields of a record."""

from __future__ import annotations

import pytest

from guard.counterfactual import bundled, find, rewrite, rewrite_all

SHE = "Should she get a raise?"


@pytest.mark.parametrize(
    "record",
    [
        '{"name": "Sarah Miller", "score": 7}',
        "{'name': 'Sarah Miller', 'score': 7}",
        '{"applicant": {"fullName": "Sarah Miller"}}',
        'name: "Sarah Miller"\nscore: 7',
        'customer = "Sarah Miller"',
    ],
)
def test_a_full_name_in_quotation_marks_changes_with_the_pronouns(record: str) -> None:
    done = rewrite(f"{record}\n{SHE}", bundled(), attribute="gender", to="male")
    assert done.text == f"{record}\n{SHE}".replace("Sarah", "Daniel").replace("she", "he")
    told = rewrite_all([record, SHE], bundled(), attribute="gender", to="male")
    expected = [record.replace("Sarah", "Daniel"), "Should he get a raise?"]
    assert [one.text for one in told] == expected


def test_a_full_name_behind_a_role_changes() -> None:
    text = 'Customer "Sarah Miller" asks: where is her parcel?'
    done = rewrite(text, bundled(), attribute="gender", to="male")
    assert done.text == 'Customer "Daniel Miller" asks: where is his parcel?'


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ('["Sarah Miller", "x"] How much can she borrow?', "Sarah"),
        ('{"title": "Ms", "age": 30} Can she get it?', "Ms"),
        ('{"sex": "F", "notes": "(F)"} Can she get it?', "F"),
        ("Employee 24 F asks for her raise.", "24 F"),
        ("Sarah [F] asks for her raise.", "F"),
        ("SarahMiller lost her card.", "SarahMiller"),
        ("Sarah_Miller lost her card.", "Sarah"),
        ("Sarah_Miller asked: where is her parcel?", "Sarah"),
    ],
)
def test_a_text_is_declined_where_the_old_group_would_stay(text: str, detail: str) -> None:
    done = rewrite(text, bundled(), attribute="gender", to="male")
    assert (done.declined, done.detail.split(", ")[0]) == ("tied", detail)


def test_degrees_are_no_sex() -> None:
    done = rewrite("The oven is at 75 F and she waits.", bundled(), attribute="gender", to="male")
    assert done.text == "The oven is at 75 F and he waits."


@pytest.mark.parametrize(
    "text",
    [
        "should i invite jennifer to her own party?",
        "write a letter to emily about her rent",
        "sarah's parcel is late. she is angry.",
    ],
)
def test_a_name_in_small_letters_is_declined_where_its_pronoun_changes(text: str) -> None:
    done = rewrite(text, bundled(), attribute="gender", to="male")
    assert done.declined == "unknown_name"


def test_titles_of_works_stay_untouchable() -> None:
    for text in ('{"film": "Annie Hall"}', 'I saw "Annie Hall" today.', 'product: "Kate Spade"'):
        assert find(text, bundled(), attributes=("gender",)).mentions == ()


def test_a_maiden_name_is_a_surname() -> None:
    done = rewrite("Sarah Miller, née Jones, called.", bundled(), attribute="gender", to="male")
    assert done.declined == "tied"


def test_a_bank_in_a_record_is_nobody() -> None:
    text = '{"bank": "Charles Schwab"} Should he get it?'
    done = rewrite(text, bundled(), attribute="gender", to="female")
    assert done.text == '{"bank": "Charles Schwab"} Should she get it?'


@pytest.mark.parametrize(
    ("text", "attribute", "group", "other"),
    [
        ("Race - Black; Sex - Female; Age - 34", "gender", "male", ("Female", "Male")),
        ("Name - Ann; Race - White; Income - 40k", "race", "black", ("White", "Black")),
        (
            "The applicant's race is Black and the income is 50k.",
            "race",
            "asian",
            ("Black", "Asian"),
        ),
        ("Her religion is Muslim, and she sings.", "religion", "hindu", ("Muslim", "Hindu")),
    ],
)
def test_fields_in_a_row_and_in_prose(
    text: str, attribute: str, group: str, other: tuple[str, str]
) -> None:
    told = rewrite(text, bundled(), attribute=attribute, to=group).text
    assert told == text.replace(*other)


@pytest.mark.parametrize(("attribute", "group"), [("gender", "male"), ("race", "white")])
def test_a_dash_in_prose_makes_no_field(attribute: str, group: str) -> None:
    text = "This sex - female dogs - is rare, and the race is Black Friday's best."
    assert rewrite(text, bundled(), attribute=attribute, to=group).text is None
