"""Letters that tell a person's sex keep a text from being rewritten."""

import pytest

from guard.counterfactual import bundled, free_of_groups, masked, rewrite
from guard.counterfactual.mentions.sex_letters import sex_letters


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Patient is a 34F.", ["34F"]),
        ("34 y/o F with pain", ["34 y/o F"]),
        ("34 y.o. F with fever", ["34 y.o. F"]),
        ("34-year-old WF, 40 yo AA F", ["34-year-old WF", "40 yo AA F"]),
        ("Age/Sex: 34/F", ["34/F"]),
        ("34 F with fever", ["34 F"]),
        ("fever of 98 F, oven at 75 F", []),
        ("my girlfriend (24f) and i (26m)", ["24f"]),
        ("my wife 24f, (f24), (f, 25), (26/f), Pt: 27f", ["24f", "27f", "26/f", "f24", "f, 25"]),
        ("67 y/o f with pain; 24/f/ny", ["24/f", "67 y/o f"]),
        ("Mary (F, 34) asks", ["F, 34"]),
        ("F34 and F/61", ["F34", "F/61"]),
        ("Gender: F", ["F"]),
        ('{"sex":"F"}', ["F"]),
        ("name,sex\nMary,F", ["F"]),
        ("Gender: M, 45M", []),
        ("It is -20F or 98.6°F at F. Scott's, plan F", []),
        ("pay $50M for M&M", []),
        ("F", []),
    ],
)
def test_letters_beside_an_age_or_of_a_field_are_found(text: str, found: list[str]) -> None:
    assert list(sex_letters(text, "female")) == found


def test_other_groups_have_none() -> None:
    assert not list(sex_letters("Gender: F, 34F, 50M", "neutral"))


@pytest.mark.parametrize(
    "text", ["Name: Mary Smith\nGender: F\nShe wants a loan.", "Patient is a 34F. She has a cough."]
)
def test_a_text_with_one_of_the_group_is_declined(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").text is None


def test_one_of_the_other_group_ties_nobody() -> None:
    text = "My sister saw a 50M today. She is tired."
    told = rewrite(text, bundled(), attribute="gender", to="male").text
    assert told == "My brother saw a 50M today. He is tired."


@pytest.mark.parametrize(
    "text",
    [
        "mary lost her card, can she get a new one?",
        "emily brown lost her card, can she get a new one?",
        "please tell mary that her loan is approved",
    ],
)
def test_a_name_in_small_letters_that_would_stay_is_declined(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").text is None


def test_words_that_are_names_too_are_no_persons_in_small_letters() -> None:
    text = "will she mark the art? i hope she may, since her joy is a rose and the bill is hers."
    told = rewrite(text, bundled(), attribute="gender", to="male").text
    assert told == text.replace("she", "he").replace("her joy", "his joy").replace("hers", "his")


def test_masks_hide_them() -> None:
    def hidden(text: str) -> str:
        return masked(text, bundled(), "gender")

    assert hidden('{"gender": "F", "score": 7}') == hidden('{"gender": "M", "score": 7}')
    assert hidden("45F with pain") == hidden("45M with pain") == "45someone with pain"
    assert hidden("Sex: F. 45 y/o F.") == hidden("Sex: M. 45 y/o M.")
    assert hidden("pay $50M for M&M") == "pay $50M for M&M"


@pytest.mark.parametrize("text", ["Sex: M", "34F, income 50k", "Applicant (24f)"])
def test_a_text_with_one_is_not_free_of_groups(text: str) -> None:
    assert not free_of_groups(text, bundled(), "gender")
    assert free_of_groups(text, bundled(), "race")
