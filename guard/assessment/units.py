"""Rows that belong together: one prompt with its replies, or one prompt about several groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby

from guard.assessment.rows import InputRow

UNNAMED = "group"
"""The attribute of groups that no lexicon has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroup:
    """Rows with one `pair`, one `id` or one prompt that stand one after the other; at least one.

    occurrence: 1 where nothing before has the same `pair`, `id` or prompt, else 2 and so on.
    """

    rows: tuple[InputRow, ...]
    occurrence: int = 1

    @property
    def place(self) -> str:
        """Where the first of them stands."""
        return self.rows[0].place

    @property
    def prompt(self) -> str:
        """Of the first row."""
        return self.rows[0].prompt

    @property
    def is_pair(self) -> bool:
        """Whether the rows are one prompt about different groups."""
        return bool(self.rows[0].pair)

    @property
    def call_id(self) -> str:
        """The same for the same prompt in every run and every place of a file: its `pair`, its
        `id`, or else its text; the number of the row where there is none of them."""
        first = self.rows[0]
        name = first.pair or first.id or _digest(first.prompt) or f"row-{self.number}"
        return name if self.occurrence == 1 else f"{name}-{self.occurrence}"

    @property
    def number(self) -> str:
        """Of the first row, in its file."""
        return self.place.rpartition(":")[2]

    @property
    def responses(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(text for row in self.rows for text in row.responses)

    @property
    def given(self) -> int:
        """How many replies there are of which the text or a score is given."""
        return max(len(self.responses), *map(len, self.scores.values()), 0)

    @property
    def scores(self) -> Mapping[str, tuple[float | None, ...]]:
        """Those that were given, row after row."""
        heads = sorted({head for row in self.rows for head in row.scores})
        return {
            head: tuple(
                value
                for row in self.rows
                for value in row.scores.get(head, (None,) * len(row.responses))
            )
            for head in heads
        }

    @property
    def by_group(self) -> dict[str, RowGroup]:
        """The rows of each group, groups sorted; under "" those that name none."""
        found: dict[str, list[InputRow]] = {}
        for row in self.rows:
            found.setdefault(row.group, []).append(row)
        return {
            group: RowGroup(rows=tuple(found[group]), occurrence=self.occurrence)
            for group in sorted(found)
        }

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the rows, sorted."""
        return tuple(sorted({row.group for row in self.rows if row.group}))


def row_groups(rows: Iterable[InputRow]) -> Iterator[RowGroup]:
    """The rows, those that belong together as one.

    Remembers a number for each of them: 10^6 prompts take about 0.1 GB.
    """
    seen: Counter[int] = Counter()
    for _, together in groupby(rows, _together):
        group = RowGroup(rows=tuple(together))
        if name := _name(group.rows[0]):
            seen[hash(name)] += 1
            group = replace(group, occurrence=seen[hash(name)])
        yield group


def _digest(prompt: str) -> str:
    if not prompt:
        return ""
    return blake2b(prompt.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _name(row: InputRow) -> tuple[str, str] | None:
    """What tells the row from others, wherever it stands."""
    if row.pair or row.id:
        return "pair" if row.pair else "id", row.pair or row.id
    return ("prompt", row.prompt) if row.prompt else None


def _together(row: InputRow) -> tuple[str, str]:
    """The same for rows that belong together."""
    is_case = row.prediction is not None or row.items is not None
    alone = "row", row.place
    return alone if is_case and not (row.pair or row.id) else _name(row) or alone
