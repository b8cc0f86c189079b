"""Plots: where their marks stand, what they say, and that any text is only text in them."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Reading
from guard.render.markup import Markup
from guard.render.plots import (
    BOTTOM,
    EDGE,
    HEIGHT,
    WIDTH,
    DumbbellRow,
    IntervalRow,
    TallyRow,
    bar_chart,
    dumbbell_chart,
    histogram_chart,
    interval_chart,
    tally_chart,
)
from guard.render.scale import Scale, even_count, ratio_scale_over, scale_over

UNIT = Scale(low=0.0, high=1.0, left=EDGE, right=WIDTH - EDGE)
INSIDE = Reading(value=0.2, low=0.1, high=0.3, n=1000)
HOSTILE = "</title></svg><script>alert(1)</script>\x00\ud800\ufffe&'\""


def drawn(plot: Markup) -> ElementTree.Element:
    """The plot as XML: it is well-formed, whatever it was made of."""
    return ElementTree.fromstring(plot.text)


def marks(plot: Markup, name: str, class_: str = "") -> list[ElementTree.Element]:
    return [one for one in drawn(plot).iter(name) if class_ in one.get("class", "")]


def at(mark: ElementTree.Element, name: str) -> float:
    return float(mark.attrib[name])


def bars(names: Sequence[str], *series: Sequence[int]) -> list[ElementTree.Element]:
    called = [(f"s{number}", counts) for number, counts in enumerate(series)]
    return marks(bar_chart("t", names, called), "rect")


def test_bars_stand_on_the_floor_and_reach_their_count() -> None:
    found = bars(["mon", "tue"], [0, 10], [5, 3])
    heights = {one[0].text: at(one, "height") for one in found}
    assert set(heights) == {"tue: 10 s0", "mon: 5 s1", "tue: 3 s1"}
    assert heights["mon: 5 s1"] == pytest.approx(heights["tue: 10 s0"] / 2, abs=0.1)
    for one in found:
        assert at(one, "y") + at(one, "height") == pytest.approx(HEIGHT - BOTTOM, abs=0.2)
        assert 0 <= at(one, "x") < at(one, "x") + at(one, "width") <= WIDTH


def test_bars_of_nothing_can_be_drawn() -> None:
    assert bars([], []) == []
    assert bars(["mon"], [0]) == []


def test_few_names_are_written_below_many_bars_the_last_among_them() -> None:
    plot = bar_chart("t", [f"d{number}" for number in range(30)], [("n", [1] * 30)])
    below = [one.text for one in marks(plot, "text") if one.get("text-anchor") == "middle"]
    assert below[0] == "d29"
    assert len(below) <= 7


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 9, 11, 99, 101, 65_000, 100_000])
def test_counts_have_an_axis_that_is_high_enough_and_even(most: int) -> None:
    high = even_count(most)
    assert most <= high <= max(2 * most, 4)
    assert high % 2 == 0


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=5))
def test_every_value_has_a_place_on_its_scale(values: list[float]) -> None:
    scale = scale_over(values, 0.0, 100.0)
    assert 1 <= len(scale.ticks()) <= 9
    assert all(0.0 <= scale.place(one) <= 100.0 for one in values)
    assert scale.place(scale.low) == 0.0
    assert scale.place(scale.high) == 100.0


def test_ticks_are_even_values() -> None:
    assert scale_over([0.0, 0.9], 0, 1).ticks() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert scale_over([-0.031, 0.012], 0, 1).ticks() == pytest.approx([-0.04, -0.02, 0.0, 0.02])


@given(values=st.lists(st.floats(0.1, 1e12), min_size=1, max_size=5))
def test_ratios_stand_in_their_order_around_one(values: list[float]) -> None:
    scale = ratio_scale_over(values, 0.0, 100.0)
    places = [scale.place(one) for one in sorted(values)]
    assert places == sorted(places)
    assert 0.0 <= places[0] <= places[-1] <= 100.0
    assert 0.0 <= scale.place(1.0) <= 100.0
    assert all(scale.low <= one <= scale.high for one in scale.ticks())
    assert 2 <= len(scale.ticks()) <= 8


def test_small_ratios_are_apart_beside_a_large_one() -> None:
    scale = ratio_scale_over([0.0, 1.36, 2.14, 800.0], 0.0, 100.0)
    assert (scale.low, scale.high) == (0.1, 1000.0)
    assert scale.place(2.14) - scale.place(1.36) > 4
    assert scale.place(0.0) == 0.0
    assert scale.ticks() == pytest.approx([0.1, 1, 10, 100, 1000])


def test_intervals_stay_on_the_scale_and_say_their_numbers() -> None:
    beyond = Reading(value=0.5, low=-2.0, high=9.0, n=1)
    rows = [IntervalRow(name="a", reading=beyond), IntervalRow(name="b", reading=INSIDE)]
    plot = interval_chart("t", rows, UNIT, target=0.0)
    lines = [one for one in marks(plot, "line", "whisker") if one.get("y1") == one.get("y2")]
    wide, narrow = [(at(one, "x1"), at(one, "x2")) for one in lines]
    assert wide == (EDGE, WIDTH - EDGE)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    assert "0.200 (0.100 to 0.300), n = 1,000" in [one.text for one in marks(plot, "text")]
    assert at(marks(plot, "line", "target")[0], "x1") == EDGE


def test_a_long_name_stands_above_its_numbers() -> None:
    rows = [IntervalRow(name=name, reading=INSIDE) for name in ("short", "n" * 40, "short")]
    texts = marks(interval_chart("t", rows, UNIT), "text")
    short, numbers, long, more, *_ = [at(one, "y") for one in texts[-6:]]
    assert short == numbers
    assert long < more


def test_a_control_and_a_corrected_interval_are_marks_of_their_own() -> None:
    row = IntervalRow(name="a", reading=INSIDE, corrected=(0.0, 0.4), control=INSIDE, hollow=True)
    plot = interval_chart("t", [row], UNIT)
    assert len(marks(plot, "path", "control")) == 1
    assert len(marks(plot, "line", "core")) == 1
    assert len(marks(plot, "circle", "hollow")) == 1
    (said,) = [one[0].text for one in marks(plot, "g")]
    assert said is not None
    assert "corrected 0 to 0.400; control 0.200 (0.100" in said


def test_a_dumbbell_shows_both_means_and_their_difference() -> None:
    difference = IntervalRow(name="d", reading=Reading(value=-0.5, low=-0.6, high=-0.4, n=9))
    row = DumbbellRow(names=("a", "b"), values=(0.25, 0.75), difference=difference)
    plot = dumbbell_chart("t", [row])
    first, between = marks(plot, "circle", "point")
    (second,) = marks(plot, "rect", "second")
    assert at(first, "cx") < at(second, "x") < at(between, "cx")


def test_the_shares_of_a_tally_fill_its_bar() -> None:
    found = marks(tally_chart("t", [TallyRow(name="a", wins=2, ties=1, losses=1)]), "rect")
    widths = [at(one, "width") for one in found]
    assert widths[0] == pytest.approx(2 * widths[1], abs=2)
    assert sum(widths) == pytest.approx(WIDTH - 2 * EDGE, abs=4)


@pytest.mark.parametrize("bins", [1, 10, 50, 256, 1000])
def test_a_histogram_has_few_bars_from_end_to_end(bins: int) -> None:
    found = marks(histogram_chart("t", [("a", [1] * bins)]), "rect")
    assert 1 <= len(found) <= 64
    assert at(found[0], "x") == EDGE
    assert at(found[-1], "x") + at(found[-1], "width") == pytest.approx(WIDTH - EDGE, abs=1)


@pytest.mark.parametrize(
    "plot",
    [
        bar_chart(HOSTILE, [HOSTILE], [(HOSTILE, [1])]),
        interval_chart(HOSTILE, [IntervalRow(name=HOSTILE, reading=INSIDE)], UNIT),
        dumbbell_chart(
            HOSTILE,
            [
                DumbbellRow(
                    names=(HOSTILE, HOSTILE),
                    values=(0.2, 0.2),
                    difference=IntervalRow(name=HOSTILE, reading=INSIDE),
                )
            ],
        ),
        tally_chart(HOSTILE, [TallyRow(name=HOSTILE, wins=1, ties=0, losses=0, text=HOSTILE)]),
        histogram_chart(HOSTILE, [(HOSTILE, [0, 1])]),
    ],
    ids=["bars", "intervals", "dumbbells", "tallies", "histograms"],
)
def test_a_hostile_name_is_a_text_in_every_plot(plot: Markup) -> None:
    kinds = {one.tag for one in drawn(plot).iter()}
    assert kinds <= {"svg", "title", "desc", "g", "text", "line", "rect", "circle", "path"}
    assert (
        drawn(plot)[0].text == "</title></svg><script>alert(1)</script>[U+0000][U+D800][U+FFFE]&'\""
    )
