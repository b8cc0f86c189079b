"""Where values stand in texts of formats: JSON, programs, settings, markup, tables. Pure.

Whoever shows such a text shows the values, each for itself. A classifier hears a sentence less
among keys, brackets and marks of quotation than alone, and less still as somebody's quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from guard.text.json_values import values_in_brackets

Place = tuple[int, int]

_STRING = r"""(?P<quote>["'`])(?P<value>(?:(?!(?P=quote))[^\\\n]|\\.)++)(?:(?P=quote)|\Z)"""
_GAP = r"[ \t]{0,8}+"
_SETTING = re.compile(rf"""(?<=[\w\]"'-]){_GAP}={_GAP}{_STRING}""")
"""Attributes of markup, settings, variables, fields of log lines."""
_LINE = re.compile(
    rf"^[ \t]*+(?:-{_GAP})?+[a-z_][\w.$/-]*+{_GAP}:?+{_GAP}{_STRING}[ \t;,]*+$", re.MULTILINE
)
"""A key and its value, or a command: YAML, texts of translators, shells. In prose the word before a
quotation is a label and begins with a capital."""
_REST = re.compile(r"""(?:^|(?<=\s))[\w.-]++=(?P<value>[^\s"'=\n][^=\n]*+)$""", re.MULTILINE)
"""Settings and fields of log lines without marks of quotation: the last of a line."""
_CSV = re.compile(
    r"""(?:^|(?<=,))"(?P<value>[^"\n]++)"(?=,)|(?<=,)"(?P<last>[^"\n]++)"$""", re.MULTILINE
)
_DOCUMENTED = re.compile(r"""(?P<quote>"{3}|'{3})(?P<value>(?:(?!(?P=quote)).)++)""", re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(?P<value>(?:(?!\]\]>).)++)", re.DOTALL)
_FORMATS = (_SETTING, _LINE, _REST, _CSV, _DOCUMENTED, _CDATA)
_ROW = re.compile(r"^[ \t]*+\|[^\n]*\|[ \t]*+$", re.MULTILINE)
_CELL = re.compile(r"[^|\n]+")
_SAYS = re.compile(r"\w[^\w\s]*\s\W*\w|\w[.!?]+\s*\Z")
_SHORTEST = 4


def said_values(text: str) -> list[Place]:
    """The ranges of values that say something, of several words or a whole sentence; in order, and
    none within another."""
    found = chain(values_in_brackets(text), _in_formats(text), _cells(text))
    says = (one for one in found if one[1] - one[0] >= _SHORTEST and _SAYS.search(text, *one))
    return list(_apart(sorted(says)))


def _in_formats(text: str) -> Iterator[Place]:
    for form in _FORMATS:
        for one in form.finditer(text):
            yield one.span("last" if one["value"] is None else "value")


def _cells(text: str) -> Iterator[Place]:
    """Of tables in Markdown."""
    for row in _ROW.finditer(text):
        for cell in _CELL.finditer(text, *row.span()):
            yield cell.span()


def _apart(places: Iterable[Place]) -> Iterator[Place]:
    done = 0
    for start, end in places:
        if start >= done:
            yield start, end
            done = end + 1
