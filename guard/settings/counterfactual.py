"""The `counterfactual` section of guard.yaml: words and names a user adds to the shipped ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from guard.counterfactual.lexicons.files import backgrounds, bundled, extended
from guard.counterfactual.lexicons.forms import Entry, Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.names import NameRecord
from guard.errors import SettingsError
from guard.settings.sections import Label, Section

Slot = Literal[
    "sg",
    "pl",
    "adj",
    "title",
    "subject",
    "object",
    "possessive",
    "possessive.pronoun",
    "reflexive",
]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Likelihood = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]

_KINDS: Mapping[str, Kind] = {
    "sg": Kind.NOUN,
    "pl": Kind.NOUN,
    "adj": Kind.ADJECTIVE,
    "title": Kind.TITLE,
}
_LONGEST = 80  # characters of a word or term


def _term(text: str) -> str:
    stripped = " ".join(text.split())
    if not any(character.isalnum() for character in stripped) or len(stripped) > _LONGEST:
        raise ValueError(
            f"must be a word or term of 1 to {_LONGEST} characters with a letter in it"
        )
    return stripped


def _several(value: object) -> object:
    return [value] if isinstance(value, str) else value


Term = Annotated[str, AfterValidator(_term)]
Terms = Annotated[list[Term], BeforeValidator(_several), Field(min_length=1)]


class WordRow(Section):
    """Words that say the same about several groups."""

    forms: dict[Label, Annotated[dict[Slot, Terms], Field(min_length=1)]]
    """Group, then grammatical slot, then the word, or a list of which the first one is used when
    another group's word is replaced. They are words, never patterns."""
    person: Likelihood = 0.9
    """How likely the bare word means a person, in (0, 1], before context."""
    sense: Label | None = None
    """A row of the shipped lexicon ("race") whose words stand in for groups this one leaves out."""


class Attribute(Section):
    """A protected attribute: a new one, or more words for one that is shipped."""

    groups: list[Label] = Field(default_factory=list)
    """Groups besides those it has."""
    words: list[WordRow] = Field(default_factory=list)


class FirstName(Section):
    """A first name, and what is known of the people with it."""

    name: Term
    """As it is spelt."""
    female: Share
    """Share of women; the rest are men. From 0.15 to 0.85 the name counts as neutral."""
    background: Label | None = None
    """Where the name comes from ("black", "hindu", "slavic"): a line of `backgrounds.tsv`. A name
    goes to one of the same background and generation; without them its texts are declined."""
    born: Annotated[int, Field(ge=1850, le=2100)] | None = None
    """The year in which people with the name are typically born."""
    person: Likelihood = 0.9
    """How likely the bare capitalised word is this name, in (0, 1]."""


class Counterfactual(Section):
    """Whose words are looked for besides the shipped ones."""

    attributes: dict[Label, Attribute] = Field(default_factory=dict)
    names: list[FirstName] = Field(default_factory=list)
    """Each takes the place of a shipped name that is spelt alike."""


def lexicons_of(section: Counterfactual) -> Lexicons:
    """The shipped lexicons with the words and names of the section.

    Reads the shipped files on the first call, and on the next for another section. Raises
    SettingsError where two entries conflict, with the place of both in the lexicon files or under
    `counterfactual`.
    """
    return bundled() if section == Counterfactual() else _extended(section.model_dump_json())


@lru_cache(maxsize=1)
def _extended(written: str) -> Lexicons:
    """Of a section in JSON: lists in it have no hash. Made once for all who need it, which takes a
    good part of a second."""
    section = Counterfactual.model_validate_json(written)
    _check_backgrounds(section.names)
    groups = {name: attribute.groups for name, attribute in section.attributes.items()}
    return extended(groups, _entries(section), map(_record, section.names))


def _check_backgrounds(names: Iterable[FirstName]) -> None:
    known = backgrounds().names
    for at, name in enumerate(names):
        if name.background is not None and name.background not in known:
            raise SettingsError(
                f"counterfactual.names.{at}.background: no background {name.background!r}; known:"
                f" {', '.join(sorted(known))}"
            )


def _record(name: FirstName) -> NameRecord:
    return NameRecord(
        name=name.name,
        female=name.female,
        person=name.person,
        born=name.born,
        background=name.background or "",
    )


def _entries(section: Counterfactual) -> Iterator[Entry]:
    for name, attribute in section.attributes.items():
        for number, row in enumerate(attribute.words):
            where = f"counterfactual.attributes.{name}.words.{number}"
            yield from _row(name, row, _row_name(row, number), where)


def _row_name(row: WordRow, number: int) -> str:
    return f"{row.sense}.own-{number}" if row.sense else f"own-{number}"


def _row(attribute: str, row: WordRow, row_name: str, where: str) -> Iterator[Entry]:
    for group, slots in row.forms.items():
        for slot, terms in slots.items():
            for text in terms:
                form = Form(
                    text=text,
                    attribute=attribute,
                    group=group,
                    kind=_KINDS.get(slot, Kind.PRONOUN),
                    slot=slot,
                    row=row_name,
                    person=row.person,
                )
                yield Entry(form=form, where=f"{where}.forms.{group}.{slot}")
