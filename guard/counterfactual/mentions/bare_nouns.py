"""Whether a word for the members of a group stands for a person by itself: "A Mexican applied".

The same words are adjectives ("a Mexican dish"), so what follows decides: a verb with its own
complement says that somebody does something, while a participle before a noun describes a thing
("a German made car"). Where both can be read it is unsure.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from guard.counterfactual.english.words import english, word_set
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.mentions.context import WordContext

ONE: Final = word_set("a an one another every each")
"""Words before one person; behind others, a language may be meant ("some German spoken here")."""
_THIS: Final = ONE | word_set("the this that")
_AUXILIARIES: Final = word_set(
    "do does did can could will would should shall may might must doesn didn"
)
_CONJUNCTION: Final = "that"  # "he says that German improved"
_JOINING: Final = word_set("and or")
_CLAUSES: Final = word_set("after before since until as than")  # these begin clauses, too
FINITE: Final = word_set(  # before nothing but an object: no participles, and no nouns
    "went came saw ran sang swam wrote drove rode spoke fell grew drew threw broke chose froze woke"
    " wore tore ate drank began became knew shook stole swore wept gave took got asked asks says"
    " wants makes takes gets gives goes comes eats knows thinks tells sees writes reads sits buys"
    " pays loses speaks prays believes hears feels teaches becomes remembers applies drinks"
)
_IRREGULAR: Final = word_set(  # past forms that are nouns or adjectives as well, or little used
    "left cut put hit let set hurt shut spread split beat bet burst cast bid read lay lit dug bit"
    " rose found struck stuck blew felt meant dealt forgot forgave hung bent clung flung spun swung"
    " slid stung sank rang shot bound ground wound bore bred fled sped bled crept leapt"
)
_OBJECTS: Final = word_set(
    "a an the these those my your his her its our their me him us them it everybody everyone"
)
_NO_PAST: Final = word_set(  # nouns, and what else ends in -ed, but is no past form
    "bed seed speed breed feed shed sled weed deed creed greed steed hundred heed reed need bleed"
    " tweed knead red bred hatred kindred sacred wicked naked moped biped quadruped thoroughbred"
    " purebred crossbred infrared watershed bloodshed seabed flowerbed riverbed sunbed sickbed"
    " hotbed deathbed airbed daybed seaweed linseed rapeseed birdseed aniseed airspeed newsfeed"
    " nosebleed bobsled interbreed crossbreed misdeed coed newlywed ed med ted zed fed wed"
)
OF_THINGS: Final = word_set(
    "made based owned built led run trained born held registered inspired printed produced founded"
    " controlled occupied backed sponsored speaking limited advanced fried mixed united engineered"
    " designed styled flavored flavoured themed manufactured accredited certified funded"
)
_DOING: Final = word_set(
    "living working staying studying visiting applying asking wanting looking trying moving seeking"
    " wishing coming going having being wearing earning renting paying taking sitting standing"
    " waiting walking driving travelling traveling hoping planning claiming fasting praying"
)
_BARE: Final = word_set(
    "adopt apply qualify register inherit obtain rent study convert fast attend claim complete"
    " emigrate immigrate enrol enroll become bring get have be do find own borrow invest"
    " drive fly sell lead"
)
_NAMED: Final = word_set("named called aged")
_NEGATED: Final = word_set("isn wasn doesn didn hasn hadn won couldn wouldn shouldn")
_ABLE: Final = word_set("able unable likely unlikely eligible free welcome ready willing")
_NO_VERBS: Final = word_set(
    "rules species news sports arts savings sales arms goods games systems foods drugs customs gas"
    " atlas lens bias canvas christmas jeans pants glasses clothes mathematics christians jews"
)
_NO_VERB_ENDINGS: Final = ("ss", "us", "is", "ics", "series")
_MANNER: Final = "ly"


class Standing(Enum):
    """Whether a word stands for a person by itself."""

    PERSON = "it does"
    UNSURE = "it may as well describe the noun after it"
    NONE = "nothing says so"


def standing(place: WordContext, phrase: int) -> Standing:
    """What follows the word says. phrase: how many words before the phrase begins."""
    begins = next((at for at in range(1, phrase + 1) if place.before(at) in _THIS), 0)
    if not begins:
        return Standing.NONE
    before = place.before(begins)
    verb = 2 if _is_adverb(place) else 1
    if place.after(verb) in _IRREGULAR:
        return _acted(place, verb, begins, one=before in ONE)
    told_apart = _is_told_apart(place, verb)
    asked = place.before(begins + 1) in _AUXILIARIES or _is_second(place, begins)
    if not (told_apart or _is_verb(place, verb, asked=asked, one=before in ONE)):
        unknown = before in ONE and _is_unknown_verb(place, verb, begins)
        return Standing.UNSURE if unknown else Standing.NONE
    sure = before != _CONJUNCTION and (told_apart or has_complement(place, verb + 1))
    return Standing.PERSON if sure else Standing.UNSURE


def _is_second(place: WordContext, begins: int) -> bool:
    """Whether it is the second of two people: "a Turk and a German"."""
    if place.before(begins + 1) != "and":
        return False
    first = place.before(begins + 2)
    member = any(form.kind is Kind.NOUN for form in place.lexicons.forms(first))
    return member or place.is_person(first)


def _acted(place: WordContext, verb: int, begins: int, *, one: bool) -> Standing:
    """ "A German left the house"; a noun in "a German set of rules", "I heard a German hit"."""
    then, subject = place.after(verb + 1), _is_subject(place, begins)
    if then in _OBJECTS:
        return Standing.PERSON if subject else Standing.UNSURE
    noun = then == "of" or then in place.cues.copulas or then in place.cues.auxiliaries
    return Standing.UNSURE if one and subject and not noun else Standing.NONE


def _is_unknown_verb(place: WordContext, verb: int, begins: int) -> bool:
    """ "A German phoned the boy" with a verb that no list has; not "I have a German car this"."""
    word, then = place.after(verb), place.after(verb + 1)
    known = word in place.cues.function or not word
    return not known and then in _OBJECTS and _is_subject(place, begins)


def _is_subject(place: WordContext, begins: int) -> bool:
    """Whether the phrase follows no verb and no preposition whose object it would be."""
    before, cues = place.before(begins + 1), place.cues
    acts = any(before in one for one in (cues.verbs, cues.past, cues.speech, cues.copulas))
    of_verb = acts or is_past(place, before) or before.endswith("ing")
    return not (of_verb or before in english().prepositions - _CLAUSES)


def is_past(place: WordContext, word: str) -> bool:
    """Whether it is a past form, as far as its ending and the lists tell; not "speed"."""
    return word in place.cues.past or (word.endswith("ed") and word not in _NO_PAST)


def goes_on(place: WordContext) -> bool:
    """Whether a word that no noun follows is spoken of: "a Black is", "a Black who"."""
    after = place.after()
    finite = after in place.cues.auxiliaries or after in ("is", "was", "who", "does", "did")
    return finite and place.before() in ONE


def _is_adverb(place: WordContext) -> bool:
    """ "A German politely asked me", not "a German family"."""
    follows = place.after(2)
    finite = is_past(place, follows) or follows in FINITE or follows in _IRREGULAR
    return place.after().endswith(_MANNER) and finite


def _is_told_apart(place: WordContext, verb: int) -> bool:
    """Whether the word can only be what a person does, or is called."""
    word, then = place.after(verb), place.after(verb + 1)
    if word in FINITE or word in _NAMED or (word in _NEGATED and then == "t"):
        return True
    return (word in _ABLE and then == "to") or (word in _DOING and then in place.cues.function)


def _is_verb(place: WordContext, verb: int, *, asked: bool, one: bool) -> bool:
    """Whether the word is a verb in a form that can follow.

    asked: an auxiliary stands before ("can a German drive"), or another person ("a Turk and a
    German argue"). one: no plural can follow.
    """
    word, cues = place.after(verb), place.cues
    known = word in cues.verbs or word in cues.speech
    closed = has_complement(place, verb + 1)
    if is_past(place, word):
        return closed or word not in OF_THINGS
    if word.endswith("s"):
        odd = word in _NO_VERBS or word.endswith(_NO_VERB_ENDINGS)
        return one and not odd
    return asked and (known or word in _BARE)


def has_complement(place: WordContext, at: int) -> bool:
    """Whether the clause ends there or goes on as behind a verb: "applied for", "came late"."""
    word = place.after(at)
    if word in _JOINING:
        return False
    return not word or word in place.cues.function or word.endswith(_MANNER)
