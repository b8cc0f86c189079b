"""Words that tell a sentence from a list of things."""

from __future__ import annotations

from collections.abc import Sequence

_FUNCTION_WORDS = frozenset({
    "all", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "don't",
    "for", "from", "has", "have", "he", "her", "his", "how", "if", "in", "is", "it", "me",
    "my", "no", "not", "of", "on", "or", "our", "she", "should", "so", "than", "that", "the",
    "their", "them", "they", "this", "to", "up", "us", "was", "we", "were", "what", "who",
    "will", "with", "would", "you", "your",
})  # fmt: skip
"""Lists and tables of things are none of these; sentences are hardly ever without any."""


def is_function_word(word: str) -> bool:
    return word.lower() in _FUNCTION_WORDS


def says_something(words: Sequence[str]) -> bool:
    """Whether a function word is among them, as in every sentence and in hardly any list."""
    return any(map(is_function_word, words))
