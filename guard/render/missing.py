"""What has no value in a report, and why, in the words of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guard.assessment.findings import WITHOUT_CONTROL
from guard.assessment.results import AssessmentResults, MetricValue
from guard.assessment.titles import groups_told, title_of


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutValue:
    """A metric without a value. title: in words, and what it is about. name: that of `--metrics`
    or of the value in results.json."""

    title: str
    name: str
    reason: str


def without_values(results: AssessmentResults) -> Iterator[WithoutValue]:
    """Metrics that are not in the plan, then values that are undefined, each about its groups."""
    for one in sorted(results.plan, key=lambda one: title_of(one.metric)):
        if not one.applies:
            yield WithoutValue(title=title_of(one.metric), name=one.metric, reason=one.reason)
    yield from _undefined(results.metrics)


def _undefined(values: Sequence[MetricValue]) -> Iterator[WithoutValue]:
    """One for the values of a metric and an attribute that have none for one reason."""
    known = {(one.metric, one.attribute) for one in values if one.reading is not None}
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for one in values:
        if one.reading is None:
            about = one.title, one.attribute, one.metric, reason_of(one)
            found.setdefault(about, []).append(groups_told(one.groups))
    for (title, attribute, metric, reason), groups in sorted(found.items()):
        who = groups_told(groups, "; ") if (metric, attribute) in known else ""
        told = ": ".join(filter(None, (attribute, who)))
        yield WithoutValue(title=f"{title}, {told}" if told else title, name=metric, reason=reason)


def reason_of(value: MetricValue) -> str:
    """Why there is none, without the key under which its sums are kept."""
    name, _, rest = value.undefined.partition(": ")
    return rest if rest and name.startswith(value.metric) else value.undefined


def control_note(values: Sequence[MetricValue]) -> str:
    """Which likenesses have no control, and why; empty where all have one."""
    titles = dict.fromkeys(one.title for one in values if WITHOUT_CONTROL in one.notes)
    if not titles:
        return ""
    return (
        f"{', '.join(titles)}: {WITHOUT_CONTROL}, so that nothing tells a difference from what"
        " sampling does."
    )
