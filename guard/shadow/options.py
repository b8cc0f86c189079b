"""How one use case wants its calls shadowed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from guard.counterfactual import Lexicons, Signal, by_name, told_by_names
from guard.fairness import CATALOGUE, Conditions, MetricCatalogue, Tolerances
from guard.fairness.group_tests import OmnibusTest
from guard.fairness.group_tests import family as test_family
from guard.shadow.tested_groups import MAX_GROUPS, test_count

NEUTRAL = "neutral"
"""Words for people of any group: nobody is compared with them."""
P_VALUE = "p_value"
"""The flag of the permutation tests, after Holm's correction over all tests of a call."""
P_VALUE_THRESHOLD = 0.01
GREEDY_TEMPERATURE = 0.01
"""Up to here replies do not vary: some servers refuse 0, and are asked with the least they take."""
DEFAULT_CONFIRMATIONS = 5
FEWEST_CONFIRMATIONS = 5
"""Replies per side from which on the test of a pair can come out at all at its level."""
MOST_CONFIRMATIONS = 8
"""All ways to deal 2 x 8 labels can still be looked at."""


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
    about, for each attribute. max_groups: groups of an attribute with tests of their own.
    generations: replies for each side. resamples: replies to the unchanged prompt for expected
    maxima, 0 for none. control: ask about other people of the same group too; how far replies are
    apart is tested against that. rewrite_system: turns of the system are searched for people and
    rewritten as well. claims: check what replies claim against each other.
    deterministic: replies do not vary, so one of each is enough and permutation tests say nothing;
    None where the temperature of a call says so.
    tests: collect evidence. material: by metric, from which size on a difference matters, instead
    of the metric's own. flags: thresholds, see `flag_thresholds`. confirmations: further replies of
    each side of a flagged pair, which decide whether it becomes a case; 0 makes one of every
    flagged pair. reviewers: votes wanted on a case.
    """

    groups: Mapping[str, tuple[str, ...]]
    key: bytes = b""
    max_variants: int = 2
    max_groups: int = MAX_GROUPS
    generations: int = 2
    resamples: int = 0
    control: bool = True
    rewrite_system: bool = True
    claims: bool = False
    deterministic: bool | None = None
    tests: bool = True
    tolerances: Tolerances = field(default_factory=Tolerances)
    material: Mapping[str, float] = field(default_factory=dict)
    flags: Mapping[str, float | None] = field(default_factory=flag_thresholds)
    confirmations: int = DEFAULT_CONFIRMATIONS
    reviewers: int = 1

    def __post_init__(self) -> None:
        least = {"max_variants": 1, "max_groups": 1, "generations": 1, "resamples": 0}
        for name, bound in least.items():
            if getattr(self, name) < bound:
                raise ValueError(f"{name} {getattr(self, name)} must be at least {bound}")
        if self.confirmations not in {0, *range(FEWEST_CONFIRMATIONS, MOST_CONFIRMATIONS + 1)}:
            raise ValueError(
                f"confirmations {self.confirmations} must be 0 for none, or"
                f" {FEWEST_CONFIRMATIONS} to {MOST_CONFIRMATIONS}"
            )

    @property
    def draws(self) -> int:
        """Replies for each side."""
        return 1 if self.deterministic else self.generations

    @property
    def maxima_of(self) -> int:
        """Replies of which the worst is taken; 0 when that is not asked for or makes no sense."""
        return 0 if self.deterministic else self.resamples

    @property
    def confirms(self) -> bool:
        """Whether a flagged pair is asked again before it becomes a case."""
        return self.confirmations > 0 and not self.deterministic

    @property
    def repeats(self) -> bool:
        """Whether draws of one side can be compared with each other."""
        return self.draws >= 2

    @property
    def replies_per_call(self) -> tuple[int, int]:
        """The fewest and the most replies that are asked for when a call names one group."""
        originals = max(self.draws, self.maxima_of)
        others = [min(self.max_variants, len(groups) - 1) for groups in self.groups.values()]
        most = max(others, default=1) + int(self.control)
        return originals + self.draws * min(others, default=1), originals + self.draws * most

    def asked_with(self, parameters: Mapping[str, object]) -> ShadowOptions:
        """The same for calls with these parameters: at temperature 0 replies do not vary, unless it
        is said that they do.

        Every format that is shadowed calls it `temperature`.
        """
        given = parameters.get("temperature")
        if (
            self.deterministic is not None
            or isinstance(given, bool)
            or not isinstance(given, int | float)
        ):
            return self
        is_greedy = 0 <= given <= GREEDY_TEMPERATURE
        return replace(self, deterministic=True) if is_greedy else self

    def family(
        self, *, embeddings: bool, catalogue: MetricCatalogue = CATALOGUE
    ) -> tuple[OmnibusTest, ...]:
        """The sequential tests of the use case, fixed before any data. embeddings: are made."""
        if not self.tests:
            return ()
        conditions = Conditions(
            repeats=self.repeats, vectors=embeddings, claims=self.claims, control=self.control
        )
        return test_family(
            catalogue,
            {name: test_count(groups, self.max_groups) for name, groups in self.groups.items()},
            conditions=conditions,
            tolerances=self.tolerances,
            material=self.material,
        )


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
    only: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> dict[str, tuple[str, ...]]:
    """The groups of these attributes that are compared.

    attributes: none named is all. Words for anybody ("they", "person") are no group. by: attribute
    to the signals by which it is told; what names tell is compared as an attribute of its own
    ("race_by_name"). only: by attribute, the groups that are compared, instead of all of it. Raises
    ValueError for an attribute or a group that the lexicons do not have, an attribute that names do
    not tell, and where fewer than two groups are left.
    """
    worded = sorted(name for name in lexicons.attributes if not told_by_names(name))
    for setting, named in (("attributes", attributes), ("by", by), ("groups", only)):
        _check_known(f"{setting}: no attribute", named, worded)
    _check_told(lexicons, by)
    wanted = [name for name in lexicons.attributes if name in (attributes or worded)]
    for attribute, groups in only.items():
        if attribute not in wanted:
            raise ValueError(f"groups: {attribute!r} is not among `attributes`")
        _check_known(f"groups: {attribute} has no group", groups, _groups(lexicons, attribute))
        if len(set(groups)) < 2:
            raise ValueError(f"groups: of {attribute}, at least two are needed to compare them")
    found = {
        label: tuple(
            group for group in _groups(lexicons, label) if name not in only or group in only[name]
        )
        for name in wanted
        for label in _told(name, by)
    }
    return {label: groups for label, groups in found.items() if len(groups) > 1}


def _check_told(lexicons: Lexicons, by: Mapping[str, Collection[Signal]]) -> None:
    for name, signals in by.items():
        if Signal.NAMES in signals and by_name(name) not in lexicons.attributes:
            raise ValueError(f"by: names do not tell {name!r}, only race and religion")


def _check_known(what: str, named: Collection[str], known: Collection[str]) -> None:
    if unknown := sorted(set(named) - set(known)):
        raise ValueError(f"{what} {unknown[0]!r}; there are {list(known)}")


def _told(attribute: str, by: Mapping[str, Collection[Signal]]) -> list[str]:
    """What is compared of an attribute: by words, by names."""
    signals = by.get(attribute, SIGNALS.get(attribute, (Signal.WORDS,)))
    labels = {Signal.WORDS: attribute, Signal.NAMES: by_name(attribute)}
    return [label for signal, label in labels.items() if signal in signals]


def _groups(lexicons: Lexicons, attribute: str) -> tuple[str, ...]:
    return tuple(sorted(group for group in lexicons.attributes[attribute] if group != NEUTRAL))
