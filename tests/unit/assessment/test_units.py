"""Rows that belong together, and what tells them apart."""

from __future__ import annotations

from guard.assessment.items import item_of
from guard.assessment.rows import row_of
from guard.assessment.units import RowGroup, row_groups

ROWS = (
    {"prompt": "p", "response": "a"},
    {"prompt": "q"},
    {"prompt": "p", "response": "b"},
    {"id": 7, "prompt": "p"},
    {"pair": 7, "group": "f", "prompt": "p"},
    {"prompt": "x", "prediction": 1, "group": "f"},
    {"prompt": "x", "prediction": 0, "group": "f"},
    {"prediction": 1, "label": 1, "group": "f"},
    {"responses": ["a reply"]},
)


def groups(file: str, rows: tuple[dict[str, object], ...], first: int = 1) -> list[RowGroup]:
    return list(row_groups(row_of(row, f"{file}:{n}") for n, row in enumerate(rows, start=first)))


def keys(found: list[RowGroup]) -> list[tuple[str, str]]:
    return [(group.call_id, item_of(group, (), {}).key) for group in found]


def test_each_prompt_has_a_key_of_its_own() -> None:
    found = keys(groups("a", ROWS))
    assert len({key for _, key in found}) == len(found) == len(ROWS)


def test_keys_stay_where_rows_move() -> None:
    """Replies of the model are not asked again, and runs are compared, when a row is put before."""
    moved = groups("b", ({"prompt": "new"}, *ROWS))[1:]
    assert keys(moved)[:7] == keys(groups("a", ROWS))[:7]


def test_rows_without_a_name_are_told_apart_by_number_in_any_file() -> None:
    """Their responses differ from model to model."""
    before = keys(groups("a", ROWS[7:]))
    after = keys(groups("b", (*ROWS[7:8], {"responses": ["another reply"]})))
    assert before == after
