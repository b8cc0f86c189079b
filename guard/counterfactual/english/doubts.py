"""Where "her" or "his" may be either of two things, so that a rewrite is declined.

"They emailed her coupons": she got them, or they were hers. "A car of his last week": it was his
and that was last week, or it is about his last week.
"""

from __future__ import annotations

from guard.counterfactual.english.objects import handed_on, is_gift, verb_before
from guard.counterfactual.english.subjects import Subject, owner_of, subject_of
from guard.counterfactual.english.words import adjective, ends_as_plural, nounlike, word_set
from guard.counterfactual.english.words import english as en
from guard.counterfactual.tokens import Words, is_word

_INDEFINITE = word_set("a an some any no this that these those another one two three")
_BEING = word_set("is are was were be been")
_POINTING = word_set("it this that what which there")
_NEVER_ALONE = word_set("day days time times")  # "his last day" does not tell when
_GIVING = word_set(
    "give gives gave giving given grant grants granted award awards awarded assigned offer offers"
    " offered owe owes owed"
)
LIKING = word_set("love loves loved like likes liked want wants wanted")
_DATES = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december"
)
_TIMES_OF_DAY = word_set("morning afternoon evening night")
_SHOWING = word_set("show shows showed showing")
_OFFERED = word_set(
    "homes houses apartments flats properties listings units rooms cars options jobs"
)
_AWAY = word_set("away up back out over")
_GIVEN = word_set("given sent offered shown paid granted awarded promised lent told taught")


def may_be_given(words: Words, place: int, after: int) -> bool:
    """ "They emailed her coupons", "I want her given credit"; not "they emailed her clients"."""
    verb, word, follow = verb_before(words, place), words.word(after), words.word(after + 1)
    if verb in en().wishing and word in _GIVEN:
        return follow in en().gifts
    if is_gift(words, place, after) and owner_of(words, place - 1, after) is Subject.NOUN:
        return True  # "the tenant paid her money"
    if _is_when(words, verb, after) or (word == "home" and verb in LIKING):
        return True  # "fired her Friday", "wants her home"
    if verb in _SHOWING and word in _OFFERED:
        return True  # "showed her apartments"
    if verb in _GIVING and subject_of(words, place - 1) is not Subject.SHE:
        return _may_be_thing(words, after)
    if verb not in en().sending or "she" in (words.word(place - 2), words.word(place - 3)):
        return False
    if handed_on(words, after) or not is_word(word):
        return False
    described = nounlike(follow, strict=True) and (adjective(word) or not ends_as_plural(word))
    thing = follow if described else word
    return ends_as_plural(thing) and len(thing) > 3 and thing not in en().relatives


def _is_when(words: Words, verb: str, after: int) -> bool:
    """ "Fired her Friday", "arrested her Saturday night"; not "on her Monday", "her May report"."""
    if words.word(after) not in _DATES or verb in en().prepositions or not is_word(verb):
        return False
    follow = words.word(after + 1)
    end = words.word(after + 2) if follow in _TIMES_OF_DAY or follow.isdigit() else follow
    return not nounlike(end, strict=True)


def _may_be_thing(words: Words, after: int) -> bool:
    """ "Gave her detention", "gave her community service"; not "gave her boss a book", "gave her
    keys to me"."""
    person = words.word(after) in en().relatives and words.word(after + 1) != "support"
    noun = nounlike(words.word(after), strict=True) and not person
    compound = nounlike(words.word(after + 1), strict=True) and words.word(after + 1) not in _AWAY
    return noun and (_ends(words, after + 1) or (compound and _ends(words, after + 2)))


def _ends(words: Words, at: int) -> bool:
    """Whether a clause ends before this word, or goes on with where or when."""
    word = words.word(at)
    ends = not is_word(word) or word in en().conjunctions | en().prepositions - {"to"}
    return ends and word not in _AWAY


def may_be_his_or_not(words: Words, place: int, after: int) -> bool:
    """ "Sold a car of his last week", "the car was his last week", "a copy of his will be sent"."""
    word, follow, before = words.word(after), words.word(after + 1), words.word(place - 1)
    time = word in ("last", "next") and follow in en().times - _NEVER_ALONE
    if is_double_genitive(words, place):
        will = word == "will" and follow in en().base_verbs
        return time or (will and words.word(place - 2) not in en().relatives)
    subject = words.word(place - 2)
    pointed = subject in _POINTING or subject in en().times or subject.isdigit()
    was_his = before in _BEING and is_word(subject) and not pointed
    return was_his and time and not is_word(words.word(after + 2))


def is_double_genitive(words: Words, place: int) -> bool:
    """Whether "of" and an indefinite noun stand before: "a friend of his"."""
    found = (words.word(place - steps) in _INDEFINITE for steps in (3, 4))
    return words.word(place - 1) == "of" and any(found)
