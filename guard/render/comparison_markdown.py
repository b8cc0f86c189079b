"""Two runs beside one another, and the outcome of a gate, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from guard.assessment.compare import ItemChange, RunComparison
from guard.assessment.gate import GateResult, RuleVerdict
from guard.assessment.results import Conclusion, GroupComparison
from guard.assessment.titles import figure_title
from guard.render.markdown import escaped, quoted, shown, table
from guard.text.plurals import counted

_SHOWN_CHANGES = 20
NOTHING_SHARED: Final = (
    "Nothing was compared: no figure is known of two prompts or more in both runs. items.jsonl of"
    " each run has the figures of its prompts; runs of older versions have none of ranked lists."
    " Assess again."
)

LEFT_OUT: Final = (
    "Left out, since a run has no score of it, or the highest of another number of responses:"
)


def comparison_markdown(found: RunComparison) -> str:
    """The whole comparison."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: RunComparison) -> Iterator[str]:
    yield from (f"# {escaped(found.second)} against {escaped(found.first)}", "")
    yield (
        f"{counted(found.shared, 'prompt')} in both; {found.only_first} only in"
        f" {escaped(found.first)}, {found.only_second} only in {escaped(found.second)}."
    )
    yield ""
    if found.settings:
        yield "The runs were made with different settings, so that a difference may be theirs:"
        yield ""
        for name, both in found.settings.items():
            yield f"- {escaped(name)}: {quoted(both[0])} and {quoted(both[1])}"
        yield ""
    yield from _differences(found) if found.differences else (NOTHING_SHARED,)


def _differences(found: RunComparison) -> Iterator[str]:
    yield (
        "Differences are the second minus the first. Corrected: the interval after the correction"
        f" for {counted(len(found.differences), 'test')}, one for each figure. Matters from: the"
        " tolerance, in the unit of the figure. `different`: found, and at least as large as that;"
        " `small`: found and smaller; `alike`: none as large as that is compatible with the data;"
        " `undecided`: too few data to say. That none is found is not parity."
    )
    header = (
        "figure",
        "difference",
        "corrected",
        "matters from",
        "wins, losses, ties",
        "p",
        "conclusion",
    )
    yield from ("", *table(header, map(_row, found.differences)))
    left_out = [
        f"{escaped(one.title)} of {counted(found.left_out[one.metric], 'prompt')}"
        for one in found.differences
        if one.metric in found.left_out
    ]
    if left_out:
        yield from ("", f"{LEFT_OUT} {'; '.join(left_out)}.")
    changes = sorted(found.changes, key=lambda one: -abs(one.change))[:_SHOWN_CHANGES]
    if changes:
        yield from ("", "## Prompts that changed most", "")
        yield from map(_change, changes)


def _row(one: GroupComparison) -> tuple[str, ...]:
    limits = one.corrected
    title = escaped(one.title)
    return (
        f"{f'**{title}**' if one.conclusion is Conclusion.DIFFERENT else title}"
        f" ({quoted(one.metric)})",
        shown(one.difference),
        "" if limits is None else f"{limits.low:.3g} to {limits.high:.3g}",
        f"{one.material:g}",
        f"{one.wins}, {one.losses}, {one.ties}",
        "" if one.p_adjusted is None else f"{one.p_adjusted:.3g}",
        str(one.conclusion),
    )


def _change(one: ItemChange) -> str:
    prompt = f": {quoted(one.prompt)}" if one.prompt else ""
    return (
        f"- {escaped(figure_title(one.figure))} {one.change:+.3g} ({one.first:.3g} to"
        f" {one.second:.3g}, {escaped(one.place)}){prompt}"
    )


def gate_markdown(result: GateResult, use_case: str) -> str:
    """The rules and what came of them, for a pull request."""
    rows = ((escaped(one.rule.name), str(one.verdict), escaped(one.reason)) for one in result.rules)
    kept = sum(one.verdict is RuleVerdict.KEPT for one in result.rules)
    lines = [
        f"### {escaped(use_case)}: {result.verdict}",
        "",
        f"{kept} of {counted(len(result.rules), 'rule')} kept.",
        "",
        *table(("rule", "outcome", "why"), rows),
    ]
    if any(one.verdict is RuleVerdict.UNDECIDED for one in result.rules):
        lines += ["", "Undecided: the data are too few to say. That is not a pass."]
    return "\n".join(lines) + "\n"
