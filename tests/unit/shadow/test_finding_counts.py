"""What became of flagged pairs and of calls without an attribute, in numbers and in words."""

from __future__ import annotations

import pytest

from guard.shadow.finding_counts import (
    FlaggedPairs,
    UnvariedPairs,
    UseCaseCounts,
    count_flagged,
    count_unvaried,
    count_use_case,
    describe_flagged,
    describe_unvaried,
    describe_use_case,
)

COUNTS = {
    "flagged": 12.0,
    "confirmed": 3.0,
    "not_confirmed": 4.0,
    "not_confirmed_calls": 1.0,
    "not_confirmed_tokens": 1.0,
    "unconfirmed": 1.0,
    "over_cap": 2.0,
    "compared": 90.0,
}


def test_every_flagged_pair_is_counted_in_one_place() -> None:
    found = count_flagged(COUNTS)
    assert found == FlaggedPairs(
        flagged=12, confirmed=3, not_confirmed=4, unconfirmed=1, over_budget=2, over_cap=2
    )
    assert found.waiting == 2


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (FlaggedPairs(), ""),
        (FlaggedPairs(flagged=1), "1 pairs flagged as unusual: 1 wait to be asked again"),
        (
            FlaggedPairs(flagged=2_000, not_confirmed=1_990, unconfirmed=10, over_cap=5),
            "2,000 pairs flagged as unusual: 1,990 not confirmed, 10 opened as cases unconfirmed;"
            " 5 cases over the cap of the day",
        ),
    ],
)
def test_only_what_happened_is_said(found: FlaggedPairs, words: str) -> None:
    assert describe_flagged(found) == words


def test_a_settings_change_while_pairs_wait_makes_no_negative_number() -> None:
    assert FlaggedPairs(flagged=1, confirmed=2).waiting == 0


def test_what_belongs_to_no_attribute() -> None:
    counts = {"opted_out": 2.0, "skipped_not_shadowed": 7.0, "slip": 1.0, "over_cap": 3.0}
    found = count_use_case(counts, unposted=1)
    assert found == UseCaseCounts(
        left_alone={"not_shadowed": 7, "opted_out": 2}, slips=1, over_cap=3, unposted=1
    )
    assert describe_use_case(found) == (
        "9 sampled calls not asked again (not shadowed any more 7, the caller asked for it 2);"
        " 1 cases of single replies; 3 more over the cap of the day;"
        " 1 alarms did not reach alarm_webhook.url"
    )
    assert describe_use_case(UseCaseCounts()) == ""


@pytest.mark.parametrize(
    ("counted", "words"),
    [
        ({}, ""),
        ({"deterministic": 3.0}, "replies of 3 pairs do not vary"),
        (
            {"deterministic": 2_000.0, "repeated": 1_900.0},
            "replies of 2,000 pairs do not vary: 1,900 were counted before",
        ),
    ],
)
def test_that_replies_do_not_vary_is_said(counted: dict[str, float], words: str) -> None:
    found = count_unvaried(COUNTS | counted)
    assert found == UnvariedPairs(**{what: round(n) for what, n in counted.items()})
    assert describe_unvaried(found) == words
