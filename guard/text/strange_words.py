"""Runs of words in letters that are not those of English: a clause of its own in any sentence.

"Here it is: ყσυ αɾҽ αɳ ιԃισƚ, as asked" is English by most of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from guard.records import Span

_WORD = re.compile(r"\S{1,80}")
_USUAL: Final = (("\0", "\u017f"), ("\u02b0", "\u036f"), ("\u1e00", "\u1eff"))
"""Letters of English and of Europe's Latin alphabets, with their marks."""
_SIGNS: Final = (("\u0180", "\u02af"), ("\u0370", "\u03ff"))
"""Those beside which Latin ones stand in formulas, units and other languages: "kΩ", "Əli"."""
_SHARE: Final = 0.5
"""A word is strange whose strange letters are more of it; of other alphabets each counts twice."""
_LONGEST_NAME: Final = 3  # letters
_FEWEST: Final = 3
_FEWEST_FOREIGN: Final = 4
"""Words of a run that have other than plain letters; a list of three words is no sentence."""
_SHARE_OF_RUN: Final = 2 / 3
"""Of its words; up to one other may stand between two of them."""


@dataclass(frozen=True, slots=True)
class _SeenWord:
    """is_foreign: whether it has any letter that is not plain."""

    span: Span
    is_strange: bool
    is_foreign: bool


def strange_runs(text: str) -> Iterator[Span]:
    """Where such runs stand, each from its first strange word to its last one."""
    if text.isascii():
        return
    run: list[_SeenWord] = []
    for match in _WORD.finditer(text):
        if not any(map(str.isalnum, match[0])):
            continue
        span = Span(start=match.start(), end=match.end())
        foreign = any(one.isalpha() and not one.isascii() for one in match[0])
        run.append(_SeenWord(span, _is_strange(match[0]), foreign))
        if not any(one.is_strange for one in run[-2:]):
            yield from _whole(run)
            run = []
    yield from _whole(run)


def _whole(run: Sequence[_SeenWord]) -> Iterator[Span]:
    at = [place for place, one in enumerate(run) if one.is_strange]
    if len(at) < _FEWEST:
        return
    within = run[at[0] : at[-1] + 1]
    foreign = sum(one.is_foreign for one in within)
    if foreign >= _FEWEST_FOREIGN and len(at) >= _SHARE_OF_RUN * len(within):
        yield Span(start=within[0].span.start, end=within[-1].span.end)


def _is_strange(word: str) -> bool:
    """A letter alone, or few Greek capitals, are rather of a formula or a name: "α", "ΣAE"."""
    if word.isascii():
        return False
    letters = list(filter(str.isalpha, normalize("NFKD", word)))
    weights = list(map(_weight, letters))
    is_name = len(letters) <= _LONGEST_NAME and max(weights, default=0) < 2 and word.isupper()
    return len(letters) > 1 and not is_name and sum(weights) > _SHARE * len(letters)


def _weight(letter: str) -> int:
    if _is_within(letter, _USUAL):
        return 0
    return 1 if _is_within(letter, _SIGNS) else 2


def _is_within(letter: str, ranges: Sequence[tuple[str, str]]) -> bool:
    return any(low <= letter <= high for low, high in ranges)
