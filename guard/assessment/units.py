"""Rows that belong together: one prompt with its replies, or one prompt about several groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby

from guard.assessment.rows import InputRow

UNNAMED = "group"
"""The attribute of groups that no lexicon has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroup:
    """Rows with one `pair`, one `id` or one prompt that stand one after the other; at least one."""

    rows: tuple[InputRow, ...]

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
        """The same for the same row in every run: its own id, or else its place and text."""
        first = self.rows[0]
        if first.pair or first.id:
            return first.pair or first.id
        digest = blake2b(first.prompt.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return f"{first.place.rpartition(':')[2]}-{digest}"

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
        return {group: RowGroup(rows=tuple(found[group])) for group in sorted(found)}

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the rows, sorted."""
        return tuple(sorted({row.group for row in self.rows if row.group}))


def row_groups(rows: Iterable[InputRow]) -> Iterator[RowGroup]:
    """The rows, those that belong together as one."""
    for _, together in groupby(rows, _key):
        yield RowGroup(rows=tuple(together))


def _key(row: InputRow) -> Hashable:
    if row.pair or row.id:
        return "pair" if row.pair else "id", row.pair or row.id
    is_case = row.prediction is not None or row.items is not None or not row.prompt
    return ("row", row.place) if is_case else ("prompt", row.prompt)
