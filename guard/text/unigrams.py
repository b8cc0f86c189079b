"""English words by how common they are, and the words that a run of letters is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from math import inf, log

_UNKNOWN_LETTER = 10.5
"""Cost of a letter that belongs to no word: more than any word's, for each of its letters."""
_UNKNOWN_WORD = 9.0, 1.5
"""Cost of a word that is none of these, and of each of its letters."""
_RARE = 4.0
"""Cost of a word (nats a letter) from which on it tells no more than a few letters do."""

_PHRASES = (
    "you are a", "you are an", "they are a", "we are a", "who are a", "you are as", "they are as",
    "he is a", "she is a", "it is a", "this is a", "that is a", "who is a", "such a", "of a",
)  # fmt: skip
"""What words by themselves get wrong: without these `you are a` is an area."""
_PHRASE_GAIN = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unigrams:
    """Words in small letters.

    costs: of each, -log of how often it comes (nats), by Zipf's law from its rank. beginnings: of
    longer words. common: words, and plurals of words, that are not rare for their length. phrases:
    the words of those among `costs` that are several.
    """

    costs: Mapping[str, float]
    phrases: Mapping[str, Sequence[str]]
    beginnings: frozenset[str]
    common: frozenset[str]

    def cost(self, words: Iterable[str]) -> float:
        """Of words as they stand there, of all together (nats)."""
        whole, letter = _UNKNOWN_WORD
        return sum(self.costs.get(word, whole + letter * len(word)) for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segmentation:
    """The likeliest words of a run of letters. words: in order, joined they are the run. cost: of
    all together (nats)."""

    words: Sequence[str]
    cost: float

    def bounds(self) -> Iterator[tuple[int, int]]:
        """Where each word starts and ends in the run."""
        ends = [0]
        for word in self.words:
            ends.append(ends[-1] + len(word))
        return pairwise(ends)


@cache
def english_unigrams() -> Unigrams:
    """The commonest 45,000 English words. Reads a file."""
    lines = (resources.files("guard.text") / "english_words.txt").read_text("utf-8").splitlines()
    words = [word for line in lines if not line.startswith("#") for word in line.split()]
    scale = log(len(words))
    costs = {word: log(rank * scale) for rank, word in enumerate(words, 2)}
    common = {word for word in words if len(word) == 1 or costs[word] <= _RARE * len(word)}
    common |= {f"{word}s" for word in common if len(word) > 2}
    phrases = {phrase.replace(" ", ""): phrase.split() for phrase in _PHRASES}
    for phrase, its_words in phrases.items():
        costs[phrase] = sum(costs[word] for word in its_words) - _PHRASE_GAIN
    beginnings = frozenset(word[:end] for word in costs for end in range(1, len(word)))
    return Unigrams(costs=costs, phrases=phrases, beginnings=beginnings, common=frozenset(common))


def segment(letters: str, unigrams: Unigrams) -> Segmentation:
    """The words that `letters`, small ones, most likely are (Viterbi on a unigram model)."""
    costs, beginnings, count = unigrams.costs, unigrams.beginnings, len(letters)
    least, before = [0.0] + [inf] * count, [0] * (count + 1)
    for start in range(count):
        cost = least[start]
        if cost + _UNKNOWN_LETTER < least[start + 1]:
            least[start + 1], before[start + 1] = cost + _UNKNOWN_LETTER, start
        for end in range(start + 1, count + 1):
            word = letters[start:end]
            more = costs.get(word, inf)
            if cost + more < least[end]:
                least[end], before[end] = cost + more, start
            if word not in beginnings:
                break
    ends = [len(letters)]
    while ends[-1]:
        ends.append(before[ends[-1]])
    found = (letters[start:end] for start, end in pairwise(reversed(ends)))
    words = [word for one in found for word in unigrams.phrases.get(one, (one,))]
    return Segmentation(words=words, cost=least[-1])
