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


def prose_characters(text: str) -> int:
    """The length of English prose with about as many tokens as `text`; at least its own length."""
    written = text.encode("utf-8", "surrogatepass")
    marks = len(written) - len(written.translate(None, _MARKS))
    runs = sum(map(len, _RUN.findall(text)))
    return len(text) + (PROSE_CHARACTERS_PER_TOKEN - 1) * marks + (_TOKENS_OF_RUN - 1) * runs
