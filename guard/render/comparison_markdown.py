"""Two runs beside one another, and the outcome of a gate, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from guard.assessment.compare import ItemChange, RunComparison
from guard.assessment.gate import GateResult, RuleVerdict
from guard.assessment.results import Conclusion, GroupComparison
from guard.render.markdown import escaped, quoted, shown, table

_SHOWN_CHANGES = 20


def comparison_markdown(found: RunComparison) -> str:
    """The whole comparison."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: RunComparison) -> Iterator[str]:
    yield from (f"# {escaped(found.second)} against {escaped(found.first)}", "")
    yield (
        f"{found.shared} prompts in both; {found.only_first} only in {escaped(found.first)},"
        f" {found.only_second} only in {escaped(found.second)}. Differences are the second minus"
        f" the first, corrected for {len(found.differences)} looks."
        " That none is found is not parity."
    )
    yield ""
    if found.settings:
        yield "The runs were made with different settings, so that a difference may be theirs:"
        yield ""
        for name, both in found.settings.items():
            yield f"- {escaped(name)}: {quoted(both[0])} and {quoted(both[1])}"
        yield ""
    header = ("figure", "difference", "corrected", "wins, losses, ties", "p", "")
    yield from table(header, map(_row, found.differences))
    yield from ("", "## Prompts that changed most", "")
    changes = sorted(found.changes, key=lambda one: -abs(one.change))[:_SHOWN_CHANGES]
    yield from map(_change, changes)


def _row(one: GroupComparison) -> tuple[str, ...]:
    limits = one.corrected
    name = escaped(one.metric)
    return (
        f"**{name}**" if one.conclusion is Conclusion.DIFFERENT else name,
        shown(one.difference),
        "" if limits is None else f"{limits.low:.3g} to {limits.high:.3g}",
        f"{one.wins}, {one.losses}, {one.ties}",
        "" if one.p_adjusted is None else f"{one.p_adjusted:.3g}",
        str(one.conclusion),
    )


def _change(one: ItemChange) -> str:
    return (
        f"- {escaped(one.figure)} {one.change:+.3g} ({one.first:.3g} to {one.second:.3g},"
        f" {escaped(one.place)}): {quoted(one.prompt)}"
    )


def gate_markdown(result: GateResult, use_case: str) -> str:
    """The rules and what came of them, for a pull request."""
    rows = ((escaped(one.rule.name), str(one.verdict), escaped(one.reason)) for one in result.rules)
    kept = sum(one.verdict is RuleVerdict.KEPT for one in result.rules)
    lines = [
        f"### {escaped(use_case)}: {result.verdict}",
        "",
        f"{kept} of {len(result.rules)} rules kept.",
        "",
        *table(("rule", "", "why"), rows),
        "",
        "Undecided: the data are too few to say. That is not a pass.",
    ]
    return "\n".join(lines) + "\n"
