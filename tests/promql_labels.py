"""Which labels an expression's results have, by the declared labels of the series it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guard.telemetry import names

OF_TARGET = frozenset({"job", "instance"})
OF_PROCESS: Mapping[str, frozenset[str]] = {
    "process_resident_memory_bytes": frozenset(),
    "process_cpu_seconds_total": frozenset(),
}
"""Series of the Python client that dashboards show."""


def declared() -> dict[str, frozenset[str]]:
    """Every name on /metrics to its own labels."""
    found = dict(OF_PROCESS)
    for series in names.ALL:
        own = frozenset(series.labels)
        if series.kind == "histogram":
            found[f"{series.name}_bucket"] = own | {"le"}
            found |= {f"{series.name}_{part}": own for part in ("sum", "count")}
        else:
            found[series.exposed] = own
    return found


DECLARED = declared()


class UnknownError(Exception):
    """A series that the product does not have, or a label that a series lacks."""


def labels_of(tree: Any) -> frozenset[str]:
    """The labels that results of an expression can have. Raises UnknownError."""
    match type(tree).__name__:
        case "VectorSelector":
            return _of_selector(tree)
        case "MatrixSelector":
            return _of_selector(tree.vector_selector)
        case "AggregateExpr":
            return _of_aggregate(tree)
        case "BinaryExpr":
            return _of_binary(tree)
        case "Call":
            found = frozenset().union(*map(labels_of, tree.args))
            if tree.func.name == "label_replace":
                return found | {tree.args[1].val}
            return found - {"le"} if tree.func.name == "histogram_quantile" else found
        case "ParenExpr" | "UnaryExpr":
            return labels_of(tree.expr)
    return frozenset()


def _of_selector(selector: Any) -> frozenset[str]:
    if selector.name not in DECLARED:
        raise UnknownError(f"no series {selector.name}")
    known = DECLARED[selector.name] | OF_TARGET
    _check(selector.name, {one.name for one in selector.matchers.matchers}, known)
    return known


def _of_aggregate(tree: Any) -> frozenset[str]:
    below = labels_of(tree.expr)
    if tree.modifier is None:
        return below if str(tree.op) in {"topk", "bottomk"} else frozenset()
    named = frozenset(tree.modifier.labels)
    _check(str(tree.op), named, below)
    if str(tree.op) in {"topk", "bottomk"}:
        return below
    return named if str(tree.modifier.type).endswith("By") else below - named


def _of_binary(tree: Any) -> frozenset[str]:
    left, right = labels_of(tree.lhs), labels_of(tree.rhs)
    matching = tree.modifier.matching if tree.modifier else None
    if matching is not None:
        _check(f"{tree.op} on", set(matching.labels), left & right)
    return left | right if str(tree.op) == "or" else left or right


def _check(what: str, named: set[str] | frozenset[str], known: frozenset[str]) -> None:
    if unknown := sorted(named - known):
        raise UnknownError(f"{what}: no label {unknown[0]}; there are {', '.join(sorted(known))}")
