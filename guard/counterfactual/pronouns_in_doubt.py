"""Pronouns that could mean somebody else once a group has become another.

"Mary told Tom that she had won" must not become "Ronald told Tom that he had won": where people of
the group that comes stand beside those who change, a pronoun no longer tells them apart. It does
where only one of them can be meant by where it stands: the other comes later, was left
behind some sentences before the one was named, or does what is said ("Tom called her").
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
_NEXT = 1  # sentences from one to the next
_TO_WHOM = word_set("to at for with from about on")
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
        if one.unknown and _is_topic(changing.last, one):
            continue
        if not one.name and _is_in_doubt(one, own, other):
            found.append(one.text)
        if one.name and other.open and _precedes(other.open, one):
            found.append(other.open.text)
        own.add(one, other)
    return tuple(dict.fromkeys(found))


def _is_topic(last: Reference | None, one: Reference) -> bool:
    """Whether the sentence is about another, who is a pronoun already: "she trained drivers"."""
    return last is not None and not last.name and last.sentence == one.sentence


@dataclass(slots=True)
class _Said:
    """What was said so far of those who change, or of those who stay.

    last: the reference before. fresh: whether one of them was named since the others were left
    behind, with a sentence between. names: what they are called. open: the last pronoun, where
    nobody was named for it before.
    """

    last: Reference | None = None
    fresh: bool = False
    names: set[str] = field(default_factory=set)
    open: Reference | None = None

    def add(self, one: Reference, other: _Said) -> None:
        """One more reference, after which none of the others is the last who was named."""
        if not one.name:
            self.open = None if self.names else one
        else:
            if not (self.last and self.last.name and one.follows(self.last)):
                self.names.add(one.name)
            self.fresh |= other.last is None or one.sentence - other.last.sentence > _NEXT
        self.last, other.fresh = one, False


def _is_in_doubt(one: Reference, own: _Said, other: _Said) -> bool:
    """Whether a pronoun could mean one of the others."""
    last = other.last
    if last is None or (one.for_many and last.name):
        return False
    if own.fresh and own.last and one.sentence - own.last.sentence <= _NEXT:
        return False
    doer = last if own.last is None or own.last.at < last.at else own.last
    if not _does_it(doer, one):
        return True
    acts = one.slot == "object" and one.start > doer.after
    apart = acts and doer is last and len(other.names) <= 1
    return not (apart or (one.slot == "reflexive" and doer is own.last))


def _does_it(doer: Reference, one: Reference) -> bool:
    """Whether nothing but a verb stands between who does something and a pronoun: "Tom has never
    called her", "did Tom give it to her"."""
    between = range(doer.after, one.start)
    if doer.page != one.page or len(between) > _LONGEST_VERB:
        return False
    said = [one.words.word(at) for at in between]
    if said and said[-1] in _TO_WHOM:
        said.pop()
        said = said[:-1] if said[-1:] == ["it"] else said
    others = [word for word in said if not _is_of_verb(word)]
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
