"""What a good dashboard is held to: the rules of Grafana's dashboard-linter and some of our own.

Each rule yields what is wrong, in words; nothing is wrong where all of them are silent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from guard.telemetry import names
from tests.dashboards import Target, annotations, fill, nodes, panels, parse, targets
from tests.promql_labels import UnknownError, labels_of

Board = Mapping[str, Any]
SOURCE = {"type": "prometheus", "uid": "$datasource"}
COUNTERS = frozenset(
    {
        *(one.exposed for one in names.ALL if one.kind == "counter"),
        *(
            f"{one.name}_{part}"
            for one in names.ALL
            if one.kind == "histogram"
            for part in ("bucket", "sum", "count")
        ),
        "process_cpu_seconds_total",
    }
)
KEPT_IN_THE_STORE = frozenset(
    {"guard_shadow_total", "guard_verdicts_total", "guard_verdict_seconds_total"}
)
"""Counters that no restart sets back, since they are sums of the store: shown as they are."""
GROWTH = frozenset({"rate", "irate", "increase"})
SHARES = ("percentunit",)
PLAIN = re.compile(r"[A-Z].{20,}[.)]", re.DOTALL)


def templates(board: Board) -> Iterator[str]:
    """template-datasource, template-job, template-instance, reload when the time changes."""
    found = {one["name"]: one for one in board["templating"]["list"]}
    source, job = found.get("datasource", {}), found.get("job", {})
    if (source.get("type"), source.get("query")) != ("datasource", "prometheus"):
        yield "no variable for the data source"
    if not (job.get("multi") and job.get("includeAll") and job.get("allValue") == ".+"):
        yield "$job is not a choice of several or all"
    for one in found.values():
        if not one.get("label"):
            yield f"${one['name']} has no label"
        if one["type"] == "query" and (one["refresh"], one["datasource"]) != (2, SOURCE):
            yield f"${one['name']} is not read from $datasource when the time changes"
    for unused in sorted(found.keys() - {"datasource"} - _used(board)):
        yield f"${unused} is used nowhere"


def _used(board: Board) -> set[str]:
    text = repr(board["panels"]) + repr(board["templating"]) + repr(board["links"])
    return {one for pair in re.findall(r"\$(\w+)|\$\{(\w+)", text) for one in pair}


def identity(board: Board) -> Iterator[str]:
    """uneditable-dashboard, schema v1, an identifier of its own for each panel."""
    if (board["schemaVersion"], board["editable"]) != (42, False):
        yield "not schema version 42, or editable"
    if not PLAIN.match(board["description"]) or not board["uid"].startswith("evenguard-"):
        yield "no description or no uid of ours"
    numbers = [panel["id"] for panel in board["panels"]]
    if len(set(numbers)) < len(numbers):
        yield "two panels have one number"


def words(board: Board) -> Iterator[str]:
    """panel-title-description, panel-units, panel-no-targets, panel-datasource."""
    titles = [panel.get("title", "") for panel in panels(board)]
    if len(set(titles)) < len(titles):
        yield "two panels have one title"
    for panel in panels(board):
        where = panel.get("title", "")
        if not where or not PLAIN.match(panel.get("description", "")):
            yield f"{where}: no title, or no description in sentences"
        if not panel["fieldConfig"]["defaults"].get("unit"):
            yield f"{where}: no unit"
        if not panel.get("targets") or panel["datasource"] != SOURCE:
            yield f"{where}: no query, or not of $datasource"
        if any(target["datasource"] != SOURCE for target in panel["targets"]):
            yield f"{where}: a query of another data source"
        if panel["type"] != "timeseries" and "links" not in panel:
            yield f"{where}: leads nowhere"


def shares_have_n(board: Board) -> Iterator[str]:
    """A share says of how many."""
    for panel in panels(board):
        legends = [target["legendFormat"] for target in panel["targets"]]
        is_share = panel["fieldConfig"]["defaults"].get("unit") in SHARES
        if is_share and not any(legend == "n" or legend.startswith("n of") for legend in legends):
            yield f"{panel.get('title', '')}: a share without n"


def intervals(board: Board) -> Iterator[str]:
    """What has an interval is shown with both ends and n."""
    for panel in panels(board):
        legends = {target["legendFormat"] for target in panel["targets"]}
        if "low" in legends and not {"low", "high", "n"} <= legends:
            yield f"{panel.get('title', '')}: an interval with one end, or without n"


def expressions(name: str, board: Board) -> Iterator[str]:
    """target-promql, target-job, target-rate-interval, target-counter-agg; sums of gauges."""
    for target in [*targets(name, board), *annotations(name, board)]:
        where = f"{target.panel}, {target.named}"
        try:
            yield from (f"{where}: {fault}" for fault in _faults(target))
        except (ValueError, UnknownError) as error:
            yield f"{where}: {error}"
    for one in board["templating"]["list"]:
        if one["type"] == "query":
            yield from _faults_of_variable(one)


def _faults(target: Target) -> Iterator[str]:
    tree = parse(target.filled)
    lacking = set(re.findall(r"{{(\w+)}}", target.named)) - labels_of(tree)
    if lacking:
        yield f"no label {sorted(lacking)[0]} in its results"
    yield from _faults_of_ranges(target.expr)
    yield from _faults_of_tree(tree)


def _faults_of_ranges(expr: str) -> Iterator[str]:
    for function, window in re.findall(r"\b(rate|irate|increase)\([^\[\]]*\[([^\]]+)\]", expr):
        wanted = "$__range" if function == "increase" else "$__rate_interval"
        if window not in {wanted, "$__rate_interval"}:
            yield f"{function} over {window}"


def _faults_of_tree(tree: Any) -> Iterator[str]:
    inside_growth = {
        id(below)
        for one in nodes(tree)
        if type(one).__name__ == "Call" and one.func.name in GROWTH
        for below in [one.args[0].vector_selector]
    }
    grown = {
        below.name
        for one in nodes(tree)
        if type(one).__name__ == "Call" and one.func.name in GROWTH
        for below in [one.args[0].vector_selector]
    }
    for one in nodes(tree):
        if type(one).__name__ == "VectorSelector":
            yield from _faults_of_selector(one, id(one) in inside_growth or one.name in grown)
        if type(one).__name__ == "AggregateExpr" and str(one.op) == "sum":
            yield from _faults_of_sum(one)


def _faults_of_selector(selector: Any, in_growth: bool) -> Iterator[str]:
    matched = {one.name for one in selector.matchers.matchers}
    if "job" not in matched:
        yield f"{selector.name} of any job"
    if selector.name in COUNTERS - KEPT_IN_THE_STORE and not in_growth:
        yield f"the counter {selector.name} without rate"
    if selector.name not in COUNTERS and in_growth:
        yield f"rate of the gauge {selector.name}"


def _faults_of_sum(tree: Any) -> Iterator[str]:
    inner = tree.expr
    by = set(tree.modifier.labels) if tree.modifier else set()
    if type(inner).__name__ == "VectorSelector" and "instance" not in by:
        yield f"the sum of {inner.name} over instances"


def _faults_of_variable(variable: Mapping[str, Any]) -> Iterator[str]:
    selector, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]).groups()
    if selector.startswith("{"):
        return
    try:
        if label not in labels_of(parse(fill(selector))):
            yield f"${variable['name']}: no label {label}"
    except UnknownError as error:
        yield f"${variable['name']}: {error}"


RULES: tuple[Callable[[Board], Iterator[str]], ...] = (
    templates,
    identity,
    words,
    shares_have_n,
    intervals,
)


def faults(name: str, board: Board) -> list[str]:
    """Everything that is wrong with a dashboard."""
    found = [fault for rule in RULES for fault in rule(board)]
    return [*found, *expressions(name, board)]
