"""The rules of the house that no linter checks."""

from __future__ import annotations

import ast
import re
import socket
import statistics
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import guard

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "guard").rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
SERIES = re.compile(r"guard_[a-z0-9_]+")
NOT_SERIES = {"guard_model", "guard_models", "guard_raw", "guard_use_case"}


def functions() -> Iterator[tuple[str, int]]:
    """Where each function of the package stands, and how many lines it has."""
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                place = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                yield place, node.end_lineno - node.lineno + 1


def strings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def places(kind: type[ast.AST]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, kind)
    ]


def sleeps(tree: ast.AST) -> bool:
    """Whether the module uses `time.sleep`, by attribute or by name."""
    uses = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    imported = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return "time.sleep" in uses | imported


def test_no_function_is_over_50_lines() -> None:
    assert [place for place, lines in functions() if lines > 50] == []


def test_nine_functions_in_ten_are_under_22_lines() -> None:
    lengths = [lines for _, lines in functions()]
    assert sum(lines < 22 for lines in lengths) >= 0.9 * len(lengths)


def test_the_median_function_is_about_6_lines() -> None:
    assert statistics.median(lines for _, lines in functions()) <= 8


def test_no_file_reaches_400_lines() -> None:
    counts = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert [str(path.relative_to(ROOT)) for path, lines in counts.items() if lines >= 400] == []


def test_no_global_statement() -> None:
    assert places(ast.Global) == []


def test_nothing_sleeps() -> None:
    assert [str(path.relative_to(ROOT)) for path, tree in TREES.items() if sleeps(tree)] == []


def test_series_are_named_in_one_place() -> None:
    elsewhere = {
        f"{path.relative_to(ROOT)}: {text}"
        for path, tree in TREES.items()
        for text in strings(tree)
        if SERIES.fullmatch(text) and text not in NOT_SERIES
        if path != ROOT / "guard/telemetry/names.py"
    }
    assert elsewhere == set()


@pytest.mark.parametrize("manifest", ["pyproject.toml", "models/pyproject.toml"])
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
