"""What every metric shares: sums under flat keys, and the protocol that makes and reads them.

A tally is a mapping from a flat string to a sum, so that a store needs nothing but addition
(SQLite `value = value + excluded.value`, Redis `HINCRBYFLOAT`) and never hears of a metric.
A key is a path of parts, `metric|...|field`; metrics whose interval is a jackknife put the fold
of the conversation right after their name: `metric|07|field`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Protocol, TypeAlias, TypeVar

from guard.records import Reading, Undefined

Tally: TypeAlias = Mapping[str, float]
Parts: TypeAlias = tuple[str, ...]
Observation_contra = TypeVar("Observation_contra", contravariant=True)
Key = TypeVar("Key", bound=Hashable)

FOLDS = 20
_SEPARATOR = "|"


class Metric(Protocol[Observation_contra]):
    """A measure that is a function of sums.

    One call or conversation is one observation. `tally` never raises on what a live caller hands
    it: what cannot be measured is counted under a field of its own, not left out in silence.
    `estimate` is given the sum of any number of tallies, its own keys and others', and returns a
    value with its interval, or says why there is none. Never NaN.
    """

    @property
    def name(self) -> str:
        """The first part of every key of this metric; two metrics never share it."""
        ...

    def tally(self, observation: Observation_contra, /) -> Tally:
        """The sums of one observation."""
        ...

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The present value, from sums."""
        ...


def add(*tallies: Tally) -> dict[str, float]:
    """The sum, key by key; associative and commutative up to rounding, and zero is `{}`."""
    return merged(tallies)


def merged(all_sums: Iterable[Mapping[Key, float]]) -> dict[Key, float]:
    """The same for sums under keys of any kind."""
    total: dict[Key, float] = {}
    for sums in all_sums:
        for name, value in sums.items():
            total[name] = total.get(name, 0.0) + value
    return total


@lru_cache(maxsize=8192)
def key(*parts: str) -> str:
    """A flat key from its parts; any text may be a part."""
    return _SEPARATOR.join(
        part.replace("%", "%25").replace(_SEPARATOR, "%7C") if part else "%" for part in parts
    )


@lru_cache(maxsize=8192)
def split(flat: str) -> Parts:
    """The parts of a key, as they were given to `key`."""
    return tuple(
        "" if part == "%" else part.replace("%7C", _SEPARATOR).replace("%25", "%")
        for part in flat.split(_SEPARATOR)
    )


def within(tally: Tally, *prefix: str) -> dict[Parts, float]:
    """The sums whose keys begin with `prefix`, by the parts that follow it."""
    start, depth = key(*prefix) + _SEPARATOR, len(prefix)
    return {split(name)[depth:]: value for name, value in tally.items() if name.startswith(start)}


def fold_of(conversation: str) -> str:
    """The fold of a conversation, `"00"` to `"19"`: the same in every process, for good."""
    digest = blake2b(conversation.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return f"{int.from_bytes(digest) % FOLDS:02d}"


def by_fold(sums: Mapping[Parts, float]) -> dict[str, dict[Parts, float]]:
    """Sums split by their first part, the fold; what is left of each key names the field."""
    folds: dict[str, dict[Parts, float]] = {}
    for (fold, *rest), value in sums.items():
        folds.setdefault(fold, {})[tuple(rest)] = value
    return folds
