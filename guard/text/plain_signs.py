"""A text with digits, blanks and dashes of any script as few plain ones, for what looks for numbers
and addresses; and where each character of it was written."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import Final

from guard.text.invisible import UNSEEN

BLANK: Final = "\u00a0"
"""Stands for every blank but those of ASCII."""
HYPHEN: Final = "\u2011"
"""Stands for every hyphen but that of ASCII."""
DASH: Final = "\u2013"
"""Stands for every dash that may also stand between the ends of a range."""

_BLANKS: Final = (
    "\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0"  # Zs, and fillers
)
_SIGNS: Final = {
    **dict.fromkeys("\u2010\u2012\ufe63\uff0d", HYPHEN),
    **dict.fromkeys("\u2014\u2015\u2212\ufe58", DASH),
    "\uff08": "(",
    "\uff09": ")",
    "\uff0b": "+",
    "\uff20": "@",
    "\ufe6b": "@",
}
_CODE: Final = (  # of HTML, of addresses (RFC 3986) and of JSON
    r"&(?:amp;){0,3}(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
    r"|%(?:25)?(?:20|2[Bb]|40)|\\u[0-9A-Fa-f]{4}"
)
_CODES = re.compile(rf"(?P<code>{_CODE})|[{UNSEEN}]+")
_AGAIN = re.compile("(?<=&)(?:amp;)+")
_OTHER = re.compile(rf"(?:(?![0-9])\d|[{_BLANKS}{''.join(_SIGNS)}])+")
_ALL_BLANKS = re.compile(f"[{_BLANKS}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """text: what is read. starts: where each of its characters, and its end, was written; None
    where it is as long as what was written."""

    text: str
    starts: tuple[int, ...] | None = None

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of `text` was written, with what nobody sees behind it."""
        if self.starts is None:
            return start, end
        return self.starts[start], self.starts[end]


def plain_signs(text: str) -> PlainText:
    """`text` without signs that show nothing, its character references read, its digits ASCII."""
    if _CODES.search(text) is None:
        return PlainText(text=_OTHER.sub(_all_plain, text))
    pieces: list[str] = []
    starts: list[int] = []
    at = 0
    for found in _CODES.finditer(text):
        meant = _meant(found["code"] or "")
        if len(meant) > 1:  # no code after all
            continue
        pieces += (text[at : found.start()], meant)
        starts.extend(range(at, found.start()))
        starts.extend([found.start()] * len(meant))
        at = found.end()
    starts.extend(range(at, len(text) + 1))
    plain = _OTHER.sub(_all_plain, "".join([*pieces, text[at:]]))
    return PlainText(text=plain, starts=tuple(starts))


def _meant(code: str) -> str:
    """What a code stands for; nothing for what shows nothing, and the code where it is none."""
    if code.startswith("\\"):
        meant = chr(int(code[2:], 16))
    elif code.startswith("%"):
        meant = chr(int(code[-2:], 16))
    else:
        meant = unescape(_AGAIN.sub("", code))
    return "" if re.fullmatch(f"[{UNSEEN}]", meant) else meant


def _all_plain(found: re.Match[str]) -> str:
    return "".join(map(_plain, found[0]))


@cache
def _plain(sign: str) -> str:
    if sign in _SIGNS:
        return _SIGNS[sign]
    return BLANK if _ALL_BLANKS.match(sign) else str(unicodedata.decimal(sign))
