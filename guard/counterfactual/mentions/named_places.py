"""Where the words around a first name say that a town, a school or an employer has it.

"Charlotte, NC", "moved from Austin to Charlotte", "Emory '12", "degrees from Howard", "Employer:
Chase", "Skills: Ruby, Julia".
"""

from __future__ import annotations

import re
from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.surnames import surname_after

_STATES: Final = (
    "A[LKZR]|C[AOT]|D[CE]|FL|GA|HI|I[DLNA]|K[SY]|LA|M[EDAINSOT]|N[EVHJMYCD]|O[HKR]|PA|RI|S[CD]"
    "|T[NX]|UT|V[TA]|W[AVIY]|BC|AB|ON|QC|UK|USA|NSW|VIC|QLD"
)
_STATE: Final = re.compile(rf", (?:{_STATES})(?![\w'’])")
_TOWNS: Final = word_set(
    "charlotte nancy gary irving florence victoria helena adelaide elizabeth lourdes odessa"
    " jackson austin madison savannah sydney paris london troy alexandria chester lancaster york"
)
_JOURNEYS: Final = word_set(
    "move moves moved moving relocate relocates relocated relocating commute commutes commuted"
    " commuting transfer transferred flight flights flew fly flying drive drove driving travel"
    " travels travelled traveled trip train bus"
)
_OWNING: Final = ("'", "’")
_FAR: Final = 6
"""Words before the name among which a journey or a degree is named."""
_SCHOOLS: Final = word_set(
    "duke emory howard stanford cornell baylor drexel tulane clemson auburn bradley marshall lamar"
    " xavier elon mercer furman lehigh rowan butler hamilton trinity rice vanderbilt wesleyan"
    " spelman morehouse hampton brown kent clark drew reed bates colby carleton amherst"
)
_DEGREES: Final = word_set(
    "degree degrees ba bs bsc ma ms msc mba phd jd md bachelor bachelors master masters doctorate"
    " diploma graduate graduates graduated alumni alumnus alumna alumnae education studied studies"
    " enrolled attended admitted accepted rejected professor freshman sophomore scholarship"
)
_AT: Final = word_set("at from of to attended attend attends attending through with and or")
_CLASS: Final = re.compile(r",? ?(?:['’]\d\d\b|\((?:class of )?(?:19|20)\d\d\b)")
_STAYS: Final = word_set(
    "work works worked working job position role intern interned internship employed employee"
    " teach teaches taught teaching student students professor nurse doctor engineer manager"
    " study studies studied enrolled treated patient seen admitted hospitalised hospitalized"
    " appointment account accounts branch store"
)
_DEALINGS: Final = word_set(
    "account accounts policy policies insured loan loans mortgage card subscription membership"
)
_BODIES: Final = word_set(
    "employer bank insurer lender university college school hospital company firm"
)
_LABELS: Final = word_set(
    "city town location state county region place birthplace hometown university college school"
    " company bank brand language languages skills skill tools stack"
    " software technologies technology frameworks"
)
_LISTS: Final = word_set(
    "skills skill tools stack software technologies technology frameworks languages"
)
_LONGEST_LIST: Final = 15


def names_place(place: WordContext) -> bool:
    """Whether a town, or what somebody works with, is meant."""
    return any(rule(place) for rule in (_has_state, _fills_field, _is_listed))


def may_name_place(place: WordContext) -> bool:
    """Whether a town, a school or an employer is meant, unless a pronoun of its bearer follows."""
    text, end = place.tokens.text, place.tokens.ends[place.last]
    if text[end : end + 1] in _OWNING or surname_after(text, end, place.cues.function):
        return False
    return any(rule(place) for rule in (_is_on_way, _is_school, _is_employer))


def _has_state(place: WordContext) -> bool:
    """ "Charlotte, NC", "Florence, Italy"; not "Sarah, Boston is cold"."""
    if place.word not in _TOWNS | place.cues.placenames:
        return False  # "Emily, CA, is an accountant"
    land = place.gap_after() == ", " and place.tokens.word(place.last + 1) in place.cues.lands
    return land or _STATE.match(place.tokens.text, place.tokens.ends[place.last]) is not None


def _is_on_way(place: WordContext) -> bool:
    """ "Moved from Austin to Charlotte", "from Charlotte to Austin"."""
    if place.word not in _TOWNS | place.cues.placenames:
        return False
    far = range(2, 2 + _FAR)
    if place.before() not in ("to", "from") or not any(place.before(at) in _JOURNEYS for at in far):
        return False
    begun = (
        place.before(3) in ("from", "to") and place.tokens.surface(place.first - 2)[:1].isupper()
    )
    goes_on = place.after() == "to" and place.tokens.surface(place.last + 2)[:1].isupper()
    return (place.before() == "to" and begun) or goes_on


def _is_school(place: WordContext) -> bool:
    """ "Emory '12", "degrees from Duke and Emory", "BSc, Duke, 2014"; not "Howard graduated"."""
    if place.word not in _SCHOOLS:
        return False
    if _CLASS.match(place.tokens.text, place.tokens.ends[place.last]):
        return True
    near = [place.tokens.word(at) for at in range(place.first - _FAR, place.first) if at >= 0]
    led = place.before() in _AT or place.gap_before().startswith((",", ";", " ("))
    return led and not _DEGREES.isdisjoint(near)


def is_workplace(place: WordContext) -> bool:
    """ "Works at Ann Taylor", "treated at Carter's", "a BA from Drake"; not "at Mary's house".

    A full name stands there for a firm as well.
    """
    before, two = place.before(), place.before(2)
    if place.gap_after().startswith(("'", "’")) and place.after() == "s":
        owned = place.after(2)
        if owned and owned not in place.cues.function and not _is_capital(place, 2):
            return False
    if before == "at":
        return two in _STAYS or place.before(3) in _STAYS
    return before == "from" and two in _DEGREES | {"graduated", "graduating"}


def _is_capital(place: WordContext, steps: int) -> bool:
    return place.tokens.surface(place.last + steps)[:1].isupper()


def _is_employer(place: WordContext) -> bool:
    """ "An account with Jasper", "her employer, Erica,", "Employer: Chase"."""
    if place.gap_before() == ": " and place.tokens.word(place.first - 1) in _BODIES:
        return True
    if place.before() == "with":
        return place.before(2) in _DEALINGS
    apart = place.gap_before() == ", " and place.gap_after().startswith(",")
    return apart and place.tokens.word(place.first - 1) in _BODIES


def _fills_field(place: WordContext) -> bool:
    """ "City: Charlotte"."""
    return place.gap_before() == ": " and place.tokens.word(place.first - 1) in _LABELS


def _is_listed(place: WordContext) -> bool:
    """ "Skills: Ruby, Julia, SQL": a list behind a label on the same line."""
    for at in range(place.first - 1, max(-1, place.first - 1 - _LONGEST_LIST), -1):
        gap = place.tokens.gap(at)
        if gap.startswith(":"):
            return gap == ": " and place.tokens.word(at) in _LISTS
        joined = place.tokens.word(at) == "and" or place.tokens.word(at + 1) == "and"
        if "\n" in gap or not (gap[:1] in (",", ";", "/") or joined or gap == " "):
            return False
    return False
