"""The sex of a person as forms and records write it: F or M, which no rewrite changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from guard.records import Span

_LETTERS: Final = {"female": "FW", "male": "M"}  # W: as in German forms
_TITLES: Final = {"female": ("mrs", "ms", "miss", "madam"), "male": ("mr", "sir")}
_YEARS_OLD: Final = r"\d{1,3}[\s-]?(?:y\.?/?o\.?|ye?a?rs?\.?)(?:[\s-]old)?[\s/-]{0,2}"
_BEGIN: Final = r"(?<![\w.,:/$€£-])"
_END: Final = r"(?![\w°'/-]|\.\w)"
_WHO: Final = (
    r"(?:i|me|i['’]?m|am|he|she|husband|wife|girlfriend|boyfriend|gf|bf|brother|sister|mother|mom"
    r"|father|dad|son|daughter|friend|coworker|colleague|boss|patient|pt|client|applicant)"
)
_AGED: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_BEGIN}(?:\d{{2}}[\s/]?|{_YEARS_OLD})(?:AA\s?|[WBH])?(?P<sex>[FM]){_END}",
        r"(?<!\w)(?P<sex>[FM])/?\d{2}(?!\w)",
        r"(?<!\w)(?P<sex>[FM]),\s?\d{2}(?!\w)",
        rf"{_BEGIN}\d{{2}}/(?P<sex>[FMfm])(?=/\w)",
        rf"{_BEGIN}{_YEARS_OLD}(?P<sex>[fm]){_END}",
        rf"{_BEGIN}\d{{2}}\s?(?P<sex>f){_END}",
        r"(?<=[\[(])\d{2}[\s,/]{0,2}(?P<sex>[fm])(?=[\]),])",
        r"(?<=[\[(])(?P<sex>[fm])[\s,/]{0,2}\d{2}(?=[\]),])",
        rf"\b(?i:{_WHO})[:,]?\s\(?\d{{2}}\s?(?P<sex>[fm])\b",
    )
)
"""34F, 34 F, 34/F, 34 y/o F, 34-year-old WF, F34, F/34 and (F, 34); small letters where an age, a
bracket or somebody stands beside them: (24f), "my wife 24f"."""
_OF_SEX: Final = re.compile(r"\b(?:sex|gender)\b", re.IGNORECASE)
_FIELD: Final = re.compile(
    r"\b(?:sex|gender)[\"'*]{0,3}\s?[:=|,]?\s?[\"'(\[]?(?P<sex>[FMW])\b", re.IGNORECASE
)
_LETTER: Final = re.compile(r"(?<![\w.&°'/-])(?P<sex>[FM])(?![\w&°'/-]|\.\w)")
_BRACKETS: Final = re.compile(r"[\[(](?P<sex>[FM])[\])]")
_TITLE: Final = re.compile(
    r"\b(?:title|salutation|prefix|honorific)[\"'*]{0,3}\s?[:=|]\s?[\"']([A-Za-z]{2,5})\.?[\"']",
    re.IGNORECASE,
)
_HEAT: Final = re.compile(r"\b(?:degrees?|temperature|weather|oven|heat|bake)\b", re.IGNORECASE)
_FEVER: Final = re.compile(r"\bfever\b", re.IGNORECASE)
_DEGREES: Final = re.compile(r"\d\d\s?[FMfm]")


def sex_letters(text: str, group: str) -> Iterator[str]:
    """Letters that say somebody is of this group, with the age before or behind or in brackets;
    alone only where a field of the text is called sex or gender. Titles as values of a field."""
    if group not in _LETTERS:
        return
    first: dict[int, str] = {}
    for found in _aged(text, group):
        first.setdefault(found.start("sex"), found[0].strip())
    yield from dict.fromkeys(first.values())
    yield from sorted({found["sex"].upper() for found in _alone(text, group)})
    yield from (one[1] for one in _TITLE.finditer(text) if one[1].lower() in _TITLES[group])


def letter_spans(text: str) -> Iterator[tuple[Span, str]]:
    """Where these letters stand, and of which group, in no order; one may come twice."""
    for group in _LETTERS:
        for found in (*_aged(text, group), *_alone(text, group)):
            yield Span(start=found.start("sex"), end=found.end("sex")), group


def _aged(text: str, group: str) -> Iterator[re.Match[str]]:
    for pattern in _AGED:
        for found in pattern.finditer(text):
            if found["sex"].upper() in _LETTERS[group] and not _is_heat(text, found[0].strip()):
                yield found


def _alone(text: str, group: str) -> Iterator[re.Match[str]]:
    patterns = (_BRACKETS, _FIELD, _LETTER) if _OF_SEX.search(text) else (_BRACKETS,)
    for pattern in patterns:
        for found in pattern.finditer(text):
            if found["sex"].upper() in _LETTERS[group]:
                yield found


def _is_heat(text: str, written: str) -> bool:
    """Whether "98 F" are rather degrees of this text; of somebody's fever hardly fewer than 95."""
    if _DEGREES.fullmatch(written) is None or written.endswith(("M", "m")):
        return False
    fever = written >= "95" and _FEVER.search(text) is not None
    return (fever or _HEAT.search(text) is not None) and (" " in written or written[-1] == "f")
