"""How long a text is for those who see it displayed: without tags, what displays show nothing
of, addresses, images as data, blanks beyond the third in a row, and signs that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from guard.text.invisible import UNSEEN
from guard.text.unseen import without_short_unseen

MOST_MARKUP: Final = 8
"""Times as long a text may be with markup as what is shown of it."""

_LONGEST = 4000
_LONGEST_UNSEEN = 1000
"""Of what is not shown; longer style sheets and scripts are counted: reading them takes time."""
_UNSHOWN = re.compile(
    rf"</?[A-Za-z][^<>]{{0,{_LONGEST}}}+>|\]\([^\s()]{{1,{_LONGEST}}}+\)|\bdata:[\w/+.;=,-]{{40,{_LONGEST}}}+"
    rf"|<!--(?:[^>-]|-(?!->)|(?<!--)>){{0,{_LONGEST}}}+-->|(?<=[ \t]{{3}})[ \t]+|[{UNSEEN}]+"
)
_OPEN = re.compile(  # a tag has attributes with values: "x <y and" has none
    rf"</?[A-Za-z][\w:.-]{{0,40}}+(?:\s[^<>=]{{0,200}}+=[\"'][^<>]{{0,{_LONGEST}}}+)?\Z"
    rf"|\]\([^\s()]{{1,{_LONGEST}}}+\Z"
)
_CAN_HOLD = re.compile(rf"<[A-Za-z/!]|\]\(|\bdata:|[ \t]{{4}}|[{UNSEEN}]")


def shown_length(text: str) -> int:
    """In characters, and no less than an eighth of its length."""
    return shown_lengths((text,))[0]


def shown_lengths(parts: Sequence[str]) -> list[int]:
    """Of parts of one text, where what is not shown may begin in one and end in another."""
    shown = without_short_unseen("".join(parts), _LONGEST_UNSEEN)
    if _CAN_HOLD.search(shown) is None:
        return [*map(len, parts)]
    ends = [*accumulate(map(len, parts))]
    return [
        max(_length(shown[end - len(part) : end]), len(part) // MOST_MARKUP)
        for part, end in zip(parts, ends, strict=True)
    ]


def _length(text: str) -> int:
    unshown = sum(len(one[0]) for one in _UNSHOWN.finditer(text))
    if (begun := open_markup(text, 0, len(text))) is not None:
        unshown += len(text) - begun
    return len(text) - unshown


def shown_end(text: str, begin: int, characters: int) -> int:
    """Where so many characters from `begin` on are shown, at most eight times as far."""
    end, most = begin + characters, begin + characters * MOST_MARKUP
    if _CAN_HOLD.search(text, begin, end) is None:
        return end
    for one in _UNSHOWN.finditer(text, begin, most + _LONGEST):
        if one.start() >= end:
            break
        end += one.end() - one.start()
    return min(end, most)


def open_markup(text: str, begin: int, end: int) -> int | None:
    """Where markup begins, before `end`, that the text ends in."""
    if len(text) - begin > _LONGEST + end - begin:
        return None
    found = _OPEN.search(text, max(begin, len(text) - _LONGEST - 3))
    return found.start() if found is not None and found.start() < end else None
