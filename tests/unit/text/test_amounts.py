"""Which amounts a text holds, and which numbers are none; those of fields are tested elsewhere."""

from __future__ import annotations

import pytest

from guard.text.amount_kinds import AmountKind
from guard.text.amounts import MOST, amounts

MONEY, PERCENT, DURATION, COUNT, RATING = AmountKind
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
        ("₹12 lakh", 12e5, "rupee"),
        ("Rs. 2.5 lakhs", 2.5e5, "rupee"),
        ("two crore rupees", 2e7, "rupee"),
        ("€95.000", 95_000, "euro"),
        ("1.500 euros", 1500, "euro"),
        ("€1.234.567,89", 1_234_567.89, "euro"),
        ("£95.000–£105.000", 100_000, "pound"),
        ("12,50 €", 12.5, "euro"),
        ("£1,5 million", 15e5, "pound"),
        ("$1.459", 1.459, "dollar"),
        ("€1.459 per litre", 1.459, "euro"),
        ("\uff15\uff0c\uff10\uff10\uff10 dollars", 5000, "dollar"),
        ("\uff04\uff15\uff10\uff10", 500, "dollar"),
        ("$5{,}000", 5000, "dollar"),
        ("five to seven thousand dollars", 6000, "dollar"),
        ("five or seven hundred thousand dollars", 600_000, "dollar"),
        ("ten to two thousand dollars", 1005, "dollar"),
        ("half a million dollars", 5e5, "dollar"),
        ("a quarter of a million dollars", 250_000, "dollar"),
        ("three quarters of a million dollars", 750_000, "dollar"),
        ("a hundred grand", 1e5, ""),
    ],
)
def test_money(text: str, value: float, unit: str) -> None:
    assert read(text) == [(MONEY, value, unit)]


def test_blanks_part_thousands_of_money_alone() -> None:
    assert (COUNT, 2500.0, "tablets") not in read("Take 2 500 tablets, or pay 20 100 times.")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ask for a salary of about 88k.", 88_000),
        ("Ask for 120k.", 120_000),
        ("Ask for 100k to 120k.", 110_000),
        ("She earns 1.2m.", 1.2e6),
        ("It is 88k a year.", 88_000),
        ("A 95k salary.", 95_000),
        ("The approved limit is 3512.", 3512),
        ("**Salary:** 65,000", 65_000),
        ("The salary for this position is about 65,000.", 65_000),
        ("The fee is 5-10.", 7.5),
        ("The rent is 900\nreferences are wanted", 900),
    ],
)
def test_money_without_a_currency(text: str, value: float) -> None:
    assert read(text) == [(MONEY, value, "")]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("I give this candidate 58.3 out of 100.", 0.583),
        ("**Rating:** 8/10", 0.8),
        ("- **Overall rating:** 7/10", 0.7),
        ("**Score:** 85 out of 100", 0.85),
        ("7/10", 0.7),
        ("I'd put this at a 6.5 / 10 overall.", 0.65),
        ("**7**/10", 0.7),
        ("Rated 4.5 of 5.", 0.9),
        ("8 out of 10 stars", 0.8),
        ("four out of five stars", 0.8),
        ("Rating: 4/5", 0.8),
        ("I give it 4/5.", 0.8),
        ("7-8 out of 10", 0.75),
        ("A GPA of 3.4/4.0", 0.85),
        ("Her score was 12 out of a possible 16.", 0.75),
        ("My ratings:\n- Work: 3/5", 0.6),
        ("On a scale of 1 to 10, I would say 7.", 0.7),
        ("On a scale from 1-10: **7**", 0.7),
        ("I'd say 7 on a scale of one to ten.", 0.7),
        ("On a scale of 1 to 10, where 10 is the highest, I would rate this candidate a 7.", 0.7),
        ("On a scale of 1 to 10 (10 being the best), I give it 8.", 0.8),
        ("On a scale of 1 to 10, with 1 being the lowest and 10 the highest: 8", 0.8),
        ("I rate her 7 out of 10 on a scale of 1 to 10.", 0.7),
        ("On a 5-point scale I would give this a 4.", 0.8),
        ("Overall: \u2605\u2605\u2605\u2605\u2606", 0.8),
        ("\u2b50\u2b50\u2b50\u2b50 A solid file.", 0.8),
        ("Grade: B+", 0.767),
        ("Letter grade: **F**", 0.0),
    ],
)
def test_ratings_are_shares_of_their_scale(text: str, share: float) -> None:
    assert read(text) == [(RATING, share, "")]


@pytest.mark.parametrize(
    ("text", "value", "name"),
    [
        ("score: 71", 71, "score"),
        ("A credit score of 640 is low.", 640, "score"),
        ("The overall score for this file is 71.", 71, "score"),
        ("Rated 4.2 by us.", 4.2, "rating"),
        ("I'd rate the applicant a 7.", 7, "rating"),
        ("The probability of default is 0.12.", 0.12, "probability"),
        ("Your score is 71\nReasons follow.", 71, "score"),
        ("7", 7, "score"),
        ("**8.5**", 8.5, "score"),
        ("[[7]]", 7, "score"),
        ("\\boxed{7}", 7, "score"),
        ("Rating: [[7]]", 7, "rating"),
        ("Priority: 7", 7, "priority"),
        ("Triage level: 3", 3, "triage_level"),
        ("Rate: 6.5", 6.5, "rate"),
    ],
)
def test_ratings_without_a_scale_have_a_name(text: str, value: float, name: str) -> None:
    assert read(text) == [(RATING, value, name)]


@pytest.mark.parametrize(
    ("text", "granted"),
    [
        ("Yes.", True),
        ("**No**", False),
        ("I can't recommend", False),
        ("Decision: can’t approve", False),
        ("Recommendation: wouldn't hire", False),
        ('{"recommendation": "unable to approve"}', False),
        ("Decision: Recommend against approval", False),
        ("Decision: recommend rejecting", False),
        ('{"decline": false}', True),
        ("Decision: approved with conditions", True),
        ("## Decision: ✅ Approved", True),
        ("**Decision:** ❌ Denied (low income)", False),
        ("Approved", True),
        ("Not recommended", False),
        ("Decision: Approve", True),
        ("- **Recommendation:** Do not hire", False),
        ('{"decision": "deny", "reviewed": "today"}', False),
        ('{"decision": "APPROVED"}', True),
        ('{"is_eligible": false}', False),
        ('{"approved": true}', True),
        ('{"eligible": "yes"}', True),
        ("<verdict>reject</verdict>", False),
    ],
)
def test_a_decision_is_a_rating_of_one_or_nothing(text: str, granted: bool) -> None:
    assert read(text) == [(RATING, float(granted), "decision")]


@pytest.mark.parametrize(
    "text",
    [
        "Yes, we can do that.",
        "Decision: pending",
        "Decision: approve or deny",
        '{"decision": "", "verbose": true, "comment": "no", "passed_to": "the team"}',
        "Recommendation: see the notes",
        "A yes/no question.",
        "Yes or no",
        "Status: pending approval",
        "Decision: lacks approval",
        "Result: fail2ban",
        "Grant",
        '{"accept_cookies": true, "recommended_products": true, "fail_fast": true}',
        "Hire date: no",
        "Denied boarding: no",
    ],
)
def test_what_decides_nothing(text: str) -> None:
    assert read(text) == []


def test_a_decision_takes_no_amount_from_its_line_and_a_scale_no_count() -> None:
    assert read("Decision: approved $3,500") == [(MONEY, 3500, "dollar")]
    assert read('{"status": "approved $3,500"}') == [(MONEY, 3500, "dollar")]
    assert read("Result: 2 failed") == []
    assert read("It is on a scale of 0 to 10. 2 tablets help.") == [(COUNT, 2, "tablets")]
    assert read("On a scale of 1 to 100, 40 employees answered.") == [(COUNT, 40, "employees")]


def test_a_rating_that_stands_twice_is_twice_a_rating() -> None:
    assert len(amounts("Work: 7/10.\nStudies: 7/10.")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "On 7/10 we met, by 8/10 it was done; on 24/7, 9/11 and 20/20 see the note.",
        "It was rated on 7/10.",
        "[3/10] Downloading\nPage 3 of 10, step 3/10, part 4 of 5.",
        "Add 2/3 cup of flour and 1/4 teaspoon of salt; give 1/2 of it away.",
        "Walk 7/10 of a mile. His blood pressure is 120/80.",
        "They won 3-2. The score was 3-2, and a score of 2–3 came. Scores of things went wrong.",
        "Two out of three agree, and 4 of 5 did.",
        "A 5k run, a 4k screen, and a 401k.",
        "The fee is due at 5 pm, the payment from 1 January.",
        "The debt is 7 years old.",
        "The salary is good. 5000 came. The rating of 1999 was kept.",
        "A value of -5, and a score of -3.",
        "On a scale of 1 to 10, how were things?",
        "The cost of [4], and the score is [1] high.",
        "The answer to 12 x 3 is no rating.",
        "A map at a scale of 1 to 50 shows 7 of them; a 10-point scale is used.",
        "\u2b50 Tip of the day: please grade a paper. What grade is a pass?",
        "x = 60 * 2 / 10; score = 0.5; likelihood: Likelihood = 0.9",
        "It costs $" + "9" * 400 + ".",
    ],
)
def test_what_is_no_rating_and_no_sum(text: str) -> None:
    assert read(text) == []


def test_parts_of_people_are_counted_as_people() -> None:
    assert read("9 out of 10 dentists, 4 out of 5 people") == [
        (COUNT, 10, "dentists"),
        (COUNT, 5, "people"),
    ]


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
        "Version 3.5.1, room B12 and a 4x4.",
        "",
    ],
)
def test_what_is_no_amount(text: str) -> None:
    assert read(text) == []


def test_few_of_many_amounts_are_told() -> None:
    assert len(amounts("7/10 " * 1_000)) == MOST
    assert len(amounts("".join(f"{n} apples. " for n in range(2, 1_000)))) == MOST


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
