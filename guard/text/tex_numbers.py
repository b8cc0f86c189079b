"""Letters by their numbers, in TeX, KaTeX and MathJax."""

from __future__ import annotations

import re
import sys
from typing import Final

GAP: Final = "[ \t\r\n\u200b]{0,8}+"
"""What may stand between a command and what belongs to it, as a regular expression."""
_BASES: Final = {"hex": 16, "octal": 8, "decimal": 10}
_NUMBER = (
    r"(?:\"0{0,40}+(?P<hex>[0-9A-Fa-f]{2,6})|'0{0,40}+(?P<octal>[0-7]{2,7})"
    r"|`\\?(?P<itself>[^\s\\])|0{0,40}+(?P<decimal>\d{2,7}))"
)


def _numbers(kind: str) -> str:
    """How TeX writes a number, with names of groups of its own for each command."""
    return re.sub(r"\?P<(\w+)>", rf"?P<\1_{kind}>", _NUMBER)


NUMBERED: Final = (
    r"(?:(?<!\\)\\(?=\\))?+(?:"  # doubled in Markdown
    rf"\\char{GAP}{_numbers('char')} ?"
    rf"|\\(?:@char|symbol){GAP}\{{{GAP}{_numbers('group')}{GAP}\}}"
    rf"|\\unicode{GAP}(?:\[[^\[\]]{{0,60}}+\]{GAP}){{0,2}}+\{{{GAP}"
    r"(?:0?[xX]0{0,40}+(?P<hex_code>[0-9A-Fa-f]{2,6})|0{0,40}+(?P<decimal_code>\d{2,7}))"
    rf"{GAP}\}}"
    rf"|\\U{GAP}\{{{GAP}0{{0,40}}+(?P<hex_point>[0-9A-Fa-f]{{2,6}}){GAP}\}})"
)
"""A character by its number, as a regular expression; `character` tells which."""


def character(match: re.Match[str]) -> str | None:
    """The character that a match of `NUMBERED` stands for; None where no number was matched, and
    U+0000 for one that there is not."""
    for name, digits in match.groupdict().items():
        kind = name.partition("_")[0]
        if digits is None or kind not in ("itself", *_BASES):
            continue
        if kind == "itself":
            return digits
        code = int(digits, _BASES[kind])
        return chr(code) if code <= sys.maxunicode else "\0"
    return None
