"""A first pass over the input: what there is, before anything is asked or scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from guard.assessment.reader import SHOWN_BAD_ROWS, GoodRows, Row
from guard.assessment.results import AttributeCoverage, BadRow
from guard.assessment.rows import InputRow
from guard.assessment.units import (
    Compares,
    PairPlaces,
    RepeatedRows,
    RowGroup,
    attribute_of,
    compares_any,
    row_attribute,
    row_groups,
)
from guard.counterfactual import Lexicons, find
from guard.shadow.options import NEUTRAL
from guard.text.language import UNDECIDED, language

_ENGLISH = frozenset(("en", UNDECIDED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the rows hold.

    rows_apart: rows whose `pair` stood elsewhere already, so that they are not compared; apart: the
    first of them. rows_repeated, repeated: likewise of prompts that came before, word for word with
    their responses, and count once more. single_sided: values of `pair` with rows of one group
    only. shown: the first bad rows, and the first of those. prompts: groups of rows. replies: by
    number of responses, how many prompts have it. pairs: rows about groups that belong together.
    sides: by number of responses, the sides of pairs; compared_sides: those of pairs that are
    compared. groups: by group, rows that are compared. pair_groups: by attribute, groups of pairs
    with replies that are compared. left_out: by attribute, rows that are not compared since it was
    not asked for. classes: by class, predictions and labels. mentioned, unaware, unknown: by
    attribute, prompts that name a group, that name none, and that cannot be said to. in_pairs: the
    same three of the sides of pairs.
    """

    rows: int = 0
    bad_rows: int = 0
    shown: tuple[BadRow, ...] = ()
    rows_apart: int = 0
    apart: BadRow | None = None
    rows_repeated: int = 0
    repeated: BadRow | None = None
    single_sided: int = 0
    prompts: int = 0
    replies: Mapping[int, int] = field(default_factory=dict)
    pairs: int = 0
    sides: Mapping[int, int] = field(default_factory=dict)
    compared_sides: Mapping[int, int] = field(default_factory=dict)
    groups: Mapping[str, int] = field(default_factory=dict)
    pair_groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    predictions: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, int] = field(default_factory=dict)
    lists: int = 0
    scores: frozenset[str] = frozenset()
    mentioned: Mapping[str, int] = field(default_factory=dict)
    unaware: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    in_pairs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def is_unaware(self) -> bool:
        """Whether no prompt names a group of any attribute, as far as the lexicons know."""
        names_groups = any(self.mentioned.values()) or self.pairs > 0
        return any(self.unaware.values()) and not names_groups

    def attribute(self, name: str) -> AttributeCoverage:
        """What is known of one attribute, of prompts alone and of the sides of pairs."""

        def both(what: str, alone: Mapping[str, int]) -> int:
            return alone.get(name, 0) + self.in_pairs.get(what, {}).get(name, 0)

        return AttributeCoverage(
            attribute=name,
            mentioned=both("mentioned", self.mentioned),
            unaware=both("unaware", self.unaware),
            unknown=both("unknown", self.unknown),
        )


class Surveyor:
    """Counts rows as they pass. attributes: whose mentions are looked for in prompts. compares:
    tells the attributes whose groups are compared."""

    def __init__(
        self, lexicons: Lexicons, attributes: Iterable[str], compares: Compares = compares_any
    ) -> None:
        self._lexicons = lexicons
        self._attributes = tuple(attributes)
        self._compares = compares
        self._counts: dict[str, Counter[str]] = {}
        self._in_pairs: dict[str, Counter[str]] = {}
        self._numbers: dict[str, Counter[int]] = {
            name: Counter() for name in ("replies", "sides", "compared_sides")
        }
        self._totals: Counter[str] = Counter()
        self._scores: set[str] = set()
        self._pair_groups: dict[str, set[str]] = {}
        self._places = PairPlaces()
        self._apart: list[BadRow] = []
        self._seen = RepeatedRows()
        self._repeated: BadRow | None = None

    def survey(self, rows: Iterable[Row]) -> Survey:
        """Take all rows."""
        good = GoodRows(rows)
        for group in row_groups(good):
            self._add(group)
        return Survey(
            rows=good.count,
            bad_rows=good.bad,
            shown=(*good.shown, *self._apart)[:SHOWN_BAD_ROWS],
            scores=frozenset(self._scores),
            pair_groups={name: frozenset(found) for name, found in self._pair_groups.items()},
            rows_apart=self._totals["apart"],
            single_sided=self._totals["single_sided"],
            apart=next(iter(self._apart), None),
            rows_repeated=self._totals["repeated"],
            repeated=self._repeated,
            prompts=self._totals["prompts"],
            pairs=self._totals["pairs"],
            lists=self._totals["lists"],
            in_pairs=self._in_pairs,
            replies=self._numbers["replies"],
            sides=self._numbers["sides"],
            compared_sides=self._numbers["compared_sides"],
            **{name: dict(counts) for name, counts in self._counts.items()},
        )

    def _add(self, group: RowGroup) -> None:
        parts = list(self._compared_parts(group))
        self._totals.update(prompts=1, pairs=int(group.is_pair and bool(parts)))
        if (repeated := self._seen.again(group)) is not None:
            self._totals["repeated"] += len(group.rows)
            self._repeated = self._repeated or repeated
        for row in group.rows:
            self._add_row(row)
        for _, rows in parts:
            self._count("groups", (row.group for row in rows.rows if row.group))
        if group.is_pair:
            self._add_pair(group, parts)
        else:
            self._numbers["replies"][group.given] += 1
            self._add_mentions(group.prompt, self._counts)

    def _compared_parts(self, group: RowGroup) -> Iterator[tuple[str, RowGroup]]:
        """The rows of each attribute that is compared."""
        for rows in group.by_attribute:
            is_pair = group.is_pair and rows.groups
            attribute = (
                attribute_of(rows, self._lexicons) if is_pair else row_attribute(rows.rows[0])
            )
            if self._compares(attribute):
                yield attribute, rows
            elif rows.groups:
                self._count("left_out", [attribute] * len(rows.rows))

    def _add_pair(self, group: RowGroup, parts: Iterable[tuple[str, RowGroup]]) -> None:
        self._numbers["sides"].update(side.given for side in group.by_group.values())
        for side in group.by_group.values():
            self._add_mentions(side.prompt, self._in_pairs)
        for attribute, rows in parts:
            given = {name: side.given for name, side in rows.by_group.items() if name}
            if sum(map(bool, given.values())) > 1:
                self._numbers["compared_sides"].update(filter(None, given.values()))
                self._pair_groups.setdefault(attribute, set()).update(given)
        self._totals["single_sided"] += all(len(one.groups) < 2 for one in group.by_attribute)
        if (apart := self._places.again(group)) is not None:
            self._totals["apart"] += len(group.rows)
            if len(self._apart) < SHOWN_BAD_ROWS:
                self._apart.append(apart)

    def _add_row(self, row: InputRow) -> None:
        self._count("predictions", filter(None, [row.prediction]))
        self._count("labels", filter(None, [row.label]))
        self._totals["lists"] += row.items is not None
        self._scores.update(row.scores)

    def _add_mentions(self, prompt: str, counts: dict[str, Counter[str]]) -> None:
        if not prompt:
            return
        if language(prompt) not in _ENGLISH:
            counts.setdefault("unknown", Counter()).update(self._attributes)
            return
        named = named_attributes(prompt, self._lexicons, self._attributes)
        for one in self._attributes:
            what = "mentioned" if one in named else "unaware"
            counts.setdefault(what, Counter())[one] += 1

    def _count(self, what: str, names: Iterable[str]) -> None:
        self._counts.setdefault(what, Counter()).update(names)


def named_attributes(text: str, lexicons: Lexicons, attributes: Iterable[str]) -> frozenset[str]:
    """The attributes of which a text names a group."""
    found = find(text, lexicons, attributes=tuple(attributes))
    return frozenset(one.form.attribute for one in found.mentions if one.form.group != NEUTRAL)
