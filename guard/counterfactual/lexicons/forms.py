"""What a word of the lexicons is: its text, and whom it names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What part of speech a form is."""

    PRONOUN = "pronoun"
    NOUN = "noun"
    TITLE = "title"
    ADJECTIVE = "adjective"
    NAME = "name"
    SURNAME = "surname"
    AGE = "age"


SLOTS = {
    Kind.PRONOUN: ("subject", "object", "possessive", "possessive.pronoun", "reflexive"),
    Kind.NOUN: ("sg", "pl"),
    Kind.TITLE: ("title",),
    Kind.ADJECTIVE: ("adj",),
    Kind.NAME: ("name",),
    Kind.SURNAME: ("surname",),
    Kind.AGE: ("years",),
}
"""The grammatical slots each kind has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A word or term as it is written, and whom it names.

    text: as written in the lexicon: "actresses", "African American", "Mr.".
    attribute, group: "gender" and "female", "race" and "black", or the user's own.
    slot: the grammatical slot, one of `SLOTS[kind]`.
    row: forms of one row and slot are each other's counterparts across groups. What stands before
        the first dot or colon is the sense: rows of one sense are synonyms ("man", "man.guy").
        What stands after a colon is the noun the form includes ("race:woman" for "Latina").
    person: how likely the bare word means a person, in [0, 1], before context. 0 stands for words
        that name people of any group ("parent", "they"): counterparts, but no mention.
    """

    text: str
    attribute: str
    group: str
    kind: Kind
    slot: str
    row: str
    person: float

    @property
    def generic(self) -> bool:
        """Whether the word names people without naming a group."""
        return self.person == 0.0

    @property
    def sense(self) -> str:
        """What the row shares with the rows of its synonyms."""
        return self.row.partition(":")[0].partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A form and where it was written: a file and line, or a path in guard.yaml."""

    form: Form
    where: str
