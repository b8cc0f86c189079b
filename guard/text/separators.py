"""Letters and words with the same signs between each of them, put together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise

from guard.text.escapes import NOTHING
from guard.text.invisible import is_symbol
from guard.text.word_by_word import says_something

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)*+")
_ORDINARY = ".,;:!?"
_SIGN = rf"[^\w\s{_ORDINARY}{NOTHING}]"
# Two signs between words, or one that is not on every keyboard.
_SEPARATOR = re.compile(
    rf"(?<=[^\W_])\s?(?:{_SIGN}\s?{_SIGN}|(?![\0-\x7f]){_SIGN})[^\w]{{0,10}}(?=[^\W_])"
)
_LONGEST = 12
_FEWEST = 3
"""Separators that are alike, from which on they say nothing of the words beside them."""
_NO_SIGNS = re.compile(rf"[\w\s{_ORDINARY}{NOTHING}]")
_SIGNS = re.compile(_SIGN)
_WITHOUT_BLANK = re.compile(r"(?<=[^\W_])[^\w\s]+(?=[^\W_])")
_ONE_LETTER = re.compile(r"(?<![^\W_])[^\W_](?![^\W_])")


def without_separators(text: str) -> str:
    """`text` without the signs that stand between four or more letters or words, the same ones each
    time: quotation marks, brackets, marks of a spoiler; same length.

    Letters with nothing but such signs between them are one word. Words alone are left as they are
    where none of them is a function word: these are lists.
    """
    if sum(1 for _ in islice(_SEPARATOR.finditer(text), _FEWEST)) < _FEWEST:
        return text
    parts, end = list[str](), 0
    for run in _runs(list(_WORD.finditer(text))):
        if _is_text([word[0] for word in run]):
            start, stop = _with_signs_at_ends(run)
            start = max(start, end)
            parts += [text[end:start], _put_together(text[start:stop])]
            end = stop
    return "".join([*parts, text[end:]])


def _runs(words: Sequence[re.Match[str]]) -> Iterator[Sequence[re.Match[str]]]:
    """Words with the same signs between each of them."""
    signs = [_signs_between(*pair) for pair in pairwise(words)]
    at = 0
    for key, same in groupby(signs):
        count = sum(1 for _ in same)
        if key and count >= _FEWEST:
            yield words[at : at + count + 1]
        at += count


def _signs_between(word: re.Match[str], following: re.Match[str]) -> str:
    """What tells one separator from another; nothing for what stands between words of any text."""
    start, end = word.end(), following.start()
    if end - start > _LONGEST:
        return ""
    signs = _NO_SIGNS.sub("", word.string[start:end])
    return "" if len(signs) == 1 and (signs.isascii() or is_symbol(signs)) else signs


def _is_text(words: Sequence[str]) -> bool:
    letters = [word for word in words if len(word) == 1]
    if len(letters) == len(words):
        return any(first >= second for first, second in pairwise(letters))
    return len(letters) >= _FEWEST or says_something(words)


def _with_signs_at_ends(run: Sequence[re.Match[str]]) -> tuple[int, int]:
    """From what belongs to the separators before the first word to what does behind the last."""
    text, signs = run[0].string, _signs_between(*run[:2])
    start, end = run[0].start(), run[-1].end()
    while start and text[start - 1] in signs:
        start -= 1
    while end < len(text) and text[end] in signs + _ORDINARY:
        end += 1
    return start, end


def _put_together(run: str) -> str:
    return _SIGNS.sub(NOTHING, _WITHOUT_BLANK.sub(_without_signs, run))


def _without_signs(gap: re.Match[str]) -> str:
    """Nothing between two letters, and a blank between words."""
    text, (start, end) = gap.string, gap.span()
    joined = _ONE_LETTER.match(text, start - 1) and _ONE_LETTER.match(text, end)
    return (NOTHING if joined else " ") + NOTHING * (end - start - 1)
