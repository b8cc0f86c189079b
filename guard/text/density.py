"""How much a text costs to read, beside prose of the same length."""

from __future__ import annotations

import re
import string
from typing import Final

PROSE_CHARACTERS_PER_TOKEN: Final = 4
"""About. A mark of punctuation is a token of its own, however many stand together."""
_MARKS: Final = string.punctuation.encode()
_RUN: Final = re.compile(r"\w{35,}")
_TOKENS_OF_RUN: Final = 5
"""About, for each that prose of its length has: bytes in base64 are no words of a vocabulary."""
_LONGEST_COUNTED: Final = 100_000
"""Characters. A longer text is known by parts of it: event loops wait for this count."""
_PARTS: Final = 20


def prose_characters(text: str) -> int:
    """The length of English prose with about as many tokens as `text`; at least its own length."""
    if len(text) <= _LONGEST_COUNTED:
        return len(text) + _surplus(text)
    size = _LONGEST_COUNTED // _PARTS
    starts = (part * (len(text) - size) // (_PARTS - 1) for part in range(_PARTS))
    surplus = sum(_surplus(text[start : start + size]) for start in starts)
    return len(text) + surplus * len(text) // _LONGEST_COUNTED


def _surplus(text: str) -> int:
    written = text.encode("utf-8", "surrogatepass")
    marks = len(written) - len(written.translate(None, _MARKS))
    runs = sum(map(len, _RUN.findall(text)))
    return (PROSE_CHARACTERS_PER_TOKEN - 1) * marks + (_TOKENS_OF_RUN - 1) * runs
