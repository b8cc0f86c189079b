"""Whether a word that may be a first name stands as a surname: "J. Thomas", "Thomas, John"."""

from __future__ import annotations

from guard.counterfactual.english.words import word_set
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.names_again import acts_alone
from guard.text.unigrams import english_unigrams

ASKING = word_set("will may mark bill sue rob chase pat grant hope")  # these begin questions, too

_AFTER_NICKNAME = {") ": "(", '" ': '"', "” ": "“"}
_SHORTEST = 3
_DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday today")
_CHOICES = word_set("a b c d e f")  # the letters of answers to choose from: "B. Thomas"


def is_surname(place: WordContext) -> bool:
    """Whether a first name, an initial or a role stands before it, or a first name behind it.

    A capitalised word directly before it, within a sentence, is a first name.
    """
    before = place.tokens.surface(place.first - 1)
    gap = place.gap_before()
    if gap in _AFTER_NICKNAME:  # "Robert (Bob) Smith"
        return place.tokens.gap(place.first - 2) == f" {_AFTER_NICKNAME[gap]}"
    if _is_known(place) and (_behind_initial(place) or _inverted(place) or _behind_role(place)):
        return True
    if gap != " " or not before[:1].isupper() or before == "I":
        return False
    word = place.before()
    cues = place.cues
    if word in _DAYS:
        return False
    known = word in cues.calling or word in cues.function or word in cues.verbs
    starts = WordContext(place.tokens, place.first - 1, place.first - 1, place.lexicons)
    if starts.starts_sentence() and not _may_be_name(place, word):
        return word in ASKING and _is_known(place) and acts_alone(place)
    return not known and not place.is_person(word)


def is_second_given(place: WordContext) -> bool:
    """Whether it is a second first name of one person: "Mary Jane Smith", "Sarah Jane".

    Both are of one sex, and a surname follows, or nobody is known to have it as a surname.
    """
    if place.gap_before() != " " or not place.is_name(place.first - 1):
        return False
    record = place.lexicons.people.first.record
    first, second = record(place.tokens.word(place.first - 1)), record(place.word)
    alike = first is not None and second is not None and first.gender == second.gender
    no_surname = place.is_name(place.first) and not _is_known(place)
    return alike and (no_surname or _before_surname(place))


def _before_surname(place: WordContext) -> bool:
    follows = place.tokens.surface(place.last + 1)
    known = bool(place.lexicons.people.surnames.background(follows))
    return known and follows[:1].isupper() and place.gap_after() == " "


def _is_known(place: WordContext) -> bool:
    return bool(place.lexicons.people.surnames.background(place.surface))


def _behind_initial(place: WordContext) -> bool:
    """ "J. Thomas", not "J. Thomas Brown", nor "B. Thomas" among answers."""
    initial = place.tokens.surface(place.first - 1)
    single = len(initial) == 1 and initial.isupper() and place.gap_before() in (". ", ".\u00a0")
    follows = place.tokens.surface(place.last + 1)[:1].isupper() and place.gap_after() == " "
    return single and not follows and not _is_choice(place)


def _is_choice(place: WordContext) -> bool:
    """Whether the letter before may count answers: it begins a line."""
    letter = WordContext(place.tokens, place.first - 1, place.first - 1, place.lexicons)
    begins = letter.first == 0 or "\n" in letter.gap_before()
    return letter.word in _CHOICES and begins


def _inverted(place: WordContext) -> bool:
    """ "Thomas, John", and no more of them."""
    if place.gap_after() != ", " or not place.is_name(place.last + 1):
        return False
    goes_on = place.tokens.gap(place.last + 1) == ", " or place.tokens.word(place.last + 2) in _MORE
    return not goes_on


_MORE = word_set("and or")


def _behind_role(place: WordContext) -> bool:
    """A word for persons with a capital directly before it: "Agent Thomas", not "Uncle Thomas"."""
    before, word = place.tokens.surface(place.first - 1), place.before()
    role = before.istitle() and place.gap_before() == " " and place.is_person(word)
    surname = place.gap_after() == " " and place.tokens.surface(place.last + 1)[:1].isupper()
    return role and not surname and word not in _WITH_FIRST_NAMES


_WITH_FIRST_NAMES = word_set(
    "uncle aunt auntie cousin brother sister friend grandma grandpa king queen prince princess"
    " saint sir lady dame mother father mom dad mum miss"
)


def _may_be_name(place: WordContext, word: str) -> bool:
    """Whether a sentence may begin with this first name: "Grace Kim", not "Will Kim"."""
    if _is_known(place) and not (word in english_unigrams().costs or place.lexicons.terms(word)):
        return len(word) >= _SHORTEST  # "Niamh Kelly": a name that no list has
    return place.lexicons.people.first.record(word) is not None and word not in ASKING
