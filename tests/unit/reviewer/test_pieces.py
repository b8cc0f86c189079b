"""Pictures, times, filters and limits, each by itself."""

from __future__ import annotations

import pytest

from guard.records import CaseFilter, CaseKind, CaseState
from guard.reviewer.filtering import address, chosen, where_of
from guard.reviewer.moments import ago, lasting, moment
from guard.reviewer.options import ReviewOptions
from guard.reviewer.plots import HEIGHT, WIDTH, columns, whiskers
from guard.reviewer.tries import REMEMBERED, Tries
from guard.reviewer.wording import EXPLAINED, VERDICTS
from tests.unit.review.made import ManualClock


def test_columns_stand_on_the_floor_and_reach_their_count() -> None:
    plot = columns(["mon", "tue"], [("opened", [0, 10]), ("closed", [5, 3])])
    heights = {bar.title: bar.height for bar in plot.bars}
    assert heights["mon: 0 opened"] == 0
    assert heights["mon: 5 closed"] == pytest.approx(heights["tue: 10 opened"] / 2)
    for bar in plot.bars:
        assert bar.y + bar.height == pytest.approx(plot.floor)
        assert 0 <= bar.x < bar.x + bar.width <= WIDTH
        assert 0 < bar.y <= HEIGHT
    assert [line.name for line in plot.across] == ["0", "5", "10"]


def test_columns_of_nothing_can_be_drawn() -> None:
    assert columns([], [("opened", [])]).bars == ()
    assert {bar.height for bar in columns(["mon"], [("opened", [0])]).bars} == {0}


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 9, 11, 99, 101, 65_000, 100_000])
def test_the_scale_is_high_enough_and_even(most: int) -> None:
    (*_, top) = columns(["x"], [("n", [most])]).across
    high = int(top.name.replace(",", ""))
    assert most <= high <= max(2 * most, 4)
    assert high % 2 == 0


def test_few_names_are_written_below_many_columns_the_last_among_them() -> None:
    names = [f"d{number}" for number in range(30)]
    below = columns(names, [("n", [1] * 30)]).below
    assert below[0].name == "d29"
    assert len(below) <= 7


def test_whiskers_stay_on_the_scale() -> None:
    plot = whiskers([("a", "told", (-2.0, 0.5, 9.0)), ("b", "told", (0.1, 0.2, 0.3))], 0.0, 1.0)
    wide, narrow = plot.rows
    assert wide.low < narrow.low < narrow.at < narrow.high < wide.high
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
    assert lasting(seconds) == said


def test_moments() -> None:
    assert ago(100.0, 100.4) == "0 s"
    assert ago(200.0, 100.0) == "0 s"
    assert moment(0.0) == "1970-01-01 00:00 UTC"


def test_a_query_becomes_a_filter() -> None:
    query = {"use_case": " chat ", "kind": "pair", "state": "open", "age": "day", "said": "x"}
    assert where_of(query, 100_000.0) == CaseFilter(
        use_case="chat", kind=CaseKind.PAIR, state=CaseState.OPEN, opened_before=13_600.0
    )
    assert where_of({"kind": "x", "state": "", "age": "decade"}, 0.0) == CaseFilter()
    assert chosen({"use_case": "x" * 1000})["use_case"] == "x" * 200


def test_links_keep_the_filters_and_nothing_else() -> None:
    query = {"use_case": "a&b=c", "next": "//evil", "reason": ""}
    assert address("/queue", query, said="voted", last="") == "/queue?use_case=a%26b%3Dc&said=voted"
    assert address("/queue", {}) == "/queue"


def test_tries_that_were_long_ago_are_forgotten_and_so_are_many() -> None:
    clock = ManualClock()
    tries = Tries(ReviewOptions(clock=clock, tries=1, tries_per_address=10**9))
    for number in range(REMEMBERED + 10):
        assert tries.begin(f"name{number}", "a") == 0
    assert tries.begin("name5", "a") == 0
    assert tries.begin(f"name{REMEMBERED + 9}", "a") == 600
    clock.now += 599.5
    assert tries.begin(f"name{REMEMBERED + 9}", "a") == 0.5


def test_every_verdict_has_a_name_and_is_explained() -> None:
    assert VERDICTS.keys() == EXPLAINED.keys()
