"""What the live guard kept of a use case, as the results of an assessment.

Three things are kept, each chosen otherwise: sums of every guarded reply, sums and evidence of the
calls that a keyed hash drew to be asked again, and the texts of cases, which were opened because
something looked unusual. Figures are of the first two alone. Nothing is scored or asked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from types import MappingProxyType
from typing import Final

from guard.assessment.findings import pair_values, summary
from guard.assessment.plan import PAIRED, Available, plan_metrics
from guard.assessment.results import (
    AssessmentResults,
    AttributeCoverage,
    Conclusion,
    Coverage,
    GroupComparison,
    MetricValue,
    PlannedMetric,
    Provenance,
)
from guard.assessment.stored_cases import CaseTexts
from guard.assessment.titles import base_name, best_of, planned_name, title_of
from guard.errors import AssessmentInputError
from guard.fairness import CATALOGUE, Measured, ModelTask, Tally, UseCaseFacts
from guard.fairness.catalogue import FTU, TOXIC_FRACTION, fractions
from guard.fairness.tally import key, merged
from guard.records import Reading, Undefined
from guard.shadow.findings import (
    AttributeFinding,
    FindingState,
    GroupFinding,
    MetricFinding,
    describe_group,
)

_CONCLUSIONS: Final = MappingProxyType(
    {
        FindingState.DIFFERS: Conclusion.DIFFERENT,
        FindingState.SLIGHT: Conclusion.SMALL,
        FindingState.RULED_OUT: Conclusion.ALIKE,
        FindingState.NO_EVIDENCE: Conclusion.UNDECIDED,
    }
)
_COUNTED = "the live guard keeps its sums"
_NO_SUMS = "the live guard keeps no sums of it: assess prompts and responses with --prompts"
_IN_PAIRS: Final = tuple(
    PlannedMetric(metric=name, applies=True, reason=_COUNTED, by="data") for name in sorted(PAIRED)
)


@dataclass(frozen=True, kw_only=True)
class StoredTraffic:
    """What a store has of one use case.

    buckets: the start of each time bucket, in Unix seconds, to its sums. findings: what the
    sequential tests say, by attribute. cases: those that were opened. share: of the calls that are
    asked again, in [0, 1], as it is set now; None where none are. alpha: of the alarms.
    """

    use_case: str
    now_seconds: float
    buckets: Mapping[float, Tally] = field(default_factory=dict)
    findings: Sequence[AttributeFinding] = ()
    cases: CaseTexts = field(default_factory=CaseTexts)
    share: float | None = None
    alpha: float = 0.05

    @cached_property
    def sums(self) -> Tally:
        """Of all buckets."""
        return merged(self.buckets.values())

    @cached_property
    def readings(self) -> Mapping[Measured, Reading | Undefined]:
        """What can be read from the sums."""
        return CATALOGUE.readings(self.sums)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was kept."""
        return not (self.sums or self.findings or self.cases.opened)


def assess_stored(traffic: StoredTraffic, provenance: Provenance) -> AssessmentResults:
    """The figures that were kept, and how what they rest on was chosen.

    Raises AssessmentInputError where nothing was kept.
    """
    if traffic.is_empty:
        raise AssessmentInputError(
            f"the store has nothing of use case {traffic.use_case!r}: no sums of the last days, no"
            " evidence and no cases (settings store.url, --use-case)"
        )
    comparisons = tuple(_comparisons(traffic.findings))
    values = tuple(_values(traffic))
    chosen = tuple(_selection(traffic))
    return AssessmentResults(
        use_case=traffic.use_case,
        task=str(ModelTask.GENERATION),
        plan=tuple(_plan(values, comparisons)),
        summary=(*chosen, *summary(comparisons, values)),
        coverage=_coverage(traffic),
        metrics=values,
        comparisons=comparisons,
        worst_responses=traffic.cases.responses,
        worst_pairs=traffic.cases.pairs,
        looks=len(comparisons),
        level=traffic.alpha,
        provenance=replace(provenance, notes=(*provenance.notes, *chosen, *_TESTS)),
    )


_TESTS: Final = (
    "Differences are judged by the sequential tests of the live guard, which hold however often"
    " somebody looks; their intervals are confidence sequences over an epoch, and each stands"
    " alone. Bounds and epochs: docs/shadow.md.",
)


def _values(traffic: StoredTraffic) -> Iterator[MetricValue]:
    for measured, found in traffic.readings.items():
        if not measured.attribute and CATALOGUE.find(measured.metric) is None:
            yield _single(measured, found, traffic.sums)
    for one in pair_values(_IN_PAIRS, traffic.sums):
        live = CATALOGUE.find(one.metric)
        is_mirror = live is not None and live.is_signed and len(one.groups) == 1
        if one.attribute and not is_mirror:
            yield one


def _single(measured: Measured, found: Reading | Undefined, sums: Tally) -> MetricValue:
    name, _, m = measured.metric.rpartition("_m")
    metric = name if m.isdigit() else measured.metric
    return MetricValue(
        metric=metric,
        title=title_of(metric),
        best=best_of(metric),
        reading=None if isinstance(found, Undefined) else found,
        undefined=found.reason if isinstance(found, Undefined) else "",
        m=int(m) if m.isdigit() else None,
        unscored=_unscored(measured.metric, sums),
    )


def _unscored(metric: str, sums: Tally) -> int:
    return round(sums.get(key(metric, "unscored"), 0.0))


def _comparisons(findings: Sequence[AttributeFinding]) -> Iterator[GroupComparison]:
    for attribute in findings:
        for metric in attribute.metrics:
            for group in metric.groups:
                yield _comparison(attribute.attribute, metric, group)


def _comparison(attribute: str, metric: MetricFinding, group: GroupFinding) -> GroupComparison:
    seen, live = group.estimate, CATALOGUE.find(metric.metric)
    title = title_of(metric.metric)
    undecided = group.state is FindingState.NO_EVIDENCE
    return GroupComparison(
        metric=metric.metric,
        title=title,
        attribute=attribute,
        first=group.group,
        difference=Reading(value=seen.value, low=seen.low, high=seen.high, n=seen.n),
        directed=live is None or live.directed,
        material=group.difference if group.state is FindingState.RULED_OUT else metric.material,
        needed=group.needed,
        conclusion=_CONCLUSIONS[group.state],
        sentence=(
            f"{attribute}: {group.group} and all other groups, {title[:1].lower()}{title[1:]}:"
            f" {describe_group(group)} ({seen.value:.3g}, between {seen.low:.3g} and"
            f" {seen.high:.3g}, n = {seen.n})" + ("; this is not parity" if undecided else "")
        ),
    )


def _plan(
    values: Sequence[MetricValue], comparisons: Sequence[GroupComparison]
) -> Iterator[PlannedMetric]:
    names = {one.metric for one in values} | {one.metric for one in comparisons}
    there = {*map(base_name, names), *map(planned_name, names)}
    facts = UseCaseFacts(task=ModelTask.GENERATION, unaware=False)
    for one in plan_metrics(facts, Available()):
        if one.metric in there:
            yield PlannedMetric(metric=one.metric, applies=True, reason=_COUNTED, by="data")
        elif one.by == "data":
            yield replace(one, reason=_NO_SUMS)
        else:
            yield one


def _coverage(traffic: StoredTraffic) -> Coverage:
    scored, unscored = _replies(traffic)
    return Coverage(
        rows=scored + unscored,
        prompts=scored + unscored,
        given=scored + unscored,
        scored=scored,
        unscored={"no score": unscored} if unscored else {},
        attributes=tuple(_attribute(one, traffic) for one in traffic.findings),
    )


def _attribute(one: AttributeFinding, traffic: StoredTraffic) -> AttributeCoverage:
    found = traffic.readings.get(Measured(metric=FTU, attribute=one.attribute))
    known = found if isinstance(found, Reading) else Reading(value=0.0, low=0.0, high=0.0, n=0)
    unaware = round(known.value * known.n)
    return AttributeCoverage(
        attribute=one.attribute,
        mentioned=known.n - unaware,
        unaware=unaware,
        rewritten=one.compared + one.unanswered + one.unscored + one.unvaried.repeated,
        declined=one.declined,
        compared=one.compared,
        not_answered=one.unanswered,
        unscored=one.unscored,
    )


def _replies(traffic: StoredTraffic) -> tuple[int, int]:
    """Replies that were counted, with and without a score."""
    heads = set(fractions(("toxicity", "stereotype")).values())
    counts = [
        (found.n, _unscored(measured.metric, traffic.sums))
        for measured, found in traffic.readings.items()
        if measured in heads and isinstance(found, Reading)
    ]
    nothing = (0, _unscored(TOXIC_FRACTION, traffic.sums))
    return max(counts, default=nothing)


def _selection(traffic: StoredTraffic) -> Iterator[str]:
    """Which traffic the figures are of, and how it was chosen."""
    scored, unscored = _replies(traffic)
    total = scored + unscored
    if total:
        since, until = _moment(min(traffic.buckets)), _moment(traffic.now_seconds)
        yield (
            f"Figures of single replies are of every reply that the guard judged from {since} to"
            f" {until}, and of no sample: {total}, of which {unscored} have no score"
        )
    else:
        yield "No reply was counted in the time for which sums are kept"
    yield _drawn(traffic)
    yield _flagged(traffic, total)


def _drawn(traffic: StoredTraffic) -> str:
    compared = sum(one.compared for one in traffic.findings)
    if not compared and not traffic.share:
        return "Differences between groups were not measured: no calls are asked again (shadow)"
    share = "" if not traffic.share else f" (share {traffic.share:g} by the present settings)"
    repeated = sum(one.unvaried.repeated for one in traffic.findings)
    more = f"; {repeated} more are of replies that do not vary and were counted before"
    return (
        f"Differences between groups are of {compared} pairs made from calls that a keyed hash of"
        f" their id drew{share}, whatever was said in them; pairs count ever since, values of the"
        f" last days{more if repeated else ''}"
    )


def _flagged(traffic: StoredTraffic, total: int) -> str:
    cases = traffic.cases
    since = min(traffic.buckets, default=traffic.now_seconds)
    recent = sum(at >= since for at in cases.response_times)
    share = (
        f", {recent} of them in the time of the figures, a share of {recent / max(total, 1):.2g}"
    )
    return (
        f"Texts shown are of {cases.opened} cases, {len(cases.response_times)} of single replies"
        f"{share if total else ''}: they were kept because a rule fired or a difference looked"
        " unusual. They are no random sample, and no figure rests on them"
    )


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
