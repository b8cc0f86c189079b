"""The words of a text for grammar: in order, in lower case, with their places."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass

from guard.counterfactual.tokens import cut

# "doesn't" is "does" and "n't", "she's" is "she" and "'s"; each mark and each newline is a word.
_WORD = re.compile(
    r"([^\W_]+(?!(?<=n)['’]t(?!\w))|n['’]t(?!\w)|['’](?:s|re|ve|ll|d|m)(?!\w)|\n|[^\w\s]|_)",
    re.IGNORECASE,
)
# The same for ASCII in small letters.
_PLAIN = re.compile(
    r"([a-z0-9]+(?!(?<=n)'t(?!\w))|n't(?!\w)|'(?:s|re|ve|ll|d|m)(?!\w)|\n|[^\w\s]|_)", re.ASCII
)
_STOPS = frozenset(".!?\n…")
_MARKS = frozenset("*_`~\"'“”‘’«»")


@dataclass(frozen=True, slots=True)
class Words:
    """Words of one text: `lower[i]` stands at `text[starts[i]:ends[i]]`.

    vocabulary: the different ones in `lower`.
    """

    text: str
    lower: list[str]
    starts: list[int]
    ends: list[int]
    vocabulary: frozenset[str]

    def at(self, start: int) -> int:
        """The number of the first word that begins at this character or after it."""
        return bisect_left(self.starts, start)

    def places(self, wanted: Collection[str]) -> list[int]:
        """The numbers of these words."""
        return [number for number, word in enumerate(self.lower) if word in wanted]

    def word(self, number: int) -> str:
        """The word in lower case; empty before the first and after the last."""
        return self.lower[number] if 0 <= number < len(self.lower) else ""

    def surface(self, number: int) -> str:
        """The word as written; empty before the first and after the last."""
        inside = 0 <= number < len(self.lower)
        return self.text[self.starts[number] : self.ends[number]] if inside else ""

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
        lower, starts, ends = cut(_PLAIN, text)
    else:
        lower, starts, ends = cut(_WORD, text)
        lower = [word.replace("’", "'") for word in lower]
    return Words(text, lower, starts, ends, frozenset(lower))


def is_word(word: str) -> bool:
    """Whether it is a word and no mark."""
    return bool(word) and (word[0].isalnum() or (len(word) > 1))
