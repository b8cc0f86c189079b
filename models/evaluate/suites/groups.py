"""The groups that the suites speak of, and the words for them."""

from dataclasses import dataclass
from functools import cache

from evaluate.suites.files import read_yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group: `words` fill the slots {one}, {many} and, where there is one, {adj}."""

    id: str
    attribute: str
    words: tuple[tuple[str, str], ...]

    @property
    def slots(self) -> dict[str, str]:
        return dict(self.words)


def article(word: str) -> str:
    """`a` or `an`, by the sound of the words in our own lists."""
    spoken = word.lower()
    return f"an {word}" if spoken[0] in "aeiou" and not spoken.startswith("uk") else f"a {word}"


def parse_group(attribute: str, line: str) -> Group:
    """`id | a person | people | adjective`, the last `-` where there is none."""
    name, one, many, adj = (part.strip() for part in line.split("|"))
    words = [("one", one), ("many", many)]
    if adj != "-":
        words += [("adj", adj), ("a_adj", article(adj))]
    return Group(id=name, attribute=attribute, words=tuple(words))


@cache
def word_groups() -> tuple[Group, ...]:
    listed: dict[str, list[str]] = read_yaml("groups.yaml")["groups"]
    return tuple(parse_group(attribute, line) for attribute, ls in listed.items() for line in ls)


@cache
def name_groups() -> tuple[Group, ...]:
    """First names, each in a group of its people and sex; they fill {name}."""
    listed: dict[str, dict[str, str]] = read_yaml("groups.yaml")["names"]
    return tuple(
        Group(id=f"{people} {sex}: {name}", attribute="name", words=(("name", name),))
        for people, by_sex in listed.items()
        for sex, names in by_sex.items()
        for name in names.split()
    )


@cache
def pronoun_groups() -> tuple[Group, ...]:
    listed: dict[str, dict[str, str]] = read_yaml("groups.yaml")["pronouns"]
    return tuple(
        Group(id=name, attribute="pronoun", words=tuple(words.items()))
        for name, words in listed.items()
    )


@cache
def by_attribute() -> dict[str, tuple[Group, ...]]:
    """Every attribute that a sentence can be swapped over."""
    found: dict[str, list[Group]] = {}
    for group in (*word_groups(), *name_groups(), *pronoun_groups()):
        found.setdefault(group.attribute, []).append(group)
    return {attribute: tuple(groups) for attribute, groups in found.items()}
