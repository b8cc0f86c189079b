"""A first pass over the input: what there is, before anything is asked or scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from guard.assessment.reader import GoodRows, Row
from guard.assessment.results import AttributeCoverage, BadRow
from guard.assessment.rows import InputRow
from guard.assessment.units import RowGroup, row_groups
from guard.counterfactual import Lexicons, find
from guard.shadow.options import NEUTRAL
from guard.text.language import UNDECIDED, language

_ENGLISH = frozenset(("en", UNDECIDED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the rows hold.

    prompts: groups of rows. replies: by number of responses, how many prompts have it. pairs: rows
    about groups that belong together. sides: by number of responses, the sides of pairs.
    groups: by group, rows. classes: by class, predictions and labels. mentioned, unaware, unknown:
    by attribute, prompts that name a group, that name none, and that cannot be said to. in_pairs:
    the same three of the sides of pairs.
    """

    rows: int = 0
    bad_rows: int = 0
    shown: tuple[BadRow, ...] = ()
    prompts: int = 0
    replies: Mapping[int, int] = field(default_factory=dict)
    pairs: int = 0
    sides: Mapping[int, int] = field(default_factory=dict)
    groups: Mapping[str, int] = field(default_factory=dict)
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
    """Counts rows as they pass. attributes: whose mentions are looked for in prompts."""

    def __init__(self, lexicons: Lexicons, attributes: Iterable[str]) -> None:
        self._lexicons = lexicons
        self._attributes = tuple(attributes)
        self._counts: dict[str, Counter[str]] = {}
        self._in_pairs: dict[str, Counter[str]] = {}
        self._numbers: dict[str, Counter[int]] = {"replies": Counter(), "sides": Counter()}
        self._totals: Counter[str] = Counter()
        self._scores: set[str] = set()

    def survey(self, rows: Iterable[Row]) -> Survey:
        """Take all rows."""
        good = GoodRows(rows)
        for group in row_groups(good):
            self._add(group)
        return Survey(
            rows=good.count,
            bad_rows=good.bad,
            shown=tuple(good.shown),
            replies=self._numbers["replies"],
            sides=self._numbers["sides"],
            scores=frozenset(self._scores),
            prompts=self._totals["prompts"],
            pairs=self._totals["pairs"],
            lists=self._totals["lists"],
            in_pairs=self._in_pairs,
            **{name: dict(counts) for name, counts in self._counts.items()},
        )

    def _add(self, group: RowGroup) -> None:
        self._totals.update(prompts=1, pairs=int(group.is_pair))
        for row in group.rows:
            self._add_row(row)
        if group.is_pair:
            self._numbers["sides"].update(side.given for side in group.by_group.values())
            for side in group.by_group.values():
                self._add_mentions(side.prompt, self._in_pairs)
        else:
            self._numbers["replies"][group.given] += 1
            self._add_mentions(group.prompt, self._counts)

    def _add_row(self, row: InputRow) -> None:
        named = {"groups": row.group, "predictions": row.prediction, "labels": row.label}
        for what, value in named.items():
            if value:
                self._counts.setdefault(what, Counter())[value] += 1
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


def named_attributes(text: str, lexicons: Lexicons, attributes: Iterable[str]) -> frozenset[str]:
    """The attributes of which a text names a group."""
    found = find(text, lexicons, attributes=tuple(attributes))
    return frozenset(one.form.attribute for one in found.mentions if one.form.group != NEUTRAL)
