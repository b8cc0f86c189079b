"""Amounts by day, also where the clock is set."""

from __future__ import annotations

import pytest

from guard.shadow.daily_cases import DAY
from guard.shadow.daily_count import DailyCount

NOON = 20_000 * DAY + 43_200.0


def added(*days: float) -> list[int]:
    """The sum after each time that 10 are added, so many days from noon."""
    count = DailyCount()
    return [count.add("chat", 10, NOON + at * DAY) for at in days]


def test_a_day_begins_anew_and_the_day_before_counts_for_it() -> None:
    assert added(0, 0, 1, 0, 1, 2) == [10, 20, 10, 20, 30, 10]


@pytest.mark.parametrize("ahead", [1.6, 30, 365])
def test_a_clock_that_was_ahead_ends_no_later_day(ahead: float) -> None:
    assert added(ahead, 0, 0, 1, 2, 3) == [10, 10, 20, 10, 10, 10]
