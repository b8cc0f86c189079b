"""The sex of a person as forms and records write it: F or M, which no rewrite changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_LETTERS: Final = {"female": "F", "male": "M"}
_AGED = re.compile(
    r"(?<![\w.,:/$€£-])(?:\d{2}|\d{1,3}\s?y/?o[\s/-]?)([FM])(?![\w°'/-]|\.\w)"
    r"|(?<!\w)([FM])/?\d{2}(?!\w)|(?<!\w)([FM]),\s?\d{2}(?!\w)"
)
"""34F, 34 y/o F, F34, F/34 and (F, 34)."""
_FIELD = re.compile(r"\b(?:sex|gender)\b", re.IGNORECASE)
_LETTER = re.compile(r"(?<![\w.&°'/-])([FM])(?![\w.&°'/-])")


def sex_letters(text: str, group: str) -> Iterator[str]:
    """Letters that say somebody is of this group, with the age before or behind; alone only where
    a field of the text is called sex or gender."""
    letter = _LETTERS.get(group)
    if letter is None or letter not in text:
        return
    for found in _AGED.finditer(text):
        if letter in found.groups():
            yield found[0]
    if _FIELD.search(text) is not None and letter in _LETTER.findall(text):
        yield letter
