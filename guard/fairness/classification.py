"""Parities of a classifier between two groups: a tally, and a plain function over lists.

Bouchard (2024), arXiv 2407.10853, section 3.2. Five rates, each compared as a difference and as a
ratio. A group is any label, so a gender x race group is a group like any other (`intersection`).
With more than two classes each sensitive class is taken against the rest (`positive`). A rate of 0
is a rate; a group without the cases a rate is about has none, and the comparison is undefined.

In `parity`: groups, predicted, actual: (cases,), labels of any kind, None or NaN where
unknown; positive: the class taken against the rest; between: the two groups compared, in sorted
order unless told. A difference is absolute, in [0, 1]: 0, the rate is the same in both groups; 1,
it is 0 in one and 1 in the other. A ratio is first over second, from 0 up: 1, the same rate; 0,
none in the first group. Undefined where a group has no case the rate is about, or the lower rate
of a ratio is 0. It does not say why the groups differ.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal, TypeAlias

from guard.fairness.intervals import absolute, difference, proportion, ratio
from guard.fairness.tally import Tally, key, listed, within
from guard.records import Reading, Undefined

Label: TypeAlias = Hashable
Between: TypeAlias = tuple[Hashable, Hashable]
Counts: TypeAlias = tuple[float, float]
Labels: TypeAlias = Iterable[Label | None]
Kind: TypeAlias = Literal["difference", "ratio"]


class Rate(StrEnum):
    """What is compared between groups: P(of | among).

    PREVALENCE: predicted positive, among all: demographic parity [LF 3.2.1], not where the groups'
    true rates differ and errors are what harms. The others are errors [LF 3.2.2]. For assistive
    uses FALSE_NEGATIVE (FNR): predicted negative, among positives, and FALSE_OMISSION (FOR):
    positive, among those predicted negative: not for punitive uses, where false alarms harm. For
    punitive uses FALSE_POSITIVE (FPR): predicted positive, among negatives, and FALSE_DISCOVERY
    (FDR): negative, among those predicted positive: not for assistive uses, where misses harm.
    """

    PREVALENCE = "prevalence"
    FALSE_NEGATIVE = "false_negative"
    FALSE_OMISSION = "false_omission"
    FALSE_POSITIVE = "false_positive"
    FALSE_DISCOVERY = "false_discovery"

    def counts(self, *, predicted: bool, actual: bool | None) -> tuple[bool, bool]:
        """Whether a case is among those the rate is about, and whether it is a hit."""
        if self is Rate.PREVALENCE:
            return True, predicted
        if actual is None:
            return False, False
        return {
            Rate.FALSE_NEGATIVE: (actual, not predicted),
            Rate.FALSE_OMISSION: (not predicted, actual),
            Rate.FALSE_POSITIVE: (not actual, predicted),
            Rate.FALSE_DISCOVERY: (predicted, not actual),
        }[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifiedCase:
    """One classified case. None where a label is not known (yet)."""

    group: str
    predicted: Label | None
    actual: Label | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupShares:
    """A share in each group, and how far two of the groups differ in it.

    between: the two groups compared.
    """

    name: str
    between: tuple[str, str]
    lacking: ClassVar[str]

    def __post_init__(self) -> None:
        check_between(self.between)

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The absolute difference."""
        return absolute(self.signed(tally))

    def signed(self, tally: Tally) -> Reading | Undefined:
        """The difference with its sign: above 0, the share is higher in the first group."""
        found = self.compared(tally)
        return found if isinstance(found, Undefined) else difference(*found)

    def rates(self, tally: Tally) -> dict[str, Reading | Undefined]:
        """The share of each group that was seen."""
        groups = sorted(self.groups(tally))
        return {group: proportion(*self.counts(tally, group)) for group in groups}

    def compared(self, tally: Tally) -> tuple[Counts, Counts] | Undefined:
        """(hits, n) of both groups, if both have any."""
        first, second = (self.counts(tally, group) for group in self.between)
        if first[1] > 0 < second[1]:
            return first, second
        without = self.between[0] if first[1] <= 0 else self.between[1]
        return Undefined(f"{self.name}: group {without!r} has no {self.lacking}")

    @abstractmethod
    def groups(self, tally: Tally) -> set[str]:
        """The groups that were seen."""

    @abstractmethod
    def counts(self, tally: Tally, group: str) -> Counts:
        """(hits, n) of a group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity(GroupShares):
    """Any of the parities as a tally.

    Observation: `ClassifiedCase`. between: the first over the second in a ratio. positive: the
    class taken against the rest. Keys: 3 for each group; `unknown` counts cases without a
    prediction, or without the truth where the rate needs one.
    """

    rate: Rate
    kind: Kind = "difference"
    positive: Label = 1
    lacking: ClassVar[str] = "case the rate is about"

    def __post_init__(self) -> None:
        if self.rate not in set(Rate):
            raise ValueError(f"rate {self.rate!r} is none of {', '.join(Rate)}")
        GroupShares.__post_init__(self)
        object.__setattr__(self, "rate", Rate(self.rate))
        if self.kind not in {"difference", "ratio"}:
            raise ValueError(f"kind {self.kind!r} is neither 'difference' nor 'ratio'")

    def tally(self, observation: ClassifiedCase, /) -> Tally:
        """The sums of one case."""
        predicted, actual = (
            _is(label, self.positive) for label in (observation.predicted, observation.actual)
        )
        if predicted is None or (actual is None and self.rate is not Rate.PREVALENCE):
            return {key(self.name, "unknown", observation.group): 1.0}
        among, hit = self.rate.counts(predicted=predicted, actual=actual)
        if not among:
            return {}
        group = observation.group
        return {key(self.name, "n", group): 1.0, key(self.name, "hits", group): float(hit)}

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The absolute difference, or the ratio."""
        if self.kind == "difference":
            return GroupShares.estimate(self, tally)
        found = self.compared(tally)
        return found if isinstance(found, Undefined) else ratio(*found)

    def groups(self, tally: Tally) -> set[str]:
        return {group for (group,) in within(tally, self.name, "n")}

    def counts(self, tally: Tally, group: str) -> Counts:
        hits, n = (tally.get(key(self.name, field, group), 0.0) for field in ("hits", "n"))
        return hits, n


def intersection(**attributes: str) -> str:
    """One group from several attributes: `intersection(gender="f", race="b")`, in any order."""
    return ",".join(f"{name}={value}" for name, value in sorted(attributes.items()))


def rates(
    rate: Rate,
    groups: Iterable[Label | None],
    predicted: Iterable[Label | None],
    actual: Iterable[Label | None] | None = None,
    *,
    positive: Label = 1,
) -> dict[Label, Counts]:
    """(hits, cases) of each group, for any of the rates; cases with an unknown label or group
    (None, NaN) are left out."""
    labels, guesses = listed(groups, "groups"), listed(predicted, "predicted")
    truth = [None] * len(labels) if actual is None else listed(actual, "actual")
    _check_lengths(labels, guesses, truth)
    _check_positive([*guesses, *truth], positive)
    found: dict[Label, Counts] = {group: (0.0, 0.0) for group in labels if _is_known(group)}
    for group, guess, fact in zip(labels, guesses, truth, strict=True):
        is_hit, is_positive = _is(guess, positive), _is(fact, positive)
        if is_hit is not None and _is_known(group):
            among, hit = rate.counts(predicted=is_hit, actual=is_positive)
            hits, n = found[group]
            found[group] = (hits + (among and hit), n + among)
    return found


def _is(label: Label | None, positive: Label) -> bool | None:
    """Whether it is the positive class; None for what is no label: None and NaN."""
    return bool(label == positive) if _is_known(label) else None


def _is_known(label: Label | None) -> bool:
    return label is not None and bool(label == label)


def parity(
    rate: Rate,
    groups: Labels,
    predicted: Labels,
    actual: Labels | None = None,
    *,
    kind: Kind = "difference",
    positive: Label = 1,
    between: Between | None = None,
) -> float | Undefined:
    """The absolute difference of a rate between two groups, or its ratio, first over second."""
    counts = _two(rates(rate, groups, predicted, actual, positive=positive), between)
    if isinstance(counts, Undefined):
        return counts
    (hits, n), (other_hits, other_n) = counts
    if kind == "difference":
        return abs(hits / n - other_hits / other_n)
    if other_hits <= 0:
        return Undefined("the rate below the line is 0: a ratio has no value")
    return hits / n / (other_hits / other_n)


def _two(found: dict[Label, Counts], between: Between | None) -> tuple[Counts, Counts] | Undefined:
    """The counts of the two groups compared, both with cases."""
    if between is None:
        if len(found) > 2:
            raise ValueError(f"between: name two of the {len(found)} groups")
        if len(found) < 2:
            return Undefined(f"groups: {len(found)} found, and two are compared")
        first, second = _in_order(found)
    else:
        first, second = check_between(between)
    counts = found.get(first, (0.0, 0.0)), found.get(second, (0.0, 0.0))
    for group, (_, n) in zip((first, second), counts, strict=True):
        if n <= 0:
            return Undefined(f"group {group!r} has no case the rate is about")
    return counts


def _in_order(groups: Iterable[Label]) -> list[Label]:
    """Sorted as their kind sorts, or as they are written where it does not."""
    try:
        return sorted(groups, key=lambda group: (str(type(group)), group))
    except TypeError:
        return sorted(groups, key=repr)


def check_between(between: Between) -> Between:
    """A programmer's mistake is told at once."""
    pair = listed(between, "between")
    if len(pair) != 2 or pair[0] == pair[1]:
        raise ValueError(f"between {between!r} must be two groups")
    return between


def _check_positive(labels: Sequence[Label | None], positive: Label) -> None:
    """Texts are never 1: every rate would be 0 and every comparison look fair."""
    kinds = {isinstance(label, str) for label in labels if _is_known(label)}
    if len(kinds) == 1 and isinstance(positive, str) not in kinds:
        raise ValueError(f"positive {positive!r} is of another kind than the labels: name one")


def _check_lengths(
    groups: Sequence[Label | None],
    predicted: Sequence[Label | None],
    actual: Sequence[Label | None],
) -> None:
    for name, column in (("predicted", predicted), ("actual", actual)):
        if len(column) != len(groups):
            raise ValueError(f"{name} has {len(column)} entries, groups has {len(groups)}")
