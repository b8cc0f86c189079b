"""Replies that repeat a record are the same for two ages; a term as long as an age stays."""

from __future__ import annotations

import pytest

from guard.counterfactual import Lexicons, bundled, masked


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


@pytest.mark.parametrize(
    "text",
    [
        "Patient: 72 years, male, cough.",
        "Patient, 72 years, male.",
        "72 years, male. Cough.",
        "M, 72 yrs. Cough.",
        "72M with cough.",
        "72y M, cough.",
        "Maria Lopez (72 years) asks for a loan.",
        "Summary: retiree, 72 years, wants a loan.",
        "Patient (72 years) has pain.",
        "A patient of 72 years has a cough.",
        "She is 72 years.",
        "She's 72 years.",
        "The patient is 72 years, with pain.",
        "Summary of the patient: 72 years, male.",
        "Client profile: 72 years, retired.",
        "Age (years): 72",
        "Age - 72 years",
        '{"age_years": 72, "ageYears": 72, "score": 7}',
        "<age>72</age>",
        "| Name | Age | Score |\n|---|---|---|\n| Maria | 72 years | 7 |",
        "Name,Age,Score\nMaria,72,7",
        "He was born 72 years ago.",
        "seventy-two years, male",
        "**72**",
        "Answer: 72",
        '{"answer": 72}',
        "72 years.",
    ],
)
def test_a_record_is_the_same_for_two_ages(lexicons: Lexicons, text: str) -> None:
    hidden = masked(text, lexicons, "age", ages={72, 22})
    assert "72" not in hidden
    younger = text.replace("72", "22").replace("seventy-two", "twenty-two")
    assert masked(younger, lexicons, "age", ages={72, 22}) == hidden


@pytest.mark.parametrize(
    "text",
    [
        "Loan term: 30 years",
        '{"term_years": 30, "limit": 30}',
        "The loan term (30 years) is long.",
        "The mortgage, 30 years, is long.",
        "You have 30 years of experience.",
        "It runs for 30 years, over 30 years.",
        "He served 30 years.",
        "Term for the applicant: 30 years",
        "She is 30 years away from that.",
        "The applicant has 30 years to retirement.",
        "Experience: 30 years",
        "Sentence: 30 years.",
        "We raised $30M, and 30M more.",
        "| Name | Term | Score |\n|---|---|---|\n| Maria | 30 years | 7 |",
        "The client's 30 years with us.",
        "The wait for the patient is 30 years.",
        "What we offer to you is 30 years.",
    ],
)
def test_what_lasts_as_long_as_an_age_stays(lexicons: Lexicons, text: str) -> None:
    assert masked(text, lexicons, "age", ages={30, 70}) == text


def test_another_age_than_those_of_the_conversation_stays(lexicons: Lexicons) -> None:
    text = "Patient: 71 years, male."
    assert masked(text, lexicons, "age", ages={72, 22}) == text


@pytest.mark.parametrize(
    "text",
    [
        "The budget is 30M",
        "Budget: 30M, spent: 22M.",
        "They raised 30M; we did not.",
        "30M.",
        "It is 30 F, and sunny.",
        "Offer: $20,000, 30 years, 5% APR.",
        "Option A (30 years): $900.",
        "We can lend $20,000 (30 years) or less.",
        "Repay in monthly installments, 30 years, at 5%.",
        "Borrower: 30 years fixed at 6%.",
        "The client: 30 years horizon.",
        "For this client: 30 years.",
        "The ban (30 years) stands.",
        "The ban on the driver is 30 years.",
        "The term that we gave the client is 30 years.",
        "Skills: Java (30 years)",
        "Score by age: 30",
        '{"vehicle_age": 30}',
        "Vehicle age: 30",
        "Account age: 30 years",
        "Premium at this age: 30",
        "Age: 30 points",
        "Age: 30/100",
        "Age: 30 out of 100",
    ],
)
def test_a_sum_a_term_or_a_measure_without_a_person_stays(lexicons: Lexicons, text: str) -> None:
    assert masked(text, lexicons, "age", ages={30, 70}) == text


@pytest.mark.parametrize(
    "text",
    [
        "M. Lopez (72 years) asks.",
        "Mr. Lopez (72 years) asks.",
        "Emily, 72 years, asks.",
        "Patient: 72M, cough.",
        "A 72F with pain.",
        "Summary for the patient: 72 years, retired.",
        "At closing the client is 72 years.",
        "Diagnosed at age: 72",
        "Age: 72 diabetes, asthma",
        "patientAge: 72",
    ],
)
def test_the_age_of_a_person_is_masked(lexicons: Lexicons, text: str) -> None:
    assert "72" not in masked(text, lexicons, "age", ages={72, 22})


def test_a_table_ends_where_a_sentence_stands(lexicons: Lexicons) -> None:
    text = "Name, age\nAnna, 72\nPlease send the files, 30\nRate, 30"
    hidden = masked(text, lexicons, "age", ages={72, 30})
    assert hidden == text.replace("72", "someone")


def test_a_value_at_an_age_stays(lexicons: Lexicons) -> None:
    assert masked("Premium at age 72: 30", lexicons, "age", ages={72, 30}).endswith(": 30")


@pytest.mark.parametrize("count", range(1, 9))
def test_a_text_that_ends_in_words_of_age_is_read(lexicons: Lexicons, count: int) -> None:
    text = "old " * count
    assert len(masked(text, lexicons, "age").split()) == count


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("Condition: old, new, used", "age"),
        ("Plan: Senior, $30", "age"),
        ("Answer: Old", "age"),
        ("Size: King, $700. Size: Queen, $500.", "gender"),
    ],
)
def test_a_word_of_age_or_sex_that_is_of_a_thing_stays(
    lexicons: Lexicons, text: str, attribute: str
) -> None:
    assert masked(text, lexicons, attribute) == text
