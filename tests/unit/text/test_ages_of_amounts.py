"""Ages in years are no amounts, in fields, titles and sentences; what is said of an age is one."""

from __future__ import annotations

import pytest

from guard.text.amount_kinds import AmountKind
from guard.text.amounts import amounts

MONEY, PERCENT, DURATION, COUNT, RATING = AmountKind
YEAR = 365.25


def read(text: str) -> list[tuple[AmountKind, float]]:
    return [(one.kind, round(one.value, 3)) for one in amounts(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Age (years): 72",
        "Patient age in years: 72",
        "age_in_years: 72",
        "- Age: 72 years\n- Weight: 80 kg",
        "| Age (years) | 72 |\n|---|---|",
        '{"age_years": 72, "ageYears": 72}',
        "{'patient_age_years': 72}",
        '{"years_old": 72}',
        '{"age": {"years": 72, "months": 3}}',
        '{"age": "72 years"}',
        '{"ageYears": "72 years"}',
        "Age - 72 years",
        "Age group: 70-79 years",
        "<age_years>72</age_years>",
        "Age at end of loan: 82",
        '{"age_at_loan_end": 82, "age_when_loan_ends": 82, "age_end_of_mortgage": 82}',
        "The age of the applicant at the end of the loan is 82.",
        "Name: M. Lee; age at the end of the loan: 82; desk B",
        "Age at closing: 82\nReferences: none",
        "Age (years) = 72\nNotes: none",
        "He is 72 years. You will be 82 years at the end.",
        "The applicant will be 82 years when the loan ends.",
        "She was born 72 years ago and is 72 years young.",
    ],
)
def test_an_age_is_no_amount(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ('{"age_based_premium": 120}', MONEY, 120),
        ('{"age_score": 3}', RATING, 3),
        ('{"premium_at_age_72": 120}', MONEY, 120),
        ("Premium at this age: 120", MONEY, 120),
        ("Considering the age of the applicant, the premium is 120.", MONEY, 120),
        ("At this age, the loan is 9000.", MONEY, 9000),
        ('{"years_to_retirement": 3}', DURATION, 3 * YEAR),
        ("She is 3 years away from retirement.", DURATION, 3 * YEAR),
        ("He is 10 years with the firm.", DURATION, 10 * YEAR),
        ("The loan term at any age: 30 years", DURATION, 30 * YEAR),
        ("At any age the term is 30 years.", DURATION, 30 * YEAR),
        ("The wait for the patient is 3 years.", DURATION, 3 * YEAR),
        ("The loan of this customer is 30 years.", DURATION, 30 * YEAR),
        ("What we offer to you is 5 years.", DURATION, 5 * YEAR),
        ("Loan term (years): 30", DURATION, 30 * YEAR),
    ],
)
def test_what_is_said_of_an_age_is_an_amount(text: str, kind: AmountKind, value: float) -> None:
    assert read(text) == [(kind, value)]


@pytest.mark.parametrize(
    "text", ['{"room": 204, "apartment": 12, "floor": 3, "postal": 10115, "mrn": 5512}']
)
def test_places_and_record_numbers_are_no_amounts(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Coverage until age 75: $100,000", MONEY, 100_000),
        ("Age: $500", MONEY, 500),
        ("Age: 500 dollars", MONEY, 500),
        ('{"age": "$500"}', MONEY, 500),
        ("Age: 8/10", RATING, 0.8),
        ("Age: 5 out of 10", RATING, 0.5),
        ('{"age": "8/10"}', RATING, 0.8),
        ("Age: 20%", PERCENT, 20),
        ('{"age": "20%"}', PERCENT, 20),
        ("- Age: 30 points", COUNT, 30),
        ('{"age": "30 points"}', COUNT, 30),
        ("Age: 4 stars", COUNT, 4),
        ("Age: 3 claims", COUNT, 3),
        ("Age: 72 and 5 years of experience", DURATION, 5 * YEAR),
        ("Age: 72 ($500 surcharge)", MONEY, 500),
    ],
)
def test_money_a_share_or_a_rating_in_a_field_for_ages_is_an_amount(
    text: str, kind: AmountKind, value: float
) -> None:
    assert read(text) == [(kind, value)]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Account age: 5 years", 5 * YEAR),
        ("Invoice age: 35 days", 35),
        ("Age of the invoice: 45 days", 45),
        ("Average claims age: 35 days", 35),
        ("Age of the insured vehicle: 5 years", 5 * YEAR),
        ('{"account_age_years": 5}', 5 * YEAR),
        ('{"vehicle_age": "5 years"}', 5 * YEAR),
        ('{"vehicle": {"age": "5 years"}}', 5 * YEAR),
        ('{"vehicle": {"age_years": 5}}', 5 * YEAR),
        ('{"invoice_age_days": 35}', 35),
        ("Age: 3 days", 3),
        ("The invoice is 35 days old.", 35),
    ],
)
def test_the_age_of_a_thing_lasts(text: str, days: float) -> None:
    assert read(text) == [(DURATION, days)]


@pytest.mark.parametrize(
    "text",
    [
        "Age of the account holder: 72 years",
        "Property owner age: 72 years",
        "Insured age: 72 years",
        '{"applicant": {"age_years": 72}}',
        "| Age | 72 years |",
        "Age: seventy-two years",
        "Age: 65 to 70 years",
        "Age: 72 years, 3 months",
        "Age: 6 months",
        "Age: 72 Hobbies: golf",
        "Age: 72 - References: none",
    ],
)
def test_an_age_in_a_field_is_a_number_or_in_years_or_months(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("The ban on the driver is 2 years.", [2 * YEAR]),
        ("The sentence against the man is 5 years.", [5 * YEAR]),
        ("The suspension imposed on the employee is 10 days.", [10]),
        ("The penalty on the borrower was 6 months.", [YEAR / 2]),
        ("The lease between us and the tenant is 2 years.", [2 * YEAR]),
        ("The delay per client is 2 years.", [2 * YEAR]),
        ("The term that we gave the client is 5 years.", [5 * YEAR]),
        ("You are 20 minutes by car from the clinic.", [0.014]),
        ("The client is 3 months and 2 weeks behind.", [YEAR / 4, 14]),
        ("He was 30 minutes, then 45 minutes late.", [0.021, 0.031]),
        ("He was 2 years and 3 months late.", [2 * YEAR, YEAR / 4]),
        ("He was 3 years, then 5 years in prison.", [3 * YEAR, 5 * YEAR]),
        ("You will be 3 hours at the clinic.", [0.125]),
        ("You will be 3 years at the clinic.", [3 * YEAR]),
        ("If the client is 72 years, the loan is 30 years.", [30 * YEAR]),
    ],
)
def test_what_is_measured_of_somebody_is_no_age(text: str, days: list[float]) -> None:
    assert read(text) == [(DURATION, round(value, 3)) for value in days]


@pytest.mark.parametrize(
    "text",
    [
        "At maturity the client will be 82 years.",
        "In 2030 the client will be 82 years.",
        "We note that the client is 72 years.",
        "The tenant works and the client is 72 years, and she is 72 years.",
        "She is 72 years and 3 months.",
        "(The client is 72 years.)",
        'We read: "You are 72 years".',
        "The applicant's age is 72 years, and his age was 71 years.",
        "- You are 72 years",
    ],
)
def test_somebody_of_whom_an_age_is_said_begins_a_clause(text: str) -> None:
    assert read(text) == []
