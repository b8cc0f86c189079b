"""What stands at nearly every letter of a formula: a word, or another letter."""

from __future__ import annotations

import re
from collections import Counter

from guard.text.omissions import vanish

_WORD = re.compile(r"[^\W\d_]+")
_FEWEST = 8
"""Letters from which on they could be a sentence."""
_OFTEN = 0.8
"""Of the letters that stand alone."""


def without_repeated_words(formula: str) -> str:
    """`formula` without words that it has about as often as letters that stand alone; same length.

    They belong to commands that nobody knows here, or are shown above or below each letter.
    """
    counts = Counter(_WORD.findall(formula))
    alone = sum(count for word, count in counts.items() if len(word) == 1)
    if alone < _FEWEST:
        return formula

    def leave_out(word: re.Match[str]) -> str:
        count = counts[word[0]]
        letters = alone - count if len(word[0]) == 1 else alone
        is_mark = count >= _FEWEST and count >= letters * _OFTEN
        return vanish(word) if is_mark else word[0]

    return _WORD.sub(leave_out, formula)
