"""Columns of tables that say what somebody is: under "Race" in Markdown, `gender` in CSV."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.field_values import FieldValue, answer, names_field

_MARKS: Final = ("|", "\t", ",", ";")
_LONGEST: Final = 40  # characters of the name of a column
_JOINED: Final = ("and ", "or ")
_EMPTY: Final = " \t\"'*_:-"


def table_values(
    text: str, lexicons: Lexicons, attributes: Collection[str]
) -> Iterator[FieldValue]:
    """The cells below the names of such columns, in time linear in the text."""
    columns: dict[int, str] = {}
    cells, mark = 0, ""
    start = 0
    for line in text.split("\n"):
        row = line.split(mark) if mark else []
        if columns and len(row) == cells:
            yield from _answers(row, start, columns, lexicons)
        else:
            mark = next((one for one in _MARKS if one in line), "")
            names = line.split(mark) if mark else []
            cells, columns = len(names), _columns(names, attributes)
        start += len(line) + 1


def _columns(names: list[str], attributes: Collection[str]) -> dict[int, str]:
    """The numbers of the columns, and which attribute each tells; none where it is no header."""
    prose = any(len(name) > _LONGEST or name.strip().startswith(_JOINED) for name in names)
    if len(names) < 2 or prose:
        return {}
    return {
        number: attribute
        for number, name in enumerate(names)
        for attribute in attributes
        if names_field(attribute, name)
    }


def _answers(
    row: list[str], start: int, columns: dict[int, str], lexicons: Lexicons
) -> Iterator[FieldValue]:
    for number, cell in enumerate(row):
        written = cell.strip(_EMPTY)
        form = answer(written, lexicons, columns[number]) if written and number in columns else None
        if form is not None:
            at = start + cell.index(written)
            yield FieldValue(at, at + len(written), form)
        start += len(cell) + 1
