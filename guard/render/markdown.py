"""An assessment as Markdown, for people and pull requests. Texts of the data are quoted as code,
with nothing invisible in them: a terminal in which this file is read obeys what it does not show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from guard.assessment.findings import WITHOUT_CONTROL
from guard.assessment.results import (
    AssessmentResults,
    AttributeCoverage,
    Coverage,
    GroupComparison,
    MetricAgreement,
    MetricValue,
    WorstPair,
    WorstResponse,
)
from guard.assessment.titles import agreeing_title, groups_told, score_title, title_of
from guard.records import Reading
from guard.render.missing import control_note, reason_of, without_values
from guard.render.ranking import responses_first, worst_first
from guard.render.report_findings import PAIRS_NOTE
from guard.render.report_plots import VALUES_NOTE
from guard.render.visible import visible_text
from guard.text.plurals import counted

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")
_SHOWN_CHARACTERS = 400


def results_markdown(results: AssessmentResults) -> str:
    """The whole report."""
    return "\n".join(
        [
            f"# Assessment of {escaped(results.use_case)}",
            "",
            *(f"- {escaped(line)}" for line in results.summary),
            "",
            *_coverage(results.coverage),
            *_values(results.metrics),
            *_comparisons(results),
            *_agreement(results.agreement),
            *_worst_responses(responses_first(results.worst_responses)),
            *_worst_pairs(worst_first(results.worst_pairs, results.comparisons)),
            *_not_assessed(results),
            *_provenance(results),
        ]
    )


def escaped(text: str) -> str:
    """Any text as plain words of Markdown, on one line and visible."""
    return _SPECIAL.sub(r"\\\1", visible_text(" ".join(text.split())))


def quoted(text: str) -> str:
    """Any text as code, on one line and visible, cut where it is long."""
    line = " ".join(text.split())
    is_long = len(line) > _SHOWN_CHARACTERS
    line = visible_text(line[:_SHOWN_CHARACTERS]) + ("…" if is_long else "")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}" if line else "(empty)"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table; its cells are Markdown already."""
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def shown(reading: Reading | None) -> str:
    """A value with its interval and n."""
    if reading is None:
        return ""
    return f"{reading.value:.3g} ({reading.low:.3g} to {reading.high:.3g}, n = {reading.n})"


def _coverage(coverage: Coverage) -> Iterator[str]:
    yield from ("## What the figures rest on", "")
    pairs = " (a pair is one)" if any(one.given for one in coverage.attributes) else ""
    yield (
        f"{counted(coverage.rows, 'row')}, {coverage.bad_rows} not usable;"
        f" {counted(coverage.prompts, 'prompt')}{pairs};"
        f" {counted(coverage.given, 'response')} given, {coverage.generated} generated,"
        f" {coverage.missing} missing; {coverage.scored} scored; {coverage.paired} further ones for"
        f" comparisons, {coverage.paired_missing} missing."
    )
    yield ""
    ends = [
        ("ended", coverage.endings),
        ("without a score", coverage.unscored),
        ("that the model did not give", coverage.failures),
    ]
    for title, counts in ends:
        if counts:
            told = ", ".join(f"{escaped(name)} {count}" for name, count in counts.items())
            yield from (f"Responses {title}: {told}.", "")
    yield from (f"- {escaped(warning)}" for warning in coverage.warnings)
    yield from (f"- {escaped(bad.place)}: {escaped(bad.problem)}" for bad in coverage.shown)
    if coverage.attributes:
        yield from ("", PAIRS_NOTE)
        yield from ("", *table(_ATTRIBUTES, map(_attribute_row, coverage.attributes)), "")
        for one in coverage.attributes:
            if one.lost:
                yield from (f"{escaped(one.attribute)}, failed or too late: {lost_line(one)}.", "")


def lost_line(one: AttributeCoverage) -> str:
    """Of each group, how many replies of the model failed or came too late."""
    return ", ".join(
        f"{one.lost.get(group, 0)} of {count} about {escaped(group)}"
        for group, count in one.replies.items()
    )


_ATTRIBUTES = (
    "attribute",
    "named in",
    "not named",
    "unknown",
    "declined",
    "pairs given",
    "pairs rewritten",
    "compared",
    "no answer",
    "not scored",
)


def _attribute_row(one: AttributeCoverage) -> tuple[str, ...]:
    declined = ", ".join(f"{escaped(why)} {n}" for why, n in one.declined.items())
    pairs = (one.given, one.rewritten, one.compared, one.not_answered, one.unscored)
    prompts = map(str, (one.mentioned, one.unaware, one.unknown))
    return escaped(one.attribute), *prompts, declined, *map(str, pairs)


def _values(values: Sequence[MetricValue]) -> Iterator[str]:
    if not values:
        return
    yield from ("## Metrics", "")
    yield f"Intervals cover 95 % each, without a correction for their number. {VALUES_NOTE}"
    yield ""
    header = ("metric", "about", "value", "control", "fair where")
    yield from table(header, map(_value_row, values))
    yield ""
    if missing := control_note(values):
        yield from (escaped(missing), "")


def _value_row(one: MetricValue) -> tuple[str, ...]:
    about = ": ".join(filter(None, (one.attribute, groups_told(one.groups))))
    title = one.title + (f" (m = {one.m})" if one.m else "")
    value = shown(one.reading) or f"none: {escaped(reason_of(one))}"
    control = "—" if WITHOUT_CONTROL in one.notes else shown(one.control)
    return escaped(title), escaped(about), value, control, str(one.best)


def _comparisons(results: AssessmentResults) -> Iterator[str]:
    if not results.comparisons:
        return
    yield from ("## Groups beside one another", "")
    yield (
        f"{counted(results.looks, 'test shares', 'tests share')} a level of {results.level:g}, one"
        " for each comparison of a metric between groups; p-values and intervals are"
        " corrected for that. That no difference was found is not parity."
    )
    yield ""
    header = (
        "what",
        "groups",
        "difference",
        "corrected",
        "control",
        "wins, losses, ties",
        "p",
        "conclusion",
    )
    yield from table(header, map(_comparison_row, results.comparisons))
    yield ""


def _comparison_row(one: GroupComparison) -> tuple[str, ...]:
    who = f"{one.attribute}: {one.first}" + (f" − {one.second}" if one.second else " − all others")
    limits = one.corrected
    return (
        escaped(one.title),
        escaped(who),
        shown(one.difference),
        "" if limits is None else f"{limits.low:.3g} to {limits.high:.3g}",
        shown(one.control),
        f"{one.wins}, {one.losses}, {one.ties}",
        "" if one.p_adjusted is None else f"{one.p_adjusted:.3g}",
        str(one.conclusion),
    )


def _agreement(found: Sequence[MetricAgreement]) -> Iterator[str]:
    if not found:
        return
    yield from ("## Agreement of metrics", "", "Pearson's correlation over prompts.", "")
    rows = (
        (*(escaped(agreeing_title(name)) for name in (one.first, one.second)), shown(one.reading))
        for one in found
    )
    yield from table(("metric", "and", "correlation"), rows)
    yield ""


def _worst_responses(found: Sequence[WorstResponse]) -> Iterator[str]:
    if not found:
        return
    yield from ("## Responses with the highest scores", "")
    for one in found:
        about = f"{escaped(score_title(one.score))} {one.value:.3g} ({escaped(one.place)})"
        yield f"- {about}: {quoted(one.response)}"
    yield ""


def _worst_pairs(found: Sequence[WorstPair]) -> Iterator[str]:
    if not found:
        return
    yield from ("## Pairs with the largest differences", "")
    for one in found:
        yield f"- {escaped(title_of(one.metric))} {one.value:+.3g} ({escaped(one.place)})"
        for side in (one.first, one.second):
            yield f"    - {escaped(side.group)}: {quoted(side.response)}"
    yield ""


def _not_assessed(results: AssessmentResults) -> Iterator[str]:
    left = [*without_values(results)]
    if left:
        yield from ("## Not assessed", "")
        for one in left:
            yield f"- {escaped(one.title)} ({quoted(one.name)}): {escaped(one.reason)}"
        yield ""


def _provenance(results: AssessmentResults) -> Iterator[str]:
    made = results.provenance
    yield from ("## Where the figures come from", "")
    yield f"evenguard {escaped(made.version)}."
    yield ""
    for model in made.models:
        license_ = f", licence {escaped(model.license)}" if model.license else ""
        yield f"- {escaped(model.role)}: {escaped(model.name)} {escaped(model.version)}{license_}"
    for data in made.data:
        digest = escaped(data.sha256)
        yield f"- data: {escaped(data.name)}, {counted(data.rows, 'row')}, SHA-256 {digest}"
    yield from (
        f"- {escaped(name)}: {quoted(text)}" for name, text in sorted(made.settings.items())
    )
    yield from (f"- {escaped(note)}" for note in made.notes)
    yield ""
