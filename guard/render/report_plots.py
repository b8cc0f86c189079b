"""The plots of the report: values and differences with intervals, groups, distributions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final

from guard.assessment.results import (
    AssessmentResults,
    Conclusion,
    Direction,
    GroupComparison,
    MetricAgreement,
    MetricValue,
    ScoreHistogram,
)
from guard.assessment.titles import agreeing_title, groups_told, score_title
from guard.render.blocks import PageSection, figure, folded, left_out, name, note, table
from guard.render.markup import Content, Markup, element
from guard.render.missing import control_note
from guard.render.numbers import format_number, format_p, format_reading
from guard.render.plots import (
    EDGE,
    WIDTH,
    DumbbellRow,
    IntervalRow,
    TallyRow,
    dumbbell_chart,
    histogram_chart,
    interval_chart,
    tally_chart,
)
from guard.render.ranking import OTHERS, by_question, groups_of, question_title, worth_showing
from guard.render.report_findings import CONCLUSIONS
from guard.render.scale import Scale, ratio_scale_over, scale_over
from guard.render.visible import short_name

MAX_VALUES: Final = 12
MAX_VALUE_FIGURES: Final = 20
MAX_HISTOGRAM_ROWS: Final = 8
MAX_HISTOGRAMS: Final = 12
MAX_AGREEMENTS: Final = 30
FOUND: Final = frozenset((Conclusion.DIFFERENT, Conclusion.SMALL))
TARGETS: Final = {Direction.LOW: 0.0, Direction.HIGH: 1.0, Direction.ZERO: 0.0, Direction.ONE: 1.0}
BEST: Final = {
    Direction.LOW: "Low values speak for fairness.",
    Direction.HIGH: "High values speak for fairness.",
    Direction.ZERO: "0 speaks for fairness.",
    Direction.ONE: "1 speaks for fairness. The axis is logarithmic, from 0.1.",
}
VALUES_NOTE: Final = (
    "n: of fractions the responses; of what is made of the worst of several responses the prompts,"
    " each side of a pair by itself; of classes the rows; of all else the prompts, a pair"
    " being one."
)
FOREST_NOTE: Final = (
    "First group minus second. Thick: the interval of 95 % by itself; thin: corrected for all tests"
    " of the run. Filled: a test finds a difference; hollow: none does. The shaded band holds"
    " differences too small to matter. Diamond: the control, the same difference where the group"
    " stays the same, which is what sampling alone does."
)
DUMBBELL_NOTE: Final = (
    "On the left the mean of each group: a circle for the first, a square for the second. On the"
    " right their difference, and below it, with a diamond, the control: the same difference where"
    " the group stays the same."
)
TALLY_NOTE: Final = (
    "Prompts on which the first group got the higher value (left), the same (middle), the lower"
    " value (right); of more than two groups, than one other, drawn for each prompt. p: exact"
    " two-sided sign test, before any correction, where chance alone has no lean."
)
HISTOGRAM_NOTE: Final = (
    "Where scores lie between 0 and 1. Heights are square roots of shares, so that rare high scores"
    " can be seen."
)
AGREEMENT_NOTE: Final = (
    "Pearson's correlation of two metrics over prompts, with its interval. Gap: the largest"
    " difference between groups on a prompt."
)


def forest_section(results: AssessmentResults) -> PageSection:
    """Differences between groups and values of metrics, each with n and interval."""
    shown = worth_showing(results.comparisons)
    parts = [note(FOREST_NOTE)] if shown else []
    parts += _charts(_difference_figure(*one) for one in by_question(shown))
    parts.append(left_out(len(results.comparisons) - len(shown)))
    values = _charts(islice(_value_figures(results.metrics), MAX_VALUE_FIGURES))
    if values:
        notes = filter(None, (VALUES_NOTE, control_note(results.metrics)))
        parts += [*map(note, notes), *values]
    kept = tuple(one for one in parts if one.text)
    return PageSection(key="differences", title="Differences and values", parts=kept)


def dumbbell_section(results: AssessmentResults) -> PageSection:
    """The means of groups, beside the control."""

    def chart(title: str, found: Sequence[GroupComparison]) -> Markup | None:
        rows = [row for one in found if (row := _dumbbell_row(one)) is not None]
        return dumbbell_chart(title, rows) if rows else None

    parts = _question_charts(results, DUMBBELL_NOTE, chart)
    return PageSection(key="groups", title="Groups side by side, and the control", parts=parts)


def tally_section(results: AssessmentResults) -> PageSection:
    """Wins, losses and ties."""

    def chart(title: str, found: Sequence[GroupComparison]) -> Markup | None:
        rows = [_tally_row(one) for one in found if one.wins + one.losses + one.ties]
        return tally_chart(title, rows) if rows else None

    parts = _question_charts(results, TALLY_NOTE, chart)
    return PageSection(key="wins", title="Wins, losses and ties", parts=parts)


def distribution_section(results: AssessmentResults) -> PageSection:
    """Where scores lie."""

    def about(one: ScoreHistogram) -> tuple[str, str]:
        return one.score, one.attribute

    grouped = groupby(sorted(results.histograms, key=about), key=about)
    found = [(key, [*rows]) for key, rows in grouped]
    figures = [_histogram_figure(*one) for one in found[:MAX_HISTOGRAMS]]
    parts = [note(HISTOGRAM_NOTE), *_charts(figures), left_out(len(found) - len(figures))]
    return PageSection(
        key="distributions", title="Distributions", parts=tuple(parts) if figures else ()
    )


def agreement_section(results: AssessmentResults) -> PageSection:
    """Whether metrics say the same."""
    rows = [
        IntervalRow(name=_agreeing(one), reading=one.reading)
        for one in results.agreement[:MAX_AGREEMENTS]
    ]
    if not rows:
        return PageSection(key="agreement", title="Agreement of metrics", parts=())
    scale = Scale(low=-1, high=1, left=EDGE, right=WIDTH - EDGE)
    chart = interval_chart("Correlation of metrics", rows, scale, target=0.0)
    more = left_out(len(results.agreement) - len(rows))
    parts = (note(AGREEMENT_NOTE), *_charts([figure("Correlation", "", chart)]), more)
    return PageSection(key="agreement", title="Agreement of metrics", parts=parts)


def _agreeing(one: MetricAgreement) -> str:
    return " – ".join(short_name(agreeing_title(name), 22) for name in (one.first, one.second))


def _charts(figures: Iterable[Markup]) -> list[Markup]:
    made = [*figures]
    return [element("div", *made, class_="charts")] if made else []


def _question_charts(
    results: AssessmentResults,
    words: str,
    chart: Callable[[str, Sequence[GroupComparison]], Markup | None],
) -> tuple[Markup, ...]:
    """A figure for each question that has something to draw."""
    figures = []
    for about, found in by_question(worth_showing(results.comparisons)):
        title = question_title(about)
        if (drawn := chart(title, found)) is not None:
            figures.append(figure(title, "", drawn))
    return (note(words), *_charts(figures)) if figures else ()


def _difference_figure(about: tuple[str, str], found: Sequence[GroupComparison]) -> Markup:
    title = question_title(about)
    rows = [_difference_row(one) for one in found]
    scale = scale_over([0.0, *_ends(rows)], EDGE, WIDTH - EDGE)
    heads = ("Groups", "Difference", "Corrected", "p, corrected", "Conclusion")
    numbers = table(title, heads, [_numbers(one) for one in found])
    chart = interval_chart(title, rows, scale, target=0.0)
    return figure(title, "", chart, folded("As a table", numbers))


def _difference_row(one: GroupComparison) -> IntervalRow:
    limits = one.corrected
    return IntervalRow(
        name=groups_of(one),
        reading=one.difference,
        corrected=None if limits is None else (limits.low, limits.high),
        control=one.control,
        band=one.material,
        hollow=one.conclusion not in FOUND,
    )


def _numbers(one: GroupComparison) -> tuple[Content, ...]:
    limits = one.corrected
    return (
        name(f"{one.first} – {one.second or OTHERS}"),
        format_reading(one.difference),
        f"{format_number(limits.low)} to {format_number(limits.high)}" if limits else "",
        "" if one.p_adjusted is None else format_p(one.p_adjusted),
        CONCLUSIONS[one.conclusion],
    )


def _value_figures(values: Sequence[MetricValue]) -> Iterator[Markup]:
    """Metrics of one attribute for which the same values are best, on one scale.

    Those about a whole attribute come before those about one pair of its groups.
    """

    def kind(one: MetricValue) -> tuple[str, Direction]:
        return one.attribute, one.best

    ordered = sorted(values, key=lambda one: (*kind(one), one.groups != ()))
    for (attribute, best), found in groupby(ordered, key=kind):
        known = [
            IntervalRow(name=_value_name(one), reading=one.reading, control=one.control)
            for one in found
            if one.reading is not None
        ]
        rows = known[:MAX_VALUES]
        if not rows:
            continue
        make = ratio_scale_over if best is Direction.ONE else scale_over
        scale = make([TARGETS[best], *_ends(rows)], EDGE, WIDTH - EDGE)
        title = f"Metrics by {short_name(attribute, 40)}" if attribute else "Metrics of all replies"
        chart = interval_chart(title, rows, scale, target=TARGETS[best])
        yield figure(title, BEST[best], chart, left_out(len(known) - len(rows)))


def _value_name(one: MetricValue) -> str:
    groups = f": {groups_told(one.groups, ' – ')}" if one.groups else ""
    return f"{one.title}{f' (m = {one.m})' if one.m else ''}{groups}"


def _ends(rows: Sequence[IntervalRow]) -> list[float]:
    return [end for row in rows for end in row.ends]


def _dumbbell_row(one: GroupComparison) -> DumbbellRow | None:
    """None where a side has no mean. The mean of all others weighs their observations."""
    first = [value.reading for value in one.values if value.group == one.first]
    others = [
        value.reading
        for value in one.values
        if (value.group == one.second if one.second else value.group != one.first)
    ]
    n = sum(reading.n for reading in others)
    if not first or not n:
        return None
    second = sum(reading.value * reading.n for reading in others) / n
    return DumbbellRow(
        names=(one.first, one.second or OTHERS),
        values=(first[0].value, second),
        difference=_difference_row(one),
    )


def _tally_row(one: GroupComparison) -> TallyRow:
    p_value = "" if one.sign_p is None else f", {format_p(one.sign_p)}"
    text = f"{one.wins:,} / {one.ties:,} / {one.losses:,}{p_value}"
    return TallyRow(name=groups_of(one), wins=one.wins, ties=one.ties, losses=one.losses, text=text)


def _histogram_figure(about: tuple[str, str], found: Sequence[ScoreHistogram]) -> Markup:
    score, attribute = about
    largest = sorted(found, key=lambda one: -sum(one.counts))[:MAX_HISTOGRAM_ROWS]
    rows = [(one.group or "all replies", one.counts) for one in found if one in largest]
    title = question_title((attribute, score_title(score)))
    return figure(title, "", histogram_chart(title, rows), left_out(len(found) - len(rows)))
