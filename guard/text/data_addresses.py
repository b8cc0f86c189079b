"""Pages and pictures in words that an address holds, as a browser shows them.

`![a](data:image/svg+xml,%3Csvg...%3EYou%20are...)`, `<iframe src="data:text/html;base64,...">`.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from typing import Final

from guard.text.escapes import NOTHING

_PAGE = re.compile(
    r"\bdata:(?:text/[\w.+-]{1,20}|image/svg\+xml|application/xhtml\+xml)"
    r"(?:;[\w=.-]{1,40}){0,4}+,(?P<held>[^\"<>\n)]{1,16384}+)",
    re.IGNORECASE,
)
_DRAWN = re.compile(
    r"(?<=\s)(?:d|points|transform|viewBox)\s?=\s?(?:\"[^\"<>]{0,16384}+\"|'[^'<>]{0,16384}+')"
)
"""Lines and places of a picture, which nobody reads."""
_TAG = re.compile(r"<[^<>]{0,16384}+>")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_BASE64 = re.compile(r";base64,\Z", re.IGNORECASE)
_BYTES = re.compile(r"(?:%[0-9A-Fa-f]{2}){1,1000}+")
_PER_BYTE: Final = 3  # characters of "%20"
_QUARTET, _TRIPLE = 4, 3  # characters of base64, and the bytes that they stand for


def pages_in_addresses(text: str) -> str | None:
    """What those pages hold, and blanks for all else; same length. None where there is none."""
    pieces, end = [], 0
    for match in _PAGE.finditer(text):
        start = match.start("held")
        pieces += [" " * (start - end), _decoded(match["held"], text[match.start() : start])]
        end = match.end()
    return "".join((*pieces, " " * (len(text) - end))) if pieces else None


def words_of_page(page: str) -> str:
    """The page with blanks for its lines and places, same length; empty where it has no words."""
    said = _DRAWN.sub(lambda drawn: " " * len(drawn[0]), page)
    return said if _LETTERS.search(_TAG.sub("", said)) else ""


def _decoded(held: str, opening: str) -> str:
    if _BASE64.search(opening):
        return _from_base64(held)
    return _BYTES.sub(lambda run: _placed(bytes.fromhex(run[0].replace("%", "")), 1), held)


def _from_base64(held: str) -> str:
    letters = held[: len(held) - len(held) % _QUARTET]
    try:
        plain = _placed(b64decode(letters, validate=True), _TRIPLE)
    except Error:
        return " " * len(held)
    return plain[: len(held)].ljust(len(held), NOTHING)


def _placed(data: bytes, group: int) -> str:
    """The text of these bytes, each character where its first byte is written. group: bytes that
    are written together."""
    size = _PER_BYTE if group == 1 else _QUARTET
    places = [NOTHING] * (len(data) // group * size + size)
    for at, letter in _letters(data):
        places[at // group * size + at % group] = letter
    whole = "".join(places)
    return whole[: len(data) * size] if group == 1 else whole


def _letters(data: bytes) -> Iterator[tuple[int, str]]:
    at = 0
    for letter in data.decode("utf-8", "replace"):
        yield at, letter
        at += len(letter.encode()) if letter != "\ufffd" else 1
