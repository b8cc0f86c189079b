"""From sums to results: values, comparisons, distributions and a summary in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from guard.assessment.comparisons import (
    COMPARED,
    CONTROL,
    MEANS,
    DifferenceTally,
    UncorrectedComparison,
    correct,
    group_values,
    with_signs,
)
from guard.assessment.difference_tests import reading_of
from guard.assessment.lists import list_sentences
from guard.assessment.near_words import NearWords
from guard.assessment.plan import PAIRED, is_assessed
from guard.assessment.replies import BINS, HISTOGRAM, ReplyMetrics
from guard.assessment.results import (
    Conclusion,
    GroupComparison,
    GroupValue,
    MetricValue,
    PlannedMetric,
    ScoreHistogram,
)
from guard.assessment.titles import Estimating, base_name, best_of, observed, planned_name, title_of
from guard.fairness import CATALOGUE, Measured, Tally, key
from guard.fairness.intervals import absolute, mean
from guard.fairness.live import MATERIAL, NORMALISED
from guard.fairness.tally import recalled, within
from guard.records import Reading, Undefined
from guard.text.plurals import counted

Plan = Sequence[PlannedMetric]
Means = Mapping[tuple[str, str], tuple[GroupValue, ...]]
_SIMILAR = ("_control", "_deficit")
WITHOUT_CONTROL = "no control: no prompt has two replies"
"""The note of a likeness without one."""
_OF_ASKED = frozenset(("filtered_rate_difference", "timed_out_rate_difference"))


def reply_values(metrics: ReplyMetrics, plan: Plan, sums: Tally) -> Iterator[MetricValue]:
    """What is known of single replies."""
    for measured, (_, fraction) in metrics.fractions().items():
        if is_assessed(plan, base_name(measured.metric)):
            found = _value(measured, fraction, sums)
            yield replace(found, threshold=metrics.threshold)
    for measured, (_, maximum) in metrics.maxima().items():
        if is_assessed(plan, base_name(measured.metric)):
            found = _value(measured, maximum, sums)
            name, _, _ = measured.metric.rpartition("_m")
            is_maximum = name.startswith("expected")
            threshold = None if is_maximum else metrics.threshold
            shown = replace(found, metric=name, title=title_of(name), m=metrics.m)
            yield replace(shown, threshold=threshold, **_incomplete(measured, metrics.m, sums))


def _incomplete(measured: Measured, m: int, sums: Tally) -> dict[str, Any]:
    """Prompts of which the worst of m replies is not known."""
    count = round(sums.get(key(measured.name, f"m{m}", "incomplete"), 0.0))
    told = f"{counted(count, 'prompt')} without exactly {counted(m, 'scored response')} left out"
    return {"unscored": count, "notes": (told,) if count else ()}


def _value(measured: Measured, metric: Estimating, sums: Tally) -> MetricValue:
    found = metric.estimate(sums)
    unscored = round(sums.get(key(measured.name, "unscored"), 0.0))
    return MetricValue(
        metric=measured.metric,
        title=title_of(measured.metric),
        best=best_of(measured.metric),
        attribute=measured.attribute,
        groups=measured.between,
        reading=None if isinstance(found, Undefined) else found,
        undefined=found.reason if isinstance(found, Undefined) else "",
        unscored=unscored,
        notes=(f"{unscored} more without a score",) if unscored else (),
    )


def pair_values(
    plan: Plan, sums: Tally, comparisons: Iterable[GroupComparison] = ()
) -> Iterator[MetricValue]:
    """What is known of pairs, as it is read live; a similarity with its control.

    comparisons: what they are about has their value and their interval, and no other beside it.
    """
    wanted = {one.metric for one in plan if one.applies and one.metric in PAIRED}
    readings = CATALOGUE.readings(sums, of=lambda one: planned_name(one.metric) in wanted)
    compared = dict(_views(comparisons))
    for measured, found in readings.items():
        if measured.metric.endswith(_SIMILAR) or _is_control(measured):
            continue
        same_prompt, deficit = (
            readings.get(replace(measured, metric=measured.metric + ending)) for ending in _SIMILAR
        )
        control = _reading(same_prompt) or _reading(_of_one(measured, readings))
        reading = compared.get((measured.metric, measured.attribute, measured.between))
        is_known = isinstance(found, Reading)
        yield MetricValue(
            metric=measured.metric,
            title=title_of(measured.metric),
            best=best_of(measured.metric),
            attribute=measured.attribute,
            groups=measured.between,
            reading=reading or _reading(found),
            undefined=found.reason if isinstance(found, Undefined) and reading is None else "",
            control=control,
            deficit=_reading(deficit),
            unscored=round(sums.get(key(measured.name, "unscored"), 0.0)),
            notes=(WITHOUT_CONTROL,) if is_known and same_prompt and not control else (),
        )


def _views(
    comparisons: Iterable[GroupComparison],
) -> Iterator[tuple[tuple[str, str, tuple[str, ...]], Reading]]:
    """By metric, attribute and groups, the readings that are differences of these comparisons: of
    the pair, and of each group beside all others; where a size is read, without the sign."""
    for one in comparisons:
        live = CATALOGUE.find(one.metric)
        if live is None or not one.directed:
            continue
        about, seen = (one.metric, one.attribute), one.difference
        yield (*about, (one.first,)), seen
        if one.second:
            turned = replace(seen, value=-seen.value, low=-seen.high, high=-seen.low)
            yield (*about, (one.second,)), turned
            size = seen if live.is_signed else absolute(seen)
            if isinstance(size, Reading):
                yield (*about, (one.first, one.second)), size


def _is_control(measured: Measured) -> bool:
    return len(measured.between) == 2 and measured.between[0] == measured.between[1]


def _of_one(
    measured: Measured, readings: Mapping[Measured, Reading | Undefined]
) -> Reading | Undefined | None:
    """What is read of the first group beside itself, other people of the same group; None where the
    value is about all groups."""
    first = measured.groups.partition("~")[0]
    return readings.get(replace(measured, groups=f"{first}~{first}")) if first else None


def _reading(found: Reading | Undefined | None) -> Reading | None:
    return found if isinstance(found, Reading) else None


def group_comparisons(
    plan: Plan, sums: Tally, material: Mapping[str, float], asked: Collection[str]
) -> Iterator[UncorrectedComparison]:
    """Each group beside all others it met; of two groups once. Tested, not yet corrected.

    asked: the attributes about which a model is asked. Replies that are given were neither filtered
    nor late, and no test is spent on that.
    """
    groups: dict[tuple[str, str], set[str]] = {}
    for metric, attribute, group, *_ in within(sums, COMPARED):
        groups.setdefault((metric, attribute), set()).add(group)
    means = _means(sums)
    for (metric, attribute), found in sorted(groups.items()):
        live = CATALOGUE.find(metric)
        if live is None or not is_assessed(plan, planned_name(metric)):
            continue
        if metric in _OF_ASKED and attribute not in asked:
            continue
        size = material.get(metric, live.material or MATERIAL)
        names = sorted(found)
        for group in names[:1] if len(names) == 2 else names:
            other = names[1] if len(names) == 2 else ""
            made = _comparison((metric, attribute, group, other), sums, means)
            if made is not None:
                yield replace(made, shown=replace(made.shown, material=size))


def _comparison(
    about: tuple[str, str, str, str], sums: Tally, means: Means
) -> UncorrectedComparison | None:
    metric, attribute, first, second = about
    tally = DifferenceTally(name=(COMPARED, metric, attribute, first))
    found = tally.test(sums)
    if isinstance(found, Undefined):
        return None
    control = DifferenceTally(name=(CONTROL, metric, attribute, first)).estimate(sums)
    shown = GroupComparison(
        metric=metric,
        title=title_of(metric),
        attribute=attribute,
        first=first,
        second=second,
        difference=reading_of(found, found.value, found.n),
        values=means.get((metric.removesuffix(NORMALISED).removesuffix("_gap"), attribute), ()),
        control=_reading(control),
        directed=CATALOGUE.live(metric).directed,
    )
    return with_signs(shown, tally, sums, found)


def _means(sums: Tally) -> Means:
    """By score and attribute, the mean of each group."""
    names = sorted({parts[:3] for parts in within(sums, MEANS)})
    return {
        about: group_values(
            (group, mean(*recalled(sums, MEANS, *about, group))) for *_, group in found
        )
        for about, found in groupby(names, lambda name: (name[0], name[1]))
    }


def histograms(sums: Tally) -> tuple[ScoreHistogram, ...]:
    """Where scores lie: of all replies, and of each group's."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for (head, attribute, group, place), count in within(sums, HISTOGRAM).items():
        bins = found.setdefault((head, attribute, group), [0] * BINS)
        bins[int(place)] += round(count)
    return tuple(
        ScoreHistogram(score=head, attribute=attribute, group=group, counts=tuple(bins))
        for (head, attribute, group), bins in sorted(found.items())
    )


def word_values(found: Iterable[NearWords], sums: Tally) -> Iterator[MetricValue]:
    """Co-occurrence and associations, with the words that they rest on."""
    for one in found:
        reading = one.estimate(sums)
        words = one.metric.remaining(sums)
        yield replace(
            one.shown,
            reading=_reading(reading),
            undefined=reading.reason if isinstance(reading, Undefined) else "",
            words=words,
            notes=(*one.shown.notes, f"{len(words)} words are defined"),
        )


def finish_comparisons(
    found: Iterable[UncorrectedComparison], level: float
) -> tuple[GroupComparison, ...]:
    """All comparisons of a run, corrected for their number."""
    return correct(tuple(found), level=level)


_ORDER = (Conclusion.DIFFERENT, Conclusion.SMALL, Conclusion.UNDECIDED, Conclusion.ALIKE)


def summary(comparisons: Sequence[GroupComparison], values: Sequence[MetricValue]) -> Iterator[str]:
    """A sentence per question: differences first, the largest in units of what matters before
    others, then harm, without its categories."""
    ordered = sorted(comparisons, key=_size, reverse=True)
    for conclusion in _ORDER:
        yield from (one.sentence for one in ordered if one.conclusion is conclusion)
    yield from list_sentences(values)
    for one in values:
        if one.reading is not None and not one.attribute and base_name(one.metric) == one.metric:
            about = f" (m = {one.m})" if one.m else ""
            notes = "".join(f"; {note}" for note in one.notes)
            n = counted(one.reading.n, observed(one.metric))
            yield (
                f"{one.title}{about}: {one.reading.value:.3g}, between {one.reading.low:.3g} and"
                f" {one.reading.high:.3g}, n = {n}{notes}"
            )


def _size(one: GroupComparison) -> float:
    """Of a difference, in units of the smallest that matters; 0 where that is not known."""
    return abs(one.difference.value) / one.material if one.material > 0 else 0.0
