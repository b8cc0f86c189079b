"""Words with the same letter before each, and tokens of a tokenizer with its marks, as words."""

from __future__ import annotations

import re

from guard.text.escapes import NOTHING
from guard.text.omissions import vanish
from guard.text.sentence_words import is_function_word, says_something

_LETTER = r"[^\W\d_]"
_FEWEST = 4
_WORDS_FOR_ONE = 6
"""Words of which at least one is a function word, in a sentence."""
_ALIKE = re.compile(
    rf"(?<!\w)(?P<mark>{_LETTER}){_LETTER}+"
    rf"(?:[ \t,.;:!?]{{1,4}}(?P=mark){_LETTER}+){{{_FEWEST - 1},}}"
)
_FIRST_LETTER = re.compile(rf"(?<!\w){_LETTER}(?={_LETTER})")
_WORD = re.compile(rf"{_LETTER}+")

_BLANK_MARKS = "\u0120\u2581"
_MARKED_TOKENS = re.compile(rf"[{_BLANK_MARKS}]{_LETTER}")
_REGION = re.compile(
    rf"[\[('\"]{{0,3}}[{_BLANK_MARKS}].*[{_BLANK_MARKS}]{_LETTER}*[\])'\".,]{{0,3}}", re.DOTALL
)
_MARKS = re.compile(rf"[{_BLANK_MARKS}]")
_BETWEEN = re.compile(r"[\s'\",|()\[\]]+")
# Of tokenizers that mark the parts of words and not their beginnings (WordPiece, subword-nmt).
_PART = re.compile(
    rf"(?<={_LETTER})(?:(?:['\"], ?['\"]| )\#\#(?=[a-z])|@@(?:['\"], ?['\"]| )(?={_LETTER}))"
)
_FEWEST_PARTS = 2


def unmark_words(text: str) -> str:
    """`text` without a letter that stands before each of several words, and with the tokens of a
    listing as words; same length."""
    if ("##" in text or "@@" in text) and len(_PART.findall(text)) >= _FEWEST_PARTS:
        text = _PART.sub(vanish, text)
    if len(_MARKED_TOKENS.findall(text)) >= _FEWEST:
        text = _REGION.sub(_as_words, text, count=1)
    return _ALIKE.sub(_without_first_letters, text)


def _as_words(region: re.Match[str]) -> str:
    joined = _BETWEEN.sub(vanish, region[0])
    return _MARKS.sub(" ", joined)


def _without_first_letters(words: re.Match[str]) -> str:
    """Where they are function words without it and not with it: `to the table twenty times`."""
    found = _FIRST_LETTER.sub(NOTHING, words[0])
    function_words = sum(map(is_function_word, _WORD.findall(found)))
    enough = function_words * _WORDS_FOR_ONE >= len(_WORD.findall(words[0]))
    return found if enough and not says_something(_WORD.findall(words[0])) else words[0]
