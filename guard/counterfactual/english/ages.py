"""How an age is written, which age group it lies in, and the same form for another group.

Under 35 is "young", from 35 on "middle_aged", from 60 on "old". Another group's age keeps its last
digit: 72 is 22 for the young and 42 for the middle-aged, "his seventies" are "his twenties". What
is said of a child fits no other age, so that nobody under 18 gets one.
"""

from __future__ import annotations

import re

_MIDDLE, _OLD, _ADULT = 35, 60, 18
_DECADE = {"young": 2, "middle_aged": 4, "old": 7}
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_DECADES = tuple(word.removesuffix("y") + "ies" for word in _TENS)

NUMBER = (
    r"(?:1[01]\d|\d{1,2}|(?:" + "|".join(_TENS) + r")(?:[- ](?:" + "|".join(_UNITS) + r"))?"
    r"|" + "|".join(sorted((*_TEENS, *_UNITS), key=len, reverse=True)) + ")"
)
"""A pattern for a number of years in digits or words, up to 119."""
DECADE = "(?:teens|" + "|".join(_DECADES) + r"|['’]?[2-9]0['’]?s)"
"""A pattern for a decade of a life: "seventies", "70s"."""
_BORN = re.compile(
    r"\b(?:born (?:in|on|around|about|circa|before|after)(?: \w+){0,2}? (?:\w+,? )?(?:1[89]|20)\d\d"
    r"|born (?:'\d\d|(?:1[89]|20)\d\d)\b|(?:class|born) of (?:1[89]|20)\d\d"
    r"|born\W{1,3}(?:on )?\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}"
    r"|date[ _]of[ _]birth\b|DOB\b|birth ?_?(?:date|year)\b|year of birth\b)",
    re.IGNORECASE,
)
_NUMBER, _DECADE_WORD = re.compile(NUMBER), re.compile(DECADE)


def age_in(text: str) -> int | None:
    """The age in years that the text, in lower case, holds; of a decade its first year."""
    decade = _DECADE_WORD.search(text)
    if decade is not None:
        return _first_year(decade[0])
    number = _NUMBER.search(text)
    return None if number is None else _value(number[0])


def group_of_age(age: int) -> str:
    """The group of the attribute age that somebody of this age belongs to."""
    if age < _MIDDLE:
        return "young"
    return "middle_aged" if age < _OLD else "old"


def with_age_of(text: str, group: str) -> str | None:
    """The text with its age changed to one of the group; None for a child, or another group."""
    age, tens = age_in(text), _DECADE.get(group)
    if age is None or tens is None or age < _ADULT:
        return None
    decade = _DECADE_WORD.search(text)
    if decade is not None:
        new = f"{tens}0" if any(map(str.isdigit, decade[0])) else _DECADES[tens - 2]
        pattern = r"\d0" if new[0].isdigit() else DECADE
        return re.sub(pattern, new, text, count=1)
    return _NUMBER.sub(lambda found: _written_like(found[0], tens, age % 10), text, count=1)


def birth_years(text: str) -> tuple[str, ...]:
    """What dates a birth ("born in 1950", "DOB"), and would no longer fit another age."""
    return tuple(found[0] for found in _BORN.finditer(text))


def _first_year(decade: str) -> int:
    if decade == "teens":
        return 13
    digits = "".join(filter(str.isdigit, decade))
    return int(digits) if digits else 10 * (_DECADES.index(decade) + 2)


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    if number in _TEENS:
        return 10 + _TEENS.index(number)
    tens, _, unit = number.replace("-", " ").partition(" ")
    if tens in _UNITS:
        return 1 + _UNITS.index(tens)
    return 10 * (_TENS.index(tens) + 2) + (1 + _UNITS.index(unit) if unit else 0)


def _written_like(number: str, tens: int, unit: int) -> str:
    if number.isdigit():
        return f"{tens}{unit}"
    joint = " " if " " in number else "-"
    return _TENS[tens - 2] + (joint + _UNITS[unit - 1] if unit else "")
