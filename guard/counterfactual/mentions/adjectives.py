"""Cues for adjectives and nouns that name a group: what they describe, and who the subject is."""

from __future__ import annotations

from enum import Enum

from guard.counterfactual.lexicons.forms import Form
from guard.counterfactual.mentions.place import Place


class Head(Enum):
    """What an adjective describes."""

    PERSON = 1
    THING = 2
    NONE = 3


def adjective_cues(place: Place) -> float:
    """Log-odds for an adjective: "Black man" and "she is deaf", not "black coffee"."""
    head = _head(place)
    if head is Head.PERSON:
        return 4.5
    if head is Head.THING:
        return -4.5
    return _alone(place)


def noun_cues(form: Form, place: Place) -> float:
    """Log-odds for a noun: a thing after it makes it an adjective ("a Muslim country")."""
    if form.person >= 0.9:
        return 0.0
    head = _head(place)
    if head is Head.THING:
        return -4.0
    if form.slot == "pl":
        return 2.5
    before = place.before()
    return 2.5 if before in place.cues.determiners or before in ("the", "as", "fellow") else 0.0


def _alone(place: Place) -> float:
    """No noun follows: it is said of a subject, or stands for people by itself."""
    subject = _subject(place)
    if subject is not Head.NONE:
        return 3.5 if subject is Head.PERSON else -4.0
    before = place.before()
    if before in ("the", "these", "those", "many") and place.word in place.cues.substantive:
        return 3.0
    if before in place.cues.indefinite:
        return 2.5
    if _proper_color(place):
        return 1.5
    return -0.5


def _proper_color(place: Place) -> bool:
    """ "Black" within a sentence is people; "black" is a colour."""
    return place.word in place.cues.colors and place.capital() and not place.starts_sentence()


def _head(place: Place) -> Head:
    """What the noun after it is; modifiers and coordinated adjectives are passed over."""
    tokens, cues = place.tokens, place.cues
    coordinated = False
    for at in place.following():
        word = tokens.word(at)
        if cues.is_person(word) and word not in cues.modifiers:
            return Head.PERSON
        if word in ("and", "or", "&"):
            coordinated = True
            continue
        if word in cues.modifiers:
            if cues.is_person(word) and _ends(place, at):
                return Head.PERSON
            continue
        return _what(place, at, coordinated)
    return Head.NONE


def _ends(place: Place, at: int) -> bool:
    following = place.tokens.word(at + 1)
    blank = place.tokens.gap(at).isspace()
    return not blank or following in place.cues.function or following in place.cues.verbs


def _what(place: Place, at: int, coordinated: bool) -> Head:
    word = place.tokens.word(at)
    if word in place.cues.function or coordinated:
        return Head.NONE
    if word in place.cues.verbs and place.before() in ("the", "many", "most"):
        return Head.NONE
    return Head.THING if "," not in place.gap_after() else Head.NONE


def _subject(place: Place) -> Head:
    """Who a predicate adjective is said of: "my boss is gay", "the paint is black"."""
    at = 1
    while place.before(at) in place.cues.adverbs and at < 4:
        at += 1
    copula = place.before(at)
    if copula not in place.cues.copulas or not copula:
        return Head.NONE
    at += 1
    while place.before(at) in place.cues.adverbs | place.cues.copulas | {
        "have",
        "has",
        "had",
        "will",
        "would",
        "who",
    }:
        if place.before(at) == "who":
            return Head.PERSON
        at += 1
    return _person_or_thing(place, at)


def _person_or_thing(place: Place, at: int) -> Head:
    word = place.before(at)
    if word in place.cues.personal or place.cues.is_person(word) or word in ("they", "those"):
        return Head.PERSON
    if word in place.cues.impersonal:
        return Head.THING
    if not word:
        return Head.NONE
    surface = place.tokens.surface(place.first - at)
    return Head.PERSON if surface[:1].isupper() else Head.THING
