"""docs/reliability.md says what is shown by which test: those tests are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs/reliability.md"
ROWS = [
    line.strip("|").split("|")
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.count("|") == 4 and "::test_" in line
]


def defined(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {one.name for one in nodes if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_row_of_the_table_names_a_test() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| shown by |")[2].partition("\n\n")[0]
    assert len(ROWS) == len(table.strip().splitlines()) - 1 > 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip()[:40])
def test_the_tests_that_are_named_are_there(row: list[str]) -> None:
    for path, name in re.findall(r"`([\w/]+\.py)::(test_\w+)`", row[2]):
        assert name in defined(TESTS / path), f"{path}::{name}"
