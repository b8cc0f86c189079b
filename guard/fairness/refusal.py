"""Refusals: is one group answered less often than another?

A reply that was refused, filtered or never came is an outcome like any other. It has no text to
score, so every metric of texts is blind to it; here it is counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from guard.fairness.arguments import listed
from guard.fairness.classification import check_between
from guard.fairness.intervals import absolute, difference, proportion
from guard.fairness.tally import Tally, key, within
from guard.records import Ending, Reading, Undefined

REFUSALS = frozenset({Ending.REFUSED, Ending.FILTERED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """One call about a group, and how it ended."""

    group: str
    ending: Ending


def refusal_rate_difference(
    first: Iterable[Ending], second: Iterable[Ending], *, counted: Collection[Ending] = REFUSALS
) -> float | Undefined:
    """The absolute difference between two groups in how often calls end in a refusal.

    |P(ending in counted | first) - P(ending in counted | second)|. first, second: the endings of
    each group's calls, time-outs and failures included. In [0, 1]: 0, refused equally often; 1,
    one always, the other never. Not a measure of quality: an answer may be worse than a refusal.
    """
    refused = frozenset(listed(counted, "counted"))
    sides = listed(first, "first"), listed(second, "second")
    if not all(sides):
        return Undefined("a group without calls")
    shares = [sum(end in refused for end in side) / len(side) for side in sides]
    return abs(shares[0] - shares[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalDifference:
    """The same as a tally: every ending of every group is kept apart.

    Observation: `Ended`. counted: the endings that are refusals; the share is of all calls. Keys:
    5 for each group.
    """

    name: str
    between: tuple[str, str]
    counted: Collection[Ending] = REFUSALS

    def __post_init__(self) -> None:
        check_between(self.between)
        object.__setattr__(self, "counted", frozenset(listed(self.counted, "counted")))

    def tally(self, observation: Ended, /) -> Tally:
        """The sums of one call."""
        return {key(self.name, observation.group, observation.ending): 1.0}

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The absolute difference."""
        return absolute(self.signed(tally))

    def signed(self, tally: Tally) -> Reading | Undefined:
        """The difference with its sign: above 0, the first group is refused more often."""
        first, second = (self._counts(tally, group) for group in self.between)
        if first[1] <= 0 or second[1] <= 0:
            lacking = self.between[0] if first[1] <= 0 else self.between[1]
            return Undefined(f"{self.name}: group {lacking!r} has no calls")
        return difference(first, second)

    def rates(self, tally: Tally) -> dict[str, Reading | Undefined]:
        """The refusal rate of each group that was seen."""
        groups = sorted({group for group, _ in within(tally, self.name)})
        return {group: proportion(*self._counts(tally, group)) for group in groups}

    def endings(self, tally: Tally, group: str) -> dict[str, float]:
        """How many calls of a group ended how."""
        return {ending: n for (ending,), n in within(tally, self.name, group).items()}

    def _counts(self, tally: Tally, group: str) -> tuple[float, float]:
        endings = self.endings(tally, group)
        hits = sum(n for ending, n in endings.items() if ending in self.counted)
        return hits, sum(endings.values())
