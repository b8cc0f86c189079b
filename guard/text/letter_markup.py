"""Letters each in the same markup, whatever it is, put together to words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise

from guard.text.escapes import NOTHING
from guard.text.repeated_markup import shared_length
from guard.text.sentence_words import says_something

_LETTER = re.compile(r"(?<![^\W\d_])[^\W\d_](?![^\W\d_])")
_MARKUP = re.compile(r"[<>\[\]{}\\|#:%$&]")
_NUMBER = re.compile(r"\d+")
_PUNCTUATION = re.compile(r"[\s.,!?;'\u2019]+")
_FEWEST = 8
"""Letters from which on they could be a sentence."""
_MOST_WITHIN = 2
"""Letters alone within the markup: `B<Y>`, `%F{1}Y%f`."""
_LONGEST = 60
"""Characters of the markup between two of them."""


def without_letter_markup(text: str) -> str:
    """`text` with nothing for the markup between eight letters or more, the same each time but for
    its numbers, signs of sentences and blanks, and with a blank where it has more of them; same
    length."""
    if sum(1 for _ in islice(_LETTER.finditer(text), _FEWEST)) < _FEWEST:
        return text
    signs = list(text)
    for run in _runs(text):
        gaps = [(one + 1, other) for one, other in pairwise(run)]
        blanks = [_blanks(text[slice(*gap)]) for gap in gaps]
        fewest = min(blanks)
        parts = [count > fewest for count in blanks]
        if says_something(_words(text, run, parts)):
            for (start, end), is_end in zip(gaps, parts, strict=True):
                signs[start:end] = (" " if is_end else NOTHING) + NOTHING * (end - start - 1)
            begin, end = _ends(text, run, min(gaps, key=_length))
            signs[begin : run[0]] = map(_blank_or_nothing, signs[begin : run[0]])
            signs[run[-1] + 1 : end] = NOTHING * (end - run[-1] - 1)
    return "".join(signs)


def _blanks(gap: str) -> int:
    return sum(map(str.isspace, gap))


def _words(text: str, run: Sequence[int], parts: Sequence[bool]) -> list[str]:
    ends = zip(run, (*parts, False), strict=True)
    return "".join(text[at] + (" " if is_end else "") for at, is_end in ends).split()


def _length(gap: tuple[int, int]) -> int:
    return gap[1] - gap[0]


def _blank_or_nothing(sign: str) -> str:
    return sign if sign.isspace() else NOTHING


def _ends(text: str, run: Sequence[int], gap: tuple[int, int]) -> tuple[int, int]:
    """Where the markup of a gap begins before the first letter, and ends behind the last."""
    markup, (first, last) = text[slice(*gap)], (run[0], run[-1] + 1)
    before = text[max(first - len(markup), 0) : first]
    ahead = shared_length(before[::-1], markup[::-1])
    return first - ahead, last + shared_length(text[last : last + len(markup)], markup)


def _runs(text: str) -> Iterator[Sequence[int]]:
    """Places of letters with the same markup between each of them, which may hold a letter or two
    that stand alone as well."""
    places = [letter.start() for letter in _LETTER.finditer(text)]
    for stride in range(1, _MOST_WITHIN + 2):
        runs = [run for at in range(stride) for run in _runs_of(text, places[at::stride])]
        yield from runs
        if runs:
            return


def _runs_of(text: str, places: Sequence[int]) -> Iterator[Sequence[int]]:
    gaps = [_markup_between(text, one + 1, other) for one, other in pairwise(places)]
    at = 0
    for markup, same in groupby(gaps):
        count = sum(1 for _ in same)
        if markup and count >= _FEWEST - 1:
            yield places[at : at + count + 1]
        at += count


def _markup_between(text: str, start: int, end: int) -> str:
    """Without its numbers and blanks, and once where a blank is in markup as well; nothing for what
    is none."""
    if not 0 < end - start <= _LONGEST:
        return ""
    between = _NUMBER.sub("0", _PUNCTUATION.sub("", text[start:end]))
    half = between[: len(between) // 2]
    between = half if between == half * 2 else between
    return between if _MARKUP.search(between) else ""
