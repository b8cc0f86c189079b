"""Cues for adjectives and nouns that name a group: what they describe, and who the subject is."""

from __future__ import annotations

from enum import Enum

from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.mentions.place import Place

_NUMBERED = frozenset(("is", "was", "has", "are", "were", "have"))


class Head(Enum):
    """What a word describes, or is said of."""

    PERSON = 1
    THING = 2
    NONE = 3
    COMPOUND = 4  # a thing that belongs to a person: "border guard", "coffee drinker"


_DESCRIBED = {Head.PERSON: 4.5, Head.THING: -4.5, Head.COMPOUND: 1.0}
_SEXES = frozenset(("male", "female"))  # nouns for persons where they end a phrase
_HOMOGRAPH = 0.8  # nouns below this `person` may as well stand before another noun ("teen drama")


def adjective_cues(form: Form, place: Place) -> float:
    """Log-odds for an adjective: "Black man" and "she is deaf", not "black coffee"."""
    if form.text.partition(" ")[0] in place.cues.function:
        return 4.0 if _follows_person(place) else -2.0
    if place.before() in place.cues.indefinite:
        return 4.0
    head = _head(place)
    if head is not Head.NONE:
        return _DESCRIBED[head]
    return _alone(place)


def noun_cues(form: Form, place: Place) -> float:
    """Log-odds for a noun: a noun after it makes it an adjective ("a Muslim country")."""
    adjective = place.is_adjective(form)
    if place.first != place.last and not adjective:
        return 4.0
    if place.before_noun():
        return -6.0
    if form.slot == "pl" and _is_title(form, place):
        return -5.0
    if form.slot == "pl":
        return 2.0 if form.person >= 0.5 else 0.0
    if not adjective and form.person >= _HOMOGRAPH:
        return 0.0
    if _head(place) is not Head.NONE and not _did_something(place):
        return -4.0
    before = place.before(_past_adjectives(place))
    return 2.5 if before in place.cues.determiners or before in ("the", "as", "fellow") else -3.0


def _did_something(place: Place) -> bool:
    """ "a Hispanic male flew home", "a male worked at night"; not "a male dominated trade"."""
    verb, after = place.after(), place.after(2)
    past = verb in place.cues.past or (verb.endswith("ed") and after in place.cues.function)
    return past and place.word in _SEXES


def _past_adjectives(place: Place) -> int:
    """How many words before the phrase begins: "a Hispanic male", "this tall Asian female"."""
    steps = place.past(1, place.cues.modifiers)
    if any(one.form.kind is Kind.ADJECTIVE for one in place.lexicons.terms(place.before(steps))):
        steps = place.past(steps + 1, place.cues.modifiers)
    return steps


def _is_title(form: Form, place: Place) -> bool:
    """ "The Sisters" are mountains: a plural has no capital of its own after "the"."""
    return form.text.islower() and place.capital() and place.before() == "the"


def _follows_person(place: Place) -> bool:
    before = place.before()
    return (
        place.is_person(before) or before in place.cues.personal or place.is_name(place.first - 1)
    )


def _alone(place: Place) -> float:
    """No noun follows: it is said of a subject, or stands for people by itself."""
    subject = _subject(place)
    if subject is not Head.NONE:
        return 3.5 if subject is Head.PERSON else -4.0
    if place.before() == "being":
        return 2.0
    if place.before() in ("the", "many", "most") and place.word in place.cues.substantive:
        return -3.0 if _singular_verb(place) else 3.0
    if place.word in place.cues.colors and place.capital() and not place.starts_sentence():
        return 1.5  # with a capital it is people, without one a colour
    return -0.5


def _singular_verb(place: Place) -> bool:
    """ "The blind are", but "the blind in the kitchen is"."""
    verbs = [word for steps in range(1, 6) if (word := place.after(steps)) in _NUMBERED]
    return bool(verbs) and verbs[0] in ("is", "was", "has")


def _head(place: Place) -> Head:
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
    return Head.NONE


def _modifies(place: Place, at: int) -> bool:
    word, cues = place.tokens.word(at), place.cues
    adjective = word in cues.modifiers and not _closes(place, at)
    return adjective or (word in cues.nounlike and not _ends(place, at))


def _closes(place: Place, at: int) -> bool:
    """A word that is a noun as well as a modifier ("female", "native") and ends the phrase."""
    word = place.tokens.word(at)
    return (word in _SEXES or place.is_person(word)) and _ends(place, at)


def _ends(place: Place, at: int) -> bool:
    following = place.tokens.word(at + 1)
    open_ended = place.tokens.gap(at).isspace() and following not in place.cues.function
    return not open_ended or following in place.cues.verbs


def _what(place: Place, at: int, joined: bool) -> Head:
    word = place.tokens.word(at)
    if place.is_person(word) or place.is_name(at) or word in _SEXES:
        return Head.PERSON if not joined else Head.NONE
    if joined or word in place.cues.function or "," in place.gap_after():
        return Head.NONE
    noun = not _is_verb(place, at) or place.before() not in ("the", "many", "most")
    if noun and place.tokens.gap(at) == " " and place.is_person(place.tokens.word(at + 1)):
        return Head.COMPOUND
    return Head.THING if noun else Head.NONE


def _is_verb(place: Place, at: int) -> bool:
    """ "The Irish love it", but not "the Swiss vote is close"."""
    following, cues = place.tokens.word(at + 1), place.cues
    finite = following in cues.copulas or following in cues.weak
    return place.tokens.word(at) in cues.verbs and not finite


def _subject(place: Place) -> Head:
    """Who it is said of: "my boss is gay", "are you Jewish", "the paint is black"."""
    at = place.past(1, place.cues.adverbs)
    if place.before(at) in place.cues.copulas:
        at = place.past(at + 1, _between(place))
        return _person_or_thing(place, at)
    if any(place.before(at + step) in ("is", "are", "was", "were", "am") for step in (1, 2)):
        return _person_or_thing(place, at)
    return Head.NONE


def _between(place: Place) -> frozenset[str]:
    return place.cues.adverbs | place.cues.copulas | place.cues.auxiliaries


def _person_or_thing(place: Place, at: int) -> Head:
    word = place.before(at)
    if not word:
        return Head.NONE
    if word in place.cues.personal or word in ("they", "those") or place.is_person(word):
        return Head.PERSON
    return Head.PERSON if place.is_name(place.first - at) else Head.THING
