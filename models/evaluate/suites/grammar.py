"""Sentences from frames with slots. The same frames and seed give the same sentences everywhere."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from string import Formatter

Slots = Mapping[str, Sequence[str]]
ARTICLE = re.compile(r"\b([Aa]) (?=[aei]|o(?!ne\b)|ug|un(?!i))")
START = re.compile(r"(^[\"'“‘(]*|[.!?]\s+[\"'“‘(]*)([a-z])")


def slots_in(frame: str) -> tuple[str, ...]:
    """The names of a frame's slots, each once, in order."""
    named = (name for _, name, _, _ in Formatter().parse(frame) if name)
    return tuple(dict.fromkeys(named))


def sentence_case(text: str) -> str:
    """A capital where a sentence starts."""
    return START.sub(lambda match: match[1] + match[2].upper(), text)


def fill(frame: str, words: Mapping[str, str]) -> str:
    return sentence_case(ARTICLE.sub(r"\1n ", frame.format_map(words)))


def choices(frame: str, slots: Slots, rng: random.Random) -> Iterator[dict[str, str]]:
    """Ways to fill the slots of a frame, without end; each slot goes through all its words."""
    orders = {
        name: rng.sample(list(slots[name]), len(slots[name]))
        for name in slots_in(frame)
        if name in slots
    }
    turn = 0
    while True:
        yield {n: words[(turn + turn // len(words)) % len(words)] for n, words in orders.items()}
        turn += 1


def draw(frames: Sequence[str], slots: Slots, *, n: int, seed: str) -> list[str]:
    """`n` distinct partly filled frames, evenly over the frames; slots not in `slots` stay open."""
    found: dict[str, None] = {}
    ways = {frame: choices(frame, slots, random.Random(f"{seed} {frame}")) for frame in frames}
    for _ in range(40 * n):
        for frame in frames:
            if len(found) == n:
                return list(found)
            words = next(ways[frame])
            found[frame.format_map({k: "{" + k + "}" for k in slots_in(frame)} | words)] = None
    raise ValueError(f"{len(found)} of {n} sentences for {seed!r}: give more frames or words")
