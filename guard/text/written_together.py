"""Sentences written as one word, with capitals in the place of blanks, as in hashtags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_PART = r"(?:[A-Z][a-z'\u2019]{1,23}|[A-Z]{1,12}(?=[A-Z][a-z])|[A-Z]{2,12}\b)"
_WORD = re.compile(rf"(?<!\w)#?(?:[a-z]{{1,24}})?{_PART}{{2,24}}(?!\w)")
_BEFORE_NAMES, _BEHIND_NAMES = frozenset("/."), frozenset("/(")
_LATER_PART = re.compile(rf"(?<=[a-zA-Z'\u2019])(?={_PART})")
_TELLING: Final = frozenset({
    "always", "are", "deserve", "he", "her", "him", "his", "is", "never", "our", "she", "should",
    "their", "them", "they", "us", "was", "we", "were", "who", "you", "your",
})  # fmt: skip
"""Names of things in programs have hardly any of these behind their first word."""
_FEWEST: Final = 3
_FEWEST_IN_NAMES: Final = 5
"""Words of a name in a program, or of an address, from which on it may be a sentence."""
_RARE_IN_NAMES: Final = _TELLING - {"always", "is", "never", "should", "was"}


def missing_blanks(text: str) -> tuple[int, ...]:
    """Where in `text` blanks would stand if such sentences were written in words, in order."""
    return tuple(at for word in _WORD.finditer(text) for at in _missing(word))


def _missing(word: re.Match[str]) -> Iterator[int]:
    """None in a word that says nothing of anybody, but for a hashtag of so many words."""
    starts = [place.start() for place in _LATER_PART.finditer(word[0])]
    parts = [word[0][slice(*ends)] for ends in zip(starts, [*starts[1:], None], strict=True)]
    named = _is_name(word)
    telling, fewest = (_RARE_IN_NAMES, _FEWEST_IN_NAMES) if named else (_TELLING, _FEWEST)
    told = word[0].startswith("#") or any(part.lower() in telling for part in parts)
    return (word.start() + at for at in starts if told and len(starts) + 1 >= fewest)


def _is_name(word: re.Match[str]) -> bool:
    """Whether a program or an address goes on beside it."""
    text, start, end = word.string, word.start(), word.end()
    before, behind = text[max(start - 1, 0) : start], text[end : end + 1]
    return before in _BEFORE_NAMES or behind in _BEHIND_NAMES
