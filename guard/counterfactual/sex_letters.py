"""The sex of a person as forms, records and emoji write it: F or M. A rewrite changes those
that are the value of a field (`mentions/letters.py`), and no others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from guard.records import Span

GENDER: Final = "gender"
"""The attribute whose groups they tell."""
LETTERS: Final = {"female": "fw", "male": "m"}  # w: as in German forms
_TITLES: Final = {"female": ("mrs", "ms", "miss", "madam"), "male": ("mr", "sir")}
_FLAGS: Final = ("true", "false", "yes", "no", "0", "1")
_EMOJI = re.compile("([👩👧👵👸🤶🧕🤰🤱♀👨👦👴🤴🎅👲♂])")
_YEARS_OLD = r"\d{1,3}[\s-]?(?:y\.?/?o\.?|ye?a?rs?\.?|y)(?:[\s-]old)?[\s/-]{0,2}"
_AGED = re.compile(
    rf"(?<![\w.,:/$€£-])(?:\d{{2}}[\s/-]?|{_YEARS_OLD})(?:AA\s?|[WBH])?([FM])(?![\w°'/-]|\.\w)"
    r"|(?<!\w)([FM])[/\s]?\d{2}(?!\w)|(?<!\w)([FM]),\s?\d{2}(?!\w)"
)
"""34F, 34 F, 34-F, 34/F, 34 y/o F, 34-year-old WF, F34, F 34, F/34 and (F, 34)."""
_AGED_SMALL = re.compile(
    r"[\[(]\s?\d{2}\s?/?\s?([fm])\s?[\])]|[\[(]\s?([fm])\s?[/,]?\s?\d{2}\s?[\])]"
    rf"|(?<![\w.,/$€£-]){_YEARS_OLD}([fm])(?!\w)"
    r"|(?<![\w.,/$€£-])\d{2}/([fm])(?!\w)"
    r"|(?<![\w.,:/$€£-])\d{2}\s?(f)(?![\w°'/-])"
    r"|\b(?:boyfriend|girlfriend|husband|wife|partner|[Ii]|me|he|she),?\s\d{2}\s?([fm])(?![\w°'/-])"
)
"""(24f), (f24), (f, 24), 67 y/o f, 24/f, 34 f; an m alone may be metres, minutes or millions."""
_SURELY_AGED = re.compile(
    rf"{_YEARS_OLD}(?:AA\s?|[WBH])?([FM])(?![\w°'/-])"
    r"|[\[(]\s?\d{2}\s?/?\s?([FM])\s?[\])]|[\[(]\s?([FM])\s?,?\s?\d{2}\s?[\])]"
    r"|(?:^|[\[(\"']|\b(?:patient|pt|is|am)\s(?:an?\s)?)\s?\d{2}\s?/?([FM])"
    r"(?=[,;)\]\"']|\s(?:with|presents|presenting|c/o|who|from|here|seen|admitted)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""Of these the age and what stands around say that it is nothing else: no millions, no motorway."""
_OF_SEX = re.compile(r"\b(?:sex|gender)(?![^\W_])", re.IGNORECASE)
_FIELD = re.compile(
    r"\b(?:sex|gender)(?:_\w{1,20})?[\"'*]{0,3}\s?[:=|,]?\s?[\"'(\[]?([FMW])\b", re.IGNORECASE
)
_LETTER = re.compile(r"(?<![\w.&°'/-])([FM])(?![\w&°'/-]|\.\w)")
_SEPARATOR = r"[;/|]|,(?!\s?(?:(?:and|or)\s)?[A-Z]\b)|\s[-–—]\s"
_ASIDE = re.compile(
    rf"(?<!\b[A-Z])(?:[,;|]|(?<!\d)/|\s[-–—])\s?([FM])(?=\s?(?:{_SEPARATOR}|[)\]]|$))"
    rf"|^([FM])(?=\s?(?:{_SEPARATOR}))"
    r"|\d,\s?([FM])(?=\.(?:\s|$))|\d,\s?([fm])(?=\s?[,;)])",
    re.MULTILINE,
)
"""Between commas, dashes or strokes: "Robert Lee, 58, M, smoker"; no letter among others."""
_BRACKETS = re.compile(r"[\[(]([FM])[\])]")
_TITLE = re.compile(
    r"\b(?:title|salutation|prefix|honorific)[\"'*]{0,3}\s?[:=|]\s?[\"']([A-Za-z]{2,5})\.?[\"']",
    re.IGNORECASE,
)
_FLAG = re.compile(
    r"\bis[_ ]?(?:fe)?male[\"'*]{0,3}\s?[:=|]\s?[\"']?(true|false|yes|no|[01])\b", re.IGNORECASE
)
_HEAT = re.compile(r"\b(?:degrees?|temperature|weather|oven|heat|bake)\b", re.IGNORECASE)
_FEVER = re.compile(r"\bfever\b", re.IGNORECASE)
_DEGREES = re.compile(r"\d\d(?:\s[FMfm]|[fm])")
_HIGHEST = "95"
"""Of somebody's fever hardly fewer degrees are told."""


@dataclass(frozen=True, slots=True)
class SexLetter:
    """One place. written: with the age beside it, if there is one. span: of the letter alone."""

    written: str
    span: Span
    letter: str


def sex_letters(text: str, group: str, changing: Collection[Span] = ()) -> Iterator[str]:
    """What says that somebody is of this group; emoji may be anybody's, and say nothing.

    changing: places of letters that change with the person, which are left out.
    """
    if group in LETTERS:
        found = (one for one in find_letters(text) if _tells(one.letter, group))
        yield from dict.fromkeys(one.written for one in found if one.span not in changing)


def tells_a_sex(text: str) -> bool:
    """Whether anything says that somebody is a woman or a man."""
    return any(_tells(one.letter, group) for one in sure_letters(text) for group in LETTERS)


def maskable_letters(text: str) -> Iterator[SexLetter]:
    """Those of `find_letters` whose place a mask may take: of no amount, as 34 M may be.

    Letters between commas and in brackets may stand for something else ("sizes S, M, L"), but
    then a mask hides no more than that one text says M where another says F.
    """
    yield from sure_letters(text)
    for pattern in (_ASIDE, _BRACKETS):
        yield from map(_letter, pattern.finditer(text))


def sure_letters(text: str) -> Iterator[SexLetter]:
    """Those of `find_letters` that can be nothing else."""
    for pattern in (_SURELY_AGED, _FIELD, _TITLE, _FLAG, _EMOJI):
        yield from map(_letter, pattern.finditer(text))


def find_letters(text: str) -> Iterator[SexLetter]:
    """Letters, emoji, titles and values of fields that say which sex somebody has, in no order;
    some of them may be found twice.

    A letter counts with an age before or behind it, as an aside, in brackets or as the value of a
    field, alone only where a field of the text is called sex or gender.
    """
    heat, fever = _HEAT.search(text) is not None, _FEVER.search(text) is not None
    for match in (*_AGED.finditer(text), *_AGED_SMALL.finditer(text)):
        written = match[0].strip()
        degrees = _DEGREES.fullmatch(written) is not None
        if not degrees or not (heat or (fever and written >= _HIGHEST)):
            yield _letter(match, written)
    patterns = [_ASIDE, _BRACKETS, _FIELD, _TITLE, _FLAG, _EMOJI]
    if _OF_SEX.search(text) is not None:
        patterns.append(_LETTER)
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield _letter(match)


def _letter(match: re.Match[str], written: str = "") -> SexLetter:
    """The group of the pattern that matched."""
    number = match.lastindex or 0
    letter = match[number]
    return SexLetter(
        written or letter, Span(start=match.start(number), end=match.end(number)), letter
    )


def _tells(letter: str, group: str) -> bool:
    """Whether that stands for this group; a flag (`is_female: true`) does for both."""
    known = (LETTERS[group], _TITLES[group], _FLAGS)
    return any(letter.lower() in one for one in known)
