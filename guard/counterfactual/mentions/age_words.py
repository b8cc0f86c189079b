"""Where words for an age say something else of persons: a former landlord, a student's last year.

"My old landlord" was one's landlord before, "my old aunt" is old; "a senior in college" is young.
"""

from __future__ import annotations

from bisect import bisect_left
from enum import Enum
from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.tokens import tokens_of
from guard.records import Span


class AgeSense(Enum):
    """What a word that may name an age says of somebody."""

    AGE = "an age"
    UNSURE = "an age, or something else"
    OTHER = "something else"


_WORDS: Final = 3  # that may stand between "old" and whom it describes
_SOON: Final = 4  # words behind somebody in which an age is looked for
_NEAR: Final = 10  # words away that tell what is spoken of
_POSSESSIVE: Final = word_set("my your our his her their s")
_OF_MINE: Final = word_set("mine yours ours his hers theirs")
_LATER: Final = word_set("new current present next former previous")
_AGED: Final = word_set(
    "man men woman women lady ladies gentleman gentlemen guy guys gal person people folk folks"
    " couple couples fellow chap bloke boy boys girl girls dude mother father mom mum mama papa dad"
    " daddy mommy mummy parent parents grandmother grandfather grandma grandpa granny grandparent"
    " grandparents aunt aunts uncle uncles auntie brother brothers sister sisters sibling siblings"
    " cousin cousins nephew niece son sons daughter daughters husband wife widow widower spouse"
    " relative relatives family kin mother-in-law father-in-law stepmother stepfather godmother"
    " godfather veteran veterans pensioner pensioners retiree retirees patient patients resident"
    " residents neighbor neighbors neighbour neighbours adult adults citizen citizens soul souls"
    " child children kid kids baby servant servants nun nuns monk monks"
)
_RELATED: Final = word_set(
    "colleague colleagues coworker coworkers roommate roommates flatmate flatmates housemate"
    " housemates bandmate bandmates teammate teammates schoolmate schoolmates boss bosses landlord"
    " landlords landlady employer employers acquaintance acquaintances boyfriend boyfriends"
    " girlfriend girlfriends rival rivals enemy enemies partner partners companion companions ally"
    " allies friend friends mentor mentors"
)
_OLDEST: Final = _RELATED | word_set("client clients customer customers supporter supporters")
_HOLDERS: Final = word_set(
    "ceo manager managers owner owners tenant tenants supervisor supervisors director directors"
    " president chairman chairwoman mayor governor principal agent agents contractor contractors"
    " accountant provider providers lawyer attorney coach occupant occupants assistant secretary"
    " receptionist bookkeeper developer developers vendor vendors supplier suppliers administrator"
    " user users holder holders leader minister editor tutor trainer client clients customer"
    " customers renter renters cleaner nanny babysitter dentist therapist"
)

_SENIORS: Final = word_set("senior seniors")
_SUBJECT: Final = "minor"  # of somebody's studies
_ELDERS: Final = word_set("elder elders")
_SCHOOLS: Final = word_set(
    "school schools college colleges university universities uni campus highschool academy hs"
)
_OF_STUDENTS: Final = word_set(
    "freshman freshmen sophomore sophomores junior juniors prom semester dorm gpa yearbook thesis"
    " tuition sorority fraternity undergrad undergrads undergraduate homecoming valedictorian"
    " majoring"
)
_STUDYING: Final = word_set("majoring studying graduating graduate graduates year")
_BEFORE_STUDENTS: Final = _SCHOOLS | word_set("graduating rising")
_WORKPLACES: Final = word_set("office team work company firm department workplace")
_CHURCHES: Final = word_set("church churches congregation parish lds jehovah presbyterian mormon")


def age_sense(place: WordContext) -> AgeSense:
    """What "old", "oldest", "senior", "elder" or "minor" say here; any other word says an age."""
    word = place.word
    if word in ("old", "oldest"):
        return _of_old(place)
    if word in _SENIORS:
        return _of_senior(place)
    if word == _SUBJECT:
        study = place.before() in _POSSESSIVE and place.after() in ("is", "was", "in")
        return AgeSense.OTHER if study else AgeSense.AGE
    if word in _ELDERS:
        return AgeSense.OTHER if _is_of_church(place) else AgeSense.AGE
    return AgeSense.AGE


def is_former(text: str, span: Span, lexicons: Lexicons) -> bool:
    """Whether "old" at this place of a text would be understood as "former"."""
    tokens = tokens_of(text)
    first, last = bisect_left(tokens.starts, span.start), bisect_left(tokens.ends, span.end)
    return _of_old(WordContext(tokens, first, last, lexicons), word="old") is not AgeSense.AGE


def _of_old(place: WordContext, word: str = "") -> AgeSense:
    head = _described(place)
    noun = place.tokens.word(head) if head is not None else ""
    if head is None or noun in _AGED:
        return AgeSense.AGE
    if (word or place.word) == "oldest":
        return AgeSense.OTHER if noun in _OLDEST else AgeSense.AGE
    owned = place.before() in _POSSESSIVE and place.gap_before() in (" ", "'s ")
    of_mine = place.tokens.word(head + 1) == "of" and place.tokens.word(head + 2) in _OF_MINE
    if owned or of_mine or noun in _RELATED or _has_successor(place, noun):
        return AgeSense.UNSURE if _is_aged(place, head) else AgeSense.OTHER
    return AgeSense.UNSURE if noun in _HOLDERS else AgeSense.AGE


def _described(place: WordContext) -> int | None:
    """The number of the noun for a person behind it: "old landlord", "old maths teacher"."""
    for at in range(place.last + 1, place.last + 1 + _WORDS):
        word = place.tokens.word(at)
        if not word or place.tokens.gap(at - 1) not in (" ", "-") or word in place.cues.function:
            return None
        if place.is_person(word) or word in _HOLDERS:
            return at
    return None


def _is_aged(place: WordContext, head: int) -> bool:
    """ "My old teacher, 80, died": of whom an age is said "old" may say it as well."""
    words = map(place.tokens.word, range(head + 1, head + 1 + _SOON))
    return any(len(word) == len("80") and word.isdecimal() for word in words)


def _has_successor(place: WordContext, noun: str) -> bool:
    """ "The old teacher left and the new teacher came", "the old CEO ... the new one"."""
    tokens, around = place.tokens, range(place.first - _NEAR, place.last + _NEAR)
    pairs = ((tokens.word(at), tokens.word(at + 1)) for at in around)
    return any(one in _LATER and two in (noun, "one", "ones") for one, two in pairs)


def _of_senior(place: WordContext) -> AgeSense:
    after, then = place.after(), [place.tokens.word(place.last + step) for step in range(2, 6)]
    near = {place.tokens.word(at) for at in range(place.first - _NEAR, place.last + _NEAR)}
    inside = after in ("in", "at", "from", "of") and not (_SCHOOLS | _WORKPLACES).isdisjoint(then)
    named = after == "at" and place.tokens.surface(place.last + 2)[:1].isupper()
    ranked = after == "to" or place.before() in ("more", "most", "very")
    if (
        inside
        or named
        or ranked
        or not _STUDYING.isdisjoint((after, then[0]))
        or place.before() in _BEFORE_STUDENTS
    ):
        return AgeSense.OTHER
    if not _OF_STUDENTS.isdisjoint(near):
        return AgeSense.OTHER
    own = place.before() in _POSSESSIVE and place.before() != "our"
    return AgeSense.UNSURE if own else AgeSense.AGE


def _is_of_church(place: WordContext) -> bool:
    """ "An elder of our church", "Elder Smith"."""
    near = {place.tokens.word(at) for at in range(place.first - 5, place.last + 6)}
    named = place.capital() and place.tokens.surface(place.last + 1)[:1].isupper()
    return not _CHURCHES.isdisjoint(near) or (named and place.gap_after() == " ")
