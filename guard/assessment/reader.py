"""Rows from JSONL, CSV and plain lines, one at a time: a file of any size is never in memory."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from io import BufferedReader
from itertools import chain
from pathlib import Path

from guard.assessment.results import BadRow, DataFile
from guard.assessment.rows import AS_JSON, InputRow, row_of
from guard.errors import AssessmentInputError
from guard.text.json_lines import (
    LONGEST_LINE_BYTES,
    LineProblemError,
    decode_line,
    json_object,
    json_value,
    raw_lines,
)

FAULTS_AT_FIRST = 100
"""So many bad rows before the first good one make the file a wrong one."""
SHOWN_BAD_ROWS = 20
Row = InputRow | BadRow
Numbered = Row | None
"""A row in its place; None for a blank line."""


class RowFormat(StrEnum):
    """How a file holds its rows. `auto`: by the ending of its name, else by its first line."""

    AUTO = "auto"
    JSONL = "jsonl"
    CSV = "csv"
    LINES = "lines"


def read_rows(
    path: Path, format_: RowFormat = RowFormat.AUTO, *, plain: str = "prompt"
) -> Iterator[Row]:
    """Every row of a file, bad ones with what is wrong with them.

    plain: what a plain line is, `prompt` or `response`.

    Raises AssessmentInputError where it cannot be read, has no row, or begins with
    `FAULTS_AT_FIRST` bad ones.
    """
    return (row for row in numbered_rows(path, format_, plain=plain) if row is not None)


def numbered_rows(
    path: Path, format_: RowFormat = RowFormat.AUTO, *, plain: str = "prompt"
) -> Iterator[Numbered]:
    """The same with None for each blank line, so that the n-th stands for row n."""
    faults: list[Numbered] = []
    bad = 0
    any_good = False
    for row in _of_one_prompt(_rows(path, format_, plain)):
        any_good = any_good or isinstance(row, InputRow)
        if any_good:
            yield from faults
            faults = []
            yield row
        else:
            faults.append(row)
            bad += isinstance(row, BadRow)
        if bad >= FAULTS_AT_FIRST and not any_good:
            break
    if not any_good:
        found = [one for one in faults if isinstance(one, BadRow)]
        raise AssessmentInputError(_nothing_usable(path, found))


def _of_one_prompt(rows: Iterable[Numbered]) -> Iterator[Numbered]:
    """The rows; one that has the `id` of the row before and another prompt is a bad one."""
    first = None
    for row in rows:
        if isinstance(row, InputRow):
            if first is None or row.pair or not row.id or row.id != first.id or not first.prompt:
                first = row
            elif row.prompt and row.prompt != first.prompt:
                problem = (
                    f"id {row.id!r:.60} has another prompt at {first.place}; rows of one id are"
                    " one prompt: give each prompt an id of its own"
                )
                yield BadRow(place=row.place, problem=problem)
                continue
        yield row


def _nothing_usable(path: Path, faults: list[BadRow]) -> str:
    if not faults:
        return f"{path}: is empty; give one prompt a line, JSONL or CSV"
    first = faults[0]
    return (
        f"{path}: none of its first {len(faults)} rows can be used; {first.place}: {first.problem}"
    )


class GoodRows:
    """The good rows; the others are counted, and the first of them kept."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = rows
        self.count = self.bad = 0
        self.shown: list[BadRow] = []

    def __iter__(self) -> Iterator[InputRow]:
        for row in self._rows:
            self.count += 1
            if isinstance(row, InputRow):
                yield row
                continue
            self.leave_out(row)

    def leave_out(self, row: BadRow, rows: int = 1) -> None:
        """One more that cannot be used, or several for one reason, named by the first of them."""
        self.bad += rows
        if len(self.shown) < SHOWN_BAD_ROWS:
            self.shown.append(row)


def describe(path: Path, rows: int) -> DataFile:
    """A file of input, with its SHA-256."""
    with opened(path) as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return DataFile(name=path.name, sha256=digest, rows=rows)


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """A file of input. Raises AssessmentInputError, also for a line that does not end."""
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        raise AssessmentInputError(f"cannot read {path}: {error.strerror}") from error
    except LineProblemError as error:
        raise AssessmentInputError(f"cannot read {path}: {error}") from error


def _rows(path: Path, format_: RowFormat, plain: str) -> Iterator[Numbered]:
    with opened(path) as stream:
        lines = raw_lines(stream)
        first = next(lines, None)
        if first is None:
            return
        kind = _format_of(path, first) if format_ is RowFormat.AUTO else format_
        every = chain((first,), lines)
        if kind is RowFormat.CSV:
            yield from _from_csv(path.name, every)
        else:
            yield from _from_lines(path.name, every, "" if kind is RowFormat.JSONL else plain)


def _format_of(path: Path, first: bytes) -> RowFormat:
    by_ending = {
        ".jsonl": RowFormat.JSONL,
        ".ndjson": RowFormat.JSONL,
        ".csv": RowFormat.CSV,
        ".txt": RowFormat.LINES,
    }
    if found := by_ending.get(path.suffix.lower()):
        return found
    return RowFormat.JSONL if first.lstrip().startswith(b"{") else RowFormat.LINES


def _from_lines(name: str, lines: Iterator[bytes], plain: str) -> Iterator[Numbered]:
    """plain: the field that a line is; empty where it is a JSON object."""
    for number, raw in enumerate(lines, start=1):
        is_blank = not raw.strip()
        yield None if is_blank else _row(f"{name}:{number}", partial(_line_fields, raw, plain))


def _line_fields(raw: bytes, plain: str) -> dict[str, object]:
    text = decode_line(raw)
    return {plain: text} if plain else json_object(text)


def _from_csv(name: str, lines: Iterator[bytes]) -> Iterator[Row]:
    limit = csv.field_size_limit(LONGEST_LINE_BYTES)  # of the process: the reader has none itself
    try:
        texts = (raw.decode("utf-8", "surrogateescape") for raw in lines)
        table = csv.reader(texts, strict=True)
        header = _header(name, _first(name, table))
        while True:
            number = table.line_num + 1
            try:
                cells = next(table)
            except StopIteration:
                return
            except csv.Error as error:
                yield BadRow(place=f"{name}:{number}", problem=f"no row of a table ({error})")
                continue
            if cells:
                yield _row(f"{name}:{number}", partial(_cells, header, cells))
    finally:
        csv.field_size_limit(limit)


def _first(name: str, table: Iterator[list[str]]) -> list[str]:
    try:
        return next(table)
    except csv.Error as error:
        raise AssessmentInputError(
            f"{name}:1: no header of a table ({error}); save it as CSV with line ends \\n or \\r\\n"
        ) from error


def _header(name: str, cells: list[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    counts = Counter(filter(None, header))
    if twice := next((one for one, count in counts.items() if count > 1), None):
        raise AssessmentInputError(f"{name}: the column {twice!r:.60} stands twice; rename one")
    return header


def _cells(header: list[str], cells: list[str]) -> dict[str, object]:
    if len(cells) != len(header):
        raise LineProblemError(f"{len(cells)} cells in a table of {len(header)} columns")
    named = {name: cell for name, cell in zip(header, cells, strict=True) if cell}
    for name, cell in named.items():
        if any("\udc80" <= character <= "\udcff" for character in cell):
            raise LineProblemError(f'"{name}" is not UTF-8; convert it, for example with iconv')
    return {name: _cell(name, cell) for name, cell in named.items()}


def _cell(name: str, cell: str) -> object:
    is_json = name in AS_JSON or (name == "group" and cell.lstrip().startswith("{"))
    try:
        return json_value(cell) if is_json else cell
    except LineProblemError as error:
        raise LineProblemError(f'"{name}": {error}') from None


def _row(place: str, fields: Callable[[], dict[str, object]]) -> Row:
    try:
        return row_of(fields(), place)
    except LineProblemError as error:
        return BadRow(place=place, problem=str(error))
