"""The shipped dashboards, read as Grafana reads them: their panels, and what these ask for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import promql_parser

FOLDER = Path(__file__).parents[1] / "exporters/grafana"
FILES = sorted((FOLDER / "dashboards").glob("*.json"))
VARIABLES: Mapping[str, str] = {
    "$__rate_interval": "1m",
    "$__range": "10m",
    "$job": ".+",
    "$instance": ".+",
    "$use_case": ".+",
    "$attribute": "gender",
    "$metric": "sentiment_gap_grounded",
    "$group": "female",
}
"""What stands for each variable when a query is asked of the demo."""


@dataclass(frozen=True)
class Target:
    """One query of one panel."""

    dashboard: str
    panel: str
    kind: str
    named: str
    expr: str

    @property
    def filled(self) -> str:
        """With a value for every variable."""
        return fill(self.expr)


def fill(expr: str) -> str:
    """The longest names first, since `$__range` begins another one."""
    for name in sorted(VARIABLES, key=len, reverse=True):
        expr = re.sub(rf"{re.escape(name)}\b", VARIABLES[name], expr)
    return expr


def load() -> dict[str, dict[str, Any]]:
    """Every dashboard, by the name of its file."""
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in FILES}


def panels(board: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Those that show something, rows left out."""
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def targets(name: str, board: Mapping[str, Any]) -> list[Target]:
    """Every query of every panel."""
    return [
        Target(name, panel.get("title", ""), panel["type"], target["legendFormat"], target["expr"])
        for panel in panels(board)
        for target in panel["targets"]
    ]


def annotations(name: str, board: Mapping[str, Any]) -> list[Target]:
    """The queries of its marks."""
    return [
        Target(name, one["name"], "annotation", one["titleFormat"], one["expr"])
        for one in board.get("annotations", {}).get("list", [])
    ]


def parse(expr: str) -> Any:
    """The syntax tree. Raises ValueError where it is no PromQL."""
    return promql_parser.parse(expr)


def nodes(tree: Any) -> Iterator[Any]:
    """A node and all below it; brackets are passed over."""
    yield tree
    for below in children(tree):
        yield from nodes(below)


def children(tree: Any) -> list[Any]:
    """What an expression is made of."""
    match type(tree).__name__:
        case "BinaryExpr":
            return [tree.lhs, tree.rhs]
        case "Call":
            return list(tree.args)
        case "AggregateExpr":
            return [tree.expr, *([tree.param] if tree.param is not None else [])]
        case "MatrixSelector":
            return [tree.vector_selector]
        case "ParenExpr" | "UnaryExpr" | "SubqueryExpr":
            return [tree.expr]
    return []


def without_fallbacks(tree: Any) -> list[str]:
    """The left sides of every `or`: what is asked before something else stands in for it."""
    return [
        one.lhs.prettify()
        for one in nodes(tree)
        if type(one).__name__ == "BinaryExpr" and str(one.op) == "or"
    ]
