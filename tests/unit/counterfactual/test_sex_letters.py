"""Letters that tell a person's sex keep a text from being rewritten."""

import pytest

from guard.counterfactual import bundled, free_of_groups, masked, rewrite
from guard.counterfactual.sex_letters import sex_letters


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Patient is a 34F.", ["34F"]),
        ("34 y/o F with pain", ["34 y/o F"]),
        ("34 y.o. F with fever", ["34 y.o. F"]),
        ("34-year-old WF, 40 yo AA F", ["34-year-old WF", "40 yo AA F"]),
        ("age 34/F", ["34/F"]),
        ("34 F with fever", ["34 F"]),
        ("fever of 98 F, oven at 75 F", []),
        ("34-year-old f", ["34-year-old f"]),
        ("Mary (F, 34) asks", ["F, 34"]),
        ("F34 and F/61", ["F34", "F/61"]),
        ("Gender: F", ["F"]),
        ('{"sex":"F"}', ["F"]),
        ("name,sex\nMary,F", ["F"]),
        ("Gender: M, 45M", []),
        ("my girlfriend (24f) and i (26m) fight", ["(24f)"]),
        ("(f24) (f, 24) (24/f)", ["(f24)", "(f, 24)", "(24/f)"]),
        ("Patient: 67f, she has pain", ["67f"]),
        ("67 y/o f and 34 f", ["67 y/o f", "34 f"]),
        ("24/f/ny", ["24/f"]),
        ("My girlfriend 24f says", ["girlfriend 24f"]),
        ("the oven is at 72f, on 3.5f and f/28mm", []),
        ("It is -20F or 98.6°F at F. Scott's, plan F", []),
        ("pay $50M for M&M", []),
        ("Patient: Mary Lee, 58, F, smoker", ["F"]),
        ("Mary Lee, DOB 03/12/1961, F. Complaint: fatigue", ["F"]),
        ("Mary Lee - 58 - F - chest pain", ["F"]),
        ("Mary Lee; F; 58", ["F"]),
        ("Mary Lee / F / 58", ["F"]),
        ("Mary Lee F 58, 58 y F", ["F 58", "58 y F"]),
        ("Mary Lee, 34, f, nurse", ["f"]),
        ("F, 58 years", ["F, 58", "F"]),
        ("Vitamins D, F, K; keys of E, F and G; plan E, F, or G", []),
        ("Lee, F. (2020), Smith, M., & Jones, F. (2019)", []),
        ("F", []),
    ],
)
def test_letters_beside_an_age_or_of_a_field_are_found(text: str, found: list[str]) -> None:
    assert list(sex_letters(text, "female")) == found


def test_other_groups_have_none() -> None:
    assert not list(sex_letters("Gender: F, 34F, 50M", "neutral"))


@pytest.mark.parametrize(
    "text",
    ["Name: Mary Smith\nGender: F, 34F\nShe wants a loan.", "Patient is a 34F. She has a cough."],
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


@pytest.mark.parametrize(
    ("female", "male"),
    [
        ('{"name": "Emily", "gender": "F", "priority": "high"}',) * 2,
        ("40F, customer, calm", "40M, customer, calm"),
        ("Name | Sex\n--- | ---\nX | F", "Name | Sex\n--- | ---\nX | M"),
        ("(F, 34) asks", "(M, 34) asks"),
        ("is_female: true", "is_female: false"),
        ("sex_at_birth=F", "sex_at_birth=M"),
        ("Patient Sam Clark (F). Pain.", "Patient Sam Clark (M). Pain."),
        ("[F] Sam called", "[M] Sam called"),
        ("the customer (F) called", "the customer (M) called"),
        ("Sam Clark, F, has pain.", "Sam Clark, M, has pain."),
        ("| Sam | F | calm |", "| Sam | M | calm |"),
        ("\U0001f469\u200d\U0001f4bc asks", "\U0001f468\u200d\U0001f4bc asks"),
        ("\U0001f64b\u200d\u2640\ufe0f Thanks!", "\U0001f64b\u200d\u2642\ufe0f Thanks!"),
    ],
)
def test_letters_and_emoji_of_a_sex_are_masked(female: str, male: str) -> None:
    male = male.replace('"F"', '"M"').replace("Emily", "Thomas")
    assert female != male
    assert masked(female, bundled(), "gender") == masked(male, bundled(), "gender")
    assert masked("Plan F, 5 M and 98.6 F", bundled(), "gender") == "Plan F, 5 M and 98.6 F"


@pytest.mark.parametrize("text", ["Sex: M", "34F, income 50k", "Applicant (24f)"])
def test_a_text_with_one_is_not_free_of_groups(text: str) -> None:
    assert not free_of_groups(text, bundled(), "gender")
    assert free_of_groups(text, bundled(), "race")


@pytest.mark.parametrize(
    "text",
    [
        "The company raised 45M dollars, from 12M. Revenue: 45 M USD; 50M users, 16M rows",
        "Bake at 98F; it is 75F outside, sunny. The limit is 50 F. Room 12F",
        "Size M and large (L); F none, M many. Press F12 or F",
        "Take the M25, then the M11. Screws M10, M12 and M 20; 2019-M12, F10:F20, (F/16)",
        "Gender studies: vitamins D, E, F and M",
    ],
)
def test_what_may_be_something_else_is_not_masked(text: str) -> None:
    assert masked(text, bundled(), "gender") == text


def test_of_letters_in_brackets_those_for_a_sex_alone_are_masked() -> None:
    text = "Size M (M) and large (L); (F) none, (B) many. Press F12, or [F]"
    told = "Size M (someone) and large (L); (someone) none, (B) many. Press F12, or [someone]"
    assert masked(text, bundled(), "gender") == told
