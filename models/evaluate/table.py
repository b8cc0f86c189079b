"""Markdown tables, and a card that holds them between two marks."""

from collections.abc import Iterable, Sequence
from pathlib import Path

BEGIN, END = "<!-- results: written by evaluate -->", "<!-- end of results -->"


def markdown(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A table; every cell is shown as it prints."""
    rows = [list(header), ["---"] * len(header), *(list(map(str, line)) for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def section(title: str, text: str, table: str) -> str:
    return f"### {title}\n\n{text}\n\n{table}\n"


def write_into_card(card: Path, results: str) -> None:
    """Replace what stands between the marks."""
    text = card.read_text(encoding="utf-8")
    before, found, rest = text.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise ValueError(f"{card} lacks the marks {BEGIN} and {END}")
    card.write_text(f"{before}{BEGIN}\n{results.strip()}\n{END}{after}", encoding="utf-8")
