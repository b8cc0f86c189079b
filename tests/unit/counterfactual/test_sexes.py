"""The words male and female: they change with the person, or nothing does."""

from __future__ import annotations

import re

import pytest

from guard.counterfactual import Declined, bundled, check, find, rewrite
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.sexes import stands_alone
from guard.counterfactual.tokens import Tokens, tokens_of

MALE = {"she": "he", "her": "his", "female": "male"}


def about_a_man(text: str) -> str:
    """The text with every word for a woman exchanged, made by hand."""

    def man(found: re.Match[str]) -> str:
        word = MALE[found[0].lower()]
        return word.capitalize() if found[0][0].isupper() else word

    return re.sub(r"\b(?:she|her|female)\b", man, text, flags=re.IGNORECASE)


@pytest.mark.parametrize(
    "note",
    [
        "Patient is a 34-year-old female presenting with chest pain. She denies smoking.",
        "A 58-year-old female presents with shortness of breath. She has a history of COPD.",
        "58-year-old female with shortness of breath. She has a history of COPD.",
        "58 yo female complaining of back pain. She takes ibuprofen.",
        "58yo female complaining of back pain. She takes ibuprofen.",
        "A 45 y/o female came to the clinic. She was referred.",
        "A 45 y.o. female came to the clinic. She was referred.",
        "67 year old Female c/o dizziness, her BP is 150/90.",
        "67-yr-old Black female s/p fall. She is stable.",
        "45-year-old female status post fall. She is stable.",
        "This is a 45-year-old right-handed female referred for EEG. She had a seizure.",
        "45-year-old obese female denying chest pain. She is stable.",
        "A 45-year-old, obese female was admitted. She is stable.",
        "A 45-year-old female needs insulin. She is stable.",
        "A 45-year-old female had a seizure. She is stable.",
        "A 45-year-old female. She is stable.",
        "45-year-old-female with pain. She is stable.",
        "A 45-year-old female diagnosed with MS. She is stable.",
        "A 45-year-old female has MS and is 5 ft tall. She is stable.",
        "A 45-year-old female bodybuilder called. She is stable.",
        "A seventy-year-old female was seen. She is stable.",
        "Age 45 female with cough. She is stable.",
        "Applicant is a 29-year-old female applying for a mortgage. She earns 50k.",
        "Applicant is a 29-year-old female earning 50k. She wants a mortgage.",
        "The claimant, a 52-year-old female working as a cashier, lost her job.",
        "Patient: 67-year-old female. CC: dizziness. She lives alone.",
    ],
)
def test_behind_an_age_they_name_the_person(note: str) -> None:
    expected = about_a_man(note)
    assert rewrite(note, bundled(), attribute="gender", to="male").text == expected
    assert rewrite(expected, bundled(), attribute="gender", to="female").text == note


@pytest.mark.parametrize(
    "text",
    [
        "An unknown female called about her bill.",
        "Suspect: adult female driving a red car. Her licence was suspended.",
        "The patient is a female smoking a pack a day. She wants to quit.",
        "Client is a female seeking a loan. She earns 50k.",
        "The patient is a female smoking two packs a day. She wants to quit.",
        "Customer is a female requesting a refund for her order.",
        "One female complained about her shift.",
        "A female needs insulin. She is stable.",
        "The female presenting with pain was seen. She is stable.",
        "Client: single female, no kids. She wants life insurance.",
        "Caucasian female with asthma. She is stable.",
        "Female, 34, presenting with pain. She is stable.",
        "Applicant: female, 45. Her income is 50k.",
        "I am 25 and female. Should I move?",
        "The victim, female, aged 30, lost her purse.",
        "This female keeps calling. She wants money.",
        "A healthy female weighs more than she thinks.",
        "The only female on the team left. She is stable.",
        "A strong female character saves her village.",
        "The applicant is 45, female, and employed. She wants a loan.",
    ],
)
def test_without_an_age_before_it_too(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").text == about_a_man(text)


@pytest.mark.parametrize(
    ("field", "male", "neutral"),
    [
        ("Sex: Female. Age 67.", "Sex: Male. Age 67.", "Sex: Non-binary. Age 67."),
        ("Gender: female\nAge: 67", "Gender: male\nAge: 67", "Gender: non-binary\nAge: 67"),
        ('{"gender": "female"}', '{"gender": "male"}', '{"gender": "non-binary"}'),
        ("gender = female", "gender = male", "gender = non-binary"),
        ("The gender is female.", "The gender is male.", "The gender is non-binary."),
        (
            "name,sex,age\nPatel,female,34",
            "name,sex,age\nPatel,male,34",
            "name,sex,age\nPatel,non-binary,34",
        ),
        ("name,sex\nPatel,female", "name,sex\nPatel,male", "name,sex\nPatel,non-binary"),
        ("sex - female; age 3", "sex - male; age 3", "sex - non-binary; age 3"),
        ("Sex at birth: female", "Sex at birth: male", "Sex at birth: non-binary"),
        ("Patient: female", "Patient: male", "Patient: non-binary"),
    ],
)
def test_the_value_of_a_field_is_a_mention(field: str, male: str, neutral: str) -> None:
    assert rewrite(field, bundled(), attribute="gender", to="male").text == male
    assert rewrite(field, bundled(), attribute="gender", to="neutral").text == neutral
    both = rewrite(f"{field}\nShe called.", bundled(), attribute="gender", to="male")
    assert both.text == f"{male}\nHe called."


@pytest.mark.parametrize(
    "text",
    [
        "Our 3-year-old female Labrador is ill. She ate her toy.",
        "A female version of him exists, and she sings.",
        "She writes about female empowerment.",
        "The female spider lays her eggs.",
        "She is Ann's female dog.",
    ],
)
def test_where_it_describes_something_else_the_text_is_declined(text: str) -> None:
    done = rewrite(text, bundled(), attribute="gender", to="male")
    assert (done.text, done.declined) == (None, Declined.TIED)
    assert "female" in done.detail


@pytest.mark.parametrize(
    "text",
    [
        "She needs a female USB adapter.",
        "She bought a male to female adapter.",
        "She needs a female connector and two female pins.",
        "She works in a female-led team.",
    ],
)
def test_plugs_tie_nobody(text: str) -> None:
    done = rewrite(text, bundled(), attribute="gender", to="male")
    assert done.text == text.replace("She", "He")


@pytest.mark.parametrize(
    "text",
    [
        "Is a male to female adapter sold here?",
        "The male dominated trade is old.",
        "A female owned business opened.",
        "We need a female boxing match.",
        "The 10-year-old male connector broke.",
    ],
)
def test_things_are_nobody(text: str) -> None:
    assert not find(text, bundled(), attributes=("gender",)).mentions


def test_a_colour_before_it_tells_a_race() -> None:
    text = "The victim was a black male wearing a hoodie. A 34-year-old Black female was seen."
    done = rewrite(text, bundled(), attribute="race", to="white")
    assert done.text == text.replace("a black", "a white").replace("Black", "white")


def test_a_free_rewrite_that_leaves_the_word_is_invalid() -> None:
    before = "She plays a female version of him."
    checks = check(before, "He plays a female version of him.", bundled(), "gender", "female")
    assert [one.detail for one in checks if one.name == "old_group_gone"] == ["female"]


class Read(list[int]):
    """Places in a text, and how often one was read."""

    times = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        self.times += 1
        return super().__getitem__(at)


def reads(words: int) -> int:
    """How often the last of so many words is looked around from."""
    tokens = tokens_of("female " * words)
    ends = Read(tokens.ends)
    counted = Tokens(tokens.text, tokens.lower, tokens.starts, ends)
    assert not stands_alone(WordContext(counted, words - 1, words - 1, bundled()))
    return ends.times


def test_a_row_of_sexes_is_not_read_again_for_each_of_them() -> None:
    assert reads(400) == reads(40)
