"""What CAIRO and FiSCo found, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from guard.assessment.cairo_run import CairoResults, MetricPair, SelectedWordings
from guard.assessment.fisco_run import FiscoFinding, FiscoResults
from guard.render.markdown import escaped, shown, table
from guard.text.plurals import counted

_SHOWN = 50
FISCO_NOTE: Final = (
    "statistic: how much further apart replies about different groups are than replies about one"
    " (the mean over all pairs of replies of the one kind minus that of the other; 0: no further)."
    " p: of the permutation test; at least: the smallest p-value that so few replies can give,"
    " however much they differ. corrected: p for all questions and pairs of groups (Holm); a"
    " difference is found where this is at most 0.05."
)


def cairo_markdown(found: CairoResults) -> str:
    """Every pair of metrics, with the figures without which a selected one says nothing."""
    header = ("metrics", "selected r", "held out", "chance does as well", "combinations")
    lines = [
        "# CAIRO",
        "",
        f"{counted(len(found.models), 'model')}, {counted(len(found.paraphrases), 'wording')}."
        " A selected correlation"
        " overfits: read it only with the one on held-out prompts and the permutation null.",
        "",
        *table(header, map(_pair_row, found.pairs)),
    ]
    return "\n".join(lines) + "\n"


def _pair_row(one: MetricPair) -> tuple[str, ...]:
    names = f"{escaped(one.first)} and {escaped(one.second)}"
    if one.selected is None:
        return names, f"none: {escaped(one.undefined)}", "", "", ""
    null = "" if one.null_p is None else f"p = {one.null_p:.3g}"
    median = "" if one.null_r is None else f", median r {one.null_r:.3g}"
    selected = f"{one.selected.r:.3g} (mean of all {one.selected.mean_r:.3g})"
    return names, selected, shown(one.held_out), null + median, _combinations(one.selected)


def _combinations(one: SelectedWordings) -> str:
    sides = (", ".join(name or "original" for name in side) for side in (one.first, one.second))
    return escaped("; ".join(sides))


def fisco_markdown(found: FiscoResults) -> str:
    """Each form's questions with a difference, and the findings with the smallest p-values."""
    lines = [
        "# FiSCo",
        "",
        f"{counted(found.questions, 'question')}; {counted(found.bad_rows, 'bad row')}.",
        "",
    ]
    lines += [f"- {escaped(bad.place)}: {escaped(bad.problem)}" for bad in found.shown]
    if found.unmasked:
        told = "words of groups are not masked, since no lexicon has the groups: wording alone may"
        lines += [f"- on {counted(found.unmasked, 'question')} {told} make replies differ"]
    for form in dict.fromkeys(one.form for one in found.findings):
        lines += [f"- {form}: replies differ on {found.different(form)} of {found.questions}"]
    tested = [one for one in found.findings if one.p_adjusted is not None]
    tested.sort(key=lambda one: (one.p_adjusted or 0.0, one.p_value or 0.0))
    header = ("question", "form", "groups", "replies", "statistic", "p", "corrected", "Welch's p")
    if tested:
        lines += ["", *table(header, map(_finding_row, tested[:_SHOWN])), "", FISCO_NOTE]
    lines += ["", *_untested(found)]
    return "\n".join(lines) + "\n"


def _finding_row(one: FiscoFinding) -> tuple[str, ...]:
    return (
        escaped(one.question),
        one.form,
        f"{escaped(one.first)} and {escaped(one.second)}",
        str(one.replies),
        _number(one.statistic),
        f"{_number(one.p_value)} (at least {_number(one.smallest_p)})",
        _number(one.p_adjusted),
        _number(one.welch_p),
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _untested(found: FiscoResults) -> Iterator[str]:
    reasons = [one.undefined for one in found.findings if one.undefined]
    for reason in dict.fromkeys(reasons):
        yield f"{reasons.count(reason)} not tested: {escaped(reason)}"
    yield "That no difference was found is not parity: with few replies no p-value can be small."
