"""Word lists that tell whether people are meant; data, read on an explicit call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable

from guard.counterfactual.tokens import words_and_gaps
from guard.text.language import WordLists, read_word_lists

Pair = tuple[str, str, int]  # a word, its neighbour in an expression, on which side that stands
Around = tuple[tuple[str, ...], tuple[str, ...]]  # the words before and after, of an expression

_NOUNS = ("woman", "women", "person", "people", "keeper", "worker")
_TRADES = ("ologist", "ician", "anist", "inist", "onist", "arist", "orist", "icist", "alist")
_PERSONAL = (*_NOUNS, *_TRADES)
_PERSONAL_ENDINGS = (*_PERSONAL, *(ending + "s" for ending in _PERSONAL))


class Cues(WordLists):
    """What the words around a term are: the lists of `data/cues.txt`, which says what each holds.

    topics: for each word, words near which it means no person.
    expressions: for each word and a neighbour, the fixed expressions in which it means no person.
    full_names: the same of companies and things whose names are made of a person's.
    """

    def __init__(
        self,
        lists: Mapping[str, frozenset[str]],
        topics: Mapping[str, frozenset[str]],
        expressions: Mapping[Pair, tuple[Around, ...]],
        full_names: Mapping[Pair, tuple[Around, ...]],
    ) -> None:
        super().__init__(lists)
        self.topics = topics
        self.expressions, self.full_names = expressions, full_names

    def is_person(self, word: str) -> bool:
        """Whether the noun, in lower case, means a person or a group of them."""
        return word in self.people or word.endswith(_PERSONAL_ENDINGS)


def read_cues() -> Cues:
    """The shipped lists. Reads files."""
    folder = resources.files("guard.counterfactual.mentions") / "data"
    lists = dict(read_word_lists("guard.counterfactual.mentions", "data/cues.txt"))
    lists["people"] |= {_plural(noun) for noun in lists["people"]}
    topics = _topics((folder / "topics.txt").read_text(encoding="utf-8"))
    terms = (_by_word(_lines(folder / name)) for name in ("expressions.txt", "full_names.txt"))
    return Cues(lists, topics, *terms)


def _lines(file: Traversable) -> Iterator[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return (line for line in lines if line and not line.startswith("#"))


def _topics(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in text.splitlines():
        words, _, near = line.partition("\t")
        for word in words.split() if near else ():
            found[word] = found.get(word, frozenset()) | frozenset(near.split())
    return found


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _by_word(expressions: Iterable[str]) -> dict[Pair, tuple[Around, ...]]:
    found: dict[Pair, list[Around]] = {}
    for expression in expressions:
        words, _ = words_and_gaps(expression)
        for at, word in enumerate(words if len(words) > 1 else ()):
            side = -1 if at else 1
            around = found.setdefault((word, words[at + side], side), [])
            around.append((words[:at], words[at + 1 :]))
    return {pair: tuple(around) for pair, around in found.items()}
