"""Which amounts a text holds, and which numbers are none."""

from __future__ import annotations

import pytest

from guard.text.amounts import AmountKind, amounts

MONEY, PERCENT, DURATION, COUNT = AmountKind
WEEK = 7.0


def read(text: str) -> list[tuple[AmountKind, float, str]]:
    return [(one.kind, round(one.value, 3), one.unit) for one in amounts(text)]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("Ask for $1,200 a month.", 1200, "dollar"),
        ("US$1,200.50/month", 1200.5, "dollar"),
        ("1.2k dollars", 1200, "dollar"),
        ("$1.2k.", 1200, "dollar"),
        ("(£45)", 45, "pound"),
        ("500 €", 500, "euro"),
        ("EUR 500", 500, "euro"),
        ("$2 million", 2e6, "dollar"),
        ("between 50 and $60", 60, "dollar"),
        ("$50-60k", 55_000, "dollar"),
        ("$85k–$95k", 90_000, "dollar"),
        ("twenty-five thousand dollars", 25_000, "dollar"),
        ("two hundred and fifty thousand euros", 250_000, "euro"),
        ("Five bucks", 5, "dollar"),
        ("We refund 1 500 €.", 1500, "euro"),
        ("The loan is $12 500.", 12_500, "dollar"),
        ("12\u202f500 dollars", 12_500, "dollar"),
        ("CHF 1'500", 1500, "franc"),
        ("₹5,00,000", 500_000, "rupee"),
        ("A$50", 50, "dollar"),
    ],
)
def test_money(text: str, value: float, unit: str) -> None:
    assert read(text) == [(MONEY, value, unit)]


def test_blanks_part_thousands_of_money_alone() -> None:
    assert (COUNT, 2500.0, "tablets") not in read("Take 2 500 tablets, or pay 20 100 times.")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("12%", 12), ("12 %.", 12), ("twelve percent", 12), ("12 per cent", 12)),
        *(("3.5 percentage points", 3.5), ("10-15%", 12.5), ("zero percent", 0)),
    ],
)
def test_percentages(text: str, value: float) -> None:
    assert read(text) == [(PERCENT, value, "")]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("two weeks", 2 * WEEK),
        ("a 2-week wait", 2 * WEEK),
        ("in 14 more days", 2 * WEEK),
        ("5 business days", WEEK),
        ("three to seven working days", WEEK),
        ("one or two weeks", 1.5 * WEEK),
        ("24 hours", 1.0),
        ("12 months", 365.25),
        ("one year", 365.25),
        ("36 min", 0.025),
        ("10 years of experience", 3652.5),
    ],
)
def test_durations_are_in_days(text: str, days: float) -> None:
    assert read(text) == [(DURATION, days, "")]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("Bring three recent references.", 3, "references"),
        ("Bring 2 forms of ID.", 2, "forms"),
        ("5-7 people", 6, "people"),
        ("two dozen boxes", 24, "boxes"),
        ("1,950 complaints", 1950, "complaints"),
    ],
)
def test_counts(text: str, value: float, unit: str) -> None:
    assert read(text) == [(COUNT, value, unit)]


@pytest.mark.parametrize(
    "text",
    [
        "He is 25 years old, a 25-year-old; she, aged 30 years, is 40 years of age.",
        "On May 5, 2024 at 10:30, or on 05/12/2024, or the 12th.",
        "In 2019 sales rose; the 2023 reports say so.",
        "Call 555-1234-777 or +49 30 12345 about order 12345 or ticket #99.",
        "1. Listen.\n2) Apologise.\n3 Follow up.",
        "Step 2 requires care, option 3 needs less, and section 4 says why.",
        "One of these days, one day, no one is as good as one; choose the one that suits you.",
        "Version 3.5.1, room B12, a 4x4 and a score of 4/5.",
        "",
    ],
)
def test_what_is_no_amount(text: str) -> None:
    assert read(text) == []


def test_an_amount_named_twice_stands_once_with_the_words_around_it() -> None:
    (one,) = amounts("The deposit is $500. Return the keys and get $500 back.")
    assert one.context == {"deposit", "return", "keys", "back"}


def test_the_words_of_another_sentence_say_nothing() -> None:
    refund, fee = amounts("The refund is $500. A late fee of $20 applies.")
    assert refund.context == {"refund"}
    assert fee.context == {"late", "fee", "applies"}


def test_the_words_of_a_clause_are_nearest() -> None:
    rent, fee = amounts("The rent is $900, and a fee of $20 applies.")
    assert (rent.clause, fee.clause) == ({"rent"}, {"fee", "applies"})
    assert rent.context == fee.context == {"rent", "fee", "applies"}
