"""Times, filters and limits, each by itself."""

from __future__ import annotations

import pytest

from guard.records import CaseFilter, CaseKind, CaseState
from guard.render.numbers import format_time
from guard.review_web import rate_limit
from guard.review_web.options import ReviewOptions
from guard.review_web.queue_pages import active_filters, case_filter, filtered_url
from guard.review_web.rate_limit import SignInLimiter, sign_in_keys
from guard.review_web.rendering import format_age, format_duration, load_labels
from tests.unit.review.made import ManualClock

FEW_KEYS = 100


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (0.44, "0.4 s"),
        (5, "5 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (7200, "2 h"),
        (2e6, "23 d"),
    ],
)
def test_durations_have_one_unit(seconds: float, said: str) -> None:
    assert format_duration(seconds) == said


def test_moments() -> None:
    assert format_age(100.0, 100.4) == "0 s"
    assert format_age(200.0, 100.0) == "0 s"
    assert format_time(0.0) == "1970-01-01 00:00 UTC"


def test_a_query_becomes_a_filter() -> None:
    query = {"use_case": " chat ", "kind": "pair", "state": "open", "age": "day", "said": "x"}
    assert case_filter(query, 100_000.0) == CaseFilter(
        use_case="chat", kind=CaseKind.PAIR, state=CaseState.OPEN, opened_before=13_600.0
    )
    assert case_filter({"kind": "x", "state": "", "age": "decade"}, 0.0) == CaseFilter()
    assert active_filters({"use_case": "x" * 1000})["use_case"] == "x" * 200


def test_links_keep_the_filters_and_nothing_else() -> None:
    query = {"use_case": "a&b=c", "next": "//evil", "reason": ""}
    assert (
        filtered_url("/queue", query, said="voted", last="")
        == "/queue?use_case=a%26b%3Dc&said=voted"
    )
    assert filtered_url("/queue", {}) == "/queue"


def test_tries_that_were_long_ago_are_forgotten_and_so_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limit, "MAX_KEYS", FEW_KEYS)
    clock = ManualClock()
    limiter = SignInLimiter(ReviewOptions(clock=clock, tries=1, tries_per_address=10**9))
    for number in range(FEW_KEYS + 10):
        assert limiter.attempt(sign_in_keys(f"name{number}", "a")) == 0
    assert limiter.attempt(sign_in_keys("name5", "a")) == 0
    assert limiter.attempt(sign_in_keys(f"name{FEW_KEYS + 9}", "a")) == 600
    clock.now += 599.5
    assert limiter.attempt(sign_in_keys(f"name{FEW_KEYS + 9}", "a")) == 0.5


def test_a_flood_of_other_names_does_not_make_a_name_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tries that are refused before a password is checked leave nothing, and who must wait is not
    quiet."""
    monkeypatch.setattr(rate_limit, "MAX_KEYS", FEW_KEYS)
    clock = ManualClock()
    limiter = SignInLimiter(ReviewOptions(clock=clock, tries_per_name=1))
    assert limiter.attempt(sign_in_keys("sarah", "")) == 0
    for number in range(FEW_KEYS + 9):
        keys = sign_in_keys(f"name{number}", "")
        assert limiter.attempt(keys) == 0
        limiter.withdraw(keys)
    assert limiter.attempt(sign_in_keys("sarah", "")) == 600
    for number in range(FEW_KEYS - 1):
        assert limiter.attempt(sign_in_keys(f"name{number}", "")) == 0
        assert number % 9 or limiter.attempt(sign_in_keys("sarah", "")) == 600
    assert limiter.attempt(sign_in_keys("one more", "")) == 0
    assert limiter.attempt(sign_in_keys("sarah", "")) == 600


def test_a_name_in_other_letters_has_no_tries_of_its_own() -> None:
    assert sign_in_keys("ANN", "a") == sign_in_keys("ann", "a") == sign_in_keys("\uff41nn", "a")


def test_every_verdict_has_a_name_and_is_explained() -> None:
    labels = load_labels()
    assert labels["verdicts"].keys() == labels["verdict_help"].keys()
