"""The lexicons that come with the package, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import resources
from itertools import chain

from guard.counterfactual.lexicons.forms import Entry
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.reading import read_sheet
from guard.counterfactual.mentions.cues import read_cues
from guard.counterfactual.names import NameRecord, NameTable, read_names
from guard.errors import SettingsError

ATTRIBUTES = (
    "gender",
    "race",
    "religion",
    "age",
    "orientation",
    "disability",
    "nationality",
)


def data(name: str) -> str:
    """The text of a data file of this package."""
    folder = resources.files("guard.counterfactual.lexicons") / "data"
    return (folder / name).read_text(encoding="utf-8")


def bundled() -> Lexicons:
    """The shipped words and first names. Reads files: call it once."""
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
    table = NameTable([*read_names(data("names.tsv"), "names.tsv"), *names])
    return Lexicons(attributes, [*shipped, *added], table, read_cues())


def _check_group(entry: Entry, attributes: Mapping[str, tuple[str, ...]]) -> None:
    known = attributes.get(entry.form.attribute, ())
    if entry.form.group not in known:
        raise SettingsError(
            f"{entry.where}: {entry.form.attribute!r} has no group {entry.form.group!r}; it has"
            f" {', '.join(known) or 'none'}: add it under `groups`"
        )
