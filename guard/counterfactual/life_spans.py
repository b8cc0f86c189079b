"""Times and dates for which somebody of another age is too young, or too old: "for 40 years"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from guard.counterfactual.english.ages import NUMBER, age_in

_CHILDHOOD: Final = 14  # the years before anybody works or marries
_LONGEST: Final = 95  # the age up to which somebody may plan
_YOUNG: Final = 35  # who is younger did nothing in the first years of this century
_N: Final = rf"(?P<years>{NUMBER})\+?"
_OF: Final = (
    r"(?:experience|service|work|employment|practice|teaching|marriage|smoking|sobriety|seniority"
    r"|tenure|loyalty|membership|friendship|driving|leadership|management|nursing|military)"
)
_OF_YEARS: Final = (
    r"(?:career|veteran|history|marriage|tenure|employee|relationship|friendship|habit|smoker"
    r"|service|experience|member|membership|customer|resident|stint|run|anniversary)"
)
_DOING: Final = (
    r"(?:worked|working|employed|served|serving|taught|teaching|lived|living|smoked|smoking"
    r"|married|driven|driving|practi[cs]ed|practi[cs]ing|spent|spending|together|known|been)"
)
_PAST: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:for|over|after|last|past|nearly|almost|about|than|these|those|married|together)"
        rf"\s{{1,3}}{_N}\s{{1,3}}years\b(?!\s(?:old|younger))",
        rf"\b{_N}\s{{1,3}}years\s{{1,3}}(?:ago|of|in|at|as|with|together|married)\b",
        rf"\b{_N}\s?(?:years?|yrs?)['’]?\s(?:of\s)?(?:\w+\s)?{_OF}\b",
        rf"\b{_DOING}\s(?:\w+\s){{0,3}}?{_N}\s(?:years|yrs)\b(?!\s(?:old|younger))",
        rf"\b{_N}[- ](?:year|yr)s?[- ](?!old)(?:\w+[- ])?{_OF_YEARS}\b",
        rf"\b{_N}\s(?:years|yrs)\s(?:older|younger|my\s(?:senior|junior))\b",
        rf"\b{_N}[- ]pack[- ]years?\b",
        rf"\b(?:my|our|his|her|their)\s{_N}(?:st|nd|rd|th)\s(?:\w+\s)?anniversary\b",
    )
)
_DECADES: Final = re.compile(
    r"\b(?P<many>two|three|four|five|six|several|many|[2-6])\+?\s(?:long\s)?decades\b"
    r"|\bdecades\s(?:of|in|as|ago|with)\b|\b(?:for|over|after)\sdecades\b"
    r"|\b(?P<half>half|quarter)[- ](?:of\s)?(?:a[- ])?century\b",
    re.IGNORECASE,
)
_TENS: Final = {"two": 20, "three": 30, "four": 40, "five": 50, "six": 60, "several": 30}
_FUTURE: Final = re.compile(
    rf"\b(?:in|next|another|within|coming)\s(?P<before>{NUMBER})\s(?:more\s)?years\b(?!\sof\b)"
    rf"|\b(?P<after>{NUMBER})\s(?:more\s)?years\s(?:until|till|to\sgo|before|from\snow|left|away)\b",
    re.IGNORECASE,
)
_LAST_CENTURY: Final = re.compile(
    r"\b(?:in|since|from|of|during|until|the|back in) (?:the )?(19\d\ds?)\b"
    r"|\b(?:in|since|during|from) the (['’]?[5-8]0s)\b"
)
_LONG_AGO: Final = re.compile(r"\b(?:in|since|from) (200\d)\b")


def too_long(text: str, age: int) -> Iterator[str]:
    """Times longer than somebody of this age can have worked, been married or lived somewhere."""
    seen: set[int] = set()
    for pattern in _PAST:
        for match in pattern.finditer(text):
            years = age_in(match["years"].lower()) or 0
            if years > age - _CHILDHOOD and match.start("years") not in seen:
                seen.add(match.start("years"))
                yield match[0]
    for match in _DECADES.finditer(text):
        if _years_in(match) > age - _CHILDHOOD:
            yield match[0]


def _years_in(decades: re.Match[str]) -> int:
    if decades["half"]:
        return 50 if decades["half"].lower() == "half" else 25
    many = (decades["many"] or "two").lower()
    return 10 * int(many) if many.isdigit() else _TENS.get(many, 30)


def too_late(text: str, age: int) -> Iterator[str]:
    """Plans for which somebody of this age would have to be older than anybody is."""
    for match in _FUTURE.finditer(text):
        years = age_in((match["before"] or match["after"]).lower())
        if years is not None and age + years > _LONGEST:
            yield match[0]


def too_early(text: str, age: int) -> Iterator[str]:
    """Years and decades in which somebody of this age was not born, or a child."""
    for century, decade in _LAST_CENTURY.findall(text):
        yield century or decade
    if age < _YOUNG:
        yield from _LONG_AGO.findall(text)
