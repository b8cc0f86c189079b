"""Words with the same markup between each of them, whatever it is, put together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise, takewhile
from operator import eq

from guard.text.escapes import NOTHING
from guard.text.sentence_words import says_something

_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['\u2019](?=[^\W\d_]))*")
_NUMBER = re.compile(r"\d+")
_MARKUP = re.compile(r"[<>\[\]{}\\|\"\u201c\u201d\x1b]")
_FEWEST = 3
"""Times that the same markup stands between two words."""
_LONGEST = 120
"""Characters of it."""
_CONTEXT = 4
"""Characters behind a word, by which words that may have the same markup behind them are found."""


def without_repeated_markup(text: str) -> str:
    """`text` with a blank for what stands between four or more words, the same each time but for
    its numbers: links and elements of a word each, commands, asides; same length.

    Left alone are words without a function word among them: these are lists.
    """
    if sum(1 for _ in islice(_MARKUP.finditer(text), 2 * _FEWEST)) < 2 * _FEWEST:
        return text
    signs = list(text)
    for run in _runs(text):
        if says_something([text[slice(*word)] for word in run]):
            for start, end in _around(text, run):
                signs[start:end] = " " + NOTHING * (end - start - 1)
    return "".join(signs)


def _runs(text: str) -> Iterator[Sequence[tuple[int, int]]]:
    """Words with the same markup between each of them."""
    alike: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for word in _WORD.finditer(text):
        alike[_NUMBER.sub("0", text[word.end() : word.end() + _CONTEXT])].append(word.span())
    for words in alike.values():
        if len(words) >= _FEWEST:
            yield from _runs_of(text, words)


def _runs_of(text: str, words: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    gaps = [_markup_between(text, one[1], other[0]) for one, other in pairwise(words)]
    at = 0
    for markup, same in groupby(gaps):
        count = sum(1 for _ in same)
        run = [*words[at : at + count + 1]]
        at += count
        if markup:
            run += _word_behind(text, run)
            if len(run) > _FEWEST:
                yield run


def _markup_between(text: str, end: int, start: int) -> str:
    """Without its numbers; nothing for what is none."""
    if not 0 < start - end <= _LONGEST:
        return ""
    between = text[end:start]
    return _NUMBER.sub("0", between) if _MARKUP.search(between) else ""


def _word_behind(text: str, run: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The last word, which something else may follow."""
    if len(run) < 2:
        return []
    between = re.escape(_NUMBER.sub("0", text[run[0][1] : run[1][0]])).replace("0", r"\d+")
    behind = re.compile(between).match(text, run[-1][1])
    word = _WORD.match(text, behind.end()) if behind else None
    return [word.span()] if word else []


def _around(text: str, run: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges between the words of a run, and what of it stands at both of its ends."""
    (_, first_end), (next_start, _) = run[:2]
    markup = text[first_end:next_start]
    before = text[max(run[0][0] - len(markup), 0) : run[0][0]]
    ahead = shared_length(before[::-1], markup[::-1])
    behind = shared_length(text[run[-1][1] : run[-1][1] + len(markup)], markup)
    ends = [(run[0][0] - ahead, run[0][0]), (run[-1][1], run[-1][1] + behind)]
    yield from ((one[1], other[0]) for one, other in pairwise(run))
    yield from ((start, end) for start, end in ends if start < end)


def shared_length(first: str, second: str) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(bool, map(eq, first, second)))
