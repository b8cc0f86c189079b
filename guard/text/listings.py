"""Sentences of which each line of a listing has a few words, beside what its lines have in common
with those near them: logs, trees, tables, transcripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from guard.text.escapes import NOTHING
from guard.text.refrains import refrains
from guard.text.sentence_words import is_function_word, says_something
from guard.text.word_by_word import LINE, blank

_FEWEST = 4
"""Lines with words of their own from which on they are taken for one sentence."""
_MOST_WORDS = 4
"""Of its own in a line."""
_WORDS_FOR_ONE = 8
"""Sentences have more function words than one in so many words; lists of words may have one."""
_PARTS_FOR_ONE_ALONE = 5
"""Of a sentence that a refrain deals out."""
_NEAR = 6
"""Lines on either side among which a word is looked for."""
_MOST_LINES = 0.75
"""Share of those lines from which on a function word is of their shape; others are in two."""

# Marks of a list, its small numerals, branches of a tree, a box that is checked or not.
_LEADING = re.compile(r"(?:\[\w\]|[ivx]{1,5}[.)](?=[ \t])|[^\w\r\n])*+")
_WORD = re.compile(rf"(?<![\w{NOTHING}])[^\W\d_](?:[^\W\d_]|['\u2019](?=\w))*+(?![\d_{NOTHING}])")
_NUMBER = re.compile(r"[\d_]")
_ORDINALS = frozenset({
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "next", "last",
})  # fmt: skip
"""They count lines as numbers do."""
_SIGN = re.compile(r"[^\w\s.,;!?'\"\u2019]")

_Words = Sequence[re.Match[str]]


@dataclass(frozen=True, slots=True)
class _ListedLine:
    """start: with what it begins with. signs: behind that, but for those of every sentence. framed:
    whether it has signs, numbers or marks that a sentence has not."""

    start: int
    words: _Words
    signs: frozenset[str]
    framed: bool

    @property
    def told(self) -> tuple[str, ...]:
        return tuple(word[0] for word in self.words)


@dataclass(slots=True)
class _Run:
    """Lines of one shape. own: the words that each has for itself. framed: how many have more."""

    first: _ListedLine
    own: list[_Words] = field(default_factory=list)
    framed: int = 0

    def add(self, line: _ListedLine, own: _Words) -> None:
        self.own.append(own)
        self.framed += line.framed or len(own) < len(line.words)

    @property
    def says_something(self) -> bool:
        if len(self.own) < _FEWEST or self.framed <= len(self.own) // 2:
            return False
        words = [word[0] for word in chain.from_iterable(self.own)]
        return sum(map(is_function_word, words)) * _WORDS_FOR_ONE >= len(words)

    @property
    def is_dealt_out(self) -> bool:
        """Whether enough of them have a function word alone. Where sentences of their own come
        again (`Level 1 is dull. Level 2 is the worst.`), it stands beside others."""
        alone = sum(all(is_function_word(word[0]) for word in own) for own in self.own)
        return self.says_something and alone * _PARTS_FOR_ONE_ALONE >= len(self.own)


def put_listings_together(text: str) -> str:
    """`text` without what the lines of a listing, or parts of a text with a refrain, have beside a
    few words of their own; same length.

    Left alone is what has hardly a function word in it: lists of names, of insults that are
    explained, of opposites.
    """
    signs = list(text)
    if text.count("\n") >= _FEWEST - 1:
        lines = [found.span() for found in LINE.finditer(text)]
        _keep_own_words(signs, text, (run for run in _runs_of(text, lines) if run.says_something))
    for parts in refrains(text):
        _keep_own_words(signs, text, (run for run in _runs_of(text, parts) if run.is_dealt_out))
    return "".join(signs)


def _runs_of(text: str, parts: Sequence[tuple[int, int]]) -> Iterator[_Run]:
    return _runs(_told_once([_read_line(text, *part) for part in parts]))


def _keep_own_words(signs: list[str], text: str, runs: Iterable[_Run]) -> None:
    for run in runs:
        places = [word.span() for word in chain.from_iterable(run.own)]
        for (_, end), (start, _) in pairwise([(run.first.start, run.first.start), *places]):
            if start > end:
                signs[end:start] = blank(text[end:start])


def _read_line(text: str, start: int, end: int) -> _ListedLine:
    leading = _LEADING.match(text, start, end)
    inner = leading.end() if leading else start
    words = tuple(
        word for word in _WORD.finditer(text, inner, end) if word[0].lower() not in _ORDINALS
    )
    signs = frozenset(_SIGN.findall(text, inner, end))
    marked = leading is not None and not leading[0].isspace() and inner > start
    framed = marked or bool(signs) or _NUMBER.search(text, inner, end) is not None
    return _ListedLine(start=start, words=words, signs=signs, framed=framed)


def _told_once(lines: Sequence[_ListedLine]) -> list[_ListedLine]:
    """Without those that come again and again (`Slide 1`, `Slide 2`) and have no function word."""
    counts = Counter(line.told for line in lines)
    return [line for line in lines if counts[line.told] < _FEWEST or says_something(line.told)]


def _runs(lines: Sequence[_ListedLine]) -> Iterator[_Run]:
    run: _Run | None = None
    for line, seen, near in _with_counts(lines):
        own = _own_words(line, seen, near)
        if not own:
            continue
        if run is not None and (len(own) > _MOST_WORDS or line.signs != run.first.signs):
            yield run
            run = None
        if len(own) <= _MOST_WORDS:
            run = run or _Run(first=line)
            run.add(line, own)
    if run is not None:
        yield run


def _with_counts(
    lines: Sequence[_ListedLine],
) -> Iterator[tuple[_ListedLine, Counter[str], int]]:
    """Each line, in how many of the lines near it (and it) each word stands, and how many
    those are."""
    told = [frozenset(line.told) for line in lines]
    seen = Counter(chain.from_iterable(told[:_NEAR]))
    for at, line in enumerate(lines):
        seen.update(chain.from_iterable(told[at + _NEAR : at + _NEAR + 1]))
        if at > _NEAR:
            seen.subtract(told[at - _NEAR - 1])
        yield line, seen, min(at + _NEAR + 1, len(lines)) - max(at - _NEAR, 0)


def _own_words(line: _ListedLine, seen: Counter[str], near: int) -> _Words:
    """Those that no line near it has; of a line that has none, the word that one other line has."""
    own = [word for word in line.words if seen[word[0]] < _fewest_lines(word[0], near)]
    if own or not line.words:
        return own
    rarest = min(line.words, key=lambda word: seen[word[0]])
    return [rarest] if seen[rarest[0]] == 2 else []


def _fewest_lines(word: str, near: int) -> float:
    return max(_MOST_LINES * near, 3) if is_function_word(word) else 2
