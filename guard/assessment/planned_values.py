"""Every metric of the plan has a value or a reason, and a sentence that says which."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from guard.assessment.lists import MEASURES
from guard.assessment.plan import is_of_classes, is_of_replies, needs_controls, needs_draws
from guard.assessment.results import GroupComparison, MetricValue, PlannedMetric
from guard.assessment.titles import base_name, best_of, planned_name, title_of

MOST_SENTENCES: Final = 3
"""About one metric: pairs of groups beyond them are counted."""
_KEY: Final = re.compile(r"^\S+: ")
"""Of the sums that a reason is about, before it."""
_WITHOUT: Final[tuple[tuple[Callable[[str], bool], str], ...]] = (
    (MEASURES.__contains__, "no prompt has lists of two groups that are compared"),
    (is_of_classes, "no attribute has cases of two groups"),
    ("cobs".__eq__, "no attribute with exactly two groups is compared"),
    (needs_draws, "no pair of groups has replies on both sides that vary"),
    (needs_controls, "no prompt has other words for people of the same group"),
    (is_of_replies, "no response has what it is made of"),
)


def valueless(
    plan: Sequence[PlannedMetric],
    comparisons: Sequence[GroupComparison],
    values: Sequence[MetricValue],
) -> Iterator[MetricValue]:
    """Metrics that were to be assessed and of which there is nothing, with the reason."""
    there = {_planned(name) for name in _names(comparisons, values)}
    for one in plan:
        if one.applies and one.metric not in there:
            yield MetricValue(
                metric=one.metric,
                title=title_of(one.metric),
                best=best_of(one.metric),
                undefined=next(
                    (told for fits, told in _WITHOUT if fits(one.metric)),
                    "no pair of groups has it on both sides",
                ),
            )


def planned_sentences(
    plan: Sequence[PlannedMetric],
    comparisons: Sequence[GroupComparison],
    values: Sequence[MetricValue],
) -> Iterator[str]:
    """A sentence for each metric of the plan of which comparisons and values without groups say
    nothing: its values, or why there is none."""
    sentences = filter(_is_told, values)
    told = {_planned(name) for name in _names(comparisons, tuple(sentences))}
    for one in plan:
        if one.applies and one.metric not in told:
            found = [value for value in values if _planned(value.metric) == one.metric]
            yield from _sentences(one, _once(found))


def _names(comparisons: Sequence[GroupComparison], values: Sequence[MetricValue]) -> Iterator[str]:
    yield from (one.metric for one in comparisons)
    yield from (one.metric for one in values)


def _planned(metric: str) -> str:
    return base_name(planned_name(metric))


def _is_told(one: MetricValue) -> bool:
    is_whole = not one.attribute and base_name(one.metric) == one.metric
    return one.reading is not None and (is_whole or one.metric in MEASURES)


def _once(found: Sequence[MetricValue]) -> list[MetricValue]:
    """Without those of a whole attribute that repeat the value of its only two groups."""
    between = {(one.metric, one.attribute, one.reading) for one in found if one.groups}
    return [
        one
        for one in found
        if one.groups or (one.metric, one.attribute, one.reading) not in between
    ]


def _sentences(planned: PlannedMetric, found: Sequence[MetricValue]) -> Iterator[str]:
    known = [one for one in found if one.reading is not None]
    yield from map(_value, islice(known, MOST_SENTENCES))
    if len(known) > MOST_SENTENCES:
        yield f"{known[0].title}: {len(known) - MOST_SENTENCES} more values in the report"
    if found and not known:
        is_one = len({one.title for one in found}) == 1
        about = _about(found[0]) if is_one else f"{title_of(planned.metric)}: "
        yield f"{about}no value: {_KEY.sub('', found[0].undefined)}"


def _value(one: MetricValue) -> str:
    reading = one.reading
    if reading is None:
        return ""
    return (
        f"{_about(one)}{reading.value:.3g}, between {reading.low:.3g} and {reading.high:.3g},"
        f" n = {reading.n}"
    )


def _about(one: MetricValue) -> str:
    groups = " and ".join(one.groups)
    return "".join(f"{part}: " for part in (one.attribute, groups, one.title) if part)
