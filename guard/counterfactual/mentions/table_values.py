"""Columns of tables that say what somebody is: under "Race" in Markdown, `gender` in CSV."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.field_values import FieldValue, answer, names_field

_MARKS: Final = ("|", "\t", ",", ";")
_LONGEST: Final = 40  # characters of the name of a column
_JOINED: Final = ("and ", "or ")
_EMPTY: Final = " \t\"'*_:-"


class _PeopleTable(NamedTuple):
    """A table with columns that tell an attribute.

    columns: their numbers, and which. first: the number of the first column of all. rows: where
    each begins, and its cells.
    """

    mark: str
    columns: dict[int, str]
    first: int
    rows: list[tuple[int, Sequence[str]]]
    cells: int


def table_values(
    text: str, lexicons: Lexicons, attributes: Collection[str]
) -> Iterator[FieldValue]:
    """The cells below the names of such columns, in time linear in the text."""
    for table in _tables(text, attributes):
        values = [value for row in table.rows for value in _answers(table, row, lexicons)]
        heads = [one for number, one in values if number == table.first]
        groups = {one.form.group for one in heads}
        counted = 1 < len(heads) == len(groups)  # one line for each group, which counts people
        yield from (one for number, one in values if not (counted and number == table.first))


def _tables(text: str, attributes: Collection[str]) -> Iterator[_PeopleTable]:
    table, start = None, 0
    for line in text.split("\n"):
        row = line.split(table.mark) if table else ()
        if table and len(row) == table.cells:
            table.rows.append((start, row))
        else:
            if table:
                yield table
            table = _headed(line, attributes)
        start += len(line) + 1
    if table:
        yield table


def _headed(line: str, attributes: Collection[str]) -> _PeopleTable | None:
    """The table with this line as its header, if it is one."""
    mark = next((one for one in _MARKS if one in line), "")
    names = line.split(mark) if mark else []
    prose = any(len(name) > _LONGEST or name.strip().startswith(_JOINED) for name in names)
    columns = {} if prose else _columns(names, attributes)
    if not columns:
        return None
    first = 0 if names[0].strip() else 1  # Markdown begins a line with a mark
    return _PeopleTable(mark, columns, first, [], len(names))


def _columns(names: Sequence[str], attributes: Collection[str]) -> dict[int, str]:
    return {
        number: attribute
        for number, name in enumerate(names)
        for attribute in attributes
        if names_field(attribute, name)
    }


def _answers(
    table: _PeopleTable, row: tuple[int, Sequence[str]], lexicons: Lexicons
) -> Iterator[tuple[int, FieldValue]]:
    start, cells = row
    for number, cell in enumerate(cells):
        written, attribute = cell.strip(_EMPTY), table.columns.get(number)
        form = answer(written, lexicons, attribute) if written and attribute else None
        if form is not None:
            at = start + cell.index(written)
            yield number, FieldValue(at, at + len(written), form)
        start += len(cell) + 1
