"""The rules of the house that no linter checks."""

from __future__ import annotations

import ast
import re
import socket
import statistics
import time
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import guard
from tests.mutations import MUTATIONS

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "guard").rglob("*.py"))
SERIES = re.compile(r"guard_[a-z0-9_]+")
NOT_SERIES = {"guard_model", "guard_models", "guard_models_large", "guard_raw", "guard_use_case"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = [
    one for one in PROJECT["tool"]["importlinter"]["contracts"] if " only in " in one["name"]
]
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
WITHOUT_LAYER = {"__init__", "__main__", "__pycache__", "py", "pytest_plugin", "testing"}
PACKAGES = {
    f"guard.{path.stem}" for path in (ROOT / "guard").iterdir() if path.stem not in WITHOUT_LAYER
}


@cache
def trees() -> dict[Path, ast.Module]:
    """Every file of the package, parsed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


@cache
def nodes() -> dict[Path, list[ast.AST]]:
    """All there is in each file: to walk through takes longer than to look."""
    return {path: list(ast.walk(tree)) for path, tree in trees().items()}


def code_lines(path: Path) -> set[int]:
    """The lines that are neither blank, comment nor docstring; all lines of other strings."""
    lines = {
        number
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    docstrings: set[int] = set()
    for node in nodes()[path]:
        if isinstance(node, ast.Constant):
            lines.update(span(node))
        elif isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstrings.update(span(node.body[0]))
    return lines - docstrings


def span(node: ast.expr | ast.stmt) -> range:
    """The lines on which it stands."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def functions() -> Iterator[tuple[str, int]]:
    """Where each function of the package stands, and how many lines of code it has."""
    for path, found in nodes().items():
        lines = code_lines(path)
        for node in found:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                place = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                yield place, len(lines.intersection(range(node.lineno, node.end_lineno + 1)))


def body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """What it does, without its docstring."""
    first = function.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.body[is_docstring:]


def size(statements: list[ast.stmt]) -> int:
    """How many statements there are, those in other ones included."""
    return sum(isinstance(one, ast.stmt) for top in statements for one in ast.walk(top))


def strings(found: list[ast.AST]) -> Iterator[str]:
    for node in found:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def places(kind: type[ast.AST]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, found in nodes().items()
        for node in found
        if isinstance(node, kind)
    ]


def sleeps(found: list[ast.AST]) -> bool:
    """Whether the module uses `time.sleep`, by attribute or by name."""
    uses = {
        ast.unparse(node)
        for node in found
        if isinstance(node, ast.Attribute) and node.attr == "sleep"
    }
    imported = {
        f"{node.module}.{alias.name}"
        for node in found
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return "time.sleep" in uses | imported


def test_functions_are_short() -> None:
    """None over 40 lines of code, nine in ten at most 14, the median about 6."""
    found = dict(functions())
    assert [place for place, lines in found.items() if lines > 40] == []
    assert sum(lines <= 14 for lines in found.values()) >= 0.9 * len(found)
    assert statistics.median(found.values()) <= 6


def test_no_file_reaches_400_lines() -> None:
    counts = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert [str(path.relative_to(ROOT)) for path, lines in counts.items() if lines >= 400] == []


def test_no_global_statement() -> None:
    assert places(ast.Global) == []


def test_nothing_sleeps() -> None:
    assert [str(path.relative_to(ROOT)) for path, found in nodes().items() if sleeps(found)] == []


def test_series_are_named_in_one_place() -> None:
    elsewhere = {
        f"{path.relative_to(ROOT)}: {text}"
        for path, found in nodes().items()
        for text in strings(found)
        if SERIES.fullmatch(text) and text not in NOT_SERIES
        if path != ROOT / "guard/telemetry/names.py"
    }
    assert elsewhere == set()


def test_no_two_functions_have_the_same_body() -> None:
    bodies: dict[str, list[str]] = {}
    for path, found in nodes().items():
        for node in found:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and size(body(node)) >= 4:
                told = ";".join(ast.dump(one) for one in body(node))
                place = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                bodies.setdefault(told, []).append(place)
    assert [places for places in bodies.values() if len(places) > 1] == []


def test_no_class_name_stands_twice() -> None:
    names: dict[str, list[str]] = {}
    for path, found in nodes().items():
        for node in found:
            if isinstance(node, ast.ClassDef):
                names.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    twice = {name: paths for name, paths in names.items() if len(paths) > 1}
    assert twice == {}


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: str(contract["name"]))
def test_a_library_is_forbidden_wherever_its_contract_does_not_allow_it(
    contract: dict[str, Any],
) -> None:
    """A contract called "x only in a and b" lists as sources all packages but a and b."""
    _, _, allowed = contract["name"].partition(" only in ")
    named = {f"guard.{name}" for name in re.split(r", | and ", allowed)}
    assert PACKAGES - set(contract["source_modules"]) == named


@pytest.mark.parametrize(
    "manifest", ["pyproject.toml", "models/pyproject.toml", "models/large/pyproject.toml"]
)
def test_one_version(manifest: str) -> None:
    project = tomllib.loads((ROOT / manifest).read_text(encoding="utf-8"))["project"]
    assert project["version"] == guard.__version__


def test_unit_tests_reach_no_network() -> None:
    with pytest.raises(AssertionError, match="no network"):
        socket.create_connection(("localhost", 1))
    with socket.socket() as lone, pytest.raises(AssertionError, match="no network"):
        lone.connect(("127.0.0.1", 1))


def test_unit_tests_never_sleep() -> None:
    with pytest.raises(AssertionError, match="never sleep"):
        time.sleep(0)


def test_every_mutation_has_its_place() -> None:
    counts = {
        (one.file, one.old): (ROOT / one.file).read_text(encoding="utf-8").count(one.old)
        for one in MUTATIONS
    }
    assert {place: count for place, count in counts.items() if count != 1} == {}
