"""Ages and years of a person that would stay beside an age that changes, and no longer fit it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from guard.counterfactual.english.ages import DECADE, NUMBER, age_in, with_age_of
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.people import AnnotatedText

_CHILDHOOD = 14  # the years before anybody works or marries
_COUNTED = (
    r"(?!\s(?:kg|km|cm|lb|mph|per ?cent|thousand|million"
    r"|(?!(?:years|is|was|has|does|as|this|yes)\b)[a-z]{2,}s)\b|\s?[+*/=:<>])"
)
_NUMBERED = (
    "number|no|flat|room|apartment|house|unit|bus|route|gate|page|suite|highway|chapter|version"
    "|section|level|size|line|step|article|item|question|channel|iq is|it is|it's"
)
_ANY_NUMBER = re.compile(
    rf"(?P<place>\b(?:{_NUMBERED})\.?\s)?"
    rf"(?<![\w$€£#+:-])(?<!\d[.,/])(?P<age>{NUMBER})(?!k\b|[\d%$€£:]|[.,/]\d){_COUNTED}",
    re.IGNORECASE,
)
_SOMETHING = re.compile(
    rf"(?<![\w’'-])(?:{DECADE}|{NUMBER})[- ]?(?:something|ish)s?\b", re.IGNORECASE
)
_LAST_CENTURY = re.compile(r"\b(?:in|since|from|of|during|until|the|back in) (?:the )?(19\d\ds?)\b")
_YEARS = re.compile(
    rf"\b(?:for|over|after|last|past|nearly|almost|about|than|these|those|married|together)\s{{1,3}}"
    rf"(?P<before>{NUMBER})\s{{1,3}}years\b(?!\s(?:old|younger))"
    rf"|\b(?P<after>{NUMBER})\s{{1,3}}years\s{{1,3}}(?:ago|of|in|at|as|with|together|married)\b",
    re.IGNORECASE,
)


def other_ages(page: AnnotatedText, changing: Sequence[Mention], target: str) -> tuple[str, ...]:
    """What says the age of somebody once more in a form that stays, or is longer than the new life.

    "I am 72 years old. Is 72 too old?", "20-something", "I'm 65 and married for 40 years".
    """
    ages = [one for one in changing if one.form.kind is Kind.AGE]
    covered = [(one.span.start, one.span.end) for one in ages]
    numbers = {age_in(one.form.text.lower()) for one in ages}
    found = [*_said_again(page.text, numbers, covered), *_decades(page.text, bool(ages), covered)]
    found += _too_long(page.text, _oldest(ages, target))
    if _oldest(ages, target) is not None:
        found += _LAST_CENTURY.findall(page.text)
    return tuple(dict.fromkeys(found))


_Covered = Sequence[tuple[int, int]]


def _said_again(text: str, ages: set[int | None], covered: _Covered) -> Iterator[str]:
    for match in _ANY_NUMBER.finditer(text) if ages else ():
        named = match["place"] or _inside(match, covered)
        if not named and age_in(match["age"].lower()) in ages:
            yield match["age"]


def _decades(text: str, changes: bool, covered: _Covered) -> Iterator[str]:
    for match in _SOMETHING.finditer(text) if changes else ():
        if age_in(match[0].lower()) is not None and not _inside(match, covered):
            yield match[0]


def _too_long(text: str, age: int | None) -> Iterator[str]:
    """Times longer than somebody of this age can have worked, been married or lived somewhere."""
    if age is None:
        return
    for match in _YEARS.finditer(text):
        years = age_in((match["before"] or match["after"]).lower())
        if years is not None and years > age - _CHILDHOOD:
            yield match[0]


def other_gaps(pages: Sequence[AnnotatedText], source: str, target: str) -> tuple[str, ...]:
    """Ages of several people that would lie further apart, or closer: a mother of 95 at 72.

    Of two, one in years and of the group that stays as it is: a boss of 25 at 70.
    """
    people = [one for page in pages for one in page.people]
    changing = [one.form for one in people if one.form.group == source]
    staying = [one.form for one in people if one.form.group == target]
    both = [*changing, *staying] if changing and staying else []
    if any(form.kind is Kind.AGE for form in both):
        return tuple(dict.fromkeys(form.text for form in both))
    ages = [form.text for form in changing if form.kind is Kind.AGE]
    return tuple(ages) if len(_moves(ages, target)) > 1 else ()


def _moves(ages: Sequence[str], target: str) -> set[int]:
    """The different numbers of years by which the ages change."""
    pairs = [(old, with_age_of(old, target)) for old in ages]
    years = [(age_in(old.lower()), age_in(new.lower())) for old, new in pairs if new]
    return {after - before for before, after in years if before and after}


def _oldest(ages: Sequence[Mention], target: str) -> int | None:
    """The highest of the new ages; None where there is none, or none is lower than before."""
    new = [(one.form.text, with_age_of(one.form.text, target)) for one in ages]
    years = [(age_in(old.lower()), age_in(text.lower())) for old, text in new if text]
    lower = [after for before, after in years if before and after and after < before]
    return max(lower, default=None)


def _inside(match: re.Match[str], covered: _Covered) -> bool:
    return any(start < match.end() and match.start() < end for start, end in covered)
