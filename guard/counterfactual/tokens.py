"""The words of a text as mentions are looked for: in order, with their places, in one pass."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, pairwise

# Accents that are characters of their own, and invisible joiners, belong to the word they stand in.
_INSIDE = "\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff"
_WORD = re.compile(rf"\w[\w{_INSIDE}]*")
_PIECE = re.compile(f"({_WORD.pattern})")
_ASCII_PIECE = re.compile(r"(\w+)", re.ASCII)
_APOSTROPHES = str.maketrans("’ʼ‑‐", "''--")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words of one text: `lower[i]` stands at `text[starts[i]:ends[i]]`.

    Asked for a word before the first or after the last, everything is empty.
    """

    text: str
    lower: list[str]
    starts: list[int]
    ends: list[int]

    def word(self, at: int) -> str:
        """The word in lower case."""
        return self.lower[at] if 0 <= at < len(self.lower) else ""

    def surface(self, at: int) -> str:
        """The word as written."""
        return self.text[self.starts[at] : self.ends[at]] if 0 <= at < len(self.lower) else ""

    def stands_free(self, at: int) -> bool:
        """Whether one space stands on either side of this word."""
        start, end = self.starts[at], self.ends[at]
        apart = self.text[end : end + 1] == " " == self.text[start - 1 : start]
        return apart and self.text[end + 1 : end + 2].isalnum()

    def gap(self, at: int) -> str:
        """What stands between this word and the next, apostrophes and hyphens made plain."""
        start = self.ends[at] if at >= 0 else 0
        end = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.text)
        written = self.text[start : min(end, start + 12)]  # longer gaps say nothing more
        return written if written.isascii() else written.translate(_APOSTROPHES)


def tokens_of(text: str) -> Tokens:
    """The words of a text."""
    lower, starts, ends = cut(_ASCII_PIECE if text.isascii() else _PIECE, text)
    return Tokens(text, lower, starts, ends)


def cut(pattern: re.Pattern[str], text: str) -> tuple[list[str], list[int], list[int]]:
    """The matches in lower case, where they begin and where they end.

    pattern: it has one group, which is all of it, so that it cuts a text into gaps and matches;
    of an ASCII text it sees the small letters only.
    """
    plain = text.isascii()
    pieces = pattern.split(text.lower() if plain else text)
    places = list(accumulate(map(len, pieces)))
    words = pieces[1::2]
    return words if plain else list(map(str.lower, words)), places[:-1:2], places[1::2]


def vocabulary(text: str) -> frozenset[str]:
    """The different words of a text, as written."""
    return frozenset((_ASCII_PIECE if text.isascii() else _PIECE).findall(text))


def words_and_gaps(term: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a lexicon term in lower case, and what stands between them."""
    found = list(_WORD.finditer(term))
    words = tuple(match[0].lower() for match in found)
    return words, tuple(
        term[one.end() : two.start()].translate(_APOSTROPHES) for one, two in pairwise(found)
    )


def first_word(term: str) -> str:
    """The word a lexicon term is looked up by; empty if it has none."""
    match = _WORD.search(term)
    return match[0].lower() if match else ""


def same_gap(written: str, wanted: str) -> bool:
    """Whether the text between two words is what the term has there; any blank is a space."""
    if wanted == " ":
        return 0 < len(written) <= 3 and written.isspace() and written.count("\n") <= 1
    return written == wanted
