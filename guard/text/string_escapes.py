"""Texts in strings of JSON and of programs, as those read them who parse the string."""

from __future__ import annotations

import re

_SIGNS = {
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "033": "\x1b",
}
_ESCAPE = re.compile(
    r"\\(?:(?P<sign>[\"'\\/nrtbfve]|033)|u(?P<high>[dD][89abAB][0-9A-Fa-f]{2})"
    r"\\u(?P<low>[dD][c-fC-F][0-9A-Fa-f]{2})|u(?P<four>[0-9A-Fa-f]{4})|x(?P<two>[0-9A-Fa-f]{2}))"
)
_ESCAPED = "\\"


def unescaped(text: str) -> tuple[str, tuple[tuple[int, int], ...]] | None:
    """`text` with what its escapes stand for, and where it is shorter than what is written: places
    in it, in order, and by how many characters up to there. None without any escape."""
    if _ESCAPED not in text:
        return None
    parts, shortened = list[str](), list[tuple[int, int]]()
    done = length = 0
    for escape in _ESCAPE.finditer(text):
        parts += [text[done : escape.start()], _meant(escape)]
        length += len(parts[-1]) + len(parts[-2])
        done = escape.end()
        shortened.append((length, done - length))
    if not shortened:
        return None
    return "".join([*parts, text[done:]]), tuple(shortened)


def _meant(escape: re.Match[str]) -> str:
    if (sign := escape["sign"]) is not None:
        return _SIGNS.get(sign, sign)
    if escape["high"]:
        return bytes.fromhex(escape["high"] + escape["low"]).decode("utf-16-be")
    return chr(int(escape["four"] or escape["two"], 16))
