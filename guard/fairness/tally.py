"""What every metric shares: sums under flat keys, names of what is measured, windows, and checks of
what metrics are called with.

A tally is a mapping from a flat string to a sum, so that a store needs nothing but addition
(SQLite `value = value + excluded.value`, Redis `HINCRBYFLOAT`) and never hears of a metric.
A key is a path of parts, `metric|...|field`; metrics whose interval is a jackknife put the fold
of the conversation right after their name: `metric|07|field`.

A `Measured` is the name in every key of a live metric, so a store full of sums tells by itself what
can be read from it. Groups stand in alphabetical order, `female~male`, and a signed figure is the
first one's minus the second's, whichever of them the prompt spoke of. A pair of one group with
itself, `female~female`, is the control: another name or a synonym for the same people.

A rolling window is the sum of the time buckets it spans, so its size follows from keys and buckets
and not from traffic: at most `(buckets + 1) * keys` numbers for each metric, whether there were 12
events in 12 hours or 12 million. Evidence is read from epochs, which do not expire (see
`sequential`), and never from windows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Protocol, TypeAlias, TypeVar

from guard.records import Reading, Undefined

Tally: TypeAlias = Mapping[str, float]
Parts: TypeAlias = tuple[str, ...]
Bounds: TypeAlias = tuple[float, float]
Observation_contra = TypeVar("Observation_contra", contravariant=True)
Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")

UNIT: Bounds = (0.0, 1.0)
SIGNED: Bounds = (-1.0, 1.0)

FOLDS = 20
_SEPARATOR = "|"
_ROUNDING = 1e-6  # how far arithmetic in 32 bits may leave the bounds
_WORD = r"[a-z0-9][a-z0-9_-]*"
_PART = re.compile(_WORD)
_GROUPS = re.compile(rf"{_WORD}(?:~{_WORD})?")


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


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Measured:
    """One thing that is measured.

    metric: in snake case. attribute: empty where none is meant. groups: two in alphabetical order
    (`female~male`), one (`female`), or none. Raises ValueError for what cannot be in a name.
    """

    metric: str
    attribute: str = ""
    groups: str = ""

    def __post_init__(self) -> None:
        for what, text in (("metric", self.metric), ("attribute", self.attribute)):
            if not (_PART.fullmatch(text) or (not text and what == "attribute")):
                raise ValueError(f"{what} {text!r}: small letters, digits, - and _ are wanted")
        if self.groups and not (self.attribute and _GROUPS.fullmatch(self.groups)):
            raise ValueError(f"groups {self.groups!r} of attribute {self.attribute!r}")
        if list(self.between) != sorted(self.between):
            raise ValueError(f"groups {self.groups!r} must be in alphabetical order")

    @property
    def name(self) -> str:
        """`metric`, `metric:attribute` or `metric:attribute:groups`."""
        return ":".join(part for part in (self.metric, self.attribute, self.groups) if part)

    @property
    def between(self) -> tuple[str, ...]:
        """The groups one by one."""
        return tuple(self.groups.split("~")) if self.groups else ()

    @staticmethod
    @lru_cache(maxsize=8192)
    def parse(name: str) -> Measured:
        """What has this name. Raises ValueError where nothing can have it."""
        parts = name.split(":")
        if len(parts) > 3 or not all(parts):
            raise ValueError(f"{name!r} is not metric, metric:attribute or metric:attribute:groups")
        metric, attribute, groups = (*parts, "", "")[:3]
        return Measured(metric=metric, attribute=attribute, groups=groups)


def pair_of(first: str, second: str) -> str:
    """Two groups as they stand in names, whichever comes first."""
    return "~".join(sorted((first, second)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingWindow:
    """The last `seconds`, in buckets of `bucket_seconds`; up to one bucket more is in it."""

    seconds: float = 86400.0
    bucket_seconds: float = 60.0

    def __post_init__(self) -> None:
        if not 0 < self.bucket_seconds <= self.seconds < math.inf:
            raise ValueError(
                f"bucket_seconds {self.bucket_seconds} and seconds {self.seconds}: "
                "0 < bucket_seconds <= seconds is wanted"
            )

    @property
    def buckets(self) -> int:
        """How many whole buckets it spans, the present one on top."""
        return math.ceil(self.seconds / self.bucket_seconds)

    def bucket(self, at_seconds: float) -> int:
        """The number of the bucket a time falls into."""
        return math.floor(at_seconds / self.bucket_seconds)

    def span(self, now_seconds: float) -> range:
        """The numbers of the buckets that are in the window now."""
        present = self.bucket(now_seconds)
        return range(present - self.buckets, present + 1)


def listed(values: Iterable[Item], name: str) -> list[Item]:
    """The values as a list. One text is no list of texts, though it can be run through."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise ValueError(f"{name}: a list is wanted, not {values!r}")
    return list(values)


def is_number(value: float | None, bounds: Bounds = UNIT) -> bool:
    """Whether it is a number within bounds: NaN and None are not."""
    return value is not None and bounds[0] - _ROUNDING <= value <= bounds[1] + _ROUNDING


def numbers(values: Iterable[float | None], bounds: Bounds = UNIT) -> list[float]:
    """Those of the values that are numbers within bounds; what rounding carried over is cut.

    Numbers of other kinds (32 bits) become plain ones: sums of theirs would stop growing.
    """
    low, high = bounds
    return [
        min(high, max(low, float(value)))
        for value in values
        if value is not None and low - _ROUNDING <= value <= high + _ROUNDING
    ]


def check_bounds(bounds: Bounds) -> None:
    """A programmer's mistake is told at once."""
    if not -math.inf < bounds[0] < bounds[1] < math.inf:
        raise ValueError(f"bounds {bounds} must be two numbers, the lower one first")


def moments(value: float, *prefix: str) -> dict[str, float]:
    """One observation as what a mean and its interval are made of, under this prefix."""
    return {
        key(*prefix, "n"): 1.0,
        key(*prefix, "sum"): value,
        key(*prefix, "squares"): value * value,
    }


def hit_or_miss(hit: float, *prefix: str) -> dict[str, float]:
    """One observation as what a share and its interval are made of, under this prefix."""
    return {key(*prefix, "n"): 1.0, key(*prefix, "hits"): float(hit)}


def hits_of(tally: Tally, *prefix: str) -> tuple[float, float]:
    """Hits and n of all observations under this prefix."""
    return tally.get(key(*prefix, "hits"), 0.0), tally.get(key(*prefix, "n"), 0.0)


def recalled(tally: Tally, *prefix: str) -> tuple[float, float, float]:
    """n, sum and sum of squares of all observations under this prefix."""
    n, total, squares = (tally.get(key(*prefix, part), 0.0) for part in ("n", "sum", "squares"))
    return n, total, squares
