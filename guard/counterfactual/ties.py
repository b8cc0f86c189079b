"""Words that tie a text to a group: a rewrite beside them would no longer be true."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.people import NEUTRAL
from guard.counterfactual.words import Words, words_of

_NEAR = 40  # words between a tie and the person it is taken to speak of
_ANY = "*"

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A word or term that fits one group, or, for the group "*", none of the attribute's others."""

    attribute: str
    group: str
    words: Phrase


@lru_cache(maxsize=1)
def bundled_ties() -> Mapping[str, tuple[Tie, ...]]:
    """The shipped ties by their first word. Reads a file, once."""
    file = resources.files("guard.counterfactual") / "data" / "ties.tsv"
    return by_first_word(read_ties(file.read_text(encoding="utf-8")))


def read_ties(table: str) -> Iterator[Tie]:
    """The ties of a table with the columns attribute, group and words (commas between)."""
    for line in table.splitlines()[1:]:
        if not line or line.startswith("#"):
            continue
        attribute, group, terms = line.split("\t")
        for term in terms.split(","):
            yield Tie(attribute=attribute, group=group, words=tuple(words_of(term).lower))


def by_first_word(ties: Iterator[Tie]) -> Mapping[str, tuple[Tie, ...]]:
    """The ties by the first of their words."""
    found: dict[str, list[Tie]] = {}
    for tie in ties:
        found.setdefault(tie.words[0], []).append(tie)
    return {first: tuple(same) for first, same in found.items()}


def tied_words(
    words: Words, changing: Sequence[Mention], attribute: str, source: str, target: str
) -> tuple[str, ...]:
    """Words of the source group near somebody who is to change; none for a neutral target.

    "They are pregnant" is true of a neutral person as it is of a woman.
    """
    if not changing or target == NEUTRAL:
        return ()
    places = [words.at(one.span.start) for one in changing]
    ties, found = bundled_ties(), dict[str, None]()
    for at, word in enumerate(words.lower):
        for tie in ties.get(word, ()):
            if _fits(words, at, tie, attribute, source) and _near(places, at):
                found[" ".join(tie.words)] = None
    return tuple(found)


def _fits(words: Words, at: int, tie: Tie, attribute: str, source: str) -> bool:
    ours = tie.attribute == attribute and tie.group in (source, _ANY)
    return ours and tuple(words.lower[at : at + len(tie.words)]) == tie.words


def _near(places: Sequence[int], at: int) -> bool:
    index = bisect_left(places, at)
    return any(abs(place - at) <= _NEAR for place in places[max(0, index - 1) : index + 1])
