"""What FairPair found over dissimilarities that were given, as Markdown."""

from __future__ import annotations

from guard.assessment.fairpair_run import FairPairFinding, FairPairResults
from guard.render.markdown import escaped, shown, table
from guard.text.plurals import counted

_SHOWN = 50


def fairpair_markdown(found: FairPairResults) -> str:
    """F over all questions, and the questions with the smallest p-values."""
    overall = shown(found.f) or f"none: {escaped(found.undefined)}"
    lines = [
        "# FairPair",
        "",
        f"{counted(found.questions, 'question')}; F of their means: {overall}. About 1: groups"
        " differ as much as replies to one prompt do. F above 1 is no finding: the permutation test"
        " decides.",
        "",
    ]
    found_first = sorted(found.findings, key=lambda one: _or_one(one.p_value))
    header = ("question", "groups", "replies", "B", "V of both sides", "F", "p", "corrected")
    return "\n".join([*lines, *table(header, map(_row, found_first[:_SHOWN]))]) + "\n"


def _row(one: FairPairFinding) -> tuple[str, ...]:
    return (
        escaped(one.question),
        f"{escaped(one.perturbed)} and {escaped(one.generated)}",
        str(one.replies),
        _figure(one.bias),
        f"{_figure(one.v_gp)}, {_figure(one.v_pg)}",
        _figure(one.f) or escaped(one.undefined),
        _figure(one.p_value),
        _figure(one.p_adjusted),
    )


def _figure(value: float | None) -> str:
    return f"{value:.3g}" if value is not None else ""


def _or_one(p_value: float | None) -> float:
    return 1.0 if p_value is None else p_value
