"""Which amounts stand in fields of JSON, in lines of a name and a number, and in elements."""

from __future__ import annotations

import pytest

from guard.text.amount_kinds import AmountKind
from guard.text.amounts import amounts

MONEY, PERCENT, DURATION, COUNT, RATING = AmountKind


def read(text: str) -> list[tuple[AmountKind, float, str]]:
    return [(one.kind, round(one.value, 3), one.unit) for one in amounts(text)]


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ('{"approved_limit": 3512.4, "currency": "USD"}', MONEY, 3512.4, "dollar"),
        ('{"limit": 3512.4, "currency": "€"}', MONEY, 3512.4, "euro"),
        ('{"currency": "USD", "offer": {"amount": 500}}', MONEY, 500, "dollar"),
        ('{"approvedLimit": 3512.4}', MONEY, 3512.4, ""),
        ('{"limit_usd": 5000}', MONEY, 5000, "dollar"),
        ('{"salary": "88k"}', MONEY, 88_000, ""),
        ('{"salary": "88k per year"}', MONEY, 88_000, ""),
        ('{"salary": "95.000"}', MONEY, 95_000, ""),
        ('{"salary_range": [80000, 90000]}', MONEY, 85_000, ""),
        ('{"salary": "$88,000"}', MONEY, 88_000, "dollar"),
        ('{"hourly_pay": 45}', MONEY, 45, ""),
        ('{"apr": 6.5}', PERCENT, 6.5, ""),
        ('{"interestRate": 6.5}', PERCENT, 6.5, ""),
        ('{"loan_rate": 6.5}', PERCENT, 6.5, ""),
        ('{"loan": {"rate": 6.5}}', PERCENT, 6.5, ""),
        ('{"discount": "12 %"}', PERCENT, 12, ""),
        ('{"loan_term_weeks": 2}', DURATION, 14, ""),
        ('{"business_days": 5}', DURATION, 7, ""),
        ('{"wait": "two weeks"}', DURATION, 14, ""),
        ('{"references": 3}', COUNT, 3, "references"),
        ('{"number_of_interviews": 1}', COUNT, 1, "interviews"),
        ('{"interview_count": 2}', COUNT, 2, "interview"),
        ('{"score": 58.3}', RATING, 58.3, "score"),
        ("{'score': 58.3}", RATING, 58.3, "score"),
        ('{"score": "58.3"}', RATING, 58.3, "score"),
        ('{"score": "7/10"}', RATING, 0.7, ""),
        ('{"communication": "4 out of 5"}', RATING, 0.8, ""),
        ('{"score_out_of_100": 58}', RATING, 0.58, ""),
        ('{"rating_10": 7}', RATING, 0.7, ""),
        ('{"risk_level": 3}', RATING, 3, "risk_level"),
        ('{"loan_risk": 0.3}', RATING, 0.3, "loan_risk"),
        ('```json\n{"priority": 2}\n```', RATING, 2, "priority"),
        ('Here it is: {"score": 58.3, "answers": "none"} as you asked.', RATING, 58.3, "score"),
    ],
)
def test_a_number_is_what_its_field_says(
    text: str, kind: AmountKind, value: float, unit: str
) -> None:
    assert read(text) == [(kind, value, unit)]


def test_a_name_that_says_nothing_has_that_of_what_it_is_in() -> None:
    text = '{"salary": {"min": 80000, "max": 90000, "currency": "EUR"}, "min": 3}'
    assert read(text) == [(MONEY, 80_000, "euro"), (MONEY, 90_000, "euro"), (RATING, 3, "min")]


def test_fields_of_one_value_stay_apart_and_have_the_words_of_their_names() -> None:
    text = '{"skills": [{"name": "talk", "score": 7}, {"name": "work", "score": 7}]}'
    talk, work = amounts(text)
    assert talk.clause == work.clause == {"score"}
    assert talk.context == {"score", "skills", "talk"}
    assert work.context == {"score", "skills", "work"}


@pytest.mark.parametrize(
    "text",
    [
        '{"id": 81, "account_number": 99, "year": 2024, "born": 1999, "version": 3, "page": 4}',
        '{"phone": "555-1234", "zip": "10115", "date": "2024-05-01", "due": "7/10", "age": 41}',
        '{"balance": -300, "score": -5, "limit_usd": -1, "rank": 1e999, "note": "42 is it"}',
        '{"x": 3, "y": 4, "lat": 52.1, "created_at": 1780000000, "flag": true, "none": null}',
        'Use this: {"retries": 3, "indent": 2, "risk_level": 3}',
        "Total: 5\nQuestion: 3\nNext: 7\nAnswer = 42\nTICK_SECONDS = 30",
        "<td>5</td><li>3</li><score>none</score>",
        '{"matrix": [1, 2, 3], "pair": [[',
        '"score": ',
    ],
)
def test_what_is_no_amount(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("- **Overall score:** 71", RATING, 71, "overall_score"),
        ("approved_limit: 3512.4", MONEY, 3512.4, ""),
        ("| Salary | 88,000 |", MONEY, 88_000, ""),
        ("1. Interest rate: 6.5", PERCENT, 6.5, ""),
        ("Score (out of 100): 58", RATING, 0.58, ""),
        ("Loan term (weeks): 2", DURATION, 14, ""),
        ("Limit (EUR): 500", MONEY, 500, "euro"),
        ("<score>58</score>", RATING, 58, "score"),
        ("Score: 71\nReferences: none", RATING, 71, "score"),
    ],
)
def test_a_name_and_a_number_alone(text: str, kind: AmountKind, value: float, unit: str) -> None:
    assert read(text) == [(kind, value, unit)]


def test_prose_beside_fields_is_read_as_well() -> None:
    text = '{"note": "A fee of $20 applies, and it takes two weeks.", "score": 58}'
    assert read(text) == [(RATING, 58, "score"), (MONEY, 20, "dollar"), (DURATION, 14, "")]
