"""Rows that belong together: one prompt with its replies, or one prompt about several groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby
from operator import attrgetter

from guard.assessment.results import BadRow
from guard.assessment.rows import InputRow
from guard.counterfactual import Lexicons
from guard.fairness.catalogue import label

_TWO = 2
UNNAMED = "group"
"""The attribute of groups that no lexicon has."""
_SAID = attrgetter("pair", "id", "group", "prompt", "responses", "prediction", "label", "items")
Compares = Callable[[str], bool]
"""Whether groups of an attribute are compared."""


def compares_any(_: str) -> bool:
    """Groups of every attribute are."""
    return True


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
    def by_attribute(self) -> tuple[RowGroup, ...]:
        """The rows of each attribute that is named, in the order of the rows: groups are compared
        within it."""
        found: dict[str, list[InputRow]] = {}
        for row in self.rows:
            found.setdefault(row_attribute(row), []).append(row)
        return tuple(
            RowGroup(rows=tuple(rows), occurrence=self.occurrence) for rows in found.values()
        )

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


class PairPlaces:
    """Where each value of `pair` stood: a number for each of the first `most`.

    Rows of one pair that stand apart are different prompts: where one place has rows of one group
    only, they were not compared with those of the other place.
    """

    def __init__(self, most: int = 1_000_000) -> None:
        self._most = most
        self._numbers: dict[int, int] = {}

    def again(self, group: RowGroup) -> BadRow | None:
        """What is wrong, where the pair stood elsewhere before."""
        file, _, number = group.place.rpartition(":")
        name, is_single = hash(group.rows[0].pair), len(group.groups) < _TWO
        before = self._numbers.get(name)
        if before is None:
            if len(self._numbers) < self._most and number.isdecimal():
                self._numbers[name] = -int(number) if is_single else int(number)
            return None
        if not is_single and before > 0:
            return None
        return BadRow(
            place=group.place,
            problem=(
                f"pair {group.rows[0].pair!r:.60} stood at {file}:{abs(before)} before: rows of one"
                " pair must stand one after the other to be compared"
            ),
        )


class RepeatedRows:
    """Rows that come again word for word, with their `pair` or `id`: a number for each of the first
    `most` prompts."""

    def __init__(self, most: int = 1_000_000) -> None:
        self._most = most
        self._seen: set[int] = set()

    def again(self, group: RowGroup) -> BadRow | None:
        """What is wrong, where the same rows stood before."""
        first = group.rows[0]
        if not (first.pair or first.id):
            return None
        key = hash(tuple(map(_SAID, group.rows)))
        if key in self._seen:
            kind, name = ("pair", first.pair) if first.pair else ("id", first.id)
            return BadRow(place=group.place, problem=f"{kind} {name!r:.60} stood before")
        if len(self._seen) < self._most:
            self._seen.add(key)
        return None


def row_attribute(row: InputRow) -> str:
    """The attribute that the row names, as results call it; `UNNAMED` where it names none."""
    return label(row.attribute) if row.attribute else UNNAMED


def attribute_of(group: RowGroup, lexicons: Lexicons) -> str:
    """The attribute of the rows' groups: as given, or the one whose lexicon has all of them."""
    named = next((row for row in group.rows if row.attribute), None)
    if named is not None:
        return row_attribute(named)
    names = set(group.groups)
    fitting = [one for one, groups in lexicons.attributes.items() if names <= set(groups)]
    return fitting[0] if fitting and names else UNNAMED


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
