"""Who does it: whether "her" behind a verb may be what the subject has.

"She paid her rent" speaks of her own; "they paid her money" of what she got. "The tenant paid her
money" may be either.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from guard.counterfactual.english.words import english as en
from guard.counterfactual.english.words import word_set
from guard.counterfactual.tokens import Words, is_word


class Subject(Enum):
    """Who the subject of a verb is, as far as its own words tell."""

    SHE = "a woman"
    NOUN = "somebody or something with a noun or a name"
    OTHER = "he, they, you, nobody"


_WOMEN: Final = word_set(
    "she mother mom mum mommy mama sister daughter wife girlfriend aunt niece grandmother grandma"
    " granddaughter stepmother stepdaughter woman girl lady widow bride waitress actress"
    " businesswoman saleswoman housewife queen princess fiancée madam"
)
_BREAKS: Final = word_set("who whom that which if and or but , ;")
_GIVERS: Final = word_set(
    "bank company firm insurer insurance employer boss manager landlord landlady judge court"
    " jury trial agency government state city county school university college hospital clinic"
    " doctor pharmacy lender airline store shop hotel restaurant team organization"
    " organisation union club foundation charity office department committee board plan policy"
    " contract job work book film role article performance essay project waiter barista host"
    " hosts husband boyfriend father dad brother son uncle nephew grandfather friend friends"
    " colleague colleagues neighbour neighbor"
)
"""Who gives, pays or refuses others something, or brings it."""
_PASSED: Final = word_set("not n't never to already still also always just only even did do does")
_KEPT: Final = word_set(
    "pay pays paid paying earn earns earned earning get gets got getting win wins won bring brings"
    " brought bringing buy buys bought buying make makes made making refuse refuses refused deny"
    " denies denied order orders ordered owe owes owed"
)
"""Verbs whose subject may have, get or pay for what follows itself."""
_OWED: Final = word_set(
    "rent taxes tax dues bills bail tuition mortgage fines debts alimony premiums insurance"
)
_SERVING: Final = word_set(
    "bring brings brought bringing deny denies denied make makes made making buy buys bought buying"
    " get gets got getting"
)
"""Those by which another woman may have got it: "my stepmother denied her food"."""
_PAYING: Final = word_set("pay pays paid paying")
_FAR: Final = 7
_BACK: Final = 60  # words before the subject in which another woman is looked for


def subject_of(words: Words, verb: int) -> Subject:
    """Who the subject of the verb with this number is; of two women nobody knows which."""
    for at in range(verb - 1, max(-1, verb - 1 - _FAR), -1):
        word = words.word(at)
        if word in _PASSED or word in en().auxiliaries or word in en().adverbs:
            continue
        if word in en().base_verbs and words.word(at + 1) == "to":
            continue  # "wants to pay"
        if word in _WOMEN:
            before = {words.word(one) for one in range(max(0, at - _BACK), at)} & _WOMEN
            several = len(before - {"she"}) > 1 if word == "she" else bool(before)
            return Subject.NOUN if several else Subject.SHE
        new = words.word(at - 1) in ("a", "an", "another", "some")  # so "her" is somebody else
        given = new or word in _GIVERS | _BREAKS or not is_word(word)
        pronoun = word in en().pronouns and word != "one"
        return Subject.OTHER if given or pronoun else Subject.NOUN
    return Subject.OTHER


def owner_of(words: Words, verb: int, after: int) -> Subject:
    """Whose the thing behind "her" is by this verb: SHE is her own, NOUN may be either's, OTHER
    was given to her."""
    if words.word(verb) not in _KEPT:
        return Subject.OTHER
    found = subject_of(words, verb)
    if words.word(verb) in _PAYING and words.word(after) in _OWED:
        return Subject.SHE if found is Subject.NOUN else found
    served = found is Subject.SHE and words.word(verb) in _SERVING and not _says_she(words, verb)
    return Subject.NOUN if served else found


def _says_she(words: Words, verb: int) -> bool:
    return "she" in (words.word(verb - steps) for steps in range(1, _FAR))
