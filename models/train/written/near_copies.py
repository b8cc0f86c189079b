"""How much of a text stands in another one, by the three-word sequences that they share."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

WORD = re.compile(r"[a-z0-9']+")
LENGTH = 3

Words = tuple[str, ...]


def sequences(text: str) -> frozenset[Words]:
    """Its sequences of three words; all of it where it is shorter."""
    words = WORD.findall(text.lower())
    return frozenset(
        tuple(words[start : start + LENGTH]) for start in range(max(1, len(words) - LENGTH + 1))
    )


def index_of_sequences(texts: Iterable[tuple[str, str]]) -> Mapping[Words, frozenset[str]]:
    """For each sequence the names of the (name, text) that have it; a name may have many texts."""
    found: dict[Words, set[str]] = defaultdict(set)
    for name, text in texts:
        for sequence in sequences(text):
            found[sequence].add(name)
    return {sequence: frozenset(names) for sequence, names in found.items()}


def shared(text: str, index: Mapping[Words, frozenset[str]]) -> tuple[float, str]:
    """The largest share of its sequences that one name has, and that name; 0 where none has any."""
    own = sequences(text)
    names = Counter(name for sequence in own for name in index.get(sequence, ()))
    if not names:
        return 0.0, ""
    name, count = names.most_common(1)[0]
    return count / len(own), name
