"""Coordinates of charts, in SVG units: numbers in, positions out; templates draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10

from guard.records import Reading

WIDTH, HEIGHT = 520.0, 210.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 18.0, 10.0, 26.0
ROW, EDGE = 46.0, 8.0
MAX_LABELS = 7
"""Bars with a name below them, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar. series: its index, from 0. title: its text for pointers and screen readers."""

    x: float
    y: float
    width: float
    height: float
    series: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A position on an axis with its name."""

    at: float
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """Bars beside each other. floor: y of the axis. across, below: ticks of the axes."""

    bars: tuple[Bar, ...]
    across: tuple[Tick, ...]
    below: tuple[Tick, ...]
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    floor: float = HEIGHT - BOTTOM


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value with its interval, in a row of its own. text: the numbers in words."""

    y: float
    low: float
    at: float
    high: float
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalChart:
    """Values with intervals, one below the other."""

    rows: tuple[Interval, ...]
    below: tuple[Tick, ...]
    height: float
    width: float = WIDTH


def bar_chart(names: Sequence[str], series: Sequence[tuple[str, Sequence[int]]]) -> BarChart:
    """One bar per name and series. series: its name, and a count for each of `names`."""
    top = _axis_end(max((count for _, counts in series for count in counts), default=0))
    room = (WIDTH - LEFT - RIGHT) / max(len(names), 1)
    floor, span = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    width = room * 0.76 / max(len(series), 1)
    bars = [
        Bar(
            x=LEFT + room * (place + 0.12) + width * number,
            y=floor - span * count / top,
            width=max(width - 0.5, 0.5),
            height=span * count / top,
            series=number,
            title=f"{name}: {count:,} {called}",
        )
        for number, (called, counts) in enumerate(series)
        for place, (name, count) in enumerate(zip(names, counts, strict=True))
    ]
    every = ceil(len(names) / MAX_LABELS) or 1
    return BarChart(
        bars=tuple(bars),
        across=tuple(
            Tick(at=floor - span * part / 2, name=f"{top * part / 2:,.0f}") for part in range(3)
        ),
        below=tuple(
            Tick(at=LEFT + room * (place + 0.5), name=names[place])
            for place in range(len(names) - 1, -1, -every)
        ),
    )


def interval_chart(rows: Sequence[tuple[str, Reading]], low: float, high: float) -> IntervalChart:
    """One row each: a name and its value with an interval, on a scale from `low` to `high`.

    Values beyond the scale are drawn at its end.
    """
    room = WIDTH - 2 * EDGE

    def place(value: float) -> float:
        return EDGE + room * (min(max(value, low), high) - low) / (high - low)

    drawn = [
        Interval(
            y=TOP + ROW * number + 0.7 * ROW,
            low=place(one.low),
            at=place(one.value),
            high=place(one.high),
            name=name,
            text=f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f}), n = {one.n:,}",
        )
        for number, (name, one) in enumerate(rows)
    ]
    steps = [low + (high - low) * part / 4 for part in range(5)]
    return IntervalChart(
        rows=tuple(drawn),
        below=tuple(Tick(at=place(one), name=f"{one:g}") for one in steps),
        height=TOP + ROW * len(rows) + BOTTOM,
    )


def _axis_end(most: int) -> int:
    """An even round number at or above the highest count."""
    if most <= 4:
        return 4 if most > 2 else 2
    unit = 10 ** int(log10(most))
    return next(int(unit * step) for step in (1, 2, 4, 6, 8, 10) if unit * step >= most)
