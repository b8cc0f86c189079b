"""Where "male" and "female" name a person by themselves: "a 34-year-old female presenting with".

They are nouns as well as adjectives, and what follows seldom tells: "presenting", "status post".
An age, a determiner or a label before them does: a thing is rarely so old, and "a female called"
has no other noun. Where neither tells, the words around are looked at as for any other word.
"""

from __future__ import annotations

import re
from typing import Final

from guard.counterfactual.english.ages import NUMBER, age_in
from guard.counterfactual.english.words import english, word_set
from guard.counterfactual.mentions.bare_nouns import FINITE, OF_THINGS, ONE, has_complement, is_past
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.field_values import names_field
from guard.counterfactual.sex_letters import GENDER

SEXES: Final = frozenset(("male", "female"))
"""Nouns for persons where they end a phrase."""

_FAR: Final = 6  # words between the word and a determiner, or where its phrase begins
_REACH: Final = 80  # characters before it in which an age is looked for
_GROWN: Final = 18  # years from which on hardly any animal is said to be a male or a female
_UNIT: Final = r"(?P<unit>years?|yrs?|y|months?|mo|weeks?|wks?|days?)"
_AGE_BEFORE: Final = re.compile(
    rf"(?:(?<![\w.,$])(?P<years>{NUMBER})[ -]?(?:{_UNIT}[ -]old\b|y\.?/?o\b\.?|yrs?\b\.?"
    rf"|years?(?: of age)?\b|y\b)|\bage[d:]? (?P<aged>{NUMBER})\b)"
    r"(?P<between>(?:[ ,-]+\w+){0,5}?)[ ,-]*\Z",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"1?\d\d")
_ENDING: Final = frozenset(",;:()")
_HANDED: Final = "left"
_ONLY: Final = "only"
_SINGULAR: Final = ONE | word_set("this that each")
_OPENING: Final = _SINGULAR | word_set("the as some any no my your our their his her whose")
_FIGURES: Final = word_set(
    "character characters lead leads elf elves dwarf dwarves fairy fairies vampire vampires alien"
    " aliens ghost figure figures counterpart counterparts offspring thieves idol idols"
)
_NO_VERBS: Final = ("ss", "us", "ics", "sports", "sales", "arts")
_GOING_ON: Final = word_set("with who whose aged")


def is_told(place: WordContext) -> bool:
    """Whether it says somebody's sex beside the age: "gender is female", "25 and female"."""
    if place.before() in place.cues.copulas and names_field(GENDER, place.before(2)):
        return True
    if place.before() == "assigned":
        return True
    return _ends(place) and (_is_beside_age(place) or _is_aside(place))


def stands_alone(place: WordContext) -> bool:
    """Whether it is a noun for a person."""
    if _is_ratio(place):
        return False
    if years_before(place) is not None:
        return _ends(place) or _does(place, sure=True)
    opener = _opener(place)
    if opener:
        return _ends(place) or _does(place, singular=opener in _SINGULAR)
    return _begins(place)


def is_figure(word: str) -> bool:
    """Whether a noun that means a thing to other adjectives is somebody's: "female character"."""
    return word in _FIGURES


def is_grown(place: WordContext) -> bool:
    """Whether an age of somebody grown stands before it, whatever follows."""
    return (years_before(place) or 0) >= _GROWN


def years_before(place: WordContext) -> int | None:
    """The age that stands before it, in years, 0 for one in months or days; None without one.

    "34-year-old female", "58 yo Black male", "a 45 y/o, right-handed female", "age 45 female".
    """
    end, cues = place.tokens.starts[place.first], place.cues
    found = _AGE_BEFORE.search(place.tokens.text[max(0, end - _REACH) : end])
    if found is None:
        return None
    between = found["between"].lower().replace("-", " ").replace(",", " ").split()
    if any(word in cues.function or word in cues.verbs for word in between if word != _HANDED):
        return None
    in_years = (found["unit"] or "y").lower().startswith("y")
    return age_in((found["years"] or found["aged"]).lower()) if in_years else 0


def _opener(place: WordContext) -> str:
    """The determiner before it; between them stands nothing but what may describe somebody."""
    for steps in range(1, _FAR + 1):
        word = place.before(steps)
        if not word or "," in _gap(place, steps):
            return ""
        if word in _OPENING:
            return word
        if word != _ONLY and (word in place.cues.function or word in place.cues.verbs):
            return ""
    return ""


def _begins(place: WordContext) -> bool:
    """ "Suspect: adult male driving a car", "Caucasian female with", "Female, 34," at the start."""
    steps = 1
    while steps <= _FAR and _describes(place, steps) and ":" not in _gap(place, steps):
        steps += 1
    if place.before(steps) and ":" not in _gap(place, steps):
        return False
    described = steps > 1
    after = place.after()
    if after in _GOING_ON or (after.isdecimal() and len(after) <= 3):
        return True
    return (described and _ends(place)) or _does(place)


def _describes(place: WordContext, steps: int) -> bool:
    word = place.before(steps)
    known = word in place.cues.modifiers
    return known or any(True for _ in place.lexicons.terms(word))


def _gap(place: WordContext, steps: int) -> str:
    return place.tokens.gap(place.first - steps)


def _ends(place: WordContext) -> bool:
    """Whether no noun can follow it: a stop, "with", "c/o", a number."""
    after, gap = place.after(), place.gap_after()
    if not after or not _ENDING.isdisjoint(gap):
        return True
    if after in place.cues.function or after[0].isdigit():
        return True
    return len(after) == 1 and place.tokens.gap(place.last + 1) == "/"


def _does(place: WordContext, *, sure: bool = False, singular: bool = False) -> bool:
    """Whether a verb follows whose subject it is.

    sure: hardly anything else can follow. singular: no plural can.
    """
    verb, then, cues = place.after(), place.after(2), place.cues
    closed = has_complement(place, 2) or _is_amount(then)
    if place.is_person(then) and not closed:
        return False  # "female driving instructor"
    if verb == "status" or verb.endswith("ing"):
        return sure or (closed and bool(then))
    if is_past(place, verb):
        return sure or closed
    if verb in OF_THINGS:
        return False
    if verb in cues.speech or verb in FINITE or (verb in cues.verbs and (sure or singular)):
        return True
    return (sure or (singular and closed)) and verb.endswith("s") and not verb.endswith(_NO_VERBS)


def _is_amount(word: str) -> bool:
    return word[:1].isdigit() or word in english().numbers or word in english().adverbs


def _is_ratio(place: WordContext) -> bool:
    """ "Male to female adapter"."""
    after = place.after() == "to" and place.after(2) in SEXES
    return after or (place.before() == "to" and place.before(2) in SEXES)


def _is_aside(place: WordContext) -> bool:
    """ "The patient (female, 34)", "the victim, female, aged 30"."""
    after = place.after()
    years = after.isdecimal() or (after == "aged" and place.after(2).isdecimal())
    aside = not {"(", ","}.isdisjoint(place.gap_before())
    return aside and years and "," in place.gap_after()


def _is_beside_age(place: WordContext) -> bool:
    """ "34, female", "25 and female", "34-year-old, female"."""
    joined = place.before() == "and"
    if not joined and "," not in place.gap_before():
        return False
    number = place.tokens.word(place.first - 2 if joined else place.first - 1)
    return _NUMBER.fullmatch(number) is not None or years_before(place) is not None
