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
