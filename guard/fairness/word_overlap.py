"""How much of their words two replies share: what of each is looked at is made ready once.

Replies to one prompt are held against many others; then the words of each are cut, numbered and
joined to runs once, and not for every pair.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from guard.fairness.words import Response, as_words, masked

_ORDERS = 4
_KEPT_WORDS = 2_000


@dataclass(frozen=True, kw_only=True)
class ReplyWords:
    """The words of one reply. text: in which nothing but space is left out; empty where the words
    were given. Of long replies nothing is kept: it would take megabytes for each."""

    words: Sequence[str]
    text: str = ""

    @property
    def places(self) -> Mapping[str, int]:
        """Of each word a number, whose bits are its places."""
        return self._places if len(self.words) <= _KEPT_WORDS else places_of(self.words)

    def runs(self, n: int) -> frozenset[Hashable]:
        """All runs of n words, n from 1 to 4; see `numbered`."""
        kept = len(self.words) <= _KEPT_WORDS
        return self._runs[n - 1] if kept else numbered(runs_of(self.words, n))

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return places_of(self.words)

    @cached_property
    def _runs(self) -> tuple[frozenset[Hashable], ...]:
        return tuple(numbered(runs_of(self.words, n)) for n in range(1, _ORDERS + 1))


def reply_words(response: Response, protected: Collection[str] = ()) -> ReplyWords:
    """The words of a text, or words where someone has made them; `protected` ones are masked."""
    found = as_words(response)
    return ReplyWords(
        words=masked(found, protected) if protected else found,
        text=" ".join(response.split()) if isinstance(response, str) else "",
    )


def rouge_of(one: ReplyWords, other: ReplyWords) -> float:
    """The F1 of ROUGE-L, in [0, 1]; see `counterfactual.rouge_l`."""
    if not one.words or not other.words:
        return _without_words(one, other)
    shared = _subsequence(one.places, len(one.words), other.words)
    return 2 * shared / (len(one.words) + len(other.words))


def bleu_of(one: ReplyWords, other: ReplyWords, epsilon: float = 0.0) -> float:
    """The lower of both BLEUs, in [0, 1]; see `counterfactual.cbleu`."""
    if not one.words or not other.words:
        return _without_words(one, other)
    first, second = len(one.words), len(other.words)
    orders = range(1, min(_ORDERS, first, second) + 1)
    shared = [len(one.runs(n) & other.runs(n)) or epsilon for n in orders]
    return min(_bleu(shared, first, second), _bleu(shared, second, first))


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    A row of the table is one integer, a bit for each place in a (Crochemore et al. 2001, Hyyro
    2004): len(b) additions on len(a) bits.
    """
    return _subsequence(places_of(a), len(a), b)


def shared_runs(a: Sequence[str], b: Sequence[str], n: int) -> int:
    """How many runs of n words the texts share, each as often as in the text with fewer."""
    return len(numbered(runs_of(a, n)) & numbered(runs_of(b, n)))


def places_of(words: Iterable[str]) -> Mapping[str, int]:
    """Of each word a number, whose bits are its places, the first one lowest."""
    found: dict[str, int] = {}
    bit = 1
    for word in words:
        found[word] = found.get(word, 0) | bit
        bit <<= 1
    return found


def runs_of(words: Sequence[str], n: int) -> list[Hashable]:
    """Every n words that stand side by side, n at least 1."""
    if n == 1:
        return list(words)
    return list(zip(*(words[start:] for start in range(n)), strict=False))


def numbered(things: Sequence[Hashable]) -> frozenset[Hashable]:
    """A set that holds a thing that is there k times k times over, the first time as it is: of two
    such sets, what is in both is what both lists share, as often as in the one with fewer."""
    counts = Counter(things)
    if len(counts) == len(things):
        return frozenset(counts)
    again = ((number, thing) for thing, k in counts.items() for number in range(1, k))
    return frozenset((*counts, *again))


def _subsequence(places: Mapping[str, int], size: int, words: Iterable[str]) -> int:
    full = row = (1 << size) - 1
    for word in words:
        if here := row & places.get(word, 0):
            row = (row + here | row - here) & full
    return size - row.bit_count()


def _bleu(shared: Sequence[float], length: int, reference: int) -> float:
    """BLEU of a text of this length, from the runs it shares with the reference."""
    if not all(shared):
        return 0.0
    logs = [math.log(count / (length - n)) for n, count in enumerate(shared)]
    penalty = min(0.0, 1 - reference / length)
    return math.exp(penalty + math.fsum(logs) / len(logs))


def _without_words(one: ReplyWords, other: ReplyWords) -> float:
    """One side has no words: alike if the other has none either and nothing else differs."""
    if one.words or other.words:
        return 0.0
    return float(one.text == other.text)
