"""Lexicon files: what stands in a line, and what is wrong with it.

Two layouts, told apart by the first column of the header. `row`: one line for each row, one column
for each group. `group`: one line for each group, one column for each slot. A cell is empty or holds
variants, the first of which is used when another group's word is replaced by it:

    variant|variant        and, in the layout `row`, with one such part for each slot: a|b / as|bs

`~` before a variant: it names people of any group; it replaces, but is no mention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import chain
from typing import NamedTuple

from guard.counterfactual.lexicons.forms import SLOTS, Entry, Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.name_forms import NameForms
from guard.counterfactual.mentions.cues import read_cues
from guard.counterfactual.names import (
    Backgrounds,
    NameRecord,
    NameTable,
    SurnameTable,
    read_backgrounds,
    read_names,
    read_surnames,
)
from guard.errors import SettingsError
from guard.text.language import read_word_lists

_BY_ROW = ["row", "kind", "slots", "person"]
_BY_GROUP = ["group", "row", "person", "adj", "sg", "pl"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One lexicon file: the groups of an attribute, and their words with their places."""

    attribute: str
    groups: tuple[str, ...]
    entries: tuple[Entry, ...]


def read_sheet(text: str, attribute: str, name: str) -> Sheet:
    """The words in a lexicon file.

    text: tab-separated lines with a header; lines that begin with # are comments.
    name: what errors call the file. Raises SettingsError with file and line.
    """
    rows = [
        (f"{name}:{number}", line.split("\t"))
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not rows:
        raise SettingsError(f"{name}: the file has no header")
    (_, header), *lines = rows
    if header[:4] == _BY_ROW:
        groups = tuple(header[4:])
        entries = chain.from_iterable(_by_row(attribute, groups, cells, at) for at, cells in lines)
    elif header == _BY_GROUP:
        groups = tuple(dict.fromkeys(cells[0] for _, cells in lines))
        entries = chain.from_iterable(_by_group(attribute, cells, at) for at, cells in lines)
    else:
        raise SettingsError(f"{name}: a header begins with {_BY_ROW}, or is {_BY_GROUP}")
    return Sheet(attribute=attribute, groups=groups, entries=tuple(entries))


def _by_row(
    attribute: str, groups: tuple[str, ...], cells: Sequence[str], where: str
) -> Iterator[Entry]:
    row, kind, slots, person, *words = _pad(cells, 4 + len(groups), where)
    for group, cell in zip(groups, words, strict=True):
        parts = cell.split(" / ") if cell else []
        for slot, part in zip(_known(kind, slots, where), parts, strict=False):
            head = _CellHead(attribute, group, Kind(kind), slot, row)
            yield from _entries(head, part, _share(person, where), where)


def _by_group(attribute: str, cells: Sequence[str], where: str) -> Iterator[Entry]:
    group, row, person, *words = _pad(cells, len(_BY_GROUP), where)
    shares = [_share(share, where) for share in person.split()]
    for slot, cell, share in zip(("adj", "sg", "pl"), words, shares, strict=True):
        kind = Kind.ADJECTIVE if slot == "adj" else Kind.NOUN
        yield from _entries(_CellHead(attribute, group, kind, slot, row), cell, share, where)


class _CellHead(NamedTuple):
    """What the words of a cell have in common."""

    attribute: str
    group: str
    kind: Kind
    slot: str
    row: str


def _entries(head: _CellHead, cell: str, person: float, where: str) -> Iterator[Entry]:
    for variant in filter(None, cell.split("|")):
        text = variant.removeprefix("~")
        share = person if text == variant else 0.0
        yield Entry(form=Form(text=text, person=share, **head._asdict()), where=where)


def _pad(cells: Sequence[str], width: int, where: str) -> list[str]:
    if len(cells) > width:
        raise SettingsError(f"{where}: {len(cells)} columns, but the header has {width}")
    return [*(cell.strip() for cell in cells), *[""] * (width - len(cells))]


def _known(kind: str, slots: str, where: str) -> list[str]:
    names = slots.split(" / ")
    if kind not in list(Kind) or not set(names) <= set(SLOTS[Kind(kind)]):
        raise SettingsError(f"{where}: {kind!r} has no slots {slots!r}")
    return names


def _share(text: str, where: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise SettingsError(f"{where}: `person` is above 0 and at most 1, not {text!r}")
    return share


ATTRIBUTES = ("gender", "race", "religion", "age", "orientation", "disability", "nationality")


def data(name: str) -> str:
    """The text of a data file of this package."""
    return (resources.files("guard.counterfactual.lexicons") / "data" / name).read_text("utf-8")


@cache
def bundled() -> Lexicons:
    """The shipped words and first names. Reads files on the first call."""
    return extended({}, ())


def extended(
    groups: Mapping[str, Iterable[str]],
    entries: Iterable[Entry],
    names: Iterable[NameRecord] = (),
) -> Lexicons:
    """The shipped words and these besides.

    groups: attribute, shipped or new, to groups it gets besides its own. names: each takes the
    place of a shipped one. Raises SettingsError on a conflict, with both entries' places.
    """
    sheets = [read_sheet(data(f"{name}.tsv"), name, f"{name}.tsv") for name in ATTRIBUTES]
    attributes = {sheet.attribute: sheet.groups for sheet in sheets}
    for name, more in groups.items():
        attributes[name] = tuple(dict.fromkeys((*attributes.get(name, ()), *more)))
    shipped = chain.from_iterable(sheet.entries for sheet in sheets)
    added = tuple(entries)
    for entry in added:
        _check_group(entry, attributes)
    return Lexicons(attributes, [*shipped, *added], _people(names), read_cues())


def _people(names: Iterable[NameRecord]) -> NameForms:
    """The shipped first names and these, the surnames, and what they tell."""
    return NameForms(
        NameTable([*_shipped_names(), *names]),
        SurnameTable(read_surnames(data("surnames.tsv"), "surnames.tsv")),
        backgrounds(),
        read_word_lists("guard.counterfactual.lexicons", "data/short_forms.txt"),
    )


def _shipped_names() -> Iterator[NameRecord]:
    """The shipped first names, those marked that are better known as something else."""
    lists = read_word_lists("guard.counterfactual.lexicons", "data/homonyms.txt")
    known = {name: kind for kind, names in lists.items() for name in names}
    for record in read_names(data("names.tsv"), "names.tsv"):
        kind = known.get(record.name.lower(), "")
        yield replace(record, known_as=kind) if kind else record


def backgrounds() -> Backgrounds:
    """What the shipped table says of where names come from. Reads a file."""
    return read_backgrounds(data("backgrounds.tsv"), "backgrounds.tsv")


def _check_group(entry: Entry, attributes: Mapping[str, tuple[str, ...]]) -> None:
    known = attributes.get(entry.form.attribute, ())
    if entry.form.group not in known:
        raise SettingsError(
            f"{entry.where}: {entry.form.attribute!r} has no group {entry.form.group!r}; it has"
            f" {', '.join(known) or 'none'}: add it under `groups`"
        )
