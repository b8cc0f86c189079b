"""The order in which a display shows text whose direction is overridden (UAX #9)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from guard.records import Span
from guard.text.escapes import DIRECTIONS, NOTHING

RIGHT_TO_LEFT: Final = "\u202e"
"""RLO, the mark that turns Latin letters round."""
_LEFTWARD: Final = re.compile("[\u202b\u202e\u2067]")
_STRONG_MARKS = "\u200f\u061c"  # RLM, ALM: letters from right to left that nobody sees
_ANY_STRONG_MARK = re.compile(f"[{_STRONG_MARKS}]")

_MOST_LEVELS = 125
_POP, _POP_ISOLATE, _FIRST_STRONG = "\u202c", "\u2069", "\u2068"
_TO_THE_RIGHT = "\u202a\u202d\u2066"  # LRE, LRO, LRI
_OVERRIDES = "\u202d\u202e"
_ISOLATES = "\u2066\u2067\u2068"
_MARKS = "\u202a-\u202e\u2066-\u2069"
_ANY_MARK = re.compile(f"[{_MARKS}]")
_SEPARATORS = "\t\x0b\x1f\u2028"  # they keep the direction of the paragraph, or end the line
_PARAGRAPH = re.compile(r"[^\n\r\x1c-\x1e\x85\u2029]+")
_PIECE = re.compile(f"[{_MARKS}]|[{_SEPARATORS}]|[^{_MARKS}{_SEPARATORS}]+")
_STRONG = re.compile(rf"[^\W_]|[{_STRONG_MARKS}]|{_POP_ISOLATE}")
_REACH = 256


_LEFT, _RIGHT, _NUMBER, _NEUTRAL = "R", "L", "N", ""
_KINDS = {"L": _RIGHT, "R": _LEFT, "AL": _LEFT, "EN": _NUMBER, "AN": _NUMBER}


@dataclass(slots=True)
class _Status:
    """An embedding: its level, and whether it overrides and isolates what stands in it.

    last: where the last letter in it goes to. waiting: pieces behind that letter that go nowhere.
    """

    level: int
    overrides: bool = False
    isolates: bool = False
    last: str = _LEFT
    waiting: list[int] = field(default_factory=list)


def may_turn(text: str) -> bool:
    """Whether a mark of direction may change the order in which its letters are shown."""
    return _LEFTWARD.search(text) is not None


def without_marks(text: str) -> str:
    """`text` in its own order, each mark of direction a zero-width space."""
    return _ANY_MARK.sub(NOTHING, text)


def in_visual_order(text: str, *, leftward: bool = False) -> tuple[str, tuple[Span, ...]]:
    """`text` as it is shown, from left to right, and the paragraphs that are in another order then.

    Same length; marks become zero-width spaces. Explicit levels as in UAX #9 (X1 to X8, at most
    125); where letters go from right to left, Latin ones go from left to right among them, and
    signs between two of these with them (N1, N2). Elsewhere what nothing overrides keeps its
    order. Where a display breaks long lines is not known: a paragraph is read as one line.
    leftward: paragraphs begin from right to left.
    """
    if not leftward and not may_turn(text):
        return without_marks(text), ()
    parts, turned, done = list[str](), list[Span](), 0
    for found in _PARAGRAPH.finditer(text):
        parts += [text[done : found.start()], shown := _shown(found[0], leftward=leftward)]
        done = found.end()
        if shown != without_marks(found[0]):
            turned.append(Span(start=found.start(), end=found.end()))
    return "".join([*parts, text[done:]]), tuple(turned)


def _shown(paragraph: str, *, leftward: bool) -> str:
    if not leftward and not may_turn(paragraph):
        return without_marks(paragraph)
    line = _Line()
    for level, piece in _levels(paragraph, int(leftward)):
        line.add(level, piece)
    return line.end()


def _levels(paragraph: str, base: int) -> list[tuple[int, str]]:
    """Each piece of a paragraph with its level."""
    nesting = _Nesting(base)
    for found in _PIECE.finditer(paragraph):
        piece = found[0]
        if piece in DIRECTIONS:
            leftward = nesting.has_room and _opens_leftward(paragraph, found)
            nesting.take(piece, leftward=leftward)
        elif piece in _SEPARATORS:
            nesting.add_separator(piece)
        elif nesting.keeps_order:
            nesting.add(_NEUTRAL, piece)
        else:
            for kind, letters in _runs(piece):
                nesting.add(kind, letters)
    return nesting.found


def _runs(piece: str) -> Iterator[tuple[str, str]]:
    """Runs of letters that go the same way, of digits, and of signs."""
    for kind, letters in groupby(piece, _kind):
        yield kind, _ANY_STRONG_MARK.sub(NOTHING, "".join(letters))


def _kind(letter: str) -> str:
    return _KINDS.get(unicodedata.bidirectional(letter), _NEUTRAL)


def _opens_leftward(paragraph: str, mark: re.Match[str]) -> bool:
    """Whether what a mark opens goes from right to left; FSI: as its first letter does."""
    if mark[0] != _FIRST_STRONG:
        return mark[0] not in _TO_THE_RIGHT
    strong = _STRONG.search(paragraph, mark.end(), mark.end() + _REACH)
    return strong is not None and unicodedata.bidirectional(strong[0]) in {"R", "AL"}


class _Nesting:
    """The embeddings that are open, and how many did not find room."""

    def __init__(self, base: int) -> None:
        self.found = list[tuple[int, str]]()
        self._open = [_Status(base)]
        self._isolates = self._isolates_over = self._embeddings_over = 0

    @property
    def has_room(self) -> bool:
        """Whether nothing is open that did not find room."""
        return not self._isolates_over and not self._embeddings_over

    @property
    def keeps_order(self) -> bool:
        """Whether what is added stands in one order, letters of any kind."""
        top = self._open[-1]
        return top.overrides or top.level % 2 == 0

    def add(self, kind: str, piece: str) -> None:
        top = self._open[-1]
        if kind == _NUMBER and top.last == _RIGHT:
            kind = _RIGHT
        if kind == _NEUTRAL:
            top.waiting.append(len(self.found))
        else:
            self._meet(top, _LEFT if kind == _NUMBER else kind)
        self.found.append((top.level + (kind in {_RIGHT, _NUMBER}), piece))

    def take(self, mark: str, *, leftward: bool) -> None:
        """Marks of an isolate are signs around it; others stand with what is before them."""
        if mark in _ISOLATES:
            self.add(_NEUTRAL, NOTHING)
            self._push(mark, leftward=leftward)
        elif mark == _POP_ISOLATE:
            self._pop_isolate()
            self.add(_NEUTRAL, NOTHING)
        else:
            level = self.found[-1][0] if self.found else self._open[0].level
            self.found.append((level, NOTHING))
            if mark == _POP:
                self._pop()
            else:
                self._push(mark, leftward=leftward)

    def add_separator(self, piece: str) -> None:
        self.found.append((self._open[0].level, piece))

    def _meet(self, top: _Status, kind: str) -> None:
        """Signs between two letters that go to the right go with them."""
        if kind == top.last == _RIGHT and top.level % 2 and not top.overrides:
            for at in top.waiting:
                self.found[at] = (top.level + 1, self.found[at][1])
        top.waiting.clear()
        top.last = kind

    def _push(self, mark: str, *, leftward: bool) -> None:
        level = self._open[-1].level
        level = level + 1 | 1 if leftward else level + 2 & ~1
        isolates = mark in _ISOLATES
        if level <= _MOST_LEVELS and self.has_room:
            begins = _LEFT if level % 2 else _RIGHT
            if not isolates:
                self._meet(self._open[-1], begins)
            self._open.append(_Status(level, mark in _OVERRIDES, isolates, begins))
            self._isolates += isolates
        elif isolates:
            self._isolates_over += 1
        elif not self._isolates_over:
            self._embeddings_over += 1

    def _pop(self) -> None:
        if self._isolates_over:
            return  # an isolate that found no room holds it back
        if self._embeddings_over:
            self._embeddings_over -= 1
        elif len(self._open) > 1 and not self._open[-1].isolates:
            ended = self._open.pop()
            self._open[-1].last = _LEFT if ended.level % 2 else _RIGHT

    def _pop_isolate(self) -> None:
        if self._isolates_over:
            self._isolates_over -= 1
        elif self._isolates:
            self._embeddings_over = 0
            self._isolates -= 1
            while not self._open.pop().isolates:
                pass


class _Line:
    """Pieces in the order in which they are shown (L2): what is of a higher level than its
    surroundings is turned round once for each level."""

    def __init__(self) -> None:
        self._open: list[tuple[int, list[str]]] = [(0, [])]

    def add(self, level: int, piece: str) -> None:
        self._fold(level)
        self._parts(level).append(piece)

    def end(self) -> str:
        self._fold(0)
        return "".join(self._open[0][1])

    def _parts(self, level: int) -> list[str]:
        if self._open[-1][0] < level:
            self._open.append((level, []))
        return self._open[-1][1]

    def _fold(self, level: int) -> None:
        while self._open[-1][0] > level:
            above, parts = self._open.pop()
            below = max(level, self._open[-1][0])
            turned = "".join(parts)[:: -1 if (above - below) % 2 else 1]
            self._parts(below).append(turned)
