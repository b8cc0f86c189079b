"""Letters that look like others, read as these: full-width and mathematical forms, letters of
another alphabet inside a word of Latin ones, and accents of names that the lists have without."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from guard.text.lookalikes import plain_letters

_WIDE = re.compile("[\uff10-\uff5a\U0001d400-\U0001d7ff]")
_FOREIGN = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_LATIN = re.compile("[A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
_STROKES = str.maketrans("øØłŁıİđĐ", "oOlLiIdD")  # letters that are no letter and an accent


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


def fold_names(text: str, is_name: Callable[[str], bool]) -> str:
    """The text with accents left out of names that are known without them alone: "María García".

    Same length.
    """

    def folded(word: re.Match[str]) -> str:
        written = word[0]
        if written.isascii() or not written[0].isupper() or is_name(written):
            return written
        plain = without_accents(written)
        return plain if is_name(plain) else written

    return _LATIN_WORD.sub(folded, text) if _ACCENTED.search(text) else text


def without_accents(text: str) -> str:
    """The text with each Latin letter that has an accent without it; same length."""
    return text if text.isascii() else "".join(map(_without_accent, text.translate(_STROKES)))


def _without_accent(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() and base.isalpha() else letter


def _narrow(letter: re.Match[str]) -> str:
    plain = unicodedata.normalize("NFKC", letter[0])
    return plain if len(plain) == 1 else letter[0]


def _unmixed(word: re.Match[str]) -> str:
    mixed = _FOREIGN.search(word[0]) and _LATIN.search(word[0])
    return plain_letters(word[0]) if mixed else word[0]
