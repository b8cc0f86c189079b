"""Names as words of the lexicons: what each tells, and which name takes its place in a group.

A first name tells a gender. It may tell a race or a religion as well, which is an attribute of its
own, so that it is compared and counted apart: a name is a weaker signal than a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.names import SHARED, Backgrounds, NameRecord, NameTable, SurnameTable

NAMES = (Kind.NAME, Kind.SURNAME)


class Signal(StrEnum):
    """What tells a group: a word ("a Black engineer") or a name ("DeShawn")."""

    WORDS = "words"
    NAMES = "names"


_AS_A_WORD = 0.3  # what `person` is at most where the word is better known as something else
_BY_NAME = "_by_name"
_SHARED_BY = (SHARED, "white", "black")
"""Backgrounds whose people have the same surnames, but for some that most often are one's."""


def by_name(attribute: str) -> str:
    """The attribute that names tell: "race_by_name" for "race"."""
    return attribute + _BY_NAME


def told_by_names(attribute: str) -> str:
    """What an attribute is that names tell: "race" for "race_by_name"; empty for any other."""
    return attribute.removesuffix(_BY_NAME) if attribute.endswith(_BY_NAME) else ""


class NameForms:
    """First names and surnames as forms. Iterated over: every form of every first name.

    attributes: what names tell besides gender, "race_by_name" to its groups. short_forms: of a
    first name, all in lower case.
    """

    def __init__(
        self,
        first: NameTable,
        surnames: SurnameTable,
        backgrounds: Backgrounds,
        short_forms: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> None:
        self.first, self.surnames, self._backgrounds = first, surnames, backgrounds
        self.short_forms = short_forms
        self.attributes: Mapping[str, tuple[str, ...]] = {
            by_name(attribute): groups for attribute, groups in backgrounds.attributes.items()
        }
        self._telling = self._by_group()

    def __iter__(self) -> Iterator[Form]:
        for record in self.first:
            yield _form(record, "gender", record.gender)
            for attribute in self.attributes:
                if group := self._group(record, attribute):
                    yield _form(record, attribute, group)

    def is_name(self, word: str) -> bool:
        """Whether a word with a capital is a first name and little else."""
        record = self.first.record(word)
        return word[:1].isupper() and record is not None and record.is_no_word

    def form(self, name: str, attribute: str = "gender") -> Form | None:
        """A first name, in any case, as a form of the attribute; None where it tells no group."""
        record = self.first.record(name)
        if record is None:
            return None
        group = record.gender if attribute == "gender" else self._group(record, attribute)
        return _form(record, attribute, group) if group else None

    def telling(self, attribute: str, group: str) -> frozenset[str]:
        """The first names, in lower case, that tell this group of "race" or "religion"."""
        return self._telling.get((attribute, group), frozenset())

    def is_exchangeable(self, form: Form) -> bool:
        """Whether enough is known of a name to say which one takes its place."""
        if form.kind is Kind.SURNAME:
            return bool(self.surnames.background(form.text))
        record = self.first.record(form.text)
        return record is not None and bool(record.background and record.generation)

    def counterpart(self, form: Form, group: str) -> Form | None:
        """The name of the same sex, background and generation but for what the attribute is."""
        if form.kind is Kind.SURNAME:
            text = self._surname(form, group)
        elif form.attribute == "gender":
            text = self.first.partner(form.text, gender=group)
        elif form.group == group:
            text = form.text
        else:
            typical = self._backgrounds.typical(told_by_names(form.attribute), group)
            text = self.first.partner(form.text, background=typical) if typical else None
        return None if text is None else self._same_kind(form, text, group)

    def synonyms(self, form: Form) -> Sequence[Form]:
        """Names that tell the same and are about as common."""
        table = self.surnames if form.kind is Kind.SURNAME else self.first
        near = (self._same_kind(form, name, form.group) for name in table.near(form.text))
        return tuple(one for one in near if one is not None)

    def surname(self, text: str, attribute: str, group: str) -> Form:
        """The surname of somebody whose first name tells this group, in any capitals."""
        return Form(
            text=text.title() if text.isupper() else text,
            attribute=attribute,
            group=group,
            kind=Kind.SURNAME,
            slot="surname",
            row="surname",
            person=1.0,
        )

    def tells(self, surname: str, attribute: str, group: str) -> bool:
        """Whether a surname by itself tells the group of an attribute that names tell."""
        background = self.surnames.background(surname)
        return self._backgrounds.group(background, told_by_names(attribute)) == group

    def _same_kind(self, form: Form, text: str, group: str) -> Form | None:
        if form.kind is Kind.SURNAME:
            return self.surname(text, form.attribute, group)
        return self.form(text, form.attribute)

    def _surname(self, form: Form, group: str) -> str | None:
        """The surname in the other group; the same where it tells nothing that is to change."""
        attribute = told_by_names(form.attribute)
        own = self.surnames.background(form.text)
        wanted = self._backgrounds.typical(attribute, group)
        stays = wanted in _SHARED_BY if own == SHARED else self._stays(own, attribute, group)
        if stays and own:
            return form.text
        if own != SHARED and not self._goes_with(own, attribute, form.group):
            return None
        return self.surnames.partner(form.text, wanted)

    def _stays(self, background: str, attribute: str, group: str) -> bool:
        """Whether the surname goes with the first names that are taken for the group: "Jing Khan"
        is nobody's."""
        told = self._backgrounds.group(background, attribute)
        if told and background != self._backgrounds.typical(attribute, group):
            return False
        return self._tells(background, attribute, group)

    def _tells(self, background: str, attribute: str, group: str) -> bool:
        """Whether surnames of this background tell the group; European ones do where white is."""
        told = self._backgrounds.group(background, attribute)
        if told or not background:
            return told == group
        plain = not any(self._backgrounds.group(background, one) for one in ("race", "religion"))
        return plain and self._backgrounds.typical(attribute, group) == "white"

    def _goes_with(self, background: str, attribute: str, group: str) -> bool:
        """Whether somebody of the group may have such a surname.

        Arab and South Asian Muslims share many names.
        """
        if self._tells(background, attribute, group):
            return True
        typical = self._backgrounds.typical(attribute, group)
        religion = self._backgrounds.group(background, "religion")
        return bool(religion) and religion == self._backgrounds.group(typical, "religion")

    def _group(self, record: NameRecord, attribute: str) -> str:
        return self._backgrounds.group(record.background, told_by_names(attribute))

    def _by_group(self) -> Mapping[tuple[str, str], frozenset[str]]:
        found: dict[tuple[str, str], set[str]] = {}
        for record in self.first:
            for attribute in self.attributes:
                if group := self._group(record, attribute):
                    key = (told_by_names(attribute), group)
                    found.setdefault(key, set()).add(record.name.lower())
        return {key: frozenset(names) for key, names in found.items()}


def _form(record: NameRecord, attribute: str, group: str) -> Form:
    return Form(
        text=record.name,
        attribute=attribute,
        group=group,
        kind=Kind.NAME,
        slot="name",
        row="name",
        person=min(record.person, _AS_A_WORD) if record.known_as else record.person,
    )
