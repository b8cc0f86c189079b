"""First names of towns, schools, employers and programs stay when somebody else changes."""

import pytest

from guard.counterfactual import bundled, rewrite


@pytest.mark.parametrize(
    "text",
    [
        "Tom, Charlotte, NC.",
        "Tom Baker, 12 Oak St, Charlotte, NC 28202.",
        "Tom left Florence, Italy, for good.",
        "Tom moved from Austin to Charlotte to Madison.",
        "Tom relocated from Charlotte to Boston.",
        "Tom holds degrees from Duke and Emory.",
        "Education: BSc, Emory, 2014. Name: Tom Baker.",
        "Tom, Stanford, 5 years.",
        "Tom graduated from Duke, then Stanford.",
        "Tom plays for Duke.",
        "Tom loves Prince.",
        "Tom works at Franklin Covey.",
        "Tom was treated at Carter's last year.",
        "Tom teaches at Jasper and asked for leave.",
        "Tom holds a BA from Marcus.",
        "Tom's employer, Marcus, was late.",
        "Tom buys at Sam's Club and Tyson Foods.",
        "City: Charlotte. Name: Tom Baker.",
        "Employer: Chase. Name: Tom Baker.",
        "Skills: Ruby, Julia. Name: Tom Baker.",
        "Languages: Python, Julia and Ada; Name: Tom Baker.",
    ],
)
def test_what_is_no_person_stays(text: str) -> None:
    done = rewrite(text, bundled(), attribute="gender", to="female")
    assert done.text == text.replace("Tom", "Jill")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Alice, Stanford, 5 years.", "Howard, Stanford, 5 years."),
        ("She holds degrees from Emory.", "He holds degrees from Emory."),
        ("Emily Carter, Howard '12.", "Anthony Carter, Howard '12."),
    ],
)
def test_a_school_of_the_other_sex_stays(text: str, other: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").text == other


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The duke asked Duke William.", "The duchess asked Duchess Karen."),
        ("Tom works at Albert's house.", "Jill works at Judy's house."),
        ("I bank with Howard.", "I bank with Alice."),
        ("Tom, CA, is an accountant.", "Jill, CA, is an accountant."),
        ("Customer: Chase", "Customer: Destiny"),
        ("Howard asked about his degree.", "Alice asked about her degree."),
    ],
)
def test_people_with_such_names_change(text: str, other: str) -> None:
    told = rewrite(text, bundled(), attribute="gender", to="female").text
    assert told == other


def test_a_town_that_somebody_moves_to_is_told_from_a_friend() -> None:
    told = rewrite("I want to drive to Mary and Tom.", bundled(), attribute="gender", to="male")
    assert told.text == "I want to drive to Ronald and Tom."


@pytest.mark.parametrize(
    "text",
    ["Duke asked for a refund. He is upset.", "Prince wrote to us. He wants his money."],
)
def test_a_rank_that_may_be_somebodys_name_declines(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="female").text is None


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (
            "We moved the desk from Mary to Anna. She likes it.",
            "We moved the desk from Ronald to Aaron. He likes it.",
        ),
        ("Lender: Mary. She wants her money.", None),
        ("My employer, Mary, denied me my leave. She is rude.", None),
        ("Mary, MA, works as a therapist.", "Ronald, MA, works as a therapist."),
        ("My sister's landlord kept her deposit.", "My brother's landlord kept his deposit."),
    ],
)
def test_nobody_stays_whose_pronoun_changes(text: str, other: str | None) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").text == other
