"""The samples as a picture: memory above, descriptors below, a line for each service."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from tests.soak.watch import Sample

WIDTH, HEIGHT, LEFT, GAP = 900, 240, 60, 40
COLOURS = {"gateway": "#1f5fa8", "shadow": "#b3541e", "embedded": "#2f7d4f", "redis": "#777777"}


def draw(samples: Sequence[Sample], calm_since: float) -> str:
    """An SVG. calm_since: from when on nothing was killed, in seconds."""
    charts = [
        chart("memory, MB", samples, calm_since, lambda one: one.megabytes, 0),
        chart("open descriptors", samples, calm_since, lambda one: one.descriptors, HEIGHT + GAP),
    ]
    below = 2 * (HEIGHT + GAP) + 30
    legend = "".join(
        f'<text x="{LEFT + 110 * place}" y="{below}" fill="{colour}">{name}</text>'
        for place, (name, colour) in enumerate(COLOURS.items())
    )
    size = f'width="{WIDTH + LEFT + 20}" height="{2 * (HEIGHT + GAP) + 50}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(charts)}{legend}</svg>\n'
    )


def chart(
    title: str,
    samples: Sequence[Sample],
    calm_since: float,
    value: Callable[[Sample], float],
    top: int,
) -> str:
    """One quantity over time."""
    end = max((one.at_seconds for one in samples), default=1.0)
    most = max(map(value, samples), default=1.0) * 1.05

    def x(seconds: float) -> float:
        return LEFT + WIDTH * seconds / end

    def y(number: float) -> float:
        return top + GAP + HEIGHT * (1 - number / most)

    lines = [
        polyline(
            [(x(one.at_seconds), y(value(one))) for one in samples if one.service == name], colour
        )
        for name, colour in COLOURS.items()
    ]
    calm = x(calm_since)
    return (
        f'<text x="{LEFT}" y="{top + GAP - 10}" font-weight="bold">{escape(title)}</text>'
        f'<rect x="{calm:.1f}" y="{top + GAP}" width="{LEFT + WIDTH - calm:.1f}" height="{HEIGHT}"'
        ' fill="#eef3ee"/>'
        f'<text x="{calm + 6:.1f}" y="{top + GAP + 16}" fill="#555">nothing is killed</text>'
        f'<path d="M{LEFT},{top + GAP}V{top + GAP + HEIGHT}H{LEFT + WIDTH}" fill="none"'
        ' stroke="#999"/>'
        f'<text x="4" y="{top + GAP + 8}">{most:.0f}</text>'
        f'<text x="4" y="{top + GAP + HEIGHT}">0</text>'
        f'<text x="{LEFT + WIDTH - 60}" y="{top + GAP + HEIGHT + 16}">{end:.0f} s</text>'
        + "".join(lines)
    )


def polyline(points: Sequence[tuple[float, float]], colour: str) -> str:
    """A line through these points."""
    shown = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{shown}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
