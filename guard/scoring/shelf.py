"""Windows that are ready for the model, by length."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

from guard.scoring.request import Item

_CALL_TOKENS = 4  # what a call of the model costs beside its tokens, in tokens
_Heap = list[tuple[float, int, Item]]


class Shelf:
    """Gives batches of nearly equal length, the longest waiting item first. Not thread-safe.

    tokens: on the shelf, those of requests that have ended meanwhile included.
    """

    def __init__(self) -> None:
        self._all: _Heap = []
        self._by_length: dict[int, _Heap] = {}
        self._numbers = count()
        self.tokens = 0

    def put(self, item: Item) -> None:
        entry = (item.tag, next(self._numbers), item)
        heapq.heappush(self._all, entry)
        heapq.heappush(self._by_length.setdefault(item.length, []), entry)
        self.tokens += item.length

    def first_tag(self) -> float | None:
        """The tag of the item that comes next; None when there is none."""
        while self._all and self._is_over(self._all[0][2]):
            heapq.heappop(self._all)
        return self._all[0][0] if self._all else None

    def take(self, budget: int) -> list[Item]:
        """The next item, with others of about its length as far as `budget` tokens go.

        Others join it while the padding they cause is less than a call of their own would cost.
        """
        if self.first_tag() is None:
            return []
        batch: list[Item] = []
        longest = self._all[0][2].length
        for length in _outward(longest):
            while self._fits(length, longest, len(batch), budget):
                longest = max(longest, length)
                batch.append(self._pop(length))
        return batch

    def _fits(self, length: int, longest: int, count: int, budget: int) -> bool:
        if not self._has(length):
            return False
        padding = longest - length if length <= longest else count * (length - longest)
        room = max(length, longest) * (count + 1) <= budget or not count
        return room and padding < _CALL_TOKENS

    def _has(self, length: int) -> bool:
        """Whether there is an item of this length that is still wanted."""
        heap = self._by_length.get(length, [])
        while heap and heap[0][2].request.done:
            self._pop(length)
        return bool(heap)

    def _pop(self, length: int) -> Item:
        item = heapq.heappop(self._by_length[length])[2]
        item.taken = True
        self.tokens -= length
        return item

    def _is_over(self, item: Item) -> bool:
        if item.request.done and not item.taken:
            self._has(item.length)
        return item.taken or item.request.done


def _outward(length: int) -> Iterator[int]:
    """`length` and its neighbours, nearest first."""
    yield length
    for distance in range(1, _CALL_TOKENS):
        yield length - distance
        yield length + distance
