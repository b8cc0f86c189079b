"""Digits and signs in place of letters, as in `w0r7h1355`, in plain letters."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import Final

from guard.text.unigrams import Unigrams, english_unigrams

_LETTERS: Final = {
    "0": "o", "1": "il", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
}  # fmt: skip
_FIRST = str.maketrans({sign: letters[0] for sign, letters in _LETTERS.items()})
_MOST_ONES = 4
_FEWEST = 2
"""English words written so from which on shorter ones are taken to be written so as well."""
_SHORTEST = 3
_INSIDE = re.compile(r"[013457@$!](?<=[A-Za-z][013457@$!])[013457@$!]*[A-Za-z]")
_WORD = re.compile(r"(?<![\w@$./])[A-Za-z013457@$!]{4,}(?![\w@$]|\.\w)")
_BESIDE = re.compile(r"[A-Za-z][013457@$]|[013457$][A-Za-z]")
_ANY_WORD = re.compile(
    r"(?<![\w@$./#:-])(?![0-9]*+(?:(?<=1)st|(?<=3)rd|th|am|pm|[sdgkmxDGKM])\b)[013457$]*+[A-Za-z]"
    r"[A-Za-z013457@$]*+(?![\w@$%:/-]|\.\w)"
)
_ALONE = re.compile(r"(?<=[A-Za-z] )[14](?= [A-Za-z])")


def plain_leet(text: str) -> str:
    """`text` with letters for the digits and signs between letters of a word; same length.

    Where several such words are English, with letters for those at the ends of words, in short
    words, and of digits alone (`4 w0r7h1355 1d107`) too, where that makes an English word.
    """
    if _BESIDE.search(text) is None:
        return _WORD.sub(_replace, text) if _INSIDE.search(text) else text
    unigrams = english_unigrams()
    found = {word for word in _ANY_WORD.findall(text) if not word.isalpha()}
    plain = {word: made for word in found if (made := _english(word, unigrams))}
    text = _WORD.sub(_replace, text)
    if sum(len(word) >= _SHORTEST for word in plain) < _FEWEST:
        return text
    text = _ANY_WORD.sub(lambda word: plain.get(word[0], word[0]), text)
    return _ALONE.sub(lambda digit: _plain(digit[0]), text)


def _replace(word: re.Match[str]) -> str:
    if _INSIDE.search(word[0]) is None:
        return word[0]
    core = word[0].rstrip("!")
    return _plain(core) + word[0][len(core) :]


@lru_cache(maxsize=1024)
def _plain(word: str) -> str:
    """In the letters that make a word of it, the commonest one; `1` is `i` where none does."""
    if not 0 < word.count("1") <= _MOST_ONES:
        return word.translate(_FIRST)
    choices = (_LETTERS.get(sign, sign) if sign == "1" else sign for sign in word)
    words = ("".join(letters).translate(_FIRST) for letters in product(*choices))
    return min(words, key=lambda one: english_unigrams().cost((one.lower(),)))


def _english(word: str, unigrams: Unigrams) -> str:
    """In the letters that make an English word of it; empty where none do."""
    plain = _plain(word)
    return plain if plain.lower() in unigrams.common else ""
