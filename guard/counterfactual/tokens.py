"""The words of a text in order, with their places, in one pass: `Tokens` and `Words`.

`Tokens` are what mentions are looked for in: whole words, with what stands between them. `Words`
are what the rules of grammar read: marks and newlines are words too, "she's" is two.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
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


# "doesn't" is "does" and "n't", "she's" is "she" and "'s"; each mark and each newline is a word.
_GRAMMAR_WORD = re.compile(
    r"([^\W_]+(?!(?<=n)['’]t(?!\w))|n['’]t(?!\w)|['’](?:s|re|ve|ll|d|m)(?!\w)|\n|[^\w\s]|_)",
    re.IGNORECASE,
)
# The same for ASCII in small letters.
_PLAIN_GRAMMAR_WORD = re.compile(
    r"([a-z0-9]+(?!(?<=n)'t(?!\w))|n't(?!\w)|'(?:s|re|ve|ll|d|m)(?!\w)|\n|[^\w\s]|_)", re.ASCII
)
_STOPS = frozenset(".!?\n…")
_MARKS = frozenset("*_`~\"'“”‘’«»")


@dataclass(frozen=True, slots=True)
class Words(Tokens):
    """Words of one text as grammar reads them.

    vocabulary: the different ones in `lower`.
    """

    vocabulary: frozenset[str]

    def at(self, start: int) -> int:
        """The number of the first word that begins at this character or after it."""
        return bisect_left(self.starts, start)

    def places(self, wanted: Collection[str]) -> list[int]:
        """The numbers of these words."""
        return [number for number, word in enumerate(self.lower) if word in wanted]

    def joined(self, number: int) -> bool:
        """Whether this word follows the one before it without a space."""
        return 0 < number < len(self.starts) and self.starts[number] == self.ends[number - 1]

    def hyphened(self, number: int) -> bool:
        """Whether a hyphen and another word follow this word without a space."""
        dash = self.word(number + 1) in ("-", "‑")
        return dash and self.joined(number + 1) and self.joined(number + 2)

    def starts_sentence(self, number: int) -> bool:
        """Whether nothing but marks stands between this word and a stop, a line or the start."""
        before = number - 1
        while before >= 0 and (self.lower[before] in _MARKS or self.lower[before] in "-#>([•"):
            before -= 1
        return before < 0 or self.lower[before] in _STOPS or self.lower[before] == ":"


def words_of(text: str) -> Words:
    """The words of a text, in one pass."""
    if text.isascii():
        lower, starts, ends = cut(_PLAIN_GRAMMAR_WORD, text)
    else:
        lower, starts, ends = cut(_GRAMMAR_WORD, text)
        lower = [word.replace("’", "'") for word in lower]
    return Words(text, lower, starts, ends, frozenset(lower))


def is_word(word: str) -> bool:
    """Whether it is a word and no mark."""
    return bool(word) and (word[0].isalnum() or (len(word) > 1))
