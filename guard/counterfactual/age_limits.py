"""Ages that somebody is measured by: "retire at 65", "turning 65", "under-25", "55 and over"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from guard.counterfactual.english.ages import NUMBER, age_in
from guard.counterfactual.english.words import word_set

_LEAST: Final = 13  # years; "at 10" is a time, and of a child nothing is said here
_SOON: Final = 5  # years in which somebody is about to reach an age
_STREET: Final = r"\s(?:and|&)\s\w+\s(?:street|st|avenue|ave|road|rd|boulevard|blvd)\b"
_AGE: Final = rf"(?<![\w$€£#])(?P<age>{NUMBER})(?![\w%°€£$:/]|[.,]\d|[-–]\d|{_STREET})"
_END: Final = (
    r"(?=\s*(?:\Z|[\n.,;:!?)\]”\"’'*…—–]|\b(?:you|i|he|she|we|they|it|there|is|isn|was|are|can"
    r"|could|should|will|would|might|has|have|and|but|or|so|if|as|because|since|when|while"
    r"|with|without|who|than|does|do|did|the|a|an|my|your|his|her|not|in|on|for|to|next|this"
    r"|last|soon|tomorrow|today|now|years?\sof\sage)\b))"
)
_OF_PLACES: Final = (
    r"(?:community|discount|only|crowd|group|plan|club|league|living|rate|fare|ticket|fee|section)"
)
_PEOPLE: Final = (
    r"(?:people|those|anyone|anybody|everyone|men|women|adults|drivers|customers|employees|workers"
    r"|applicants|candidates|patients|users|folks|residents|players)"
)
_BECOMING: Final = re.compile(
    r"(?:\bturn(?:s|ing)?|(?P<be>(?:\b(?:will|would|about\sto|going\sto)|['’]ll)\sbe))\s(?:\w+\s)?"
    + (_AGE + _END),
    re.IGNORECASE,
)
_LIMITS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:\b(?P<of>\w+)\s)?\b(?P<how>at|by|until|till|before|after|over|under|past|above|below"
        r"|hits?|reach(?:es|ing)?|(?:older|younger|later|earlier)\sthan)\s"
        rf"(?:age\s|the\sage\sof\s|about\s|around\s)?{_AGE}{_END}",
        rf"\b(?:under|over)[- ](?P<age>\d\d)s?(?:\s{_OF_PLACES}\b|(?<=s)\b|[- ]year[- ]olds)",
        r"\b(?:under|over)-(?P<age>\d\d)\b",
        rf"\b(?P<age>{NUMBER})(?P<range>)\s(?:and|or)\s(?:over|older|above|under|younger|below|up)\b",
        rf"(?<![\w$.])(?P<age>\d\d)\+(?=\s{_OF_PLACES}\b|[.,;!?)])",
        rf"\b{_PEOPLE} (?:over|under|above|below|past) (?P<age>{NUMBER})\b",
        rf"\bbetween(?P<range>) (?P<age>{NUMBER}) and {NUMBER}{_END}",
        rf"\bbetween(?P<range>) {NUMBER} and (?P<age>{NUMBER}){_END}",
        r"\bage\s(?:limit|requirement|cap|minimum|maximum)[^.?!\n]{0,20}?\b(?P<age>\d\d)\b",
        r"\b(?P<age>\d\d)\sage\slimit\b",
        r"\bage[ _](?:group|range|bracket|band)[\s\"':=]{1,4}(?P<age>\d\d)\b",
        r"\bage[ _](?:group|range|bracket|band)[\s\"':=]{1,4}\d\d\s?[-–]\s?(?P<age>\d\d)\b",
    )
)
_RATES: Final = word_set(
    "priced price prices capped cap set stand stands stood sell sells sold buy bought valued rate"
    " rates rated rating trade trades traded fixed limited remain remains remained score scores"
    " scored cost costs speed speeds thermostat temperature oven heat heated cook bake keep kept"
    " estimated charged billed invoiced quoted listed open opened close closed closes opens arrive"
    " arrives leave leaves depart departs increase increased reduce"
    " reduced cut multiply multiplied divide divided raise raised drop dropped up down rise fell"
)
_MEASURES: Final = re.compile(
    r"\b(?:temperatures?|pulse|heart\s?rate|bmi|(?:hb)?a1c|glucose|sugar|cholesterol|ldl|hdl|e?gfr"
    r"|budget|weight|weighs?|waist|chest|spf|pressure|bp|scores?|grades?|pages?|chapters?"
    r"|humidity|speed|distance|volume|dos(?:e|age)|oxygen|saturation|percentage|battery|iq"
    r"|width|height|length)\b",
    re.IGNORECASE,
)
_USUAL: Final = re.compile(r"\b(?:normal|typical|usual|average|healthy|ideal)\b", re.IGNORECASE)
_TIMES: Final = word_set("by until till before after")
_STANDING: Final = word_set(
    "is was are be stay stays stayed remains keep get gets got go goes went"
)
_FAMILY: Final = (
    r"(?:wife|husband|partner|spouse|mom|mum|mother|dad|father|parents?|grand\w+|sisters?|brothers?"
    r"|sons?|daughters?|uncle|aunt|friends?|boss|kids?|child|children|woman|man|person|seniors?)"
)
_PERSONS: Final = re.compile(
    rf"\b(?:i|you|he|she|we|they|who|{_PEOPLE}|{_FAMILY})\b", re.IGNORECASE
)
_NAMED: Final = re.compile(r"\b[A-Z][a-z]+(?: is| am)? ?\Z")
_OF_AGE: Final = re.compile(
    rf"\b(?:age[ds]?|old|olde[rs]t?|young(?:er|est)?|years?|birthday|retire\w*|pension\w*|eligib\w+"
    rf"|free|qualif\w+|licen[sc]e|medicare|who|I(?:['’]m| am)"
    rf"|{_OF_PLACES}s?|{_PEOPLE}|{_FAMILY})\b",
    re.IGNORECASE,
)
_STOPS: Final = re.compile(r"[.?!\n]")
_FAR: Final = 120  # characters of a sentence on either side


class Age(NamedTuple):
    """An age in years, before and after it changes."""

    before: int
    after: int


def limits(text: str, ages: Sequence[Age], covered: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The ages in a text that one of these reaches soon, or lies on the other side of afterwards.

    covered: where the ages that change stand.
    """
    for match in _BECOMING.finditer(text) if ages else ():
        said = _is_age(match["age"]) and not overlaps(match.span("age"), covered)
        if said and (not match["be"] or _is_of_person(match)):
            yield match[0]
    seen: set[int] = set()
    for match in _limits(text) if ages else ():
        if match.start("age") in seen:
            continue
        seen.add(match.start("age"))
        free = not overlaps(match.span("age"), covered) and _is_age(match["age"])
        if free and any(_moves_past(match["age"], age) for age in ages):
            yield match[0].split(" ", 1)[1] if match.groupdict().get("of") else match[0]


def _limits(text: str) -> Iterator[re.Match[str]]:
    """The ages that may be limits; not those of prices, times and amounts."""
    for pattern in _LIMITS:
        for match in pattern.finditer(text):
            of = match.groupdict().get("of") or ""
            if not of.isdigit() and of.lower() not in _RATES and not _is_of_thing(match):
                yield match


def _is_of_person(match: re.Match[str]) -> bool:
    """ "I will be 71", "Tom will be 65"; not "the temperature will be 65"."""
    before = _sentence_before(match.string, match.start())
    named = _PERSONS.search(before) or _NAMED.search(before) or _OF_AGE.search(before)
    return named is not None and not _is_measured(before)


def _is_of_thing(match: re.Match[str]) -> bool:
    """Whether it is no age: "my pulse is below 60", "SPF 50 or above"."""
    groups = match.groupdict()
    how, of = (groups.get("how") or "").lower(), (groups.get("of") or "").lower()
    before = _sentence_before(match.string, match.start("how") if how else match.start())
    if "range" in groups:
        after = _STOPS.split(match.string[match.end() : match.end() + _FAR])[0]
        told = _OF_AGE.search(before + " " + after) or before.endswith((" for", " to"))
        return _is_measured(before) or not told
    stands = of in _STANDING or _MEASURES.fullmatch(of) is not None
    return bool(how) and how not in _TIMES and stands and _is_measured(before)


def _sentence_before(text: str, end: int) -> str:
    """What stands before this place in its sentence; where that begins here, the one before."""
    near = text[max(0, end - _FAR) : end].rstrip()
    parts = _STOPS.split(near.rstrip(".?!"))
    return parts[-1]


def _is_measured(before: str) -> bool:
    """Whether a measure is spoken of; not "the score of people over 65", "a normal BMI over 65"."""
    last = max(_MEASURES.finditer(before), key=lambda found: found.end(), default=None)
    between = before[last.end() :].rstrip() if last else ""
    usual = _USUAL.search(before) or between.endswith((" for", " of"))
    free = not usual and "," not in between
    return last is not None and free and not _PERSONS.search(between)


def _is_age(written: str) -> bool:
    return (age_in(written.lower()) or 0) >= _LEAST


def _moves_past(written: str, age: Age) -> bool:
    limit = age_in(written.lower()) or 0
    soon = 0 <= limit - age.before <= _SOON
    return soon or (limit > age.before) != (limit > age.after)


def overlaps(span: tuple[int, int], covered: Sequence[tuple[int, int]]) -> bool:
    """Whether a range shares a character with one of these."""
    return any(start < span[1] and span[0] < end for start, end in covered)
