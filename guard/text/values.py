"""Where values stand in texts of formats: JSON, settings, markup, tables, SQL. Pure.

Whoever shows such a text shows the values, each for itself. A classifier hears a sentence less
among keys and brackets than alone, and less still as somebody's quotation. What prose quotes, and
strings of programs, are no values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from guard.text.code_blocks import sentences_in_code
from guard.text.escapes import decoded
from guard.text.json_values import values_in_brackets

Place = tuple[int, int]

_STRING = r"""(?P<quote>["'])(?P<value>(?:(?!(?P=quote))[^\\\n]|\\.)++)(?:(?P=quote)|\\?\Z)"""
_GAP = r"[ \t]{0,8}+"
_SETTING = re.compile(rf"(?<=\w){_GAP}={_GAP}{_STRING}")
"""Attributes of markup, settings, fields of log lines."""
_ENTRY = re.compile(
    rf"""(?:^|[{{,])\s{{0,40}}+(?:"[^"\n]{{1,80}}+"|'[^'\n]{{1,80}}+')\s{{0,8}}+:\s{{0,40}}+{_STRING}"""
    r"""(?=\s{0,40}(?:[,}\]]|$))""",
    re.MULTILINE,
)
"""Of JSON whose brackets are elsewhere: in a stream that has gone out up to here."""
_REST = re.compile(r"""(?:^|(?<=\s))[\w.-]++=(?P<value>[^\s"'=][^=\r\n]*+)(?=\r?$)""", re.MULTILINE)
"""The same without quotation marks: the last of a line."""
_CSV = re.compile(
    r"""(?:^|(?<=,))"(?P<value>(?:[^"\n]|"")++)"(?=,[^\s,])"""
    r"""|(?<=[^\s,],)"(?P<last>(?:[^"\n]|"")++)"(?=\r?$)""",
    re.MULTILINE,
)
_CDATA = re.compile(r"<!\[CDATA\[(?P<value>(?:(?!\]\]>).)++)", re.DOTALL)
_MESSAGE = re.compile(rf"^msg(?:id|str){_GAP}{_STRING}(?=\s*?$)", re.MULTILINE)
"""Message catalogues (gettext)."""
_STYLED = re.compile(rf"(?<=[{{;\s])content{_GAP}:{_GAP}{_STRING}(?=[ \t]{{0,8}}+(?:[;}}!]|\Z))")
"""What a style sheet has displays write before or behind an element."""
_FORMATS = (_SETTING, _ENTRY, _REST, _CSV, _CDATA, _MESSAGE, _STYLED)
_KEYED = re.compile(rf"^[ \t]*+[a-z_][\w.$/-]*+{_GAP}:{_GAP}{_STRING}(?=[ \t]*+\r?$)", re.MULTILINE)
_KEY = re.compile(r"[ \t]*+(?:- )?+[A-Za-z_][\w.$/-]*+:(?=\s)")
_ROW = re.compile(r"^[ \t]*+\|[^\r\n]*\|(?:(?=[ \t]*+\r?$)|[^\r\n|]++\Z)", re.MULTILINE)
"""The last one may go on, in a stream that has gone out up to here."""
_CELL = re.compile(r"[^|\r\n]+")
_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)*+")
_NAME = r"[A-Za-z_][\w.$-]{0,63}"
_TWO_NAMES = re.compile(rf"(?:\A|\n\n){_NAME}\n\n{_NAME}(?=\n\n)")
_ESCAPE = "\\"
_SAYS = re.compile(r"\w[^\w\s]*\s\W*\w|\w[.!?]+\s*\Z")
_SHORTEST = 4


def said_values(text: str) -> list[Place]:
    """The ranges of values that say something, of several words or a whole sentence; in order, some
    of them within others."""
    found = chain(
        values_in_brackets(text),
        _in_formats(text),
        _in_yaml(text),
        _cells(text),
        _beside_names(text),
        sentences_in_code(text),
    )
    return sorted({one for one in found if says_something(text, *one)})


def says_something(text: str, start: int, end: int) -> bool:
    """Whether more than a name stands in this range, as it is or decoded."""
    if end - start < _SHORTEST:
        return False
    if _SAYS.search(text, start, end) is not None:
        return True
    return _ESCAPE in text[start:end] and _SAYS.search(decoded(text[start:end])) is not None


def outermost(places: Iterable[Place]) -> list[Place]:
    """Those of sorted places that are in no other one."""
    kept = list[Place]()
    for place in sorted(places, key=lambda one: (one[0], -one[1])):
        if not kept or place[0] >= kept[-1][1]:
            kept.append(place)
    return kept


def innermost(places: Iterable[Place]) -> list[Place]:
    """Those that have no other one in them."""
    kept = list[Place]()
    for place in sorted(places, key=lambda one: (one[0], -one[1])):
        if kept and place[0] < kept[-1][1]:
            kept.pop()
        if not kept or place[0] >= kept[-1][1]:
            kept.append(place)
    return kept


def _in_formats(text: str) -> Iterator[Place]:
    for form in _FORMATS:
        for one in form.finditer(text):
            in_last = form is _CSV and one["value"] is None
            yield one.span("last" if in_last else "value")


def _in_yaml(text: str) -> Iterator[Place]:
    """Of lines that are a key and its value, beside another line with a key, or alone."""
    for one in _KEYED.finditer(text):
        before, after = text.rfind("\n", 0, max(one.start() - 1, 0)), text.find("\n", one.end())
        beside = (_KEY.match(text, before + 1, one.start()), _KEY.match(text, after + 1))
        if (one.start() and beside[0]) or (after > 0 and beside[1]) or one[0] == text.strip("\n"):
            yield one.span("value")


def _cells(text: str) -> Iterator[Place]:
    """Of tables in Markdown."""
    for row in _ROW.finditer(text):
        for cell in _CELL.finditer(text, *row.span()):
            yield _without_quotation(text, *cell.span())


def _without_quotation(text: str, start: int, end: int) -> Place:
    """Of a cell what stands between its quotation marks or backticks."""
    inner = text[start:end].strip()
    if len(inner) > 2 and inner[0] == inner[-1] in '`"':
        return text.index(inner[0], start) + 1, text.rindex(inner[-1], start, end)
    return start, end


def _beside_names(text: str) -> Iterator[Place]:
    """Of texts that are put one below the other, with the name of a tool and the keys of its
    arguments."""
    if _TWO_NAMES.search(text) is not None:
        for paragraph in _PARAGRAPH.finditer(text):
            yield paragraph.span()
