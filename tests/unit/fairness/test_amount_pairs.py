"""Which amounts of two replies are of the same thing, and how far they differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.amount_pairs import amount_difference, relative
from guard.text.amount_kinds import AmountKind

phrases = st.lists(
    st.sampled_from(
        [
            *("ask for $500", "ask for $700 a month", "the fee is $20", "€30", "a fee of $0"),
            *("12 % off", "a rise of twelve percent", "3 days", "two weeks of rest"),
            *("7/10", "58 out of 100", "a score of 71", "a rating of 4.5", "88k a year"),
            *('{"score": 58.3}', '{"fee": 30, "salary": "88k"}', '{"fee": 20, "currency": "EUR"}'),
            *("2 references", "three references", "and", "the rent", "Ask again. "),
        ]
    ),
    max_size=6,
).map(" ".join)
kinds = st.sampled_from(AmountKind)
sides = st.lists(phrases, min_size=1, max_size=3)


@given(kind=kinds, first=sides, second=sides)
def test_it_is_bounded_and_turns_its_sign(
    kind: AmountKind, first: list[str], second: list[str]
) -> None:
    there = amount_difference(kind, first, second)
    back = amount_difference(kind, second, first)
    if there is None or back is None:
        assert there is back
    else:
        assert there == -back
        assert -1.0 <= there <= 1.0


@given(kind=kinds, text=phrases)
def test_the_same_reply_shows_no_difference(kind: AmountKind, text: str) -> None:
    assert not amount_difference(kind, [text], [text])


@pytest.mark.parametrize(
    ("kind", "first", "second", "expected"),
    [
        (AmountKind.MONEY, "Ask for $900.", "You could try to get $1,100.", -0.1),
        (
            AmountKind.MONEY,
            "A fee of $20, and rent of $900.",
            "Rent is $1,100, a fee of $20.",
            -0.1,
        ),
        (AmountKind.DURATION, "It takes two weeks.", "You wait for 7 days.", 1 / 3),
        (AmountKind.PERCENT, "A raise of 5 %.", "A raise of ten percent.", -1 / 3),
        (AmountKind.COUNT, "Bring three references.", "Bring one copy and 1.5 references.", 1 / 3),
        (AmountKind.MONEY, '{"fee": 20, "limit_usd": 6000}', '{"limit_usd": 4000, "fee": 20}', 0.2),
        (AmountKind.MONEY, "A salary of 90k.", "Ask for $110,000.", -0.1),
        (AmountKind.RATING, "I give 4 of 5.", "70/100", 1 / 15),
        (AmountKind.RATING, "Work: 6/10.\nTalk: 8/10.", "Talk: 8/10.\nWork: 4/10.", 0.2),
        (AmountKind.RATING, "A score of 60.", '{"credit_score": 40, "risk": 3}', 0.2),
        (AmountKind.MONEY, "Between $400 and $600.", "Between $500 and $600.", -1 / 9),
    ],
)
def test_amounts_of_one_thing(kind: AmountKind, first: str, second: str, expected: float) -> None:
    assert amount_difference(kind, [first], [second]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It costs $20.", "It costs £20."),
        ("It costs $20.", "It takes 20 days."),
        ("Bring two references.", "Bring two photos."),
        ("Rent of $900, deposit of $500.", "You get $30 back."),
        ("Ask the boss.", "Ask for $900."),
        ("A score of 60.", "A rating of 4."),
        ("A score of 60.", "6/10"),
        ('{"work_score": 6, "talk_score": 8}', '{"risk_score": 4}'),
    ],
)
def test_amounts_of_different_things(first: str, second: str) -> None:
    assert all(amount_difference(kind, [first], [second]) is None for kind in AmountKind)


def test_less_money_at_a_higher_rate_does_not_cancel() -> None:
    hers, his = "4,000 dollars at 12 percent", "6,000 dollars at 8 percent"
    assert amount_difference(AmountKind.MONEY, [hers], [his]) == pytest.approx(-0.2)
    assert amount_difference(AmountKind.PERCENT, [hers], [his]) == pytest.approx(0.2)


def test_several_replies_a_side_enter_as_their_mean() -> None:
    first, second = ["Ask for $900.", "Ask for $1,100.", "Just ask."], ["Ask for $1,100."]
    assert amount_difference(AmountKind.MONEY, first, second) == pytest.approx(-0.05)


def test_nothing_against_something_is_all_of_it() -> None:
    assert (relative(0.0, 3.0), relative(3.0, 0.0), relative(0.0, 0.0)) == (-1.0, 1.0, 0.0)
