"""Pictures, #tags and @handles behind "her" or "his": "love her 😍", "saw her @home #fun".

They stand for a thing that is owned ("lost her 💳") or are added to a sentence that is over.
"""

from __future__ import annotations

import unicodedata

from guard.counterfactual.english.objects import verb_before
from guard.counterfactual.english.words import english as en
from guard.counterfactual.english.words import word_set
from guard.counterfactual.tokens import Words, is_word

_LONGEST = 64  # words; of more than that nothing is said
_PICTURES = ("So", "Cn", "Sk")
_JOINERS = ("Mn", "Me", "Cf")  # of pictures that are made of several characters
_ENDS = frozenset(".!?…\n,;:)")
_OF_THINGS = word_set(
    "pay pays paid paying forget forgets forgot break breaks broke use uses used using wear wears"
    " wore wearing drop drops dropped buy buys bought order orders ordered post posts posted"
)


def begins_tags(words: Words, at: int) -> bool:
    """Whether a picture, a #tag or an @handle begins at this word."""
    mark = words.word(at)
    if mark in ("#", "@"):
        return words.joined(at + 1) and is_word(words.word(at + 1))
    return _category(mark) in _PICTURES


def tags_end(words: Words, at: int) -> int:
    """The first word behind all pictures, tags and handles that follow one another from here."""
    last = at + _LONGEST
    while at < last and (begins_tags(words, at) or _category(words.word(at)) in _JOINERS):
        tag = words.word(at) in ("#", "@")
        at += 2 if tag else 1
        while tag and at < last and _goes_on(words, at):
            at += 1
    return at


def ends_at_tags(words: Words, at: int, shouted: bool) -> bool:
    """Whether a sentence, or a part of it, ends before this word.

    shouted: it is written in capitals, so that one of them begins no other sentence.
    """
    capital = words.surface(at)[:1].isupper() and not shouted
    return not words.word(at) or words.word(at) in _ENDS or capital


def of_a_thing(words: Words, place: int) -> bool:
    """Whether "her 💳" is likely what is hers: "lost her 💳", "she loves her 💳"."""
    verb = verb_before(words, place)
    owner = "she" in (words.word(place - 2), words.word(place - 3))
    return owner or verb in en().of_amounts or verb in en().taking or verb in _OF_THINGS


def _goes_on(words: Words, at: int) -> bool:
    """Whether a tag goes on with this word: "#so_blessed", "@mary.smith"."""
    inside = words.word(at) in ("_", "-", ".") and words.joined(at + 1)
    return words.joined(at) and (is_word(words.word(at)) or inside)


def _category(mark: str) -> str:
    return unicodedata.category(mark[0]) if mark and not mark.isascii() else ""
