"""What stands behind the figures: thresholds, what is missing and why, power, provenance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from guard.assessment.results import AssessmentResults, GroupComparison, PlannedMetric
from guard.assessment.titles import title_of
from guard.render.blocks import NAME_COLUMNS, PageSection, folded, line, name, note, table
from guard.render.markup import Content, Markup, element, join
from guard.render.missing import without_values
from guard.render.numbers import format_number
from guard.render.ranking import groups_of, worth_showing
from guard.render.visible import short_name

POWER_NOTE: Final = (
    "With these n, a difference of the size below would have been found with 80 %, after the"
    " correction for all tests; none: too few prompts differ for a test to find any. What is"
    " smaller may be there and not be seen."
)


def thresholds_section(results: AssessmentResults) -> PageSection:
    """From which score on something counts, and from which size on a difference matters."""
    rows = [(name(title), text) for title, text in dict.fromkeys(_thresholds(results))]
    level = f"Level of all tests together: {results.level:g}; tests: {results.looks:,}."
    parts = (note(level), table("Thresholds", ("Metric", "Threshold"), rows))
    return PageSection(key="thresholds", title="Thresholds and tolerances", parts=parts)


def _thresholds(results: AssessmentResults) -> Iterator[tuple[str, str]]:
    for value in results.metrics:
        if value.threshold is not None:
            yield value.title, f"a response counts from {value.threshold:g} on"
    for one in results.comparisons:
        if one.material > 0:
            yield one.title, f"a difference matters from {one.material:g} on"


def not_assessed_section(results: AssessmentResults) -> PageSection:
    """Which metrics have no value and why, and why the others were picked."""
    rows = [(_named(one.title, one.name), line(one.reason)) for one in without_values(results)]
    parts: list[Markup] = []
    if rows:
        parts.append(table("Not assessed", ("Metric", "Why not"), rows))
    else:
        parts.append(note("Every metric of the plan has a value."))
    picked = [_picked(one) for one in results.plan if one.applies]
    if picked:
        heads = ("Metric", "Why", "By")
        parts.append(folded("Why the others were assessed", table("Assessed", heads, picked)))
    return PageSection(key="not-assessed", title="Not assessed, and why", parts=tuple(parts))


def _picked(one: PlannedMetric) -> tuple[Content, ...]:
    return _named(title_of(one.metric), one.metric), line(one.reason), line(one.by)


def _named(title: str, metric: str) -> Markup:
    """A metric in words, and its name as options and results.json have it."""
    parts = short_name(metric, NAME_COLUMNS).replace("_", "_\n").split("\n")
    return join((name(title), element("code", join(parts, element("wbr")))), " ")


def power_section(results: AssessmentResults) -> PageSection:
    """How large a difference would have been found, and how many prompts a smaller one needs."""
    tested = [
        one
        for one in worth_showing(results.comparisons)
        if one.detectable is not None or one.needed is not None
    ]
    if not tested:
        return PageSection(key="power", title="Power", parts=())
    heads = ("What", "Groups", "#n", "#Found with 80 %", "#Matters from", "#Prompts for that")
    rows = [_power(one) for one in tested]
    return PageSection(
        key="power", title="Power", parts=(note(POWER_NOTE), table("Power", heads, rows))
    )


def _power(one: GroupComparison) -> tuple[Content, ...]:
    return (
        name(one.title),
        name(f"{one.attribute}: {groups_of(one)}"),
        f"{one.difference.n:,}",
        "none" if one.detectable is None else format_number(one.detectable),
        f"{one.material:g}",
        "" if one.needed is None else f"{one.needed:,}",
    )


def provenance_section(results: AssessmentResults) -> PageSection:
    """Versions, models, settings, data, licences."""
    made = results.provenance
    parts: list[Markup] = []
    if made.models:
        heads = ("Model", "Role", "Version", "Licence", "Source", "Files (SHA-256)")
        parts.append(table("Models", heads, [*_models(results)]))
    if made.data:
        rows = [(name(one.name), f"{one.rows:,}", line(one.sha256)) for one in made.data]
        parts.append(table("Data", ("Data", "#Rows", "SHA-256"), rows))
    if made.notes:
        parts.append(element("ul", *(element("li", line(one)) for one in made.notes[:40])))
    if made.settings:
        settings = [(name(key), line(text)) for key, text in sorted(made.settings.items())]
        parts.append(folded("Settings", table("Settings", ("Setting", "Value"), settings)))
    parts.append(note(f"evenguard {line(made.version)}; the run took {made.seconds:.0f} s."))
    return PageSection(key="provenance", title="Where the figures come from", parts=tuple(parts))


def _models(results: AssessmentResults) -> Iterator[tuple[Content, ...]]:
    for one in results.provenance.models:
        files = ", ".join(f"{key} {digest}" for key, digest in sorted(one.files.items()))
        yield (
            name(one.name),
            line(one.role),
            line(one.version),
            line(one.license),
            line(one.source),
            line(files),
        )
