"""Benign texts of an exact length in tokens, distinct and the same on every run.

Every word is one token of the BERT vocabulary, so that a text of n tokens can be written down
without a tokenizer. `verify` checks that against the real one.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from tokenizers import Tokenizer

SPECIAL_TOKENS = 2  # one before and one after every text
SHORTEST_TOKENS = 9  # shorter ones are too few to be distinct

# The tokens of 4,000 answers of public chat models, from the shortest to the longest, in 20 steps.
ANSWER_TOKENS = (
    *(5, 9, 10, 11, 11, 12, 13, 13, 14, 15, 16, 17, 20, 28, 41, 55, 70, 90, 124, 158, 476),
)

DETERMINERS = ("the", "this", "that", "our", "each", "another", "one", "every")
ADJECTIVES = (
    *("quiet", "early", "small", "green", "long", "open", "simple", "warm", "new", "clear"),
    *("wooden", "distant", "gentle", "careful", "useful", "steady", "narrow", "recent", "local"),
)
NOUNS = (
    *("river", "garden", "window", "letter", "train", "bridge", "station", "market", "lesson"),
    *("recipe", "museum", "forest", "village", "morning", "report", "table", "kitchen", "road"),
    *("library", "summer", "weather", "question", "answer", "picture", "harbor", "mountain"),
    *("paper", "engine", "meeting", "project", "budget", "schedule", "ticket", "concert", "field"),
)
VERBS = (
    *("follows", "reaches", "opens", "crosses", "describes", "improves", "explains", "covers"),
    *("supports", "includes", "needs", "holds", "faces", "serves", "keeps", "shows", "meets"),
)
LINKS = ("near", "behind", "beyond", "before", "after", "above", "with", "under", "across")
JOINTS = ("and", "while", "because", "although", "so", "but")
HARSH = ("you", "are", "a", "stupid", "worthless", "idiot", "and", "i", "hate", "you", ".")


def words(rng: random.Random) -> Iterator[str]:
    """An endless run of prose: clauses, joined or ended."""
    while True:
        yield from (rng.choice(DETERMINERS), rng.choice(ADJECTIVES), rng.choice(NOUNS))
        yield from (rng.choice(VERBS), rng.choice(DETERMINERS), rng.choice(NOUNS))
        yield from (rng.choice(LINKS), rng.choice(DETERMINERS), rng.choice(NOUNS))
        yield rng.choice((*JOINTS, ".", ".", ".", "."))


def text(tokens: int, rng: random.Random, *, harsh: bool = False) -> str:
    """One text of exactly that many tokens, the special ones included."""
    opening = HARSH if harsh else ()
    count = max(tokens, SHORTEST_TOKENS + len(opening)) - SPECIAL_TOKENS - 1 - len(opening)
    prose = words(rng)
    chosen = [*opening, *(next(prose) for _ in range(count))]
    return " ".join([*chosen[:-1], chosen[-1] if chosen[-1] != "." else "today", "."])


class Texts:
    """Gives texts that were never given before."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._given: set[str] = set()

    def of(self, tokens: int, count: int) -> list[str]:
        """`count` texts of one length."""
        return [self._fresh(tokens) for _ in range(count)]

    def mix(self, count: int, *, harsh_share: float = 0.0) -> list[str]:
        """Texts as long as real answers are; of `harsh_share` one sentence is an insult."""
        return [self._fresh(self._length(), self._rng.random() < harsh_share) for _ in range(count)]

    def _length(self) -> int:
        step, rest = divmod(self._rng.random() * (len(ANSWER_TOKENS) - 1), 1)
        low, high = ANSWER_TOKENS[int(step) : int(step) + 2]
        return round(low + rest * (high - low))

    def _fresh(self, tokens: int, harsh: bool = False) -> str:
        while (made := text(tokens, self._rng, harsh=harsh)) in self._given:
            pass
        self._given.add(made)
        return made


def verify(tokenizer: Tokenizer, texts: Iterable[str]) -> None:
    """Fail unless every text has one token per word, and the special ones."""
    for one in texts:
        count = len(tokenizer.encode(one).ids)
        if count != len(one.split()) + SPECIAL_TOKENS:
            raise SystemExit(f"not one token per word: {tokenizer.encode(one).tokens}")


def tokens_in(texts: Iterable[str]) -> int:
    """All tokens, the special ones included."""
    return sum(len(one.split()) + SPECIAL_TOKENS for one in texts)
