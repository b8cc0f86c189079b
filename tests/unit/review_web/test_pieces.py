"""Pictures, times, filters and limits, each by itself."""

from __future__ import annotations

import pytest

from guard.records import CaseFilter, CaseKind, CaseState, Reading
from guard.review_web.options import ReviewOptions
from guard.review_web.plots import HEIGHT, WIDTH, bar_chart, interval_chart
from guard.review_web.queue_pages import active_filters, case_filter, filtered_url
from guard.review_web.rate_limit import MAX_KEYS, SignInLimiter, sign_in_keys
from guard.review_web.rendering import format_age, format_duration, format_time, load_labels
from tests.unit.review.made import ManualClock


def test_columns_stand_on_the_floor_and_reach_their_count() -> None:
    plot = bar_chart(["mon", "tue"], [("opened", [0, 10]), ("closed", [5, 3])])
    heights = {bar.title: bar.height for bar in plot.bars}
    assert heights["mon: 0 opened"] == 0
    assert heights["mon: 5 closed"] == pytest.approx(heights["tue: 10 opened"] / 2)
    for bar in plot.bars:
        assert bar.y + bar.height == pytest.approx(plot.floor)
        assert 0 <= bar.x < bar.x + bar.width <= WIDTH
        assert 0 < bar.y <= HEIGHT
    assert [line.name for line in plot.across] == ["0", "5", "10"]


def test_columns_of_nothing_can_be_drawn() -> None:
    assert bar_chart([], [("opened", [])]).bars == ()
    assert {bar.height for bar in bar_chart(["mon"], [("opened", [0])]).bars} == {0}


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 9, 11, 99, 101, 65_000, 100_000])
def test_the_scale_is_high_enough_and_even(most: int) -> None:
    (*_, top) = bar_chart(["x"], [("n", [most])]).across
    high = int(top.name.replace(",", ""))
    assert most <= high <= max(2 * most, 4)
    assert high % 2 == 0


def test_few_names_are_written_below_many_columns_the_last_among_them() -> None:
    names = [f"d{number}" for number in range(30)]
    below = bar_chart(names, [("n", [1] * 30)]).below
    assert below[0].name == "d29"
    assert len(below) <= 7


def test_whiskers_stay_on_the_scale() -> None:
    beyond = Reading(value=0.5, low=-2.0, high=9.0, n=1)
    inside = Reading(value=0.2, low=0.1, high=0.3, n=1000)
    plot = interval_chart([("a", beyond), ("b", inside)], 0.0, 1.0)
    wide, narrow = plot.rows
    assert wide.low < narrow.low < narrow.at < narrow.high < wide.high
    assert narrow.text == "0.20 (0.10 to 0.30), n = 1,000"
    assert wide.at == pytest.approx((wide.low + wide.high) / 2)
    assert [tick.name for tick in plot.below] == ["0", "0.25", "0.5", "0.75", "1"]


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


def test_tries_that_were_long_ago_are_forgotten_and_so_are_many() -> None:
    clock = ManualClock()
    limiter = SignInLimiter(ReviewOptions(clock=clock, tries=1, tries_per_address=10**9))
    for number in range(MAX_KEYS + 10):
        assert limiter.attempt(sign_in_keys(f"name{number}", "a")) == 0
    assert limiter.attempt(sign_in_keys("name5", "a")) == 0
    assert limiter.attempt(sign_in_keys(f"name{MAX_KEYS + 9}", "a")) == 600
    clock.now += 599.5
    assert limiter.attempt(sign_in_keys(f"name{MAX_KEYS + 9}", "a")) == 0.5


def test_every_verdict_has_a_name_and_is_explained() -> None:
    labels = load_labels()
    assert labels["verdicts"].keys() == labels["verdict_help"].keys()
