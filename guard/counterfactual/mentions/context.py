"""Whether a word means people here: cues from its neighbours, added up as log-odds.

Each cue is worth a few units: about +-1 shifts, +-3 decides, +-6 settles. The bare word's own
probability is where the sum begins. Nothing is learnt; every weight stands beside its reason.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, log

from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.mentions.adjectives import adjective_cues, noun_cues
from guard.counterfactual.mentions.firstnames import is_place, name_cues
from guard.counterfactual.mentions.place import Place

_NEVER = -9.0
_GENERIC = 0.85  # what a word for anybody starts from when it is asked for


def confidence(form: Form, place: Place) -> float:
    """How likely people are meant, in [0, 1]."""
    return 1 / (1 + exp(-max(-30.0, _start(form.person) + _cues(form, place))))


@lru_cache(maxsize=256)
def alone(person: float) -> float:
    """How likely people are meant by a form with this `person`, whatever is around it."""
    return round(1 / (1 + exp(-_start(person))), 4)


def _start(person: float) -> float:
    bounded = min(0.99, max(0.01, person or _GENERIC))
    return log(bounded / (1 - bounded))


def _cues(form: Form, place: Place) -> float:
    if form.kind is not Kind.ADJECTIVE and is_place(place):
        return _NEVER
    if place.word in place.cues.cased and not place.capital():
        return _NEVER
    if _is_acronym(form, place):
        return -4.0
    return _by_kind(form, place)


def _by_kind(form: Form, place: Place) -> float:
    if form.kind is Kind.NAME:
        return name_cues(form, place)
    if form.kind is Kind.ADJECTIVE:
        return adjective_cues(form, place)
    return noun_cues(form, place) if form.kind is Kind.NOUN else _address_cues(form, place)


def _is_acronym(form: Form, place: Place) -> bool:
    """ "MA" and "PA" among small letters are no parents."""
    short = len(place.surface) <= 3 and place.first == place.last
    return short and len(place.surface) > 1 and _capitals(place) and form.kind is not Kind.PRONOUN


def _capitals(place: Place) -> bool:
    return place.surface.isupper() and not place.shouting()


def _address_cues(form: Form, place: Place) -> float:
    """A title needs a name after it; a pronoun needs nothing."""
    if form.kind is Kind.PRONOUN:
        return 0.0
    named = place.tokens.surface(place.last + 1)[:1].isupper() and "," not in place.gap_after()
    return 4.0 if named and place.capital() else -3.0
