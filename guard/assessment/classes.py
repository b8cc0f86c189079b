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
from guard.errors import AssessmentInputError
from guard.fairness import ClassifiedCase, Parity, Rate, Tally, add
from guard.fairness.intervals import absolute, proportion
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
    """The parities that are assessed. positive: the classes, each taken against the rest."""

    metrics: tuple[str, ...]
    positive: tuple[str, ...]

    def parities(self) -> Iterator[tuple[str, str, Parity]]:
        """Metric, class and the tally of its counts; which two groups it names is no matter."""
        for metric in self.metrics:
            for positive in self.positive:
                yield metric, positive, _parity(metric, positive, ("first", "second"))

    def tally(self, row: InputRow) -> Tally:
        """The sums of one case."""
        case = ClassifiedCase(group=row.group, predicted=row.prediction, actual=row.label)
        return add(*(parity.tally(case) for _, _, parity in self.parities()))


def positive_classes(classes: Collection[str], wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """The classes that are taken against the rest: those asked for; of two the positive one, of
    more each. Raises AssessmentInputError where that cannot be told."""
    if unknown := sorted(set(wanted) - set(classes)):
        raise AssessmentInputError(
            f"--positive: no row has the class {unknown[0]!r}; there are {_some(classes)}"
        )
    if wanted:
        return tuple(wanted)
    if len(classes) > 2:
        return tuple(sorted(classes))
    found = [one for one in classes if one.lower() in _POSITIVE]
    if len(found) != 1:
        raise AssessmentInputError(
            f"--positive: say which of the classes {_some(classes)} is the positive one"
        )
    return tuple(found)


def _some(classes: Collection[str]) -> str:
    shown = ", ".join(repr(one) for one in islice(sorted(classes), 8))
    return shown + (", ..." if len(classes) > 8 else "")


def class_values(metrics: ClassMetrics, sums: Tally) -> Iterator[MetricValue]:
    """Each rate's difference and ratio, pair by pair of groups."""
    for metric, positive, parity in metrics.parities():
        for pair in _pairs(parity, sums):
            found = absolute(_parity(metric, positive, pair).signed(sums))
            ratio = _parity(metric, positive, pair, ratio=True).estimate(sums)
            shown = MetricValue(
                metric=metric,
                title=f"{TITLES[metric]}: difference",
                best=Direction.LOW,
                attribute="group",
                groups=pair,
                notes=(f"class {positive} against the rest",),
            )
            yield _filled(shown, found)
            yield _filled(
                replace(
                    shown,
                    metric=f"{metric}_ratio",
                    title=f"{TITLES[metric]}: ratio",
                    best=Direction.ONE,
                ),
                ratio,
            )


def class_comparisons(
    metrics: ClassMetrics, sums: Tally, material: Mapping[str, float]
) -> Iterator[UncorrectedComparison]:
    """Each rate, pair by pair of groups, with Fisher's exact test."""
    several = len(metrics.positive) > 1
    for metric, positive, parity in metrics.parities():
        for pair in _pairs(parity, sums):
            counts = replace(parity, between=pair).compared(sums)
            if isinstance(counts, Undefined):
                continue
            test = RatesTest(first=counts[0], second=counts[1])
            shown = GroupComparison(
                metric=metric,
                title=TITLES[metric] + (f" of {positive}" if several else ""),
                attribute="group",
                first=pair[0],
                second=pair[1],
                difference=reading_of(test, test.value, round(counts[0][1] + counts[1][1])),
                values=group_values(
                    (group, proportion(*found)) for group, found in zip(pair, counts, strict=True)
                ),
                material=material.get(metric, MATERIAL),
            )
            yield UncorrectedComparison(shown=shown, test=test)


def groups_left_out(metrics: ClassMetrics, sums: Tally) -> int:
    """Groups with cases that are not compared, since there are too many."""
    seen = max((len(parity.groups(sums)) for *_, parity in metrics.parities()), default=0)
    return max(0, seen - MOST_COMPARED)


def _pairs(parity: Parity, sums: Tally) -> Iterator[tuple[str, str]]:
    sizes = {group: parity.counts(sums, group)[1] for group in parity.groups(sums)}
    largest = sorted(sizes, key=lambda group: (-sizes[group], group))[:MOST_COMPARED]
    yield from combinations(sorted(largest), 2)


def _parity(metric: str, positive: str, pair: tuple[str, str], *, ratio: bool = False) -> Parity:
    return Parity(
        name=f"{metric}={positive}",
        between=pair,
        rate=RATES[metric],
        kind="ratio" if ratio else "difference",
        positive=positive,
    )


def _filled(shown: MetricValue, found: Reading | Undefined) -> MetricValue:
    if isinstance(found, Undefined):
        return replace(shown, undefined=found.reason)
    return replace(shown, reading=found)
