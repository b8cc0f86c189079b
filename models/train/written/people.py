"""Groups and names that a text can be about, and how they are put into it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from train.written.grammar import sections_of

PRONOUNS: dict[str, Mapping[str, str]] = {
    "f": {"HE": "she", "HIS": "her", "HIM": "her", "HIMSELF": "herself"},
    "m": {"HE": "he", "HIS": "his", "HIM": "him", "HIMSELF": "himself"},
}
SLOT = re.compile(r"\{(\^?)([A-Z]+)(\d?)\}")
ATTRIBUTIVE = "~"
GROUP_SLOTS = frozenset({"GS", "G", "GADJ", "GIS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group of people: how it is named, and which kind of attack an attack on it is.

    `predicative` is what follows `is`: an adjective, or a noun with its article.
    """

    id: str
    axis: str
    category: str
    protected: bool
    weight: float
    plural: tuple[str, ...]
    singular: tuple[str, ...]
    adjective: tuple[str, ...]
    predicative: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A first name with the pronouns that most who bear it use."""

    name: str
    gender: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who a text is about."""

    groups: tuple[Group, ...]
    people: tuple[Person, ...]


def forms(cell: str) -> tuple[str, ...]:
    return tuple(form.strip() for form in cell.split(",") if form.strip())


def predicatives(adjectives: Sequence[str], nouns: Sequence[str]) -> tuple[str, ...]:
    after_is = tuple(word for word in adjectives if not word.endswith(ATTRIBUTIVE))
    return after_is or tuple(f"a {noun}" for noun in nouns)


def read_group(line: str, options: Mapping[str, str]) -> Group:
    name, plural, singular, adjective = [*line.split("|"), "", "", ""][:4]
    stem = name.strip().rstrip("*")
    return Group(
        id=stem,
        axis=options["axis"],
        category=options["category"],
        protected=options["protected"] == "1",
        weight=3.0 if name.strip().endswith("*") else 1.0,
        plural=forms(plural),
        singular=forms(singular),
        adjective=tuple(word.rstrip(ATTRIBUTIVE) for word in forms(adjective)),
        predicative=predicatives(forms(adjective), forms(singular)),
    )


@cache
def groups() -> tuple[Group, ...]:
    return tuple(
        read_group(line, section.options)
        for section in sections_of("groups.txt")
        for line in section.lines
    )


@cache
def people() -> tuple[Person, ...]:
    return tuple(
        Person(name=name, gender=section.options["gender"], origin=section.options["origin"])
        for section in sections_of("names.txt")
        for line in section.lines
        for name in line.split()
    )


def slots(text: str) -> frozenset[str]:
    """The kinds of people that a text still wants, such as GADJ and N, with their numbers."""
    return frozenset(kind + number for _, kind, number in SLOT.findall(text))


def place_of(number: str) -> int:
    return int(number) - 1 if number else 0


def shapes_of(group: Group) -> Mapping[str, tuple[str, ...]]:
    return {
        "GS": group.plural,
        "G": group.singular,
        "GADJ": group.adjective,
        "GIS": group.predicative,
    }


def kind_of(slot: str) -> str:
    return slot.rstrip("0123456789")


def has_forms(group: Group, wanted: frozenset[str]) -> bool:
    shapes = shapes_of(group)
    return all(shapes[kind] for kind in map(kind_of, wanted) if kind in GROUP_SLOTS)


def numbers_of(wanted: frozenset[str], *, of_groups: bool) -> set[int]:
    """The places in the cast that the slots of groups, or of named people, refer to."""
    return {
        place_of(slot.removeprefix(kind_of(slot)))
        for slot in wanted
        if (kind_of(slot) in GROUP_SLOTS) == of_groups
    }


def group_count(wanted: frozenset[str]) -> int:
    """How many different groups a text names."""
    return max(numbers_of(wanted, of_groups=True), default=-1) + 1


def names_wanted(wanted: frozenset[str]) -> int:
    return max(numbers_of(wanted, of_groups=False), default=-1) + 1


def fill(text: str, cast: Cast, rng: Random) -> str:
    """Put a cast into the slots of a text; a group is called the same all through it."""
    turn = rng.randrange(12)

    def filled(match: re.Match[str]) -> str:
        capital, kind, number = match.groups()
        place = place_of(number)
        if kind in GROUP_SLOTS:
            shapes = shapes_of(cast.groups[place])[kind]
            word = shapes[turn % len(shapes)]
        elif kind == "N":
            word = cast.people[place].name
        else:
            word = PRONOUNS[cast.people[place].gender][kind]
        return word[:1].upper() + word[1:] if capital else word

    return SLOT.sub(filled, text)


def draw_people(count: int, rng: Random) -> tuple[Person, ...]:
    chosen: Sequence[Person] = rng.sample(people(), count)
    return tuple(chosen)
