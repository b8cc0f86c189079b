"""The sex of a person as forms and records write it: F or M, which no rewrite changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_LETTERS: Final = {"female": "FW", "male": "M"}  # W: as in German forms
_TITLES: Final = {"female": ("mrs", "ms", "miss", "madam"), "male": ("mr", "sir")}
_AGED = re.compile(
    r"(?<![\w.,:/$€£-])(?:\d{2}\s?|\d{1,3}\s?y/?o[\s/-]?)([FM])(?![\w°'/-]|\.\w)"
    r"|(?<!\w)([FM])/?\d{2}(?!\w)|(?<!\w)([FM]),\s?\d{2}(?!\w)"
)
"""34F, 34 F, 34 y/o F, F34, F/34 and (F, 34)."""
_OF_SEX = re.compile(r"\b(?:sex|gender)\b", re.IGNORECASE)
_FIELD = re.compile(r"\b(?:sex|gender)[\"'*]{0,3}\s?[:=|,]?\s?[\"'(\[]?([FMW])\b", re.IGNORECASE)
_LETTER = re.compile(r"(?<![\w.&°'/-])([FM])(?![\w&°'/-]|\.\w)")
_BRACKETS = re.compile(r"[\[(]([FM])[\])]")
_TITLE = re.compile(
    r"\b(?:title|salutation|prefix|honorific)[\"'*]{0,3}\s?[:=|]\s?[\"']([A-Za-z]{2,5})\.?[\"']",
    re.IGNORECASE,
)
_HEAT = re.compile(r"\b(?:degrees?|temperature|weather|oven|fever|heat|bake)\b", re.IGNORECASE)


def sex_letters(text: str, group: str) -> Iterator[str]:
    """Letters that say somebody is of this group, with the age before or behind or in brackets;
    alone only where a field of the text is called sex or gender. Titles as values of a field."""
    letters = _LETTERS.get(group)
    if letters is None:
        return
    for found in _AGED.finditer(text):
        apart = " " in found[0] and found[0].strip()[:2].isdigit()
        heat = apart and _HEAT.search(text) is not None
        if not heat and not set(letters).isdisjoint(filter(None, found.groups())):
            yield found[0].strip()
    named = {*_BRACKETS.findall(text), *map(str.upper, _FIELD.findall(text))}
    if _OF_SEX.search(text) is not None:
        named.update(_LETTER.findall(text))
    yield from sorted(named.intersection(letters))
    yield from (one[1] for one in _TITLE.finditer(text) if one[1].lower() in _TITLES[group])
