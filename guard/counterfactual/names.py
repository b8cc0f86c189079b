"""First names: whom they suggest, and which name of another group is as common.

Shares describe records of births, not a person: a name says nothing certain about who bears it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from guard.errors import SettingsError

_HEADER = ["name", "female", "person", "asian", "black", "hispanic", "white"]
_CLEAR = 0.85  # a name with this share of one sex is paired as that group's, else as neutral
_TYPICAL = 0.6  # the share of an ethnicity from which a name is paired as that group's
_WORD_LIKE = 0.5  # names below this `person` are common words as well: paired among themselves
_NEAR = 3  # how many names as common as this one serve as its synonyms on either side


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRecord:
    """A first name, and the shares of groups among the people with it, in [0, 1].

    female: the others are men. ethnicities: empty where the sources count too few.
    person: how likely the bare capitalised word is a name, in (0, 1].
    """

    name: str
    female: float
    ethnicities: Mapping[str, float]
    person: float

    @property
    def gender(self) -> str:
        """The group the name is paired in: "female", "male" or "neutral"."""
        if self.female >= _CLEAR:
            return "female"
        return "male" if round(1 - self.female, 4) >= _CLEAR else "neutral"

    @property
    def ethnicity(self) -> str:
        """The group most of its bearers have; empty where there is none or nothing is known."""
        typical = (group for group, share in self.ethnicities.items() if share >= _TYPICAL)
        return next(typical, "")


_Pool = tuple[str, str | None, bool | None]  # gender, ethnicity, whether it is a common word too


class NameTable:
    """First names in order of frequency. A later record takes the place of an earlier one.

    Partners stand at the same rank of their pools (gender, ethnicity, also a common word or not),
    so they are one to one: partner(partner(x)) is x wherever both are defined. Neutral names are
    too few for that: they and their partners are ranked by gender alone.
    ethnicities: each that names most often belong to, and these names in lower case.
    """

    def __init__(self, records: Iterable[NameRecord]) -> None:
        self._records = {record.name.lower(): record for record in records}
        self.ethnicities = _by_ethnicity(self._records)
        self._pools: dict[_Pool, list[str]] = {}
        self._ranks: dict[tuple[_Pool, str], int] = {}
        for lower, record in self._records.items():
            for key in (_pool(record), _whole(record.gender)):
                pool = self._pools.setdefault(key, [])
                self._ranks[key, lower] = len(pool)
                pool.append(record.name)

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[NameRecord]:
        return iter(self._records.values())

    def record(self, name: str) -> NameRecord | None:
        """The record of a name in any case; None if the table does not have it."""
        return self._records.get(name.lower())

    def partner(
        self, name: str, *, gender: str | None = None, ethnicity: str | None = None
    ) -> str | None:
        """The name of the same rank with this gender or ethnicity, or both; the rest is kept.

        The name itself where it fits already; None where the table has no name of that rank.
        """
        record = self.record(name)
        if record is None:
            return None
        own, wanted = _keys(record, gender or record.gender, ethnicity)
        rank, pool = self._ranks[own, name.lower()], self._pools.get(wanted, [])
        return pool[rank] if rank < len(pool) else None

    def near(self, name: str) -> tuple[str, ...]:
        """Other names of the same groups that are about as common, the nearest first."""
        record = self.record(name)
        if record is None:
            return ()
        key = _pool(record)
        pool, rank = self._pools[key], self._ranks[key, name.lower()]
        steps = (step for far in range(1, _NEAR + 1) for step in (far, -far))
        return tuple(pool[rank + step] for step in steps if 0 <= rank + step < len(pool))


def _by_ethnicity(records: Mapping[str, NameRecord]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for lower, record in records.items():
        if record.ethnicity:
            found.setdefault(record.ethnicity, set()).add(lower)
    return {ethnicity: frozenset(names) for ethnicity, names in found.items()}


def _pool(record: NameRecord) -> _Pool:
    return record.gender, record.ethnicity, record.person < _WORD_LIKE


def _whole(gender: str) -> _Pool:
    return gender, None, None


def _keys(record: NameRecord, gender: str, ethnicity: str | None) -> tuple[_Pool, _Pool]:
    """The pools of a name and of its partner."""
    if ethnicity is None and "neutral" in (gender, record.gender):
        return _whole(record.gender), _whole(gender)
    own = _pool(record)
    return own, (gender, own[1] if ethnicity is None else ethnicity, own[2])


def read_names(text: str, file: str) -> tuple[NameRecord, ...]:
    """The names in a tab-separated file, in its order. Raises SettingsError with file and line."""
    numbered = [
        (number, line.split("\t"))
        for number, line in enumerate(text.splitlines(), 1)
        if line and not line.startswith("#")
    ]
    if not numbered or numbered[0][1] != _HEADER:
        raise SettingsError(f"{file}: the header is {_HEADER}")
    return tuple(_record(cells, f"{file}:{number}") for number, cells in numbered[1:])


def _record(cells: list[str], where: str) -> NameRecord:
    try:
        female, person, *ethnic = (float(cell) if cell else None for cell in cells[1:])
        ethnicities = {
            group: share
            for group, share in zip(_HEADER[3:], ethnic, strict=False)
            if share is not None
        }
        return NameRecord(
            name=cells[0], female=female or 0.0, ethnicities=ethnicities, person=person or 0.0
        )
    except ValueError as wrong:
        raise SettingsError(f"{where}: not a name with its shares: {cells!r}") from wrong
