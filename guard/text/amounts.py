"""Amounts in a text: money, percentages, durations, counts, ratings.

"$1,200", "1.2k dollars", "12 %", "twelve percent", "3 business days", "two weeks", "5-7 boxes",
"7/10", "58 out of 100", "a score of 71", "a salary of 88k", `{"approved_limit": 3512.4}`,
`{"decision": "approve"}`.
Ages, dates, years, times, and the numbers of steps, orders, phones and lists are no amounts.
English only; its words are in `amounts.txt`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, TypeAlias

from guard.text.age_names import is_titled_age
from guard.text.amount_fields import field_amounts
from guard.text.amount_kinds import Amount, AmountKind, What
from guard.text.amount_words import known, with_digits
from guard.text.decisions import whole_decision
from guard.text.quantities import QUANTITY, is_amount, read_quantity
from guard.text.rating_forms import with_ratios
from guard.text.ratings import named_number, ratings

MOST: Final = 200
"""Amounts of a kind that are told of one text."""
_NEAR = 80  # characters on either side whose words say what an amount is of
_SENTENCE_BREAK = re.compile(r"[.!?;]\s|\n")
_CLAUSE_BREAK = re.compile(r"[.!?;,:]\s|\n|\s(?:and|but|while|plus)\s")
_LINE_END = re.compile(r"[ \t*_]{0,4}\n")
_CONTENT = re.compile(r"[a-z]{3,}")
_USUAL_SIGNS: Final[dict[int, int | str]] = {
    **{sign: sign - 0xFEE0 for sign in range(0xFF01, 0xFF5F)},
    0xFFE1: "£",
    0xFFE5: "¥",
}
"""By full-width sign the usual one."""

_Found: TypeAlias = tuple[What, list[re.Match[str]]]


@lru_cache(maxsize=64)
def amounts(text: str) -> tuple[Amount, ...]:
    """The amounts of a text: those of its fields, then those of its prose in their order, of which
    what is named twice stands once, but for ratings. At most `MOST` of a kind."""
    shown = text.translate(_USUAL_SIGNS).replace("{,}", ",")
    of_fields, rest = field_amounts(shown)
    plain = with_digits(rest.lower())
    found = chain(of_fields, _of_whole(plain), _of_prose(with_ratios(plain)))
    seen: Counter[AmountKind] = Counter()
    return tuple(one for one in found if _count(seen, one.kind) <= MOST)


def _count(seen: Counter[AmountKind], kind: AmountKind) -> int:
    seen[kind] += 1
    return seen[kind]


def _of_whole(plain: str) -> Iterator[Amount]:
    """Of a reply that is a decision and nothing else."""
    what = whole_decision(plain)
    if what is not None:
        kind, value, unit = what
        yield Amount(kind=kind, value=value, unit=unit)


def _of_prose(plain: str) -> Iterator[Amount]:
    found = _found(plain)
    if not found:
        return
    words = _ContentWords(plain)
    clauses, sentences = _bounds(plain, _CLAUSE_BREAK), _bounds(plain, _SENTENCE_BREAK)
    for (kind, value, unit), matches in found:
        yield Amount(
            kind=kind,
            value=value,
            unit=unit,
            clause=words.near(matches, clauses),
            context=words.near(matches, sentences),
        )


def _found(plain: str) -> Sequence[_Found]:
    """What is found, with the places of each in their order."""
    rated = [(what, [match]) for match, what in ratings(plain)]
    others: dict[What, list[re.Match[str]]] = {}
    ends = [match.end() for _, (match,) in rated]
    for match in QUANTITY.finditer(plain):
        at = bisect_right(ends, match.start())
        if at < len(rated) and rated[at][1][0].start() < match.end():
            continue
        what = _read(plain, match)
        if what is not None and is_amount(what):
            others.setdefault(what, []).append(match)
    return sorted((*rated, *others.items()), key=lambda one: one[1][0].start())


def _read(plain: str, match: re.Match[str]) -> What | None:
    """By its unit or by its name; at the end of a line, where a noun may begin the next one, first
    by its name."""
    if is_titled_age(plain, match):
        return None
    ends_line = _LINE_END.match(plain, match.end()) is not None
    first, second = (named_number, read_quantity) if ends_line else (read_quantity, named_number)
    return first(plain, match) or second(plain, match)


_Bounds: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""Where the pieces of a text begin and where they end."""


def _bounds(text: str, broken: re.Pattern[str]) -> _Bounds:
    breaks = [one.span() for one in broken.finditer(text)]
    return [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(text)]


class _ContentWords:
    """The content words of a text, with their places."""

    def __init__(self, text: str) -> None:
        empty = known().no_content
        found = [match for match in _CONTENT.finditer(text) if match[0] not in empty]
        self._words = [match[0] for match in found]
        self._starts = [match.start() for match in found]

    def near(self, matches: Sequence[re.Match[str]], pieces: _Bounds) -> frozenset[str]:
        """Those near numbers, in the same piece of the text."""
        begins, ends = pieces
        found: set[str] = set()
        for match in matches:
            start, end = match.span()
            first = max(start - _NEAR, begins[bisect_right(begins, start) - 1])
            last = min(end + _NEAR, ends[bisect_left(ends, end)])
            found.update(self._between(first, start), self._between(end, last))
        return frozenset(found)

    def _between(self, first: int, last: int) -> Sequence[str]:
        return self._words[bisect_left(self._starts, first) : bisect_left(self._starts, last)]
