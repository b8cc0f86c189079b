"""What "her" and "his" are before what is no plain word: "$50", "50%", "#1", "{product}", "...".

Often the sentence goes on behind it with what is owned; where that is not sure, neither is the
answer, and a rewrite is declined.
"""

from __future__ import annotations

from enum import Enum

from guard.counterfactual.english.objects import receives, verb_before
from guard.counterfactual.english.tags import begins_tags, ends_at_tags, of_a_thing, tags_end
from guard.counterfactual.english.words import english as en
from guard.counterfactual.english.words import nounlike, word_set
from guard.counterfactual.tokens import Words, is_word


class OwnerRole(Enum):
    """What a mark says of the "her" or "his" before it. OBJECT is said of "her" alone."""

    OBJECT = 1
    OWNER = 2
    DOUBT = 3


_MONEY = frozenset("$€£¥₹")
_DASHES = frozenset("-–—")
_WITHIN_NUMBERS = frozenset(".,")
_FILLERS = word_set("uh um er erm hmm ah")
_AMOUNT_ENDS = word_set("k m bn million billion thousand hundred")
_ASIDE = 8  # words; the longest remark between dashes
_PAYING = word_set("pay pays paid paying")
_OPEN_LINES = frozenset("\n>-*•")
_LINES = word_set("thanks thank regards best cheers sincerely kind dear hello hi please")


def role_before_mark(words: Words, place: int, after: int) -> OwnerRole | None:
    """The role of the "her" or "his" at `place` by the mark, or the number, at `after`.

    None where no rule of this file asks: it is a word, or a mark at which a sentence ends.
    """
    mark, hers = words.word(after), words.word(place) == "her"
    if mark.isdigit() or mark in _MONEY:
        return _before_amount(words, place, after) if hers else OwnerRole.OWNER
    bracket = mark == "<" and words.word(after + 2) == ">"
    number = mark == "#" and words.word(after + 1)[:1].isdigit()
    if (bracket or number or mark == "{") and words.joined(after + 1):
        return _before_field(words, place) if hers else OwnerRole.OWNER
    if begins_tags(words, after):
        return _before_tags(words, place, after)
    return _before_stop(words, mark, after)


def _before_stop(words: Words, mark: str, after: int) -> OwnerRole | None:
    """Before what may end a sentence, or a part of it."""
    if mark == "/":
        owners = words.word(after + 1) in en().possessives
        return OwnerRole.OWNER if owners and nounlike(words.word(after + 2)) else None
    if mark == "\n":
        return _before_line(words, after)
    if mark == ",":
        return _before_filler(words, after)
    if mark in _DASHES or mark in (".", "…"):
        return _before_pause(words, after)
    return None


def _before_tags(words: Words, place: int, after: int) -> OwnerRole | None:
    """ "love her 😍", "saw her @home": nothing is owned where the sentence ends behind them."""
    at = tags_end(words, after)
    shouted = words.surface(place).isupper()  # then a capital begins no sentence
    ends = ends_at_tags(words, at, shouted) and _behind_tags(words, at) is None
    if words.word(place) == "her":
        sure = ends and not of_a_thing(words, place) and not words.starts_sentence(place)
        return OwnerRole.OBJECT if sure else OwnerRole.DOUBT
    if words.word(place - 1) in en().auxiliaries or words.word(place - 1) == "of":
        return None if ends else OwnerRole.DOUBT  # "that one is his 😍"
    return OwnerRole.OWNER if of_a_thing(words, place) else OwnerRole.DOUBT


def _behind_tags(words: Words, at: int) -> OwnerRole | None:
    """What the stop behind them says, as if they were not there."""
    return None if begins_tags(words, at) else _before_stop(words, words.word(at), at)


def _before_amount(words: Words, place: int, after: int) -> OwnerRole | None:
    """ "lost her $50 voucher", "gave her $50", "lost her 2 cards"."""
    at, plain = after + (words.word(after) in _MONEY), True
    while words.word(at)[:1].isdigit() or (
        words.word(at) in _WITHIN_NUMBERS and words.word(at + 1).isdigit() and words.joined(at + 1)
    ):
        at += 1
    while words.word(at) in _MONEY or words.word(at) in ("%", *_AMOUNT_ENDS):
        at, plain = at + 1, False
    owned = nounlike(words.word(at), strict=True)
    amount_is_hers = verb_before(words, place) in en().of_amounts
    if plain and words.word(after) not in _MONEY:
        things = owned and words.word(at) not in en().units | en().times
        either = amount_is_hers or verb_before(words, place) in _PAYING
        return OwnerRole.DOUBT if things and either else None
    if amount_is_hers or not receives(words, place):
        return OwnerRole.OWNER if owned else OwnerRole.DOUBT
    return OwnerRole.DOUBT if owned else OwnerRole.OBJECT


def _before_field(words: Words, place: int) -> OwnerRole:
    """ "lost her #1 card", "lost her {product} card"; "sent her {offer}" may be either."""
    told = receives(words, place) or verb_before(words, place) in en().saying
    sure = not told or verb_before(words, place) in en().of_amounts
    return OwnerRole.OWNER if sure else OwnerRole.DOUBT


def _before_line(words: Words, after: int) -> OwnerRole | None:
    """The next line may go on with what is hers, a new paragraph with a small letter alone."""
    at = after + 1
    while words.word(at) in _OPEN_LINES:
        at += 1
    word, small = words.word(at), words.surface(at)[:1].islower()
    if not nounlike(word, strict=True) or word in _LINES or words.word(at + 1) == ":":
        return None
    return OwnerRole.DOUBT if small or (at == after + 1 and not word[0].isdigit()) else None


def _before_filler(words: Words, after: int) -> OwnerRole | None:
    """ "lost her, uh, card" against "called her, uh, twice"."""
    if words.word(after + 1) not in _FILLERS:
        return None
    at = after + 2 + (words.word(after + 2) == ",")
    if _adverb_ends(words, at):
        return None
    return OwnerRole.OWNER if nounlike(words.word(at), strict=True) else OwnerRole.DOUBT


def _before_pause(words: Words, after: int) -> OwnerRole | None:
    """ "lost her ... card", "lost her – very old – card"; after "saw her – " a clause may begin."""
    at = after
    while words.word(at) in (".", "…"):
        at += 1
    if words.word(after) == "." and at - after < 2:
        return None
    if at > after:
        goes_on = words.surface(at)[:1].islower() and nounlike(words.word(at))
        return OwnerRole.DOUBT if goes_on else None
    for later in range(after + 2, after + _ASIDE):
        if words.word(later) == words.word(after):
            if _adverb_ends(words, later + 1):
                return None
            owned = nounlike(words.word(later + 1), strict=True)
            return OwnerRole.OWNER if owned and _describes(words, after + 1) else OwnerRole.DOUBT
    return None


def _adverb_ends(words: Words, at: int) -> bool:
    """Whether the sentence ends with this adverb: "twice.", so that nothing in it is owned."""
    return words.word(at) in en().unowned_adverbs and not is_word(words.word(at + 1))


def _describes(words: Words, at: int) -> bool:
    """Whether a remark begins with what describes a noun: "very old", "gold"."""
    return is_word(words.word(at)) and words.word(at) not in en().closed_classes
