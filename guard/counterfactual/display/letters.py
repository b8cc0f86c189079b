"""Letters that look like others, read as these: full-width and mathematical forms, and letters of
another alphabet inside a word of Latin ones."""

from __future__ import annotations

import re
import unicodedata

from guard.text.lookalikes import plain_letters

_WIDE = re.compile("[\uff10-\uff5a\U0001d400-\U0001d7ff]")
_FOREIGN = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_LATIN = re.compile("[A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")


def read_letters(text: str) -> str:
    """The text with such letters made plain; same length.

    A word without any Latin letter stays: it may be Russian or Greek.
    """
    if text.isascii():
        return text
    if _WIDE.search(text):
        text = _WIDE.sub(_narrow, text)
    if _FOREIGN.search(text) and _LATIN.search(text):
        text = _WORD.sub(_unmixed, text)
    return text


def _narrow(letter: re.Match[str]) -> str:
    plain = unicodedata.normalize("NFKC", letter[0])
    return plain if len(plain) == 1 else letter[0]


def _unmixed(word: re.Match[str]) -> str:
    mixed = _FOREIGN.search(word[0]) and _LATIN.search(word[0])
    return plain_letters(word[0]) if mixed else word[0]
