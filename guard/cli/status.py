"""`guard status`: what is known of differences between groups, for those who answer for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guard.bootstrap.findings import FindingsReader, check_use_case, open_findings
from guard.cli.options import FiniteRange, json_option, who, with_store
from guard.ports import Store
from guard.settings import Settings
from guard.shadow.finding_counts import (
    describe_flagged,
    describe_reason,
    describe_unvaried,
    describe_use_case,
)
from guard.shadow.findings import (
    DIFFERENCE,
    AttributeFinding,
    FindingState,
    GroupFinding,
    MetricFinding,
    describe_group,
    describe_limits,
)

NARROW: Final = 120
"""Columns of a table that goes to a file or a pipe."""
SHOWN: Final = 3
"""Metrics of an attribute that are shown beside those that differ, unless all are wanted."""


@click.command()
@with_store
@click.option("--use-case", help="Only of this use case.")
@click.option(
    "--difference",
    type=FiniteRange(min=0.0, min_open=True, max=1.0),
    default=DIFFERENCE,
    help="The size of a difference to speak of, in the unit of each metric.",
)
@click.option("--all", "everything", is_flag=True, help="Every metric and group.")
@click.option("--acknowledge", is_flag=True, help="Take note of the alarms that stand, first.")
@click.option("--by", help="With --acknowledge: who takes note; by default who runs this.")
@json_option("JSON for machines, with every metric and group, not a table.")
def status(
    store: Store,
    settings: Settings,
    *,
    use_case: str | None,
    difference: float,
    everything: bool,
    acknowledge: bool,
    by: str | None,
    json_: bool,
) -> None:
    """What is known of differences between groups: found, ruled out, or not known yet.

    Limits are of the mean difference and hold at every moment, however often this is run; log10 e
    is of a test whether replies could be exchanged between the sides, and can be enough for an
    alarm while the limits include 0. An alarm stands until somebody
    acknowledges it or the system changes; evidence is then collected anew. The exit status is 0
    whether or not an alarm stands.
    """
    reader = open_findings(store, settings)
    if use_case is not None:
        check_use_case(reader, use_case)
    chosen = [use_case] if use_case is not None else reader.use_cases()
    if acknowledge:
        _acknowledge(reader, chosen, by or who())
    found = {name: reader.read(name, difference=difference) for name in chosen}
    if json_:
        click.echo(json.dumps(_as_json(reader, found), indent=2))
    else:
        _show(reader, found, everything=everything)


def _acknowledge(reader: FindingsReader, use_cases: Sequence[str], by: str) -> None:
    noted = [(name, test) for name in use_cases for test in reader.acknowledge(name, by=by)]
    for use_case, test in noted:
        click.echo(f"acknowledged by {by}: {test} in {use_case}", err=True)
    if not noted:
        click.echo("no alarm stands", err=True)


def _as_json(
    reader: FindingsReader, found: Mapping[str, Sequence[AttributeFinding]]
) -> list[dict[str, object]]:
    return [
        {
            **asdict(one),
            "differs": one.differs,
            "open_cases": reader.open_cases(use_case, one.attribute),
            "use_case_counts": asdict(counts),
        }
        for use_case, findings in found.items()
        for counts in [reader.use_case_counts(use_case)]
        for one in findings
    ]


def _show(
    reader: FindingsReader, found: Mapping[str, Sequence[AttributeFinding]], *, everything: bool
) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=NARROW)
    if not any(found.values()):
        console.print("Nothing is known yet: no call was shadowed.")
    for use_case, findings in found.items():
        for one in findings:
            cases = reader.open_cases(use_case, one.attribute)
            console.print(f"[bold]{escape(use_case)} / {escape(one.attribute)}[/]: {_counts(one)}")
            if one.metrics:
                console.print(_table(one, everything=everything))
            _say_more(console, one, cases, everything=everything)
        if said := describe_use_case(reader.use_case_counts(use_case)):
            console.print(f"[bold]{escape(use_case)}[/]: {escape(said)}\n")


def _counts(one: AttributeFinding) -> str:
    left_out = {"no answer": one.unanswered, "no score": one.unscored}
    parts = [f"{one.compared:,} pairs compared"]
    parts += [f"{count:,} {what}" for what, count in left_out.items() if count]
    if unvaried := describe_unvaried(one.unvaried):
        parts.append(unvaried)
    for word, reasons in (("declined", one.declined), ("skipped", one.skipped)):
        if reasons:
            why = ", ".join(f"{describe_reason(what)} {n:,}" for what, n in reasons.items())
            parts.append(f"{sum(reasons.values()):,} {word} ({why})")
    return escape("; ".join(parts))


def _table(one: AttributeFinding, *, everything: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("compared")
    table.add_column("group")
    for title in ("difference", "95 % limits", "n", "log10 e"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("known")
    for metric in _chosen(one, everything=everything):
        for row in _rows(metric, everything=everything):
            table.add_row(*row)
    return table


def _chosen(one: AttributeFinding, *, everything: bool) -> Sequence[MetricFinding]:
    found = [metric for metric in one.metrics if metric.state is FindingState.DIFFERS]
    return one.metrics if everything else one.metrics[: len(found) + SHOWN]


def _rows(metric: MetricFinding, *, everything: bool) -> Iterator[Sequence[str]]:
    """The strongest group, or all; of a metric that differs always those that differ."""
    differs = metric.state is FindingState.DIFFERS
    for number, group in enumerate(metric.groups):
        if everything or number == 0 or group.state is FindingState.DIFFERS:
            known = describe_group(group)
            if differs and number == 0:
                known = "[bold red]differs[/]: an alarm stands"
            yield escape(metric.title), escape(group.group), *_figures(group), known


def _figures(group: GroupFinding) -> tuple[str, str, str, str]:
    one = group.estimate
    limits = f"{one.low:+.3f} to {one.high:+.3f}"
    return f"{one.value:+.3f}", limits, f"{one.n:,}", f"{group.log10_e:.1f}"


def _say_more(console: Console, one: AttributeFinding, cases: int, *, everything: bool) -> None:
    hidden = len(one.metrics) - len(_chosen(one, everything=everything))
    if hidden:
        console.print(f"  {hidden} more metrics with less evidence: --all")
    if limits := describe_limits(one):
        console.print(f"  {limits}", highlight=False)
    if flagged := describe_flagged(one.flagged):
        console.print(f"  {flagged}", highlight=False)
    if cases:
        command = f"guard review list --use-case {one.use_case} --attribute {one.attribute}"
        console.print(f"  {cases:,} open cases: {command}", markup=False, highlight=False)
    console.print()
