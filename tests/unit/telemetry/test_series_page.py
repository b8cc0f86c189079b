"""docs/series.md lists every series of the guard, as it is declared."""

from __future__ import annotations

from pathlib import Path

from guard.telemetry import names

PAGE = Path(__file__).parents[3] / "docs" / "series.md"


def row(series: names.Series) -> str:
    labels = ", ".join(f"`{label}`" for label in series.labels)
    return f"| `{series.exposed}` | {series.kind} | {labels} | {series.help} |"


def test_the_page_lists_every_series_once() -> None:
    listed = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert listed == [row(series) for series in sorted(names.ALL, key=lambda one: one.exposed)]


def test_no_two_series_share_a_name() -> None:
    exposed = [series.exposed for series in names.ALL]
    assert len(set(exposed)) == len(exposed) >= 55
