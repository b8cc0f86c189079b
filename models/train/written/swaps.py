"""Counterfactual copies of any rows: the same text with another group in it, where that is safe.

Only words that can hardly mean anything but a group of people are swapped, and only in texts that
say nothing else that belongs to one group (a hijab, the Holocaust, `she`), so that the copy still
makes sense and keeps its labels.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from train.keys import text_key
from train.rows import Row
from train.written.grammar import sections_of
from train.written.text import article_fixed

TOKEN = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Swaps:
    """Words that can stand for each other, and the words that must follow where any are named."""

    words: tuple[str, ...]
    sources: frozenset[str]
    context: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A swapped row, the row it came from by its place, and what was put for what."""

    row: Row
    of: int
    old: str
    new: str


def listed(options: Mapping[str, str], key: str) -> frozenset[str]:
    return frozenset(filter(None, options.get(key, "").split(",")))


@cache
def cues() -> frozenset[str]:
    return frozenset(" ".join(sections_of("swap_cues.txt")[0].lines).split())


@cache
def classes() -> tuple[Swaps, ...]:
    return tuple(
        Swaps(
            words=(words := tuple(" ".join(section.lines).split())),
            sources=frozenset(words) | listed(section.options, "from"),
            context=listed(section.options, "context"),
        )
        for section in sections_of("swaps.txt")
    )


@cache
def classes_by_word() -> Mapping[str, tuple[Swaps, ...]]:
    found: dict[str, tuple[Swaps, ...]] = {}
    for swaps in classes():
        for word in swaps.sources:
            found[word] = (*found.get(word, ()), swaps)
    return found


def like(word: str, pattern: str) -> str:
    """The case of the replaced word: capitals of names stay capitals of names."""
    if pattern.isupper() and len(pattern) > 1:
        return word.upper()
    return word.capitalize() if pattern[0].isupper() else word


def swappable(text: str) -> dict[str, Swaps]:
    """The group words that may be swapped, each with its class; empty where none is safe."""
    tokens = [token.lower() for token in TOKEN.findall(text)]
    if not cues().isdisjoint(tokens):
        return {}
    found: dict[str, Swaps] = {}
    for word, following in zip(tokens, [*tokens[1:], ""], strict=False):
        for swaps in classes_by_word().get(word, ()):
            if not swaps.context or following in swaps.context:
                found.setdefault(word, swaps)
            elif word not in found:
                return {}
    return found


def swapped(text: str, old: str, new: str) -> str:
    """All of one word replaced, whole words only, with the article right before it."""
    pattern = re.compile(rf"(?<![\w-])(?:an?\s+)?{re.escape(old)}(?![\w-])", re.IGNORECASE)

    def put(match: re.Match[str]) -> str:
        lead, word = match[0][: -len(old)], match[0][-len(old) :]
        return article_fixed(lead + like(new, word)) if lead else like(new, word)

    return pattern.sub(put, text)


def one_copy(row: Row, place: int, rng: Random) -> Copy | None:
    found = swappable(row.text)
    if not found:
        return None
    old = rng.choice(sorted(found))
    choices = [word for word in found[old].words if word != old and word not in found]
    if not choices:
        return None
    new = rng.choice(choices)
    text = swapped(row.text, old, new)
    bundle = row.bundle or row.key
    copy = replace(row, text=text, key=text_key(text), bundle=bundle)
    return Copy(row=copy, of=place, old=old, new=new)


def counterfactuals(rows: Iterable[Row], seed: int, per_row: int = 1) -> Iterator[Copy]:
    """Up to `per_row` copies of each row that has a group word which can safely be swapped."""
    for place, row in enumerate(rows):
        rng = Random(f"{seed}/{row.key}")
        copies = (one_copy(row, place, rng) for _ in range(per_row))
        found = {copy.row.key: copy for copy in copies if copy is not None}
        yield from (copy for key, copy in found.items() if key != row.key)
