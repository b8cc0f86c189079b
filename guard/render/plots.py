"""Plots as SVG: values in, markup out. Colours come from plots.css, in light and dark.

Every plot has a title and a description for screen readers, and every mark a title with its
numbers. Nothing is told by colour alone: marks differ in shape and place as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from pathlib import Path
from typing import Final

from guard.records import Reading
from guard.render.markup import NOTHING, Markup, element, join
from guard.render.numbers import format_number, format_reading
from guard.render.scale import Scale, even_count, scale_over
from guard.render.visible import short_name

STYLE: Final = Path(__file__).with_name("plots.css")
"""The style sheet that a page with plots needs."""
WIDTH, HEIGHT = 520.0, 210.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 18.0, 10.0, 26.0
ROW, EDGE = 46.0, 8.0
CONTROL = 14.0
"""Height of what a control adds to a row."""
LINE = 20.0
"""Height of a line of text, also where narrow pages make it larger."""
MAX_LABELS = 7
"""Bars with a name below them, at most."""
NAME_COLUMNS, TITLE_COLUMNS = 54, 120
LINE_COLUMNS = 46
"""So much of a name and its numbers has room on one line; else they stand on two."""
HISTOGRAM_BARS = 64
PANELS = (EDGE, 250.0), (286.0, WIDTH - EDGE)
"""Both sides of a dumbbell chart: means, and differences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalRow:
    """A value with its interval. corrected: the ends of a wider interval. control: what it is
    compared with. band: values from -band to band are marked. hollow: the mark is an outline.
    """

    name: str
    reading: Reading
    corrected: tuple[float, float] | None = None
    control: Reading | None = None
    band: float = 0.0
    hollow: bool = False

    @property
    def ends(self) -> list[float]:
        """The values that a scale must show."""
        control = [self.control.low, self.control.high] if self.control else []
        return [self.reading.low, self.reading.high, *(self.corrected or ()), *control]


@dataclass(frozen=True, slots=True, kw_only=True)
class DumbbellRow:
    """The means of two groups, and beside them their difference and that of a control."""

    names: tuple[str, str]
    values: tuple[float, float]
    difference: IntervalRow


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyRow:
    """How often the first was above, equal and below. text: what is said of it."""

    name: str
    wins: int
    ties: int
    losses: int
    text: str = ""


def bar_chart(
    title: str, names: Sequence[str], series: Sequence[tuple[str, Sequence[int]]]
) -> Markup:
    """One bar per name and series. series: its name, and a count for each of `names`."""
    top = even_count(max((count for _, counts in series for count in counts), default=0))
    floor, span = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    lines = [
        _grid_line(floor - span * part / 2, f"{top * part / 2:,.0f}", is_axis=part == 0)
        for part in range(3)
    ]
    room = (WIDTH - LEFT - RIGHT) / max(len(names), 1)
    width = room * 0.76 / max(len(series), 1)
    bars = [
        _bar(
            x=LEFT + room * (place + 0.12) + width * number,
            width=max(width - 0.5, 0.5),
            height=span * count / top,
            series=number,
            title=f"{name}: {count:,} {called}",
        )
        for number, (called, counts) in enumerate(series)
        for place, (name, count) in enumerate(zip(names, counts, strict=True))
        if count
    ]
    every = ceil(len(names) / MAX_LABELS) or 1
    shown = range(len(names) - 1, -1, -every)
    below = [_label(LEFT + room * (at + 0.5), floor + 17, names[at], "middle") for at in shown]
    total = ", ".join(f"{sum(counts):,} {called}" for called, counts in series)
    return _plot(title, f"Bars. In all {total}.", HEIGHT, [*lines, *bars, *below])


def interval_chart(
    title: str, rows: Sequence[IntervalRow], scale: Scale, *, target: float | None = None
) -> Markup:
    """One row each: a name and its value with intervals. target: a value with a line."""
    height = TOP + sum(_row_height(row) for row in rows) + BOTTOM
    parts = [_axis(scale, height)]
    top = TOP
    for row in rows:
        y = top + 0.7 * ROW + LINE * _has_two_lines(row.name, format_reading(row.reading))
        text = _row_text(y, row.name, format_reading(row.reading))
        marks = [text, *_target_marks(target, scale, row, y), *_interval_marks(row, scale, y)]
        parts.append(_described(f"{row.name}: {_interval_words(row)}", marks))
        top += _row_height(row)
    return _plot(title, f"Values with intervals, {len(rows)} rows.", height, parts)


def dumbbell_chart(title: str, rows: Sequence[DumbbellRow]) -> Markup:
    """On the left the means of two groups, on the right their difference above the control's."""
    left = scale_over((value for row in rows for value in row.values), *PANELS[0])
    ends = [one for row in rows for one in (*row.difference.ends, 0.0)]
    right = scale_over(ends, *PANELS[1])
    height = TOP + len(rows) * (ROW + CONTROL) + BOTTOM
    parts = [_axis(left, height), _axis(right, height)]
    for number, row in enumerate(rows):
        y = TOP + (ROW + CONTROL) * number + 0.7 * ROW
        marks = [
            *_dumbbell_marks(row, left, y),
            *_target_marks(0.0, right, row.difference, y),
            *_interval_marks(row.difference, right, y),
        ]
        parts.append(_described(_dumbbell_words(row), marks))
    return _plot(title, f"Means of two groups, {len(rows)} rows.", height, parts)


def tally_chart(title: str, rows: Sequence[TallyRow]) -> Markup:
    """One bar per row: the shares of wins on the left, of losses on the right, ties between."""
    scale = Scale(low=0, high=1, left=EDGE, right=WIDTH - EDGE)
    parts = [
        _described(f"{row.name}: {row.text}", _tally_marks(row, scale, TOP + ROW * number))
        for number, row in enumerate(rows)
    ]
    return _plot(title, "Shares of wins, ties and losses.", TOP + ROW * len(rows) + 4, parts)


def histogram_chart(title: str, rows: Sequence[tuple[str, Sequence[int]]]) -> Markup:
    """One histogram per row over [0, 1], heights by the square root of the share of a bar.

    The root shows rare high scores beside many low ones. rows: name, and counts in equal bins.
    """
    scale = Scale(low=0, high=1, left=EDGE, right=WIDTH - EDGE)
    height = TOP + (ROW + CONTROL) * len(rows) + BOTTOM
    parts = [_axis(scale, height)]
    for number, (name, counts) in enumerate(rows):
        floor = TOP + (ROW + CONTROL) * (number + 1) - 4
        text = f"n = {sum(counts):,}"
        marks = [_row_text(floor - 26, name, text), *_histogram_bars(counts, scale, floor)]
        parts.append(_described(f"{name}, {text}", marks))
    return _plot(title, f"Distributions over 0 to 1, {len(rows)} rows.", height, parts)


def _plot(title: str, description: str, height: float, parts: Sequence[Markup]) -> Markup:
    named = (element("title", title), element("desc", description))
    view = f"0 0 {WIDTH:.0f} {height:.0f}"
    return element("svg", *named, *parts, class_="plot", role="img", viewBox=view)


def _described(text: str, marks: Sequence[Markup]) -> Markup:
    return element("g", element("title", short_name(text, TITLE_COLUMNS)), *marks)


def _label(x: float, y: float, text: str, anchor: str = "start", class_: str = "") -> Markup:
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=class_ or None)


def _row_text(y: float, name: str, text: str) -> Markup:
    above = y - 12 - LINE * _has_two_lines(name, text)
    left = _label(EDGE, above, short_name(name, NAME_COLUMNS), class_="name")
    return join((left, _label(WIDTH - EDGE, y - 12, text, "end")))


def _has_two_lines(name: str, text: str) -> bool:
    room = LINE_COLUMNS - len(text)
    return short_name(name, room) != short_name(name, NAME_COLUMNS)


def _grid_line(y: float, name: str, *, is_axis: bool) -> Markup:
    line = element("line", class_="axis" if is_axis else "grid", x1=LEFT, x2=WIDTH, y1=y, y2=y)
    return join((line, _label(LEFT - 6, y + 4, name, "end")))


def _bar(*, x: float, width: float, height: float, series: int, title: str) -> Markup:
    y = HEIGHT - BOTTOM - height
    name = element("title", short_name(title, TITLE_COLUMNS))
    class_ = "bar second" if series else "bar"
    return element("rect", name, class_=class_, x=x, y=y, width=width, height=height, rx=1.5)


def _vertical(class_: str, x: float, top: float, bottom: float) -> Markup:
    return element("line", class_=class_, x1=x, x2=x, y1=top, y2=bottom)


def _horizontal(class_: str, low: float, high: float, y: float) -> Markup:
    return element("line", class_=class_, x1=low, x2=high, y1=y, y2=y)


def _axis(scale: Scale, height: float) -> Markup:
    """Lines over the whole height with their values at the bottom."""
    ticks = scale.ticks()
    names = [f"{round(one, 12):g}" for one in ticks]
    lines = [_vertical("grid", scale.place(one), 4, height - 24) for one in ticks]
    labels = [
        _label(scale.place(tick), height - 8, name, _anchor(scale, tick))
        for tick, name in zip(ticks, names, strict=True)
    ]
    return join((*lines, *labels))


def _anchor(scale: Scale, tick: float) -> str:
    room = 0.05 * (scale.high - scale.low)
    if tick - scale.low < room:
        return "start"
    return "end" if scale.high - tick < room else "middle"


def _row_height(row: IntervalRow) -> float:
    lines = _has_two_lines(row.name, format_reading(row.reading))
    return ROW + LINE * lines + CONTROL * (row.control is not None)


def _interval_words(row: IntervalRow) -> str:
    words = [format_reading(row.reading)]
    if row.corrected:
        low, high = row.corrected
        words.append(f"corrected {format_number(low)} to {format_number(high)}")
    if row.control:
        words.append(f"control {format_reading(row.control)}")
    return "; ".join(words)


def _interval_marks(row: IntervalRow, scale: Scale, y: float) -> list[Markup]:
    place: Callable[[float], float] = scale.place
    low, at, high = place(row.reading.low), place(row.reading.value), place(row.reading.high)
    start, end = map(place, row.corrected or (row.reading.low, row.reading.high))
    marks = [_band(row.band, scale, y), _horizontal("whisker", start, end, y)]
    marks += [_vertical("whisker", one, y - 5, y + 5) for one in (start, end)]
    if row.corrected:
        marks.append(_horizontal("core", low, high, y))
    marks.append(element("circle", class_="hollow" if row.hollow else "point", cx=at, cy=y, r=5.0))
    return marks + _control_marks(row.control, scale, y + CONTROL)


def _target_marks(
    target: float | None, scale: Scale, row: IntervalRow, y: float
) -> Iterator[Markup]:
    """The line of the target beside the marks of a row: it crosses no text."""
    if target is not None:
        below = CONTROL * (row.control is not None)
        yield _vertical("target", scale.place(target), y - 9, y + 9 + below)


def _band(band: float, scale: Scale, y: float) -> Markup:
    if band <= 0:
        return NOTHING
    low, high = scale.place(-band), scale.place(band)
    return element("rect", class_="band", x=low, y=y - 8, width=high - low, height=16.0)


def _control_marks(control: Reading | None, scale: Scale, y: float) -> list[Markup]:
    if control is None:
        return []
    x = scale.place(control.value)
    diamond = f"M{x:.1f} {y - 4:.1f}l4 4l-4 4l-4-4z"
    line = _horizontal("control", scale.place(control.low), scale.place(control.high), y)
    return [line, element("path", class_="control", d=diamond)]


def _dumbbell_marks(row: DumbbellRow, scale: Scale, y: float) -> list[Markup]:
    first, second = map(scale.place, row.values)
    names = " · ".join(short_name(name, 14) for name in row.names)
    values = " · ".join(map(format_number, row.values))
    return [
        _row_text(y, names, f"{values}, n = {row.difference.reading.n:,}"),
        _horizontal("whisker", min(first, second), max(first, second), y),
        element("circle", class_="point", cx=first, cy=y, r=5.0),
        element("rect", class_="bar second", x=second - 4.5, y=y - 4.5, width=9.0, height=9.0),
    ]


def _dumbbell_words(row: DumbbellRow) -> str:
    means = zip(row.names, row.values, strict=True)
    said = "; ".join(f"{short_name(name, 40)} {format_number(one)}" for name, one in means)
    return f"{said}; difference {_interval_words(row.difference)}"


def _tally_marks(row: TallyRow, scale: Scale, top: float) -> list[Markup]:
    total = row.wins + row.ties + row.losses
    marks = [_row_text(top + 26, row.name, row.text)]
    start = 0
    for class_, count in (("bar", row.wins), ("tie", row.ties), ("bar second", row.losses)):
        if count:
            low, high = scale.place(start / total), scale.place((start + count) / total)
            y, width = top + 21, max(high - low - 1, 0.5)
            marks.append(element("rect", class_=class_, x=low, y=y, width=width, height=14.0))
        start += count
    return marks


def _histogram_bars(counts: Sequence[int], scale: Scale, floor: float) -> list[Markup]:
    wide = ceil(len(counts) / HISTOGRAM_BARS) or 1
    starts = range(0, len(counts), wide)
    means = [sum(counts[at : at + wide]) / len(counts[at : at + wide]) for at in starts]
    most = max(means, default=0)
    bars = []
    for at, one in zip(starts, means, strict=True):
        ends = at / len(counts), min(at + wide, len(counts)) / len(counts)
        if one:
            bars.append(_histogram_bar(scale, floor, ends, (ROW - 16) * sqrt(one / most)))
    return [_horizontal("axis", scale.left, scale.right, floor), *bars]


def _histogram_bar(scale: Scale, floor: float, ends: tuple[float, float], height: float) -> Markup:
    low, high = map(scale.place, ends)
    width, tall = max(high - low - 0.5, 0.5), max(height, 1.0)
    return element("rect", class_="bar", x=low, y=floor - tall, width=width, height=tall)
