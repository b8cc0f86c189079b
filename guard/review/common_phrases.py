"""The phrases of a text that could be what it has in common with others: a few words in a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from guard.records import Span

MOST_WORDS: Final = 5
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_BETWEEN = re.compile(r"[ \u00a0,]{0,3}")
_ENGLISH = """
    a an and any are as at be been before but by can do does for from had has have he her his how i
    if in into is it its may me my no not now of on or our out over she should so some than that the
    their them then there these they this those to up us was we were what when where which while who
    why will with would you your
"""
_FUNCTION_WORDS: Final = frozenset(_ENGLISH.split())
"""English words that say nothing at either end of a phrase."""


def phrases_of(text: str, stretches: Iterable[Span]) -> Iterator[str]:
    """Every run of up to `MOST_WORDS` words within one of the stretches, with nothing but spaces
    and commas between them, whose first and last words say something."""
    for stretch in stretches:
        words = list(_WORD.finditer(text, stretch.start, stretch.end))
        for first, start in enumerate(words):
            if _says_something(start[0]):
                for end in _run(text, words[first : first + MOST_WORDS]):
                    if _says_something(end[0]):
                        yield text[start.start() : end.end()]


def word_count(phrase: str) -> int:
    """How many words there are."""
    return len(_WORD.findall(phrase))


def _run(text: str, words: list[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The words up to the first stop between two of them."""
    before = words[0]
    for word in words:
        if word is not before and not _BETWEEN.fullmatch(text, before.end(), word.start()):
            return
        yield word
        before = word


def _says_something(word: str) -> bool:
    return len(word) > 1 and word.casefold() not in _FUNCTION_WORDS
