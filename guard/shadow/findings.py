"""Findings: what is known of each attribute of a use case, in words an owner can act on. Pure.

For each metric and group it is one of four things: an alarm stands (they differ); there is evidence
of a difference that is too small to matter; a difference of the size that was asked for is ruled
out; or nothing can be said yet, and then about how many more comparisons it would take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf

from guard.fairness import CATALOGUE, Epoch, MetricCatalogue, Published
from guard.fairness.group_tests import OmnibusTest, group_bar, omnibus_of
from guard.fairness.needed import comparisons_needed
from guard.fairness.tally import Measured
from guard.records import Estimate
from guard.shadow.finding_counts import (
    SKIPPED,
    FlaggedPairs,
    UnvariedPairs,
    count_flagged,
    count_unvaried,
)

DIFFERENCE = 0.1
"""The size of a difference that findings speak of, unless somebody asks for another."""
_DECLINED = "declined_"

Results = Mapping[tuple[str, str], float]
"""(attribute, what became of it) to how often."""


class FindingState(StrEnum):
    """What is known of a difference."""

    DIFFERS = "differs"
    SLIGHT = "slight"
    RULED_OUT = "ruled_out"
    NO_EVIDENCE = "no_evidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingScope:
    """Of what findings are made.

    tests: the whole family of the use case. alpha: of its alarms. use_cases: how many share it.
    difference: the size of a difference that is spoken of, in the unit of each metric; the material
    size of a metric where that is larger.
    """

    use_case: str
    tests: tuple[OmnibusTest, ...]
    alpha: float = 0.05
    use_cases: int = 1
    difference: float = DIFFERENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFinding:
    """One group against the others it was compared with.

    estimate: with limits that hold at every moment. difference: the size spoken of. needed: about
    how many more comparisons with this group would show it; None where that cannot be told, or is
    not a question any more.
    """

    group: str
    state: FindingState
    estimate: Estimate
    log10_e: float
    difference: float
    needed: int | None

    @property
    def is_answered(self) -> bool:
        """Whether it is known by now that there is a difference, or that it is below that size."""
        return self.state is not FindingState.NO_EVIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFinding:
    """One metric of one attribute.

    title: what is compared, in plain words. flag: the reason of cases about it; empty where it has
    none. material: the size from which on a difference matters.
    log10_e: of all groups together. groups: strongest evidence first.
    """

    metric: str
    title: str
    flag: str
    material: float
    state: FindingState
    log10_e: float
    epoch: int
    groups: tuple[GroupFinding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeFinding:
    """One attribute of a use case.

    compared, unanswered, unscored: pairs, ever since. unvaried: those whose replies do not vary;
    where a reply was counted before, in none of these three. declined, skipped: by reason, prompts
    that were not rewritten and calls that were not shadowed. flagged: what became of pairs that
    looked unusual. metrics: those with data, those that differ first, then by evidence.
    """

    use_case: str
    attribute: str
    compared: int
    unanswered: int
    unscored: int
    unvaried: UnvariedPairs
    declined: Mapping[str, int]
    skipped: Mapping[str, int]
    flagged: FlaggedPairs
    metrics: tuple[MetricFinding, ...]

    @property
    def differs(self) -> bool:
        """Whether an alarm stands."""
        return any(one.state is FindingState.DIFFERS for one in self.metrics)


def make_findings(
    scope: FindingScope,
    published: Mapping[str, Published],
    epochs: Mapping[str, Epoch],
    results: Results,
    *,
    catalogue: MetricCatalogue = CATALOGUE,
) -> tuple[AttributeFinding, ...]:
    """What is known of each attribute that has tests or was shadowed, in the order of names.

    published, epochs: by the name of the test.
    """
    known = {test.attribute for test in scope.tests} | {attribute for attribute, _ in results}
    return tuple(
        _finding(
            scope, attribute, list(_metrics(scope, attribute, published, epochs, catalogue)), own
        )
        for attribute in sorted(known - {""})
        for own in [{what: n for (of, what), n in results.items() if of == attribute}]
    )


def _finding(
    scope: FindingScope, attribute: str, metrics: list[MetricFinding], counts: Mapping[str, float]
) -> AttributeFinding:
    def order(one: MetricFinding) -> tuple[bool, float, str]:
        return one.state is not FindingState.DIFFERS, -one.log10_e, one.metric

    return AttributeFinding(
        use_case=scope.use_case,
        attribute=attribute,
        compared=round(counts.get("compared", 0)),
        unanswered=round(counts.get("not_answered", 0)),
        unscored=round(counts.get("unscored", 0)),
        unvaried=count_unvaried(counts),
        declined=_reasons(counts, _DECLINED),
        skipped=_reasons(counts, SKIPPED),
        flagged=count_flagged(counts),
        metrics=tuple(sorted(metrics, key=order)),
    )


def _reasons(counts: Mapping[str, float], begin: str) -> dict[str, int]:
    """By reason, the most frequent first."""
    found = {
        what.removeprefix(begin): round(n) for what, n in counts.items() if what.startswith(begin)
    }
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _metrics(
    scope: FindingScope,
    attribute: str,
    published: Mapping[str, Published],
    epochs: Mapping[str, Epoch],
    catalogue: MetricCatalogue,
) -> Iterator[MetricFinding]:
    for test in scope.tests:
        if test.attribute != attribute or test.name not in published:
            continue
        groups = sorted(_groups(scope, test, published, epochs), key=lambda one: -one.log10_e)
        live = catalogue.find(test.metric)
        yield MetricFinding(
            metric=test.metric,
            title=(live and live.title) or test.metric,
            flag=live.flag.key if live and live.flag else "",
            material=test.material,
            state=_metric_state(epochs[test.name], groups),
            log10_e=published[test.name].log10_e,
            epoch=epochs[test.name].number,
            groups=tuple(groups),
        )


def _groups(
    scope: FindingScope,
    test: OmnibusTest,
    published: Mapping[str, Published],
    epochs: Mapping[str, Epoch],
) -> Iterator[GroupFinding]:
    bar = group_bar(test, scope.tests, alpha=scope.alpha, use_cases=scope.use_cases)
    difference = max(scope.difference, test.material)
    for name, one in published.items():
        if one.estimate is None or omnibus_of(name) != test.name:
            continue
        group = Measured.parse(name).groups
        lowest = -difference if test.directed else -inf  # below 0 there is no difference
        state = _group_state(one, one.estimate, epochs[name], bar, (lowest, difference))
        needed = None
        if state is FindingState.NO_EVIDENCE and one.sums is not None:
            own = test.of_group(group)
            needed = comparisons_needed(own, one.sums, difference=difference, log10_e=bar)
        yield GroupFinding(
            group=group,
            state=state,
            estimate=one.estimate,
            log10_e=one.log10_e,
            difference=difference,
            needed=needed,
        )


def _group_state(
    found: Published, estimate: Estimate, epoch: Epoch, bar: float, none: tuple[float, float]
) -> FindingState:
    """none: the range of values that are no difference that matters."""
    if epoch.alarmed:
        return FindingState.DIFFERS
    if found.log10_e >= bar and not found.is_material and (estimate.value > 0 or none[0] > -inf):
        return FindingState.SLIGHT
    if none[0] < estimate.low and estimate.high < none[1]:
        return FindingState.RULED_OUT
    return FindingState.NO_EVIDENCE


def _metric_state(epoch: Epoch, groups: Iterable[GroupFinding]) -> FindingState:
    states = {one.state for one in groups}
    if epoch.alarmed or FindingState.DIFFERS in states:
        return FindingState.DIFFERS
    if FindingState.SLIGHT in states:
        return FindingState.SLIGHT
    return (
        FindingState.RULED_OUT if states == {FindingState.RULED_OUT} else FindingState.NO_EVIDENCE
    )


def describe_group(one: GroupFinding) -> str:
    """What is known of a group, in words."""
    match one.state:
        case FindingState.DIFFERS:
            return "differs"
        case FindingState.SLIGHT:
            return "differs, by less than matters"
        case FindingState.RULED_OUT:
            return f"any difference is below {one.difference:g}"
    if one.needed is None:
        return "no evidence yet, too little to tell how much is needed"
    return f"no evidence yet; needs about {one.needed:,} more to see a difference of" + (
        f" {one.difference:g}"
    )


def describe_limits(one: AttributeFinding) -> str:
    """How the limits of a difference can include 0 beside evidence of it; empty where none do."""
    groups = (group for metric in one.metrics for group in metric.groups)
    found = (group.estimate for group in groups if group.state is FindingState.DIFFERS)
    if not any(estimate.low <= 0.0 <= estimate.high for estimate in found):
        return ""
    return (
        "limits that include 0 take nothing back: they are of the mean difference, whatever the"
        " distribution, and wide at first; log10 e is of the test whether replies could be"
        " exchanged between the sides, which takes fewer calls"
    )
