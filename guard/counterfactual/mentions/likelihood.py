"""Whether a word means people here: cues from its neighbours, added up as log-odds.

Each cue is worth a few units: about +-1 shifts, +-3 decides, +-6 settles. The bare word's own
probability is where the sum begins. Nothing is learnt; every weight stands beside its reason.

`confidence` adds them up; below it stand the cues of adjectives, which depend on what they describe
and who the subject is, and of nouns. Those of first names stand in `name_cues`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from math import exp, log

from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.mentions.age_words import AgeSense, age_sense
from guard.counterfactual.mentions.bare_nouns import ONE, Standing, goes_on, standing
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.name_cues import (
    NEVER,
    all_capitals,
    as_place,
    even,
    is_place,
    name_cues,
)
from guard.counterfactual.mentions.other_senses import other_sense
from guard.counterfactual.mentions.sexes import SEXES, is_figure, is_grown, is_told, stands_alone

_AGE = "age"
_GENERIC = 0.85  # what a word for anybody starts from when it is asked for


def confidence(form: Form, place: WordContext) -> float:
    """How likely people are meant, in [0, 1]."""
    return 1 / (1 + exp(-max(-30.0, _start(form.person) + _cues(form, place))))


@lru_cache(maxsize=256)
def alone(person: float) -> float:
    """How likely people are meant by a form with this `person`, whatever is around it."""
    return round(1 / (1 + exp(-_start(person))), 4)


def _start(person: float) -> float:
    bounded = min(0.99, max(0.01, person or _GENERIC))
    return log(bounded / (1 - bounded))


def _cues(form: Form, place: WordContext) -> float:
    if form.attribute == _AGE and place.first == place.last:
        sense = age_sense(place)
        if sense is not AgeSense.AGE:
            return even(form.person) if sense is AgeSense.UNSURE else NEVER
    other = other_sense(form, place) if place.first == place.last else None
    if other is not None:
        return other
    if form.kind is not Kind.ADJECTIVE and is_place(place):
        return as_place(form, place)
    if place.word in place.cues.cased and not place.capital():
        return NEVER
    if _is_acronym(form, place):
        return NEVER if _is_illness(form, place) else -4.0
    return _by_kind(form, place)


def _by_kind(form: Form, place: WordContext) -> float:
    if form.kind is Kind.NAME:
        return name_cues(form, place)
    if form.kind is Kind.ADJECTIVE:
        return adjective_cues(form, place)
    return noun_cues(form, place) if form.kind is Kind.NOUN else _address_cues(form, place)


def _is_acronym(form: Form, place: WordContext) -> bool:
    """ "MA" and "PA" among small letters are no parents."""
    short = len(place.surface) <= 3 and place.first == place.last
    return short and all_capitals(place) and form.kind not in (Kind.PRONOUN, Kind.NAME)


def _address_cues(form: Form, place: WordContext) -> float:
    """A title needs a name after it; a pronoun needs nothing."""
    if form.kind is Kind.PRONOUN:
        return 0.0
    return 4.0 if _names_somebody(place) and place.capital() else -3.0


def _names_somebody(place: WordContext) -> bool:
    return place.tokens.surface(place.last + 1)[:1].isupper() and "," not in place.gap_after()


def _is_illness(form: Form, place: WordContext) -> bool:
    """ "She has MS. He has MR." are no titles."""
    after = place.tokens.word(place.last + 1)
    return form.kind is Kind.TITLE and (not _names_somebody(place) or after in place.cues.function)


_YEARS = frozenset(("year", "years", "yr", "yrs"))
_NUMBERED = frozenset(("is", "was", "has", "are", "were", "have"))


class Described(Enum):
    """What a word describes, or is said of."""

    PERSON = 1
    THING = 2
    NONE = 3
    COMPOUND = 4  # a thing that belongs to a person: "border guard", "coffee drinker"


_DESCRIBED = {Described.PERSON: 4.5, Described.THING: -4.5, Described.COMPOUND: 1.0}
_HOMOGRAPH = 0.8  # nouns below this `person` may as well stand before another noun ("teen drama")


def adjective_cues(form: Form, place: WordContext) -> float:
    """Log-odds for an adjective: "Black man" and "she is deaf", not "black coffee"."""
    if form.text.partition(" ")[0] in place.cues.function:
        return 4.0 if _follows_person(place) else -2.0
    if place.before() in place.cues.indefinite or (place.word in SEXES and is_told(place)):
        return 4.0
    head = _head(place)
    if head in (Described.PERSON, Described.COMPOUND):
        return _DESCRIBED[head]
    if place.before() in ONE and standing(place, 1) is not Standing.NONE:
        return even(form.person)  # "a Black applied": no noun, and yet somebody
    if place.word in SEXES and head is Described.THING and is_grown(place):
        return 2.0  # "a 45-year-old female bodybuilder": few things are said to be of a sex
    return _DESCRIBED[head] if head is Described.THING else _alone(form, place)


def noun_cues(form: Form, place: WordContext) -> float:
    """Log-odds for a noun: a noun after it makes it an adjective ("a Muslim country")."""
    adjective = place.is_adjective(form)
    if place.first != place.last and not adjective:
        return 4.0
    if place.before_noun():
        return -6.0
    if _is_name_instead(form, place):
        begins = place.starts_sentence() and place.verb_at(1)
        acts = begins or place.before() in place.cues.told  # "Duke asked for it", "told Prince"
        return even(form.person) if acts and place.word in _NAMESAKES else -6.0
    if form.slot == "pl" and _is_title(form, place):
        return -5.0
    if form.slot == "pl":
        return 2.0 if form.person >= 0.5 else 0.0
    if not adjective and (form.person or _GENERIC) >= _HOMOGRAPH:
        return 0.0
    phrase = _past_adjectives(form, place)
    if place.word in SEXES:
        return 2.5 if stands_alone(place) else _weights(form)[standing(place, phrase)]
    if _head(place) is not Described.NONE:
        return _weights(form)[standing(place, phrase)]
    before = place.before(phrase)
    return 2.5 if before in place.cues.determiners or before in ("the", "as", "fellow") else -3.0


def _weights(form: Form) -> Mapping[Standing, float]:
    return {Standing.PERSON: 2.5, Standing.UNSURE: even(form.person), Standing.NONE: -4.0}


_NAMESAKES = frozenset(("duke", "prince", "queen", "king", "baron", "count", "earl", "knight"))
"""Ranks that are names of schools, bands, makers and surnames: "a degree from Duke"."""


def _is_name_instead(form: Form, place: WordContext) -> bool:
    """ "I asked Guy", not "the Duke": a capital where none is due, or "Guy said"."""
    bare = not place.starts_sentence() or place.verb_at(1)
    written = form.text.islower() and place.capital() and bare
    known = place.lexicons.people.first.record(place.word) is not None
    if place.word in _NAMESAKES:
        known = not _names_somebody(place) or place.gap_after() != " "  # not "King William"
    before = place.before()
    return written and known and before not in place.cues.determiners and before != "the"


def _past_adjectives(form: Form, place: WordContext) -> int:
    """How many words before the phrase begins: "a Hispanic male", "a 30-year-old Latina"."""
    steps = _past_age(form, place, place.past(1, place.cues.modifiers))
    if any(one.form.kind is Kind.ADJECTIVE for one in place.lexicons.terms(place.before(steps))):
        steps = _past_age(form, place, place.past(steps + 1, place.cues.modifiers))
    return steps


def _past_age(form: Form, place: WordContext, steps: int) -> int:
    """The same where "30 year old" stands there, past it and the modifiers before it; not for a
    word of age, since "65-year-old retiree" says it twice."""
    unit = steps + (place.before(steps) == "old")  # which is a modifier by itself
    aged = place.before(unit) in _YEARS and place.before(unit - 1) == "old"
    passed = aged and form.attribute != _AGE
    return place.past(unit + 2, place.cues.modifiers) if passed else steps


def _is_title(form: Form, place: WordContext) -> bool:
    """ "The Sisters" are mountains: a plural has no capital of its own after "the"."""
    return form.text.islower() and place.capital() and place.before() == "the"


def _follows_person(place: WordContext) -> bool:
    before = place.before()
    return (
        place.is_person(before) or before in place.cues.personal or place.is_name(place.first - 1)
    )


def _alone(form: Form, place: WordContext) -> float:
    """No noun follows: it is said of a subject, or stands for people by itself."""
    subject = _subject(place)
    if subject is not Described.NONE:
        return 3.5 if subject is Described.PERSON else -4.0
    if place.before() == "being":
        return 2.0
    if place.before() in ("the", "many", "most") and place.word in place.cues.substantive:
        return -3.0 if _singular_verb(place) else 3.0
    if place.word in place.cues.colors and place.capital() and not place.starts_sentence():
        return 1.5  # with a capital it is people, without one a colour
    return even(form.person) if goes_on(place) else -0.5


def _singular_verb(place: WordContext) -> bool:
    """ "The blind are", but "the blind in the kitchen is"."""
    verbs = [word for steps in range(1, 6) if (word := place.after(steps)) in _NUMBERED]
    return bool(verbs) and verbs[0] in ("is", "was", "has")


def _head(place: WordContext) -> Described:
    """What the noun after it is; modifiers and coordinated adjectives are passed over."""
    joined = False  # whether "and" or "or" stands just before
    for at in place.following():
        word = place.tokens.word(at)
        if word in ("and", "or", "&", "but"):
            joined = True
        elif (word in place.cues.modifiers and not _closes(place, at)) or (
            word in place.cues.nounlike and not _ends(place, at)
        ):
            joined = False
        else:
            return _what(place, at, joined)
    return Described.NONE


def _closes(place: WordContext, at: int) -> bool:
    """A word that is a noun as well as a modifier ("female", "native") and ends the phrase."""
    word = place.tokens.word(at)
    if word in SEXES and stands_alone(WordContext(place.tokens, at, at, place.lexicons)):
        return True
    return (word in SEXES or place.is_person(word)) and _ends(place, at)


def _ends(place: WordContext, at: int) -> bool:
    following = place.tokens.word(at + 1)
    open_ended = place.tokens.gap(at).isspace() and following not in place.cues.function
    return not open_ended or following in place.cues.verbs


def _what(place: WordContext, at: int, joined: bool) -> Described:
    word = place.tokens.word(at)
    figure = place.word in SEXES and is_figure(word)
    if place.is_person(word) or place.is_name(at) or word in SEXES or figure:
        return Described.PERSON if not joined else Described.NONE
    if joined or word in place.cues.function or "," in place.gap_after():
        return Described.NONE
    noun = not _is_verb(place, at) or place.before() not in ("the", "many", "most")
    if noun and place.tokens.gap(at) == " " and place.is_person(place.tokens.word(at + 1)):
        return Described.COMPOUND
    return Described.THING if noun else Described.NONE


def _is_verb(place: WordContext, at: int) -> bool:
    """ "The Irish love it", but not "the Swiss vote is close"."""
    following, cues = place.tokens.word(at + 1), place.cues
    finite = following in cues.copulas or following in cues.weak
    return place.tokens.word(at) in cues.verbs and not finite


def _subject(place: WordContext) -> Described:
    """Who it is said of: "my boss is gay", "are you Jewish", "the paint is black"."""
    at = place.past(1, place.cues.adverbs)
    if place.before(at) in place.cues.copulas:
        between = place.cues.adverbs | place.cues.copulas | place.cues.auxiliaries
        at = place.past(at + 1, between)
        return _person_or_thing(place, at)
    if any(place.before(at + step) in ("is", "are", "was", "were", "am") for step in (1, 2)):
        return _person_or_thing(place, at)
    return Described.NONE


def _person_or_thing(place: WordContext, at: int) -> Described:
    word = place.before(at)
    if not word:
        return Described.NONE
    if word in place.cues.personal or word in ("they", "those") or place.is_person(word):
        return Described.PERSON
    named = place.is_name(place.first - at) or place.is_surname(place.first - at)
    return Described.PERSON if named else Described.THING
