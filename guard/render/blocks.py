"""Parts of which the report's page is made: sections, tables, figures, and what bounds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from guard.render.markup import NOTHING, Content, Markup, element, join
from guard.render.visible import short_name

NAME_COLUMNS: Final = 80
TEXT_COLUMNS: Final = 300
MAX_ROWS: Final = 100
TABLE_BYTES: Final = 60_000
ALL_ELSEWHERE: Final = "all of them are in results.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSection:
    """A section of the page. key: its address in the page. parts: empty where there is nothing."""

    key: str
    title: str
    parts: tuple[Markup, ...]

    def markup(self) -> Markup:
        """The whole section; it says so where there is nothing."""
        parts = self.parts or (note("Nothing of this kind was assessed."),)
        return element("section", element("h2", self.title), *parts, id=self.key)


def name(text: str) -> Markup:
    """A name from data, on one line, whichever way it is written."""
    return element("bdi", short_name(text, NAME_COLUMNS))


def line(text: str) -> str:
    """A text from data on one line."""
    return short_name(text, TEXT_COLUMNS)


def note(*parts: Content) -> Markup:
    """A paragraph that explains."""
    return element("p", *parts, class_="dim")


def within_bytes(parts: Iterable[Markup], budget: int) -> Iterator[Markup]:
    """Parts from the first one on, while together they have at most so many bytes."""
    left = budget
    for part in parts:
        left -= len(part.text.encode())
        if left < 0:
            return
        yield part


def table(label: str, heads: Sequence[str], rows: Sequence[Sequence[Content]]) -> Markup:
    """A table, the first cell of a row its name; a head that begins with `#` is of numbers.

    At most MAX_ROWS rows within TABLE_BYTES, and what is left out is counted below.
    """
    made = within_bytes((_row(heads, row) for row in rows[:MAX_ROWS]), TABLE_BYTES)
    body = [*made]
    head = element("tr", *(_cell("th", one, one[:1] == "#", scope="col") for one in heads))
    whole = element("table", element("thead", head), element("tbody", *body))
    scroll = element("div", whole, class_="scroll", tabindex="0", role="region", aria_label=label)
    return join((scroll, left_out(len(rows) - len(body))))


def left_out(count: int) -> Markup:
    """How many more there are than are shown."""
    return note(f"{count:,} more are not shown: {ALL_ELSEWHERE}.") if count > 0 else NOTHING


def folded(summary: str, content: Markup) -> Markup:
    """Something that is shown when it is asked for."""
    return element("details", element("summary", summary), content)


def figure(title: Content, caption: str, *parts: Markup) -> Markup:
    """A plot with its title and how it is read."""
    words = element("figcaption", caption) if caption else NOTHING
    return element("figure", element("h3", title), words, *parts, class_="card")


def tile(title: str, value: str, below: str) -> Markup:
    """One number with its name."""
    parts = (("name", title), ("value", value), ("dim", below))
    return element("div", *(element("p", text, class_=key) for key, text in parts), class_="card")


def counts_line(counts: Mapping[str, int]) -> str:
    """Counts by name, the highest first, in one line."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    told = ", ".join(f"{short_name(key, 40)} {count:,}" for key, count in ordered[:12])
    return f"{told}, {len(ordered) - 12} more kinds" if len(ordered) > 12 else told


def _row(heads: Sequence[str], cells: Sequence[Content]) -> Markup:
    pairs = zip(heads[1:], cells[1:], strict=True)
    rest = (_cell("td", cell, head[:1] == "#") for head, cell in pairs)
    return element("tr", _cell("th", cells[0], heads[0][:1] == "#", scope="row"), *rest)


def _cell(kind: str, content: Content, is_number: bool, scope: str | None = None) -> Markup:
    shown = content.removeprefix("#") if isinstance(content, str) and scope == "col" else content
    return element(kind, shown, class_="number" if is_number else None, scope=scope)
