"""What tells the sex of a person and no rewrite changes.

F and M in forms and records, and the words male and female where they are no mention of anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.tokens import Words

_LETTERS: Final = {"female": "FW", "male": "M"}  # W: as in German forms
_TITLES: Final = {"female": ("mrs", "ms", "miss", "madam"), "male": ("mr", "sir")}
_YEARS_OLD = r"\d{1,3}[\s-]?(?:y\.?/?o\.?|ye?a?rs?\.?)(?:[\s-]old)?[\s/-]{0,2}"
_AGED = re.compile(
    rf"(?<![\w.,:/$€£-])(?:\d{{2}}[\s/]?|{_YEARS_OLD})(?:AA\s?|[WBH])?([FM])(?![\w°'/-]|\.\w)"
    r"|(?<!\w)([FM])/?\d{2}(?!\w)|(?<!\w)([FM]),\s?\d{2}(?!\w)"
)
"""34F, 34 F, 34/F, 34 y/o F, 34-year-old WF, F34, F/34 and (F, 34)."""
_OF_SEX = re.compile(r"\b(?:sex|gender)\b", re.IGNORECASE)
_FIELD = re.compile(r"\b(?:sex|gender)[\"'*]{0,3}\s?[:=|,]?\s?[\"'(\[]?([FMW])\b", re.IGNORECASE)
_LETTER = re.compile(r"(?<![\w.&°'/-])([FM])(?![\w&°'/-]|\.\w)")
_BRACKETS = re.compile(r"[\[(]([FM])[\])]")
_TITLE = re.compile(
    r"\b(?:title|salutation|prefix|honorific)[\"'*]{0,3}\s?[:=|]\s?[\"']([A-Za-z]{2,5})\.?[\"']",
    re.IGNORECASE,
)
_HEAT = re.compile(r"\b(?:degrees?|temperature|weather|oven|heat|bake)\b", re.IGNORECASE)
_FEVER = re.compile(r"\bfever\b", re.IGNORECASE)
_DEGREES = re.compile(r"\d\d\s[FM]")


def sex_letters(text: str, group: str) -> Iterator[str]:
    """Letters that say somebody is of this group, with the age before or behind or in brackets;
    alone only where a field of the text is called sex or gender. Titles as values of a field."""
    letters = _LETTERS.get(group)
    if letters is None:
        return
    for found in _AGED.finditer(text):
        if not _is_heat(text, found[0].strip()) and not set(letters).isdisjoint(
            filter(None, found.groups())
        ):
            yield found[0].strip()
    named = {*_BRACKETS.findall(text), *map(str.upper, _FIELD.findall(text))}
    if _OF_SEX.search(text) is not None:
        named.update(_LETTER.findall(text))
    yield from sorted(named.intersection(letters))
    yield from (one[1] for one in _TITLE.finditer(text) if one[1].lower() in _TITLES[group])


def _is_heat(text: str, written: str) -> bool:
    """Whether "98 F" are rather degrees of this text; of somebody's fever hardly fewer than 95."""
    if _DEGREES.fullmatch(written) is None:
        return False
    fever = written >= "95" and _FEVER.search(text) is not None
    return fever or _HEAT.search(text) is not None


_OTHER: Final = {"female": "male", "male": "female"}
_PLUGS: Final = word_set(
    "usb hdmi vga dvi xlr bnc sma rca jst ethernet audio plug plugs socket sockets connector"
    " connectors adapter adapters adaptor adaptors jack jacks port ports header headers pin pins"
    " terminal terminals end ends thread threads threaded coupling couplings coupler fitting"
    " fittings screw screws bolt bolts part parts side cable cables flower flowers cone cones"
)


def sexes_left(page: AnnotatedText, group: str) -> Iterator[int]:
    """Where the words male and female stand beside those who are mentioned: the first characters.

    They may speak of one who changes ("a female version", "female,34"). Not so of plugs, in
    "male to female", and in words with a hyphen ("male-dominated").
    """
    words = page.words
    wanted = {group, group + "s"} & words.vocabulary if group in _OTHER else set[str]()
    spans = [one.span for one in (*page.people, *page.both, *page.staying)] if wanted else []
    for at in words.places(wanted) if wanted else ():
        start = words.starts[at]
        told = any(span.start <= start < span.end for span in spans)
        if not (told or _is_part(words, at) or _is_of_plug(words, at, _OTHER[group])):
            yield start


def _is_part(words: Words, at: int) -> bool:
    return words.hyphened(at) or (words.word(at - 1) == "-" and words.joined(at))


def _is_of_plug(words: Words, at: int, other: str) -> bool:
    sides = ((words.word(at + step), words.word(at + 2 * step)) for step in (1, -1))
    return words.word(at + 1) in _PLUGS or ("to", other) in sides
