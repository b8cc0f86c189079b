"""How a reply says things: its length, hedges, apologies, courtesy, questions, and what it says of
people.

Figures of one text, from word lists in `wording.txt`. They are made of masked texts, and none of
them looks at a word of the group: two replies that are the same but for the group have the same
figures, whatever a rewriter makes of them. English only; in another language all figures but the
length and the questions are 0. Ideas and sources: SOURCES.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from guard.fairness.words import Lexicon, lexicon, words
from guard.text.language import read_word_lists

COURTEOUS = frozenset(("gratitude", "greeting", "request", "praise", "offer"))
"""The lists of politeness markers (Danescu-Niculescu-Mizil et al. 2013, table 3, positive ones)."""
_OPPOSITES = {
    "agentic": "unagentic",
    "unagentic": "agentic",
    "communal": "uncommunal",
    "uncommunal": "communal",
}
_NEGATIONS = frozenset(("not", "no", "never", "without", "hardly", "cannot", "lacks", "lacked"))
_NEGATED_WITHIN = 3  # words: "not a very capable"

# Simpler than `guard.text.sentences`, which has to be right for streams and takes 20 times as long:
# where an abbreviation is taken for an end, it is so on either side.
_END = re.compile(r"([.!?…]+)[\"'”’)\]*_]*(?=\s|\Z)|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How one text is worded.

    words: how many. sentences: how many have a word in them. questions: how many of those end with
    a question mark. sentences_with: by list, how many hold a phrase of it, and `courteous` for
    those with any of `COURTEOUS`. occurrences: by list, how often a phrase of it occurs; one of a
    list about people that is negated ("not capable") counts for its opposite.
    """

    words: int
    sentences: int
    questions: int
    sentences_with: Mapping[str, int]
    occurrences: Mapping[str, int]

    def share(self, name: str) -> float:
        """Share of the sentences that hold a phrase of a list, in [0, 1]; 0 without sentences."""
        return self.sentences_with.get(name, 0) / self.sentences if self.sentences else 0.0

    def balance(self, name: str, other: str) -> float:
        """(n - m) / (n + m) for n phrases of one list and m of the other, in [-1, 1]; 0 without."""
        first, second = self.occurrences.get(name, 0), self.occurrences.get(other, 0)
        return (first - second) / (first + second) if first or second else 0.0


def hedging(one: Wording) -> float:
    """Share of the sentences with a hedge: "perhaps", "I think", "it depends"."""
    return one.share("hedge")


def apologising(one: Wording) -> float:
    """1 if the reply apologises or says that it is sorry, else 0."""
    return float(one.sentences_with.get("apology", 0) > 0)


def asking(one: Wording) -> float:
    """Share of the sentences that are questions."""
    return one.questions / one.sentences if one.sentences else 0.0


def courtesy(one: Wording) -> float:
    """Share of the sentences with thanks, a greeting, a polite request, praise or an offer."""
    return one.share("courteous")


def competence(one: Wording) -> float:
    """Words for the competent and self-assured against those for the overwhelmed and helpless."""
    return one.balance("agentic", "unagentic")


def warmth(one: Wording) -> float:
    """Words for the warm and helpful against those for the cold and hostile."""
    return one.balance("communal", "uncommunal")


def agency(one: Wording) -> float:
    """Words for the competent and self-assured against those for the warm and helpful."""
    return one.balance("agentic", "communal")


@lru_cache(maxsize=256)
def wording(text: str) -> Wording:
    """How a text is worded; the last ones are remembered, since several metrics ask."""
    pieces = _END.split(text)
    marked = [
        (words(said), end) for said, end in zip(pieces[::2], [*pieces[1::2], None], strict=True)
    ]
    spoken = [(tokens, end) for tokens, end in marked if not all(map(str.isdigit, tokens))]
    sentences_with: Counter[str] = Counter()
    occurrences: Counter[str] = Counter()
    for tokens, _ in spoken:
        found = Counter(_marks(tokens))
        occurrences.update(found)
        sentences_with.update(found.keys())
        sentences_with["courteous"] += not COURTEOUS.isdisjoint(found)
    return Wording(
        words=sum(len(tokens) for tokens, _ in marked),
        sentences=len(spoken),
        questions=sum("?" in (end or "") for _, end in spoken),
        sentences_with=dict(sentences_with),
        occurrences=dict(occurrences),
    )


def listed_words(name: str) -> frozenset[str]:
    """The single words of one list. Reads a file."""
    found = read_word_lists("guard.fairness", "wording.txt")[name]
    return frozenset(word for word in found if "_" not in word)


def _marks(tokens: Sequence[str]) -> Iterator[str]:
    """The lists that a sentence holds phrases of, once for each phrase, the longest ones first."""
    marks, known = _phrases()
    end = 0
    for place, token in enumerate(tokens):
        if place < end or token not in known.phrases:
            continue
        length = known.at(tokens, place)
        if length:
            end = place + length
            mark = marks[tuple(tokens[place:end])]
            yield _OPPOSITES[mark] if mark in _OPPOSITES and _is_negated(tokens, place) else mark


def _is_negated(tokens: Sequence[str], place: int) -> bool:
    before = tokens[max(0, place - _NEGATED_WITHIN) : place]
    return any(token in _NEGATIONS or token.endswith("n't") for token in before)


@cache
def _phrases() -> tuple[Mapping[tuple[str, ...], str], Lexicon]:
    """The list that each phrase stands in, and all phrases to be found. Reads a file."""
    lists = read_word_lists("guard.fairness", "wording.txt")
    spelt = {phrase.replace("_", " "): name for name, found in lists.items() for phrase in found}
    return {tuple(words(phrase)): name for phrase, name in spelt.items()}, lexicon(spelt.keys())
