"""What is measured of a classifier: its rates in each group, and how far groups differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from types import MappingProxyType
from typing import Final

from guard.assessment.comparisons import UncorrectedComparison, group_values
from guard.assessment.difference_tests import RatesTest, reading_of
from guard.assessment.results import Direction, GroupComparison, MetricValue
from guard.assessment.rows import InputRow
from guard.assessment.units import row_attribute
from guard.errors import SettingsError
from guard.fairness import ClassifiedCase, Parity, Rate, Tally, add, key
from guard.fairness.intervals import absolute, proportion
from guard.fairness.tally import split
from guard.records import Reading, Undefined

RATES: Final[Mapping[str, Rate]] = MappingProxyType(
    {
        "demographic_parity": Rate.PREVALENCE,
        "false_negative_rate": Rate.FALSE_NEGATIVE,
        "false_omission_rate": Rate.FALSE_OMISSION,
        "false_positive_rate": Rate.FALSE_POSITIVE,
        "false_discovery_rate": Rate.FALSE_DISCOVERY,
    }
)
TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "demographic_parity": "Rate of the positive class",
        "false_negative_rate": "False negative rate",
        "false_omission_rate": "False omission rate",
        "false_positive_rate": "False positive rate",
        "false_discovery_rate": "False discovery rate",
    }
)
MATERIAL: Final = 0.05
"""From which difference of rates on it matters, unless it is said otherwise."""
MOST_COMPARED: Final = 8
"""Groups of which every two are compared: those with the most cases."""
_POSITIVE: Final = ("1", "true", "yes", "positive")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassMetrics:
    """The parities that are assessed. positive: the classes, each taken against the rest. Groups
    are compared within their attribute."""

    metrics: tuple[str, ...]
    positive: tuple[str, ...]

    def rates(self, attribute: str) -> Iterator[ClassRate]:
        """Each metric of each class, between the groups of an attribute."""
        for metric in self.metrics:
            for positive in self.positive:
                yield ClassRate(metric=metric, positive=positive, attribute=attribute)

    def tally(self, row: InputRow) -> Tally:
        """The sums of one case."""
        case = ClassifiedCase(group=row.group, predicted=row.prediction, actual=row.label)
        return add(*(one.parity().tally(case) for one in self.rates(row_attribute(row))))

    def found(self, sums: Tally) -> Iterator[ClassRate]:
        """Those of every attribute that has cases."""
        names = {tuple(split(name)) for name in {split(flat)[0] for flat in sums}}
        attributes = {parts[2] for parts in names if len(parts) == 3 and parts[0] in self.metrics}
        for attribute in sorted(attributes):
            yield from self.rates(attribute)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRate:
    """One rate of one class, between the groups of one attribute."""

    metric: str
    positive: str
    attribute: str

    def parity(self, pair: tuple[str, str] = ("first", "second"), *, ratio: bool = False) -> Parity:
        """The tally of its counts. pair: of no matter while it is counted."""
        return Parity(
            name=key(self.metric, self.positive, self.attribute),
            between=pair,
            rate=RATES[self.metric],
            kind="ratio" if ratio else "difference",
            positive=self.positive,
        )

    def pairs(self, sums: Tally) -> Iterator[tuple[str, str]]:
        """Every two of the groups with the most cases."""
        parity = self.parity()
        sizes = {group: parity.counts(sums, group)[1] for group in parity.groups(sums)}
        largest = sorted(sizes, key=lambda group: (-sizes[group], group))[:MOST_COMPARED]
        yield from combinations(sorted(largest), 2)


def positive_classes(classes: Collection[str], wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """The classes that are taken against the rest: those asked for; of two the positive one, of
    more each. Raises SettingsError where that cannot be told."""
    if unknown := sorted(set(wanted) - set(classes)):
        raise SettingsError(
            f"--positive: no row has the class {unknown[0]!r}; there are {_some(classes)}"
        )
    if wanted:
        return tuple(wanted)
    if len(classes) > 2:
        return tuple(sorted(classes))
    found = [one for one in classes if one.lower() in _POSITIVE]
    if len(found) != 1:
        raise SettingsError(
            f"--positive: say which of the classes {_some(classes)} is the positive one"
        )
    return tuple(found)


def _some(classes: Collection[str]) -> str:
    shown = ", ".join(repr(one) for one in islice(sorted(classes), 8))
    return shown + (", ..." if len(classes) > 8 else "")


def class_values(metrics: ClassMetrics, sums: Tally) -> Iterator[MetricValue]:
    """Each rate's difference and ratio, pair by pair of groups."""
    for one in metrics.found(sums):
        for pair in one.pairs(sums):
            shown = MetricValue(
                metric=one.metric,
                title=f"{TITLES[one.metric]}: difference",
                best=Direction.LOW,
                attribute=one.attribute,
                groups=pair,
                notes=(f"class {one.positive} against the rest",),
            )
            yield _filled(shown, absolute(one.parity(pair).signed(sums)))
            yield _filled(
                replace(
                    shown,
                    metric=f"{one.metric}_ratio",
                    title=f"{TITLES[one.metric]}: ratio",
                    best=Direction.ONE,
                ),
                one.parity(pair, ratio=True).estimate(sums),
            )


def class_comparisons(
    metrics: ClassMetrics, sums: Tally, material: Mapping[str, float]
) -> Iterator[UncorrectedComparison]:
    """Each rate, pair by pair of groups of one attribute, with Fisher's exact test."""
    several = len(metrics.positive) > 1
    for one in metrics.found(sums):
        for pair in one.pairs(sums):
            counts = one.parity(pair).compared(sums)
            if isinstance(counts, Undefined):
                continue
            test = RatesTest(first=counts[0], second=counts[1])
            shown = GroupComparison(
                metric=one.metric,
                title=TITLES[one.metric] + (f" of {one.positive}" if several else ""),
                attribute=one.attribute,
                first=pair[0],
                second=pair[1],
                difference=reading_of(test, test.value, round(counts[0][1] + counts[1][1])),
                values=group_values(
                    (group, proportion(*found)) for group, found in zip(pair, counts, strict=True)
                ),
                material=material.get(one.metric, MATERIAL),
            )
            yield UncorrectedComparison(shown=shown, test=test)


def groups_left_out(metrics: ClassMetrics, sums: Tally) -> int:
    """Groups with cases that are not compared, since there are too many of their attribute."""
    seen: dict[str, int] = {}
    for one in metrics.found(sums):
        groups = len(one.parity().groups(sums))
        seen[one.attribute] = max(groups, seen.get(one.attribute, 0))
    return sum(max(0, groups - MOST_COMPARED) for groups in seen.values())


def _filled(shown: MetricValue, found: Reading | Undefined) -> MetricValue:
    if isinstance(found, Undefined):
        return replace(shown, undefined=found.reason)
    return replace(shown, reading=found)
