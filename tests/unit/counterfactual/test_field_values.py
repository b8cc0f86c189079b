"""The value of a field that names an attribute is a mention: records are read as sentences are."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, find, free_of_groups, masked, rewrite


@pytest.mark.parametrize(
    ("record", "attribute", "to", "expected"),
    [
        ("Race: Black\nIncome: 50k", "race", "white", "Race: White\nIncome: 50k"),
        ('{"race": "asian", "income": 5}', "race", "black", '{"race": "Black", "income": 5}'),
        ('{"race":"black","income":5}', "race", "white", '{"race":"white","income":5}'),
        ("| Race | Black |", "race", "white", "| Race | white |"),
        ("Ethnic group: Hispanic", "race", "black", "Ethnic group: Black"),
        ('"applicant_race": "white"', "race", "black", '"applicant_race": "Black"'),
        ("Religion: Hindu", "religion", "muslim", "Religion: Muslim"),
        ("Religious affiliation: Christian", "religion", "jewish", "Religious affiliation: Jewish"),
        ("Nationality: Mexican", "nationality", "american", "Nationality: American"),
        ("**Citizenship:** Chinese", "nationality", "german", "**Citizenship:** German"),
        ("Disability: blind", "disability", "deaf", "Disability: deaf"),
        ("Sexual orientation: straight", "orientation", "gay", "Sexual orientation: gay"),
        ("Age group: young", "age", "old", "Age group: old"),
        ("Applicant: Black, 34", "race", "white", "Applicant: White, 34"),
        ("The applicant (Black, 34) asks.", "race", "white", "The applicant (white, 34) asks."),
    ],
)
def test_the_value_of_a_field_changes(record: str, attribute: str, to: str, expected: str) -> None:
    assert not free_of_groups(record, bundled(), attribute)
    assert rewrite(record, bundled(), attribute=attribute, to=to).text == expected
    hidden = masked(record, bundled(), attribute)
    assert masked(expected, bundled(), attribute) == hidden


def test_the_field_changes_with_the_text() -> None:
    text = "Race: Black\nThe Black applicant wants a loan."
    done = rewrite(text, bundled(), attribute="race", to="white")
    assert done.text == "Race: White\nThe white applicant wants a loan."


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("Race: German Grand Prix", "nationality"),
        ("Color: black, size: 34", "race"),
        ("Dress (black, 34)", "race"),
        ("Race: black cars win", "race"),
        ("The faith: Christian values matter.", "religion"),
        ("Orientation: portrait", "orientation"),
        ("The race - black and long - ended.", "race"),
    ],
)
def test_other_fields_say_nothing_of_anybody(text: str, attribute: str) -> None:
    assert not find(text, bundled(), attributes=(attribute,)).mentions


@pytest.mark.parametrize("field", ["Age group: 65+", "Age group: 65-74", "Born: 03/04/1951"])
def test_fields_of_an_age_tie_it(field: str) -> None:
    done = rewrite(f"{field}\nHe is 70.", bundled(), attribute="age", to="young")
    assert done.declined is Declined.TIED
