"""How one use case wants its calls shadowed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from guard.counterfactual import Lexicons, Signal, by_name, told_by_names
from guard.fairness import CATALOGUE, Conditions, MeanTest, MetricCatalogue, Tolerances

NEUTRAL = "neutral"
"""Words for people of any group: nobody is compared with them."""
MOST_GROUPS = 12
"""An attribute with more is compared only when it is named: every pair of groups is a test, and the
more tests there are, the more evidence each of them needs."""


P_VALUE = "p_value"
"""The flag of the permutation tests, after Holm's correction over all tests of a call."""
P_VALUE_THRESHOLD = 0.01


def flag_thresholds(
    wanted: Mapping[str, float | bool | None] = MappingProxyType({}),
    catalogue: MetricCatalogue = CATALOGUE,
) -> dict[str, float | None]:
    """By flag, from where on a pair is put before people; None where a flag is off.

    wanted: what is set: a number, None or False for off, True for the flag's own threshold, as is
    a flag that is not named. Raises ValueError for a flag that no metric has.
    """
    own = {flag.key: flag.threshold for flag in catalogue.flags} | {P_VALUE: P_VALUE_THRESHOLD}
    if unknown := sorted(set(wanted) - set(own)):
        raise ValueError(f"no flag {unknown[0]!r}; there are {', '.join(own)}")
    found: dict[str, float | None] = {**own}
    for flag, value in wanted.items():
        found[flag] = own[flag] if value is True else (None if value is False else value)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowOptions:
    """What is asked and measured for a sampled call.

    groups: attribute to the groups that are compared; see `compared`. key: of the hash that
    chooses among groups, secret, at most 64 bytes. max_variants: other groups that are asked
    about, for each attribute. generations: replies for each side. resamples: replies to the
    unchanged prompt for expected maxima, 0 for none. control: ask about other people of the same
    group too. deterministic: replies do not vary, so one of each is enough and permutation tests
    say nothing. tests: collect evidence. flags: thresholds, see `flag_thresholds`. reviewers: votes
    wanted on a case.
    """

    groups: Mapping[str, tuple[str, ...]]
    key: bytes = b""
    max_variants: int = 2
    generations: int = 1
    resamples: int = 0
    control: bool = False
    deterministic: bool = False
    tests: bool = True
    tolerances: Tolerances = field(default_factory=Tolerances)
    flags: Mapping[str, float | None] = field(default_factory=flag_thresholds)
    reviewers: int = 1

    def __post_init__(self) -> None:
        for name, least in (("max_variants", 1), ("generations", 1), ("resamples", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} {getattr(self, name)} must be at least {least}")

    @property
    def draws(self) -> int:
        """Replies for each side."""
        return 1 if self.deterministic else self.generations

    @property
    def maxima_of(self) -> int:
        """Replies of which the worst is taken; 0 when that is not asked for or makes no sense."""
        return 0 if self.deterministic else self.resamples

    @property
    def repeats(self) -> bool:
        """Whether draws of one side can be compared with each other."""
        return self.draws >= 2

    def family(
        self, *, embeddings: bool, catalogue: MetricCatalogue = CATALOGUE
    ) -> tuple[MeanTest, ...]:
        """The sequential tests of the use case, fixed before any data. embeddings: are made."""
        if not self.tests:
            return ()
        conditions = Conditions(repeats=self.repeats, vectors=embeddings)
        return catalogue.family(self.groups, conditions, self.tolerances)


SIGNALS: Mapping[str, tuple[Signal, ...]] = MappingProxyType(
    {"race": (Signal.WORDS, Signal.NAMES), "religion": (Signal.WORDS,)}
)
"""By what these attributes are told unless settings say otherwise, every other by words alone.

Most prompts tell a race by a name or not at all. A name that tells a religion tells a race as well:
the two cannot be told apart, so it counts as one of race unless it is asked for.
"""


def compared(
    lexicons: Lexicons,
    attributes: Collection[str] = (),
    by: Mapping[str, Collection[Signal]] = MappingProxyType({}),
) -> dict[str, tuple[str, ...]]:
    """The groups of these attributes that are compared.

    None named: all of at most `MOST_GROUPS` groups, which leaves out nationality. Words for
    anybody ("they", "person") are no group. by: attribute to the signals by which it is told; what
    names tell is compared as an attribute of its own ("race_by_name"). Raises ValueError for an
    attribute that the lexicons do not have, or that names do not tell.
    """
    worded = [name for name in lexicons.attributes if not told_by_names(name)]
    unknown = sorted({*attributes, *by} - set(worded))
    if unknown:
        raise ValueError(f"no attribute {unknown[0]!r}; there are {sorted(worded)}")
    untold = sorted(
        name
        for name, signals in by.items()
        if Signal.NAMES in signals and by_name(name) not in lexicons.attributes
    )
    if untold:
        raise ValueError(f"names do not tell {untold[0]!r}, only race and religion")
    wanted = attributes or [name for name in worded if len(_groups(lexicons, name)) <= MOST_GROUPS]
    told = [label for name in worded if name in wanted for label in _told(name, by)]
    return {label: _groups(lexicons, label) for label in told}


def _told(attribute: str, by: Mapping[str, Collection[Signal]]) -> list[str]:
    """What is compared of an attribute: by words, by names."""
    signals = by.get(attribute, SIGNALS.get(attribute, (Signal.WORDS,)))
    labels = {Signal.WORDS: attribute, Signal.NAMES: by_name(attribute)}
    return [label for signal, label in labels.items() if signal in signals]


def _groups(lexicons: Lexicons, attribute: str) -> tuple[str, ...]:
    return tuple(sorted(group for group in lexicons.attributes[attribute] if group != NEUTRAL))
