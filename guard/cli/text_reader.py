"""Texts from lines or JSONL, one at a time, with the place each one stands at."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, count, islice
from math import isfinite
from pathlib import Path
from typing import BinaryIO, Final

from guard.errors import ScoresInputError
from guard.text.json_lines import (
    LONGEST_LINE_BYTES,
    LineProblemError,
    decode_line,
    json_object,
    kind_of,
    raw_lines,
)

STDIN: Final = "-"
LINES_LOOKED_AT: Final = 1000
Id = str | int | float


class InputFormat(StrEnum):
    """How a line holds its text. `auto` decides per file, by its first line that is not blank."""

    AUTO = "auto"
    LINES = "lines"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of input. number: from 1 in its file. consumed: its bytes, for progress."""

    source: str
    number: int
    consumed: int

    @property
    def place(self) -> str:
        """Where the line stands, as an editor wants it."""
        return f"{self.source}:{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class InputText:
    """A text to score, with the id it goes by."""

    line: Line
    id: Id
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """A line that holds no text to score, and why."""

    line: Line
    problem: str


Item = InputText | BadLine


def read(
    sources: Iterable[str], format_: InputFormat, stdin: Callable[[], BinaryIO]
) -> Iterator[Item]:
    """Every text of every source, in order.

    A text without an id goes by its line number, counted through all sources. In JSONL blank
    lines are skipped; in plain lines a blank line is an empty text.
    """
    numbers = count(1)
    for source in sources:
        try:
            with _open_source(source, stdin) as stream:
                if _never_ends(stream):
                    raise ScoresInputError(f"cannot read {source}: it is a device, and no text")
                yield from _items(source, stream, format_, numbers)
        except OSError as error:
            raise ScoresInputError(f"cannot read {source}: {error.strerror}") from error
        except LineProblemError as error:
            raise ScoresInputError(f"cannot read {source}: {error}") from error


def _open_source(source: str, stdin: Callable[[], BinaryIO]) -> AbstractContextManager[BinaryIO]:
    return nullcontext(stdin()) if source == STDIN else Path(source).open("rb")


def _never_ends(stream: BinaryIO) -> bool:
    """Whether it is a device that is neither a terminal nor empty: `/dev/zero`, a disk."""
    try:
        found = os.fstat(stream.fileno())
    except OSError:  # of no file: what stands in for standard input
        return False
    is_device = stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)
    is_empty = found.st_rdev == Path(os.devnull).stat().st_rdev
    return is_device and not is_empty and not stream.isatty()


def _items(
    source: str, stream: BinaryIO, format_: InputFormat, numbers: Iterator[int]
) -> Iterator[Item]:
    lines = raw_lines(stream)
    if format_ is InputFormat.AUTO:
        format_, lines = _recognise_format(lines)
    name = "standard input" if source == STDIN else source
    for number, raw in enumerate(lines, start=1):
        line = Line(source=name, number=number, consumed=len(raw))
        text_number = next(numbers)
        try:
            text = decode_line(raw)
            if format_ is InputFormat.LINES:
                yield InputText(line=line, id=text_number, text=text)
            elif text.strip():
                yield _from_json(line, text, text_number)
        except LineProblemError as error:
            yield BadLine(line=line, problem=str(error))


def _recognise_format(lines: Iterator[bytes]) -> tuple[InputFormat, Iterator[bytes]]:
    """A first line that opens a JSON object makes it JSONL, even one that turns out broken."""
    looked_at: list[bytes] = []
    for raw in islice(lines, LINES_LOOKED_AT):
        looked_at.append(raw)
        if raw.strip() or sum(map(len, looked_at)) > LONGEST_LINE_BYTES:
            break
    is_json = bool(looked_at) and looked_at[-1].lstrip().startswith(b"{")
    return (InputFormat.JSONL if is_json else InputFormat.LINES), chain(looked_at, lines)


def _from_json(line: Line, text: str, number: int) -> InputText:
    record = json_object(text)
    id_ = record.get("id")
    return InputText(line=line, id=number if id_ is None else _id(id_), text=_text(record))


def _text(record: dict[str, object]) -> str:
    found = [key for key in ("text", "response") if key in record]
    if not found:
        raise LineProblemError('expected a field "text" or "response"')
    if len(found) > 1:
        raise LineProblemError('not clear: both "text" and "response" are there; give one of them')
    return _string(found[0], record[found[0]])


def _string(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise LineProblemError(f'expected "{key}" to be a string, got {kind_of(value)}')
    return value


def _id(value: object) -> Id:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise LineProblemError(f'expected "id" to be a string or a number, got {kind_of(value)}')
    if isinstance(value, float) and not isfinite(value):
        raise LineProblemError('expected "id" to be a number that is not infinite')
    return value
