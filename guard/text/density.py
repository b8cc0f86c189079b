"""How much a text costs to read, beside prose of the same length."""

from __future__ import annotations

import string
from typing import Final

PROSE_CHARACTERS_PER_TOKEN: Final = 4
"""About. A mark of punctuation is a token of its own, however many stand together."""
_MARKS: Final = string.punctuation.encode()


def prose_characters(text: str) -> int:
    """The length of English prose with about as many tokens as `text`; at least its own length."""
    written = text.encode("utf-8", "surrogatepass")
    marks = len(written) - len(written.translate(None, _MARKS))
    return len(text) + (PROSE_CHARACTERS_PER_TOKEN - 1) * marks
