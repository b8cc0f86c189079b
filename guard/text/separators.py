"""Letters and words with the same signs between each of them, put together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from guard.text.escapes import NOTHING
from guard.text.invisible import is_symbol, is_unseen
from guard.text.sentence_words import says_something

_DIGIT = r"\d\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089"
_LETTER = rf"[^\W_{_DIGIT}]"
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)*+")
_WORD_OF_LETTERS = re.compile(rf"{_LETTER}++(?:['\u2019]{_LETTER}++)*+")
_LONGEST = 120
"""Characters between two words."""


def _four(letter: str, other: str) -> re.Pattern[str]:
    """Four words of such letters with some sign between each of them, or one of the others."""
    word = rf"{letter}++(?:['\u2019]{letter}++){{0,3}}+"
    sign = rf"(?=\s{{0,4}}(?:[^\w\s,{NOTHING}]|[_{other}]))[\W_{other}]{{1,{_LONGEST}}}+"
    return re.compile(rf"(?<!{letter})(?:{word}{sign}){{3}}{letter}")


_SEPARATED = (_four(r"[^\W_]", ""), _four(_LETTER, _DIGIT))
_NUMBER = re.compile(rf"[{_DIGIT}]+")
_MOST_UNSEEN = 12
"""Signs that nobody sees; more are left out before."""
_FEWEST = 3
"""Separators that are alike, from which on they say nothing of the words beside them."""
_ORDINARY = ".,;:!?"
_PROSE = re.compile(r"\s?[.,;:'\u2019\u2013\u2014-]?\s?|_")
"""What alone stands between words of any text, and of code."""
_BLANKS = re.compile(rf"[\s{NOTHING}]+")
_LONG_RUN = re.compile(r"([\W_])\1{2,}")
_NO_SIGNS = re.compile(rf"[\s.,;:{NOTHING}]")


def without_separators(text: str) -> str:
    """`text` without the signs that stand between four or more letters or words, the same ones each
    time but for numbers: quotation marks, brackets, marks of a spoiler or of emphasis, question
    marks, a count of the words; same length.

    Letters with nothing but such signs between them are one word. Words alone are left as they are
    where none of them is a function word: these are lists.
    """
    for separated, word in zip(_SEPARATED, (_WORD, _WORD_OF_LETTERS), strict=True):
        if separated.search(text) is not None:
            text = _put_together(text, word)
    return text


def _put_together(text: str, pattern: re.Pattern[str]) -> str:
    """pattern: of a word. Digits stand for letters in one, or count the words."""
    signs = list(text)
    for run in _runs(list(pattern.finditer(text))):
        if _is_text([word[0] for word in run], _signs_between(*run[:2])):
            _leave_out_signs(signs, run)
    return "".join(signs)


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
    """What tells one separator from another, with 0 for a number; nothing for what stands between
    words of any text. Of a single sign it matters on which side of it the blanks are: quoted words
    have it on both."""
    start, end = word.end(), following.start()
    if end - start > _LONGEST:
        return ""
    if end - start > _MOST_UNSEEN and all(map(is_unseen, word.string[start:end])):
        return ""
    gap = _BLANKS.sub(" ", _NUMBER.sub("0", word.string[start:end]))
    signs = _LONG_RUN.sub(r"\1\1\1", _NO_SIGNS.sub("", gap))
    if signs and not _is_common(signs):
        return signs
    return "" if _PROSE.fullmatch(gap) else _LONG_RUN.sub(r"\1\1\1", gap)


def _is_common(signs: str) -> bool:
    """Whether it is one that lists and code have between words as well."""
    return len(signs) == 1 and (signs.isascii() or is_symbol(signs))


def _is_text(words: Sequence[str], separator: str) -> bool:
    letters = [word for word in words if len(word) == 1]
    if _NO_SIGNS.search(separator) is not None or _is_common(separator):
        return len(letters) < len(words) and says_something(words)
    if len(letters) == len(words):
        return any(first >= second for first, second in pairwise(letters))
    return len(letters) >= _FEWEST or says_something(words)


def _leave_out_signs(signs: list[str], run: Sequence[re.Match[str]]) -> None:
    """Nothing between two letters, and a blank between words. Of what stands around them, what ends
    a sentence stays."""
    text, separator = run[0].string, _BLANKS.sub("", _signs_between(*run[:2]))
    start, end = run[0].start(), run[-1].end()
    while start and text[start - 1] in separator:
        start -= 1
        signs[start] = NOTHING
    while end < len(text) and text[end] in separator + _ORDINARY:
        if text[end] not in _ORDINARY:
            signs[end] = NOTHING
        end += 1
    for word, following in pairwise(run):
        for at in range(word.end(), following.start()):
            if text[at] in separator or not (text[at].isspace() or text[at] in _ORDINARY):
                signs[at] = NOTHING
        if _BLANKS.search(text, word.end(), following.start()) is None:
            joined = len(word[0]) == len(following[0]) == 1
            signs[word.end()] = NOTHING if joined else " "
