"""Rolling windows as sums of time buckets, and epochs that do not expire.

An observation is added to the bucket of its time and to the present epoch. A window is the sum of
the buckets it spans, so its size is told by keys and buckets and not by traffic: at most
`(buckets + 1) * keys` numbers for each metric, 12 hours or 12 million events alike. Buckets that no
window can reach any more are dropped. An epoch is one tally, begun anew by a deployment, a change
of settings or an alarm; evidence is read from epochs and never from windows.

What is here is the arithmetic, which stores follow, and a value for those who keep it in memory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from guard.fairness.tally import Tally, add, merged

_NONE: Mapping[int, Tally] = MappingProxyType({})
_NO_EPOCHS: Mapping[str, Tally] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
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

    def total(self, buckets: Mapping[int, Tally], now_seconds: float) -> dict[str, float]:
        """The sum over the window."""
        span = self.span(now_seconds)
        if len(span) < len(buckets):
            return merged(buckets[number] for number in span if number in buckets)
        return merged(tally for number, tally in buckets.items() if number in span)


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """The tallies of a use case: expiring by bucket, and for good by epoch."""

    buckets: Mapping[int, Tally] = field(default_factory=lambda: _NONE)
    epochs: Mapping[str, Tally] = field(default_factory=lambda: _NO_EPOCHS)

    def post(self, tally: Tally, *, at_seconds: float, epoch: str, window: Window) -> Books:
        """The books with one more observation; what arrives too late for any window is not lost
        to its epoch."""
        number = window.bucket(at_seconds)
        newest = max(number, *self.buckets) if self.buckets else number
        kept = {n: t for n, t in self.buckets.items() if n >= newest - window.buckets}
        if number >= newest - window.buckets:
            kept[number] = add(kept.get(number, {}), tally)
        return Books(
            buckets=kept, epochs={**self.epochs, epoch: add(self.epochs.get(epoch, {}), tally)}
        )
