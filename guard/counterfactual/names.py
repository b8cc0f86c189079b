"""First names and surnames: whose they are, and which name of another group takes their place.

Shares describe records of births and of a census, not a person: a name says nothing certain about
who bears it. What is exchanged is what a reader hears in it: sex, background and generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from guard.errors import SettingsError

_HEADER = ["name", "female", "person", "born", "background"]
NAME_ALONE = 0.7
"""From this `person` on a capitalised word is a name unless something speaks against it."""
_CLEAR = 0.85  # a name with this share of one sex is paired as that group's, else as neutral
_WORD_LIKE = 0.5  # names below this `person` are common words as well: paired among themselves
_NEAR = 3  # how many names as common as this one serve as its synonyms on either side
_GENERATIONS = {"recent": 2000, "young": 1980, "middle": 1955}  # the first years of birth
SHARED = "american"
"""The background of names that Americans of several groups have: they tell no group."""
_OF_THE_MAJORITY = "white"  # shares its neutral names with `SHARED`


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRecord:
    """A first name, and what is known of the people with it.

    female: their share of women, in [0, 1]; the others are men. person: how likely the bare
    capitalised word is a name, in (0, 1]. born: the median year of their birth; None: not known.
    background: where the name comes from, a line of `backgrounds.tsv`; empty: not known.
    known_as: what the word is better known as, a list of `homonyms.txt`; empty: nothing else.
    """

    name: str
    female: float
    person: float
    born: int | None = None
    background: str = ""
    known_as: str = ""

    @property
    def is_no_word(self) -> bool:
        """Whether it is a name and little else: "Mary", not "Grace"."""
        return self.person >= NAME_ALONE and not self.known_as

    @property
    def gender(self) -> str:
        """The group the name is paired in: "female", "male" or "neutral"."""
        if self.female >= _CLEAR:
            return "female"
        return "male" if round(1 - self.female, 4) >= _CLEAR else "neutral"

    @property
    def generation(self) -> str:
        """ "old", "middle", "young" or "recent"; empty where the year of birth is not known."""
        if self.born is None:
            return ""
        return next((name for name, first in _GENERATIONS.items() if self.born >= first), "old")


class Surname(NamedTuple):
    """A surname and its background."""

    name: str
    background: str


class Backgrounds:
    """Which group of an attribute the names of a background tell.

    names: every background, those that tell no group too. groups: attribute ("race", "religion")
    to background to group; the first background of a group is the one whose names are taken for it.
    """

    def __init__(self, names: Iterable[str], groups: Mapping[str, Mapping[str, str]]) -> None:
        self.names, self._groups = tuple(names), groups
        self._first = {
            attribute: {group: background for background, group in reversed(tuple(told.items()))}
            for attribute, told in groups.items()
        }

    @property
    def attributes(self) -> Mapping[str, tuple[str, ...]]:
        """What names tell: attribute to groups, sorted."""
        return {attribute: tuple(sorted(first)) for attribute, first in self._first.items()}

    def group(self, background: str, attribute: str) -> str:
        """The group that names of this background tell; empty: none."""
        return self._groups[attribute].get(background, "")

    def typical(self, attribute: str, group: str) -> str:
        """The background whose names are taken for a group."""
        return self._first[attribute].get(group, "")


class _Pool(NamedTuple):
    """Names that are paired with those of another pool. An empty part: names of any kind of it."""

    gender: str
    background: str
    generation: str = ""
    word_like: bool | None = None


class NameTable:
    """First names in order of frequency. A later record takes the place of an earlier one.

    The partner of a name stands at the same rank of its pool: the same background and generation,
    also a common word or not. Neutral names are too few for that: they and their partners are
    ranked by background alone. Where one pool is longer, partners of its last names are spread
    over the other, so that they lead back only from the shorter one.
    """

    def __init__(self, records: Iterable[NameRecord]) -> None:
        self._records = {record.name.lower(): record for record in records}
        self._pools: dict[_Pool, list[str]] = {}
        self._ranks: dict[tuple[_Pool, str], int] = {}
        for lower, record in self._records.items():
            if record.background and record.generation:
                self._put(lower, record)

    def _put(self, lower: str, record: NameRecord) -> None:
        for key in (_pool(record), _whole(record.gender, record.background)):
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
        self, name: str, *, gender: str | None = None, background: str | None = None
    ) -> str | None:
        """The name that takes the place of this one, of this gender or background, or both.

        Everything else is kept, the generation too. The name itself where it fits already. None
        where the table does not have the name, or not its background or generation, or no name
        that fits.
        """
        record = self.record(name)
        if record is None or not (record.background and record.generation):
            return None
        to, where = gender or record.gender, background or record.background
        if (to, where) == (record.gender, record.background):
            return record.name
        own, pools = _pool(record), _wanted(record, to, where)
        if "neutral" in (to, record.gender):
            own, pools = _whole(record.gender, record.background), (_whole(to, where),)
        wanted = next((pool for key in pools if (pool := self._pools.get(key))), None)
        if wanted is None:
            return None
        rank, mine = self._ranks[own, name.lower()], self._pools[own]
        best = _at_rank(wanted, rank, of=len(mine))
        return self._plain(wanted, best, mine, also=not record.known_as)

    def _plain(self, pool: list[str], best: str, own: list[str], *, also: bool) -> str:
        """The name that is nearest to the best one and, as its partner, known as a name alone.

        also: whether the best one may be it.
        """
        at = pool.index(best)
        if also and self._are_plain(pool, at, own):
            return best
        plain = (number for number in range(len(pool)) if self._are_plain(pool, number, own))
        return pool[min(plain, key=lambda number: abs(number - at), default=at)]

    def _are_plain(self, pool: list[str], number: int, own: list[str]) -> bool:
        back = _at_rank(own, number, of=len(pool))
        return not (self._known_as(pool[number]) or self._known_as(back))

    def _known_as(self, name: str) -> str:
        return self._records[name.lower()].known_as

    def near(self, name: str) -> tuple[str, ...]:
        """Other names of the same pool that are about as common, the nearest first."""
        record = self.record(name)
        if record is None or (key := (_pool(record), name.lower())) not in self._ranks:
            return ()
        pool, rank = self._pools[key[0]], self._ranks[key]
        steps = (step for far in range(1, _NEAR + 1) for step in (far, -far))
        near = (pool[rank + step] for step in steps if 0 <= rank + step < len(pool))
        return tuple(name for name in near if not self._known_as(name))


def are_alike(one: NameRecord, other: NameRecord) -> bool:
    """Whether two first names are of one background, as far as both are known."""
    backgrounds = {
        SHARED if record.background == _OF_THE_MAJORITY else record.background
        for record in (one, other)
        if record.background
    }
    return len(backgrounds) < 2


def _pool(record: NameRecord) -> _Pool:
    word_like = record.person < _WORD_LIKE
    return _Pool(record.gender, record.background, record.generation, word_like)


def _wanted(record: NameRecord, gender: str, background: str) -> tuple[_Pool, ...]:
    """Where the partner is looked for: common words have partners that are, if there are any.

    Of most backgrounds no names of children are known; those of their parents are next.
    """
    kinds = (record.person < _WORD_LIKE, record.person >= _WORD_LIKE)
    generations = {"recent": ("recent", "young")}.get(record.generation, (record.generation,))
    return tuple(
        _Pool(gender, background, generation, kind) for generation in generations for kind in kinds
    )


def _whole(gender: str, background: str) -> _Pool:
    return _Pool(gender, SHARED if background == _OF_THE_MAJORITY else background)


def _at_rank(pool: list[str], rank: int, *, of: int) -> str:
    """The name at this rank; the ranks beyond the end of the pool are spread over it."""
    return pool[rank if rank < len(pool) else rank * len(pool) // of]


class SurnameTable:
    """Surnames in order of frequency, each with its background."""

    def __init__(self, surnames: Iterable[Surname]) -> None:
        self._surnames = {one.name.lower(): one for one in surnames}
        self._pools: dict[str, list[str]] = {}
        self._ranks: dict[str, int] = {}
        for lower, one in self._surnames.items():
            pool = self._pools.setdefault(one.background, [])
            self._ranks[lower] = len(pool)
            pool.append(one.name)

    def background(self, surname: str) -> str:
        """The background of a surname in any case; empty if the table does not have it."""
        found = self._surnames.get(surname.lower())
        return found.background if found else ""

    def partner(self, surname: str, background: str) -> str | None:
        """The surname of this background that is about as common; None where there is none."""
        own, pool = self.background(surname), self._pools.get(background)
        if not own or not pool:
            return None
        return _at_rank(pool, self._ranks[surname.lower()], of=len(self._pools[own]))

    def near(self, surname: str) -> tuple[str, ...]:
        """Other surnames of the same background that are about as common, the nearest first."""
        own = self.background(surname)
        if not own:
            return ()
        pool, rank = self._pools[own], self._ranks[surname.lower()]
        steps = (step for far in range(1, _NEAR + 1) for step in (far, -far))
        return tuple(pool[rank + step] for step in steps if 0 <= rank + step < len(pool))


def read_names(text: str, file: str) -> tuple[NameRecord, ...]:
    """The names in a tab-separated file, in its order. Raises SettingsError with file and line."""
    return tuple(_record(cells, where) for where, cells in _lines(text, file, _HEADER))


def read_surnames(text: str, file: str) -> tuple[Surname, ...]:
    """The surnames in a tab-separated file, in its order. Raises SettingsError with the file."""
    return tuple(Surname(*cells) for _, cells in _lines(text, file, ["name", "background"]))


def read_backgrounds(text: str, file: str) -> Backgrounds:
    """Which groups names tell. Raises SettingsError with the file."""
    header = ["background", "race", "religion"]
    lines = [cells for _, cells in _lines(text, file, header)]
    return Backgrounds(
        [cells[0] for cells in lines],
        {
            attribute: {cells[0]: cells[at] for cells in lines if cells[at]}
            for at, attribute in enumerate(header)
            if at
        },
    )


def _lines(text: str, file: str, header: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The lines below the header, each with its place and as many cells as the header has."""
    numbered = [
        (number, line.split("\t"))
        for number, line in enumerate(text.splitlines(), 1)
        if line and not line.startswith("#")
    ]
    if not numbered or numbered[0][1] != header:
        raise SettingsError(f"{file}: the header is {header}")
    for number, cells in numbered[1:]:
        if len(cells) != len(header):
            raise SettingsError(f"{file}:{number}: not a name with its columns: {cells!r}")
        yield f"{file}:{number}", cells


def _record(cells: list[str], where: str) -> NameRecord:
    name, female, person, born, background = cells
    try:
        return NameRecord(
            name=name,
            female=float(female),
            person=float(person),
            born=int(born) if born else None,
            background=background,
        )
    except ValueError as wrong:
        raise SettingsError(f"{where}: not a name with its columns: {cells!r}") from wrong
