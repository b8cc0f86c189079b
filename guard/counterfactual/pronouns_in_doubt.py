"""Pronouns that could mean somebody else once a group has become another.

"Mary told Tom that she had won" must not become "Ronald told Tom that he had won": where people of
the group that comes stand beside those who change, a pronoun no longer tells them apart. It does
where only one of them can be meant by where it stands: the other comes later, was named some
sentences before and nobody but the one since, or does what is said ("Tom called her").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from guard.counterfactual.english import inflection as verbs
from guard.counterfactual.english.coordination import in_ly
from guard.counterfactual.english.words import english, nounlike, word_set
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.people_beside import Reference, references

_FRONTED = word_set(
    "when while after before because since if although though as once until whenever unless in with"
    " for at on by to from without despite during"
)
_LONGEST_VERB = 5  # words
_LONGEST_PHRASE = 4  # words


def pronouns_in_doubt(
    pages: Sequence[AnnotatedText], lexicons: Lexicons, source: str, target: str
) -> tuple[str, ...]:
    """Pronouns, new ones and those that stay, that could mean two people in the rewrite."""
    found: list[str] = []
    changing, staying = _Said(), _Said()
    for one in references(pages, lexicons, source, target):
        own, other = (changing, staying) if one.changes else (staying, changing)
        if not one.name and _is_in_doubt(one, own, other):
            found.append(one.text)
        if one.name and other.open and _precedes(other.open, one):
            found.append(other.open.text)
        own.add(one, other)
    return tuple(dict.fromkeys(found))


@dataclass(slots=True)
class _Said:
    """What was said so far of those who change, or of those who stay.

    last: the reference before. fresh: the sentence in which one of them was named since the others
    were spoken of in an earlier one. names: what they are called. open: the last pronoun, where
    nobody was named for it before.
    """

    last: Reference | None = None
    fresh: int | None = None
    names: set[str] = field(default_factory=set)
    open: Reference | None = None

    def add(self, one: Reference, other: _Said) -> None:
        """One more reference, after which none of the others is the last who was named."""
        if not one.name:
            self.open = None if self.names else one
        else:
            if not (self.last and self.last.name and one.follows(self.last)):
                self.names.add(one.name)
            if self.fresh is None and (other.last is None or one.sentence > other.last.sentence):
                self.fresh = one.sentence
        self.last, other.fresh = one, None


def _is_in_doubt(one: Reference, own: _Said, other: _Said) -> bool:
    """Whether a pronoun could mean one of the others."""
    last = other.last
    if last is None or (one.for_many and last.name):
        return False
    if own.fresh is not None and (own.fresh < one.sentence or last.sentence < one.sentence - 1):
        return False
    if one.slot == "reflexive" and own.last is not None and _does_it(own.last, one):
        return False
    return not (one.slot == "object" and len(other.names) <= 1 and _does_it(last, one))


def _does_it(doer: Reference, one: Reference) -> bool:
    """Whether nothing but a verb stands between who does something and a pronoun."""
    between = range(doer.after, one.start)
    if doer.page != one.page or len(between) > _LONGEST_VERB:
        return False
    others = [word for at in between if not _is_of_verb(word := one.words.word(at))]
    return not others or (len(others) == 1 and nounlike(others[0], strict=True))


def _is_of_verb(word: str) -> bool:
    """A verb, its auxiliaries and adverbs; but of "'s" nobody knows what it is."""
    en = english()
    if word in en.closed:
        return (word in en.auxiliaries and word != "'s") or word == "not"
    base = verbs.plural_form(word) or word
    known = verbs.known_verb(base) or verbs.in_past(word) or verbs.is_participle(word)
    return known or word == "n't" or word in en.adverbs or in_ly(word)


def _precedes(one: Reference, name: Reference) -> bool:
    """Whether a pronoun may be that of somebody whom its sentence names later: "When she came, the
    man left"; not "In her son's house"."""
    owned = one.slot == "possessive" and name.start - one.after < _LONGEST_PHRASE
    fronted = one.words.word(one.begin) in _FRONTED
    return one.sentence == name.sentence and fronted and not owned
