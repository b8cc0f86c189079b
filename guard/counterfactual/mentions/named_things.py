"""Where the words around a first name say what else has it: a program, a song, a king, a town.

"Install Julia 1.10", "the chords of Jolene", "Henry VIII", "the population of Charlotte". Nobody is
meant there; where a pronoun may be a bearer's, the name stays in doubt (`name_cues`).
"""

from __future__ import annotations

import re

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Form
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.named_places import is_workplace, names_place
from guard.counterfactual.mentions.surnames import surname_after
from guard.counterfactual.names import NAME_ALONE

_VERSION = re.compile(r" v?\d+\.\d")
_NUMERAL = re.compile(r"(?: Paul)? (?:X{0,2}(?:I{2,3}|IV|VI{1,3}|IX)|X{1,2}I?)(?![\w.'’])")
_FIRST = re.compile(r" I(?![\w'’])")
_RULERS = word_set("king queen pope emperor empress tsar tsarina sultan under of was did were")
_SET_UP = word_set(
    "install installing installed reinstall uninstall compile compiling debug debugging deploy"
    " deploying configure configuring upgrade upgrading import importing"
)
_USING = word_set("use using")
_DO = word_set("do i we you they to should")
_PROGRAMS = word_set(
    "julia ruby ada crystal elixir python java rust perl scala hugo jekyll cassandra aurora athena"
    " haskell kotlin swift go php javascript typescript fortran matlab jasmine mocha maya blender"
)
_OF_CODE = word_set(
    "code script scripts function functions library package packages program compiler interpreter"
    " notebook syntax cluster clusters node nodes server database framework plugin repl runtime"
    " api sdk tests metrics"
)
_OF_SHOPS = word_set(
    "app language film movie song album novel musical opera soundtrack lyrics beer pasta pizza"
    " potatoes sauce hoover homestore"
)
GIVING = word_set("give gave send sent buy bought show showed bring brought teach taught tell told")
_CLAUSES = word_set("what that how why who where when")
_KINDS = word_set(
    "song film movie novel musical opera ballet album language library framework package app"
    " software program database game ship"
)
_TITLED = word_set("called titled entitled named")
_PARTS = word_set(
    "chords lyrics plot ending soundtrack libretto cast screenplay themes finale tabs population"
    " mayor climate outskirts airport"
)
_MAKING = word_set(
    "composed composes sings sang directed wrote recorded choreographed summarise summarize"
)
_WHO = word_set("who summarise summarize")
_IN_PERSON = word_set(
    "believe believes believed believing confide confides confided interested trust trusted faith"
    " confidence invested disappointed see sees saw seen let check bring came come call called love"
    " belief interest pride hope live lives change changes"
)
_JOURNEYS = word_set(
    "flight flights train trains bus buses ferry ferries drive driving travel travelling traveling"
    " trip trips road directions fly flying get far commute"
)
_ASKED_WAY = 4  # words before the name among which a journey is named
_MONTHS = word_set(
    "january february march april may june july august september october november december summer"
    " winter spring autumn fall"
)
_WEATHER = word_set("warm cold hot humid rainy sunny snowy windy foggy walkable touristy")
_SEEN = word_set("suitable appropriate okay ok scary for")
_AUDIENCE = word_set("kids children toddlers kid child year")
_WINDS = word_set("hurricane cyclone typhoon landfall storm")
_BEFORE_STORMS = word_set("than during since and or")
_STRUCK = word_set("hit strike reach devastate flood")
_ADVICE = word_set("by and or on in for with at from again the a as to")


def names_thing(form: Form, place: WordContext) -> bool:
    """Whether the words around say that a program, a work, a ruler, a town or a storm is meant."""
    if _is_numbered(place) or is_workplace(place):
        return True
    owns = place.gap_after().startswith(("'", "’")) and place.after() == "s"
    if owns:
        return form.person >= NAME_ALONE and place.after(2) in ("compiler", "interpreter", "repl")
    if surname_after(place.tokens.text, place.tokens.ends[place.last], place.cues.function):
        return False
    if _is_product(place) or _is_compared(place) or names_place(place):
        return True
    rules = (_is_software, _is_kind, _is_work, _is_inside, _is_town, _is_show, _is_storm)
    return place.gap_before() == " " and any(rule(place) for rule in rules)


def _is_numbered(place: WordContext) -> bool:
    """ "Julia 1.10", "Henry VIII", "Was Elizabeth I a good queen?"; not "With Sarah I ..."."""
    text, end = place.tokens.text, place.tokens.ends[place.last]
    if _VERSION.match(text, end) or _NUMERAL.match(text, end):
        return True
    return bool(_FIRST.match(text, end)) and place.before() in _RULERS


def _is_software(place: WordContext) -> bool:
    """ "Install Julia", "How do I use Maya?"; not "use Sarah as a reference"."""
    before, after = place.before(), place.after()
    joined = before in ("and", "or") and place.tokens.surface(place.first - 2)[:1].isupper()
    verb, two = (place.before(3), place.before(4)) if joined else (before, place.before(2))
    if verb in _SET_UP:
        return after not in ("to", "that", "who")
    if verb == "up" and two in ("set", "setting"):
        return after not in ("with", "for")
    return verb in _USING and two in _DO and after not in ("as", "to", "and")


def _is_compared(place: WordContext) -> bool:
    """ "Is Julia faster than Ruby?", "the difference between Ruby and Crystal"."""
    if place.word not in _PROGRAMS:
        return False
    if place.before() == "between" or place.before(3) == "between":
        return place.after(2) in _PROGRAMS or place.before(2) in _PROGRAMS
    follows = place.after(2) == "than" and place.after(3) in _PROGRAMS
    return follows or (place.before() == "than" and place.before(3) in _PROGRAMS)


def is_told(place: WordContext) -> bool:
    """ "Tell Julia", "sent Maya the code", "explain to Maya what JSON is"."""
    heard = place.before() == "to" and place.after() in _CLAUSES
    return heard or place.before() in place.cues.told | GIVING


def _is_product(place: WordContext) -> bool:
    """ "Julia code", "Anna potatoes"; not "buy Anna pizza"."""
    follows = place.gap_after() == " " and place.after() in _OF_CODE | _OF_SHOPS
    return follows and not is_told(place)


def _is_kind(place: WordContext) -> bool:
    """ "The song Angie", "a film called Emma"; not "the film Sarah recommended"."""
    titled = place.before() in _TITLED
    kind = place.before(2) if titled else place.before()
    if kind not in _KINDS:
        return False
    return titled or not place.after() or place.after() in _ADVICE


def _is_work(place: WordContext) -> bool:
    """ "The chords of Jolene", "Who composed Carmen?"; not "Who wrote Rebecca a letter?"."""
    before, after = place.before(), place.after()
    if before in ("of", "to", "for") and place.before(2) in _PARTS:
        return True
    asked = place.before(2) in _WHO or before in _WHO
    return before in _MAKING and asked and (not after or after in _ADVICE - {"a", "the", "to"})


def _is_inside(place: WordContext) -> bool:
    """ "A function in Julia", "rent in Charlotte"; not "I believe in Sarah"."""
    last = place.before(2)
    if place.before() != "in" or not last or last in _IN_PERSON:
        return False
    return not place.is_name(place.first - 2) and place.after() != "and"


def _is_town(place: WordContext) -> bool:
    """ "From Nancy to Metz", "Is Adelaide warm in July?", "Is Helena the capital of ...?"."""
    going = any(place.before(steps) in _JOURNEYS for steps in range(2, 2 + _ASKED_WAY))
    if place.before() in ("to", "from") and going:
        other = place.tokens.surface(place.last + 2)[:1].isupper()
        other = other and not place.is_name(place.last + 2)
        return other and place.after() in ("to", "from", "and", "by", "via", "in")
    asked = place.before() in ("is", "was") and place.after() in _WEATHER
    if place.after() == "the" and place.after(2) == "capital" and place.after(3) == "of":
        return place.before() == "is"
    return asked and place.after(2) == "in" and place.after(3) in _MONTHS


def _is_show(place: WordContext) -> bool:
    """ "Is Matilda suitable for a 7-year-old?"."""
    asked = place.before() == "is" and place.after() in _SEEN
    about = [place.after(steps) for steps in range(2, 7)]
    return asked and ("for" in (place.after(), *about)) and not _AUDIENCE.isdisjoint(about)


def _is_storm(place: WordContext) -> bool:
    """ "Worse than Katrina" behind a hurricane, "When did Sandy hit New York?"."""
    if place.before() == "storm" and place.before(2) == "tropical":
        return True
    if place.before() == "did" and place.after() in _STRUCK:
        other = place.tokens.surface(place.last + 2)[:1].isupper()
        return other and not place.is_name(place.last + 2)
    around = range(place.first - _NEAR, place.last + _NEAR + 1)
    near = _WINDS.intersection(place.tokens.word(at) for at in around if at >= 0)
    return "landfall" in near or (place.before() in _BEFORE_STORMS and bool(near))


_NEAR = 6  # words from the name among which a storm is named
