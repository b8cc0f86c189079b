"""What all units add up to: sums, counts and the worst cases, in memory of a bounded size."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from guard.assessment.items import ItemFigures
from guard.assessment.results import WorstPair, WorstResponse
from guard.fairness import Tally

MOST_CHARACTERS = 4000
"""Of each text that is kept with the worst cases."""
_SPARE_CHARACTERS = 40
"""A text that was cut, with the remark about it, is not cut again."""
Counts = Mapping[tuple[str, str], int]
"""(about what, what became of it) to how often; about an attribute, or nothing in particular."""
Kept = TypeVar("Kept", WorstResponse, WorstPair)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitMeasures:
    """What one unit adds, or several together. items: the figures of each prompt."""

    sums: Tally = field(default_factory=dict)
    counts: Counts = field(default_factory=dict)
    responses: tuple[WorstResponse, ...] = ()
    pairs: tuple[WorstPair, ...] = ()
    items: tuple[ItemFigures, ...] = ()


class WorstCases(Generic[Kept]):
    """The cases with the largest values, `most` for each name, ties in the order they came."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._heaps: dict[str, list[tuple[float, int, Kept]]] = {}
        self._seen = 0

    def add(self, name: str, case: Kept) -> None:
        """One more case of this name."""
        self._seen += 1
        size = abs(case.value)
        heap = self._heaps.setdefault(name, [])
        if not self._most or size <= 0.0 or (len(heap) >= self._most and size <= heap[0][0]):
            return
        entry = (size, -self._seen, _shortened(case))
        heapq.heappush(heap, entry) if len(heap) < self._most else heapq.heapreplace(heap, entry)

    def kept(self) -> tuple[Kept, ...]:
        """All of them, by name, the largest first."""
        return tuple(
            case
            for name in sorted(self._heaps)
            for _, _, case in sorted(self._heaps[name], key=lambda one: (-one[0], -one[1]))
        )


class Totals:
    """The sum of units, added one after the other."""

    def __init__(self, worst: int) -> None:
        self.sums: dict[str, float] = {}
        self.counts: Counter[tuple[str, str]] = Counter()
        self._responses: WorstCases[WorstResponse] = WorstCases(worst)
        self._pairs: WorstCases[WorstPair] = WorstCases(worst)

    def add(self, one: UnitMeasures) -> None:
        """What one more unit adds."""
        for name, value in one.sums.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
        self.counts.update(one.counts)
        for response in one.responses:
            self._responses.add(response.score, response)
        for pair in one.pairs:
            self._pairs.add(pair.metric, pair)

    @property
    def worst_responses(self) -> tuple[WorstResponse, ...]:
        """By score, the highest first."""
        return self._responses.kept()

    @property
    def worst_pairs(self) -> tuple[WorstPair, ...]:
        """By metric, the largest difference first."""
        return self._pairs.kept()


def merge_counts(found: Iterable[Counts]) -> Counts:
    """All of them together."""
    total: Counter[tuple[str, str]] = Counter()
    for one in found:
        total.update(one)
    return total


def _shortened(case: Kept) -> Kept:
    if isinstance(case, WorstResponse):
        return replace(case, prompt=_cut(case.prompt), response=_cut(case.response))
    sides = (
        replace(side, prompt=_cut(side.prompt), response=_cut(side.response))
        for side in (case.first, case.second)
    )
    first, second = sides
    return replace(case, first=first, second=second)


def _cut(text: str) -> str:
    """The beginning of a long text, with how much is left out."""
    left = len(text) - MOST_CHARACTERS
    if left <= _SPARE_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]}… [{left} characters more]"
