"""Signs that show nothing or only change the letter that they follow, and symbols."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from guard.records import Span

UNSEEN: Final = (
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff"
)
"""Signs that show nothing and change no letter, for a class of a regular expression."""

_LONGEST_RUN: Final = 2  # what scripts and emoji are written with
_TAGS: Final = "\U000e0020-\U000e007f"  # they may spell a word, and spell flags
_COMMANDS: Final = "\x1b\x9b"  # what follows them is part of a command of terminals
_UNSEEN = re.compile(
    rf"(?:[^\w\s -~{_TAGS}{_COMMANDS}]|[\x0b\x0c\x1c-\x1f\x85]){{{_LONGEST_RUN + 1},}}"
)
# In circles and squares, as flags, full-width forms, and what cannot be read at all.
_READ_AS_LETTER: Final = re.compile(
    "[\u249c-\u24e9\uff01-\uff5e\U0001f130-\U0001f189\U0001f1e6-\U0001f1ff\U0001f3f4\ufffd]"
)
_CATEGORIES: Final = frozenset({"Mn", "Me", "Cf", "Cc"})
# Not assigned yet, and not to be shown then (Default_Ignorable_Code_Point).
_RESERVED: Final = re.compile("[\u2065\ufff0-\ufff8\U000e0000-\U000e0fff]")


def is_unseen(sign: str) -> bool:
    """Whether a character is an accent, joiner, variation selector or control character."""
    return unicodedata.category(sign) in _CATEGORIES or _RESERVED.match(sign) is not None


def is_symbol(sign: str) -> bool:
    """Whether a character is an emoji, an arrow, a sign of mathematics or another symbol, and is
    not read as a letter or a sign of ASCII."""
    return unicodedata.category(sign).startswith("S") and _READ_AS_LETTER.match(sign) is None


def surplus(text: str) -> list[Span]:
    """Ranges of `text` of nothing but unseen signs, more than any script needs behind another."""
    found: list[Span] = []
    for run in _UNSEEN.finditer(text):
        start = run.start()
        for at in range(run.start(), run.end() + 1):
            if at < run.end() and is_unseen(text[at]):
                continue
            if at - start > _LONGEST_RUN:
                found.append(Span(start=start + 1, end=at))
            start = at + 1
    return found
