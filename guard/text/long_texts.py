"""Readings of long texts, part by part, so that none of them takes long at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from guard.text.code_blocks import prose_alone
from guard.text.readings import TextReading, as_written, read_within, readings

_PART = 2**14
_OVERLAP = 2**10
"""What is written across the end of one part stands in the next one whole."""
_WHOLE = 2 * _PART
_BETWEEN = "\n\n"


def readings_of(text: str, goes_on: Callable[[], bool]) -> tuple[TextReading, ...] | None:
    """As `readings`; of a long text, as it stands, its prose without blocks of code, and otherwise
    readings of its parts, one behind the other.

    goes_on: asked before each part; None where it does not.
    """
    if len(text) <= _WHOLE:
        return readings(text)
    found = list[list[TextReading]]()
    for start, end in _parts(text):
        if not goes_on():
            return None
        part = TextReading(text=text[start:end], shortened=((0, start),) if start else ())
        for number, one in enumerate(readings(part.text)[1:]):
            if number == len(found):
                found.append([])
            found[number].append(read_within(one, part))
    prose = prose_alone(text)
    alone = [replace(as_written(prose), excerpt=True)] if prose.strip() and prose != text else []
    return (as_written(text), *alone, *map(_joined, found))


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Of about the same length, up to the end of a line where there is one."""
    start = end = 0
    while end < len(text):
        end = start + _PART
        line = text.rfind("\n", end - _OVERLAP, end)
        end = line + 1 if line > 0 and end < len(text) else end
        yield start, min(end, len(text))
        start = end - _OVERLAP


def _joined(found: Sequence[TextReading]) -> TextReading:
    pieces, at = list[tuple[int, TextReading]](), 0
    for one in found:
        pieces.append((at, one))
        at += len(one.text) + len(_BETWEEN)
    return TextReading(
        text=_BETWEEN.join(one.text for one in found), excerpt=True, pieces=tuple(pieces)
    )
