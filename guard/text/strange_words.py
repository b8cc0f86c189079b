"""Runs of words in letters that are not those of English: a clause of its own in any sentence.

"Here it is: ყσυ αɾҽ αɳ ιԃισƚ, as asked" is English by most of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import normalize

from guard.records import Span

_WORD = re.compile(r"\S{0,60}[^\W\d_]\S{0,60}")
_STRANGE = re.compile("[^\0-\u017f\u02b0-\u036f\u1e00-\u1eff\u2000-\u206f]")
"""Letters beyond those of English and of Europe's Latin alphabets, with their marks."""
_FEWEST: Final = 3
"""Words of a run: two are a name."""
_SHARE: Final = 2 / 3
"""Of its words at least; up to one other may stand between two of them."""


def strange_runs(text: str) -> Iterator[Span]:
    """Where such runs stand, each from its first strange word to its last one."""
    if text.isascii():
        return
    run: list[tuple[Span, bool]] = []
    for match in _WORD.finditer(text):
        run.append((Span(start=match.start(), end=match.end()), _is_strange(match[0])))
        if not any(strange for _, strange in run[-2:]):
            yield from _whole(run)
            run = []
    yield from _whole(run)


def _whole(run: Sequence[tuple[Span, bool]]) -> Iterator[Span]:
    at = [place for place, (_, strange) in enumerate(run) if strange]
    if len(at) >= _FEWEST and len(at) >= _SHARE * (at[-1] - at[0] + 1):
        yield Span(start=run[at[0]][0].start, end=run[at[-1]][0].end)


def _is_strange(word: str) -> bool:
    """A letter alone is rather one of a formula; those of Europe's Latin alphabets are usual."""
    if sum(map(str.isalnum, word)) < 2 or not _has_strange(word):
        return False
    return _has_strange(normalize("NFKD", word))


def _has_strange(word: str) -> bool:
    return any(map(str.isalnum, _STRANGE.findall(word)))
