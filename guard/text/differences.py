"""Where two texts differ, word by word: for people who read them side by side.

E. W. Myers, An O(ND) Difference Algorithm and Its Variations, Algorithmica 1 (1986), within a
bound on the number of differences; texts that differ more are matched by the words that stand
once in each (patience), which is rougher and never slow.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, groupby

from guard.records import Span

MOST_STEPS = 400
"""Differences up to which all are found; the work grows with their square."""
MOST_WORDS = 200_000
_NO_SPACES = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # scripts that are written without spaces
_TOKEN = re.compile(rf"(?:[{_NO_SPACES}]|[^\W{_NO_SPACES}]+|[^\w\s])\s*|\s+")
Matches = list[tuple[int, int]]


class DiffQuality(StrEnum):
    """How well differences were looked for: all of them, roughly, or not at all."""

    WORDS = "words"
    ROUGH = "rough"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run of text. differs: the other text has not got it in this place."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Both texts in pieces, which together are the texts. White space is not compared."""

    first: tuple[TextRun, ...]
    second: tuple[TextRun, ...]
    quality: DiffQuality


def differences(first: str, second: str) -> Differences:
    """What `first` and `second` have in common and what not."""
    one, two = _TOKEN.findall(first), _TOKEN.findall(second)
    if len(one) + len(two) > MOST_WORDS:
        whole = (TextRun(first, differs=True),), (TextRun(second, differs=True),)
        return Differences(first=whole[0], second=whole[1], quality=DiffQuality.NOTHING)
    matches, found = _matches([token.strip() for token in one], [token.strip() for token in two])
    matches = _drop_islands(matches)
    return Differences(
        first=_pieces(one, {i for i, _ in matches}),
        second=_pieces(two, {j for _, j in matches}),
        quality=found,
    )


def carried(spans: Iterable[Span], first: str, second: str) -> list[Span]:
    """Where ranges of whole words of `first` stand in `second`, which says about the same.

    Where the first or last word of one is another in `second`, it goes up to the words in common
    beside it; empty where nothing stands for it. Texts of more than `MOST_WORDS` words are not
    compared: all are empty then.
    """
    one, two = _TOKEN.findall(first), _TOKEN.findall(second)
    if len(one) + len(two) > MOST_WORDS:
        return [Span(start=0, end=0) for _ in spans]
    matches, _ = _matches([token.strip() for token in one], [token.strip() for token in two])
    starts, begins = ([0, *accumulate(map(len, tokens))] for tokens in (one, two))
    found = []
    for span in spans:
        words = bisect_right(starts, span.start) - 1, bisect_left(starts, span.end)
        begin, end = _across(matches, *words, len(two))
        start = begins[begin]
        kept = second[start : begins[max(begin, end)]].rstrip()
        found.append(Span(start=start, end=start + len(kept)))
    return found


def _across(matches: Matches, begin: int, end: int, words: int) -> tuple[int, int]:
    """Words of the first text, from `begin` up to `end`, in the second: its own are `words`."""
    met = dict(matches)
    before, after = bisect_left(matches, (begin, -1)), bisect_left(matches, (end, -1))
    start = matches[before - 1][1] + 1 if before else 0
    stop = matches[after][1] if after < len(matches) else words
    return met.get(begin, start), met.get(end - 1, stop - 1) + 1


def _matches(one: Sequence[str], two: Sequence[str]) -> tuple[Matches, DiffQuality]:
    """Places of tokens that are the same, in order, those at both ends taken at once."""
    start = _common(one, two)
    end = _common(one[start:][::-1], two[start:][::-1])
    inner = one[start : len(one) - end], two[start : len(two) - end]
    shortest = _shortest(*inner)
    middle = _find_anchors(*inner) if shortest is None else shortest
    same_start = [(i, i) for i in range(start)]
    same_end = [(len(one) - i, len(two) - i) for i in range(end, 0, -1)]
    shifted = [(i + start, j + start) for i, j in middle]
    return (
        same_start + shifted + same_end,
        DiffQuality.ROUGH if shortest is None else DiffQuality.WORDS,
    )


def _common(one: Sequence[str], two: Sequence[str]) -> int:
    """How many tokens both begin with."""
    pairs = zip(one, two, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(two)))


def _shortest(one: Sequence[str], two: Sequence[str]) -> Matches | None:
    """Myers' greedy search; None when it takes more than MOST_STEPS."""
    reached: dict[int, int] = {1: 0}
    trail: list[dict[int, int]] = []
    for steps in range(min(len(one) + len(two), MOST_STEPS) + 1):
        trail.append(dict(reached))
        for diagonal in range(-steps, steps + 1, 2):
            i = _furthest(reached, diagonal, steps)
            while i < len(one) and i - diagonal < len(two) and one[i] == two[i - diagonal]:
                i += 1
            reached[diagonal] = i
            if i >= len(one) and i - diagonal >= len(two):
                return _walk_back(trail, len(one), len(two))
    return None


def _furthest(reached: dict[int, int], diagonal: int, steps: int) -> int:
    """Where a path may go on on this diagonal: down from the one above, or right from below."""
    down = _goes_down(reached, diagonal, steps)
    return reached[diagonal + 1] if down else reached[diagonal - 1] + 1


def _goes_down(reached: dict[int, int], diagonal: int, steps: int) -> bool:
    if abs(diagonal) == steps:
        return diagonal < 0 or not steps
    return reached[diagonal - 1] < reached[diagonal + 1]


def _walk_back(trail: list[dict[int, int]], i: int, j: int) -> Matches:
    matches: Matches = []
    for steps in range(len(trail) - 1, -1, -1):
        reached, diagonal = trail[steps], i - j
        begin = _furthest(reached, diagonal, steps)
        while i > begin:
            i, j = i - 1, j - 1
            matches.append((i, j))
        i, j = (i, j - 1) if _goes_down(reached, diagonal, steps) else (i - 1, j)
    return matches[::-1]


def _find_anchors(one: Sequence[str], two: Sequence[str]) -> Matches:
    """Tokens that stand once in each text, as many as are in the same order, and their likes."""
    ones, twos = Counter(one), Counter(two)
    at = {token: j for j, token in enumerate(two) if twos[token] == 1}
    pairs = [(i, at[token]) for i, token in enumerate(one) if ones[token] == 1 and token in at]
    return _spread(_rising(pairs), one, two)


def _rising(pairs: Matches) -> Matches:
    """The longest part of the pairs that rises on both sides."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        place = bisect_left(tops, j)
        before.append(ends[place - 1] if place else -1)
        tops[place : place + 1], ends[place : place + 1] = [j], [number]
    found: Matches = []
    number = ends[-1] if ends else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _spread(anchors: Matches, one: Sequence[str], two: Sequence[str]) -> Matches:
    """Each anchor with what follows it in both texts alike."""
    found: Matches = []
    ends = [*anchors[1:], (len(one), len(two))]
    for (i, j), (next_i, next_j) in zip(anchors, ends, strict=False):  # an end without any anchor
        alike = _common(one[i:next_i], two[j:next_j])
        found += [(i + more, j + more) for more in range(alike)]
    return found


def _drop_islands(matches: Matches) -> Matches:
    """Without single tokens that are alike by chance amid what is not."""
    runs: list[Matches] = []
    for match in matches:
        if runs and runs[-1][-1] == (match[0] - 1, match[1] - 1):
            runs[-1].append(match)
        else:
            runs.append([match])
    inner = [run for run in runs[1:-1] if len(run) > 1]
    return [match for run in (*runs[:1], *inner, *runs[1:][-1:]) for match in run]


def _pieces(tokens: Sequence[str], same: Iterable[int]) -> tuple[TextRun, ...]:
    known = set(same)
    marked = ((token, number not in known) for number, token in enumerate(tokens))
    return tuple(
        TextRun("".join(token for token, _ in run), differs=differs)
        for differs, run in groupby(marked, key=lambda one: one[1])
    )
