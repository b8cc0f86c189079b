"""Nothing is asked beyond what may be spent, and what was not spent comes back."""

from __future__ import annotations

import pytest

from guard.shadow.budget import BudgetLimits, Grant, OverBudget, SpendingBudget


def budget(**limits: int) -> SpendingBudget:
    usual = {"calls_per_minute": 6, "tokens_per_day": 86_400, "concurrency": 9}
    return SpendingBudget(BudgetLimits(**{**usual, **limits}), now=0.0)


def test_a_job_is_reserved_whole() -> None:
    purse = budget()
    assert purse.reserve(6, 10, now=0.0) == Grant(calls=6, tokens=10)
    assert purse.reserve(1, 10, now=0.0) == OverBudget(reason="calls", at_seconds=10.0)
    assert isinstance(purse.reserve(1, 10, now=10.0), Grant)


def test_nothing_is_taken_by_a_refusal() -> None:
    purse = budget()
    assert isinstance(purse.reserve(1, 10**9, now=0.0), Grant)  # overdraws the full bucket
    assert isinstance(purse.reserve(5, 1, now=0.0), OverBudget)
    assert isinstance(purse.reserve(5, 1, now=10**9), Grant)


def test_tokens_fill_with_the_day() -> None:
    purse = budget()
    assert isinstance(purse.reserve(1, 86_400, now=0.0), Grant)
    assert purse.reserve(1, 100, now=0.0) == OverBudget(reason="tokens", at_seconds=100.0)
    assert isinstance(purse.reserve(1, 100, now=100.0), Grant)


def test_a_job_larger_than_the_bucket_waits_until_it_is_full() -> None:
    purse = budget()
    assert isinstance(purse.reserve(60, 1, now=0.0), Grant)
    later = purse.reserve(1, 1, now=0.0)
    assert isinstance(later, OverBudget)
    assert later.at_seconds == pytest.approx(550.0)


def test_what_was_not_spent_comes_back() -> None:
    purse = budget()
    grant = purse.reserve(6, 86_400, now=0.0)
    assert isinstance(grant, Grant)
    purse.settle(grant, calls=2, tokens=400)
    assert isinstance(purse.reserve(4, 86_000, now=0.0), Grant)


def test_what_cost_more_is_owed() -> None:
    purse = budget()
    grant = purse.reserve(1, 0, now=0.0)
    assert isinstance(grant, Grant)
    purse.settle(grant, calls=1, tokens=86_400)
    assert purse.reserve(1, 50, now=0.0) == OverBudget(reason="tokens", at_seconds=50.0)


def test_what_follows_from_a_job_may_overdraw_and_others_wait_the_longer() -> None:
    purse = budget()
    assert isinstance(purse.reserve(5, 0, now=0.0), Grant)
    assert isinstance(purse.reserve(6, 0, now=0.0), OverBudget)
    assert isinstance(purse.reserve(6, 0, now=0.0, overdraws=True), Grant)
    overdrawn = OverBudget(reason="calls", at_seconds=50.0)
    assert purse.reserve(1, 0, now=0.0, overdraws=True) == overdrawn
    assert purse.reserve(1, 0, now=0.0) == OverBudget(reason="calls", at_seconds=60.0)


def test_a_clock_that_goes_back_gives_nothing() -> None:
    purse = budget()
    purse.reserve(6, 1, now=100.0)
    assert isinstance(purse.reserve(1, 1, now=0.0), OverBudget)


@pytest.mark.parametrize("name", ["calls_per_minute", "tokens_per_day", "concurrency"])
def test_limits_are_at_least_one(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        BudgetLimits(**{name: 0})


def test_a_model_may_think_a_lot_but_not_without_end() -> None:
    grant = Grant(calls=2, tokens=301)
    assert grant.cost([120_000, 7]) == 120_007
    assert grant.cost([10**9, 7]) == 151 + 7
    assert grant.cost([0, 0]) == 301
    assert grant.cost([]) == 0
