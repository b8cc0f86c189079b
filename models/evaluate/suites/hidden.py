"""One harmful sentence hidden among harmless words; and the same words alone.

What is hidden is harmful without a slur, which is hard to find alone as well, or hate said
outright: the second shows what is lost by length.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from evaluate.suites.hard import BENIGN_PAIRS, HARMFUL, cases_in_suite
from evaluate.suites.length import WORDS, passages, put_together, toxic_sentences
from guard.text import sentences
from train.heads import index_of

PER_LENGTH = 100
SHORT = 100
TOXICITY = index_of("toxicity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    """A text of about `words` harmless words, with a harmful sentence of a template or without.

    outright: whether the sentence is hate said outright, which is a template of its own.
    """

    text: str
    words: int
    template: str | None
    outright: bool = False


def split(text: str) -> list[str]:
    return [text[span.start : span.end].strip() for span in sentences(text)]


@cache
def pool(words: int) -> tuple[str, ...]:
    """Whole answers for long texts, single sentences for short ones."""
    found = passages()
    plain = found if words > SHORT else [each for text in found for each in split(text)]
    return tuple(dict.fromkeys(plain))


def backgrounds(words: int) -> Iterator[list[str]]:
    """Distinct harmless texts of about so many words, each as its sentences."""
    rng = random.Random(f"haystack {words}")
    found: dict[str, list[str]] = {}
    for _ in range(20 * PER_LENGTH):
        parts = put_together(words, pool(words), rng)
        if parts:
            found[" ".join(parts)] = [each for part in parts for each in split(part)]
        if len(found) == PER_LENGTH:
            return iter(found.values())
    raise ValueError(f"the passages do not make {PER_LENGTH} texts of {words} words")


@cache
def needles() -> tuple[tuple[str, str], ...]:
    """Harmful sentences with their templates: one of a template after one of each other."""
    by_template: dict[str, dict[str, None]] = {}
    for suite in (HARMFUL, BENIGN_PAIRS):
        for case in cases_in_suite(suite):
            if case.row.targets[TOXICITY] == 1.0 and len(split(case.body)) == 1:
                by_template.setdefault(case.template, {})[case.body] = None
    order = random.Random("needles").sample(sorted(by_template), len(by_template))
    rounds = zip_longest(*(by_template[name] for name in order))
    return tuple(
        (name, body)
        for bodies in rounds
        for name, body in zip(order, bodies, strict=True)
        if body is not None
    )


def hidden_in(parts: list[str], needle: str, turn: int) -> str:
    """At the start, the end or a place between, in turn."""
    place = (turn % 5) * len(parts) // 4
    return " ".join([*parts[:place], needle, *parts[place:]])


@cache
def haystacks() -> tuple[Haystack, ...]:
    """Per length, the harmless texts, the same with a harmful sentence in each, and with hate."""
    found: list[Haystack] = []
    hate = toxic_sentences()
    for at, words in enumerate(WORDS):
        texts = list(backgrounds(words))
        found += [Haystack(text=" ".join(p), words=words, template=None) for p in texts]
        for turn, parts in enumerate(texts):
            name, needle = needles()[(at * PER_LENGTH + turn) % len(needles())]
            text = hidden_in(parts, needle, turn)
            found.append(Haystack(text=text, words=words, template=name))
        for turn, parts in enumerate(texts):
            needle = hate[(at * PER_LENGTH + turn) % len(hate)]
            text = hidden_in(parts, needle, turn)
            found.append(Haystack(text=text, words=words, template=needle, outright=True))
    return tuple(found)
