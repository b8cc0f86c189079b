"""Templates in plain text files, and their random expansion.

A file holds sections. `== name key=value ...` begins one; each further line is a template, `#` a
remark. `[a|b|]` chooses, `{word}` takes an entry of a list that no other slot of the text took,
`{word:1}` the same entry each time. Slots in capitals are left for the people that the text is
about (`people.py`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from random import Random

INNERMOST = re.compile(r"\[([^\[\]]*)\]")
SLOT = re.compile(r"\{([a-z_]+)(:\w+)?\}")
DEPTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Templates that share their labels and their rules."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()


def header(line: str) -> tuple[str, dict[str, str]]:
    name, *options = line.removeprefix("==").split()
    return name, dict(option.split("=", 1) for option in options)


def parse(text: str) -> Iterator[Section]:
    name, options, lines = "", dict[str, str](), list[str]()
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("=="):
            if name:
                yield Section(name=name, options=options, lines=tuple(lines))
            (name, options), lines = header(line), []
        elif line and not line.startswith("#"):
            lines.append(line)
    if name:
        yield Section(name=name, options=options, lines=tuple(lines))


@cache
def sections_of(file: str) -> tuple[Section, ...]:
    return tuple(parse(files(__package__).joinpath("data", file).read_text(encoding="utf-8")))


@cache
def word_lists(file: str) -> Mapping[str, tuple[str, ...]]:
    """Lists for slots: entries stand one to a line or between semicolons."""
    return {
        section.name: tuple(
            entry.strip() for line in section.lines for entry in line.split(";") if entry.strip()
        )
        for section in sections_of(file)
    }


@dataclass(slots=True, kw_only=True)
class Expansion:
    """What one text has used so far."""

    rng: Random
    lists: Mapping[str, Sequence[str]]
    used: set[str] = field(default_factory=set)
    bound: dict[str, str] = field(default_factory=dict)

    def choice(self, match: re.Match[str]) -> str:
        options: list[str] = match[1].split("|")
        return self.rng.choice(options)

    def entry(self, match: re.Match[str]) -> str:
        known: str | None = self.bound.get(match[0])
        if known is not None:
            return known
        entries = self.lists[match[1]]
        fresh = [entry for entry in entries if entry not in self.used] or entries
        taken: str = self.rng.choice(fresh)
        self.used.add(taken)
        if match[2]:
            taken = self.bound[match[0]] = self.expanded(taken)
        return taken

    def expanded(self, template: str) -> str:
        text = template
        for _ in range(DEPTH):
            simpler = INNERMOST.sub(self.choice, text)
            simpler = simpler if INNERMOST.search(simpler) else SLOT.sub(self.entry, simpler)
            if simpler == text:
                return text
            text = simpler
        raise ValueError(
            f"the template {template!r} still has slots after {DEPTH} rounds: {text!r}"
        )


def expand(template: str, lists: Mapping[str, Sequence[str]], rng: Random) -> str:
    """One text of a template; the slots in capitals stay."""
    return Expansion(rng=rng, lists=lists).expanded(template)
