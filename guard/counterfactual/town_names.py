"""Towns that tie nobody to a country: the name of the person, or a town of the same name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from guard.counterfactual.english.words import english, word_set
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.tokens import Words

_NAMED: Final = word_set("called named")
_ENDS: Final = frozenset((",", ".", ")", ""))
_BEING: Final = word_set("is was")
_PLACING: Final = word_set("in to from of near at around visit visits visited via for left leave")
_OVERSEAS: Final = word_set(
    "ontario quebec canada texas kentucky ohio tennessee georgia alabama illinois maine missouri"
    " arkansas connecticut florida york indiana iowa kansas minnesota michigan"
)
_NORTH_AMERICAN: Final = word_set("american canadian mexican")


def own_names(words: Words, changing: Sequence[Mention]) -> frozenset[str]:
    """Words, in small letters, that name those who change: "my Bulgarian colleague Sofia"."""
    found: set[str] = set()
    for one in changing:
        if (one.form.attribute, one.form.kind) == ("nationality", Kind.ADJECTIVE):
            at = words.at(one.span.start)
            named = (_name_behind(words, words.at(one.span.end) + 1), _name_before(words, at))
            found.update(words.lower[place] for place in named if place is not None)
    return frozenset(found)


def is_elsewhere(words: Words, at: int, own: frozenset[str], source: str) -> bool:
    """Whether a town is a person's own name here, or lies overseas: "London, Ontario"."""
    if words.lower[at] in own and words.word(at - 1) not in _PLACING:
        return True
    overseas = words.word(at + 1) == "," and words.word(at + 2) in _OVERSEAS
    return overseas and source not in _NORTH_AMERICAN


def _name_behind(words: Words, at: int) -> int | None:
    """The name behind the noun: "colleague Sofia", "colleague, Sofia, is", "boss called Sydney"."""
    apart = words.word(at) == ","
    at += apart or words.word(at) in _NAMED
    capital = words.surface(at)[:1].isupper()
    return at if capital and (not apart or words.word(at + 1) in _ENDS) else None


def _name_before(words: Words, at: int) -> int | None:
    """The name that begins the sentence: "Sydney, my Australian boss", "Sofia is my ..."."""
    opened = words.word(at - 1) in english().determiners | english().possessives
    joined = words.word(at - 2) == "," or words.word(at - 2) in _BEING
    name = at - 3
    told = opened and joined and words.surface(name)[:1].isupper()
    return name if told and words.starts_sentence(name) else None
