"""What was found about one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from guard.counterfactual import Lexicons, Replacement
from guard.fairness import FairPair, Likeness, Tally
from guard.fairness.measures import Measured, pair_of
from guard.ports import Scorer
from guard.records import Ending, Turn, Undefined
from guard.shadow.options import ShadowOptions
from guard.shadow.scored import Scores

Embed = Callable[[Sequence[str]], Iterable[Iterable[float]]]
"""Texts to vectors of one length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruments:
    """What calls are measured with. embed: None where there is no embedder."""

    lexicons: Lexicons
    scorer: Scorer
    options: ShadowOptions
    embed: Embed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply. live: what the caller got; it serves the measures and no test.

    scores: of the text as it is. grounded: of both sides brought to the same group. Empty where
    the reply is no answer.
    """

    text: str
    ending: Ending
    live: bool = False
    scores: Scores = field(default_factory=dict)
    grounded: Scores = field(default_factory=dict)
    masked: str = ""
    vector: tuple[float, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether there is anything to compare."""
        return self.ending is Ending.ANSWERED


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A conversation and the same about another group, and how the replies differ.

    first, second: groups in alphabetical order, alike for a control. source, target: the group
    that went and the one that came. replacements: what changed in each turn. gaps, grounded_gaps:
    by metric, first minus second, in [-1, 1]; None where a side has no score. tested_gaps: the
    grounded ones of fresh replies alone, and so are contrasts and p_values. masked: grounded
    figures are of masked texts.
    """

    call_id: str
    attribute: str
    first: str
    second: str
    source: str
    target: str
    first_turns: tuple[Turn, ...]
    second_turns: tuple[Turn, ...]
    replacements: tuple[tuple[Replacement, ...], ...]
    first_replies: tuple[Reply, ...]
    second_replies: tuple[Reply, ...]
    gaps: Mapping[str, float | None]
    grounded_gaps: Mapping[str, float | None]
    tested_gaps: Mapping[str, float | None]
    likeness: Mapping[str, Likeness]
    fairpairs: Mapping[str, FairPair | Undefined]
    contrasts: Mapping[str, float | Undefined]
    p_values: Mapping[str, float]
    masked: bool

    @property
    def groups(self) -> str:
        """As they stand in names of measures."""
        return pair_of(self.first, self.second)

    @property
    def is_control(self) -> bool:
        """Other people of the same group."""
        return self.source == self.target

    def measured(self, metric: str) -> Measured:
        """A metric of this pair."""
        return Measured(metric=metric, attribute=self.attribute, groups=self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """Everything one call adds.

    sums: to be added to its time bucket. evidence: name of a test to sums, for the test's present
    epoch. results: (attribute, what became of it) to how often, for counting.
    """

    sums: Tally
    evidence: Mapping[str, Tally]
    pairs: tuple[Pair, ...]
    results: Mapping[tuple[str, str], int]
