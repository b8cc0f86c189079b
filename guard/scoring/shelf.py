"""Windows that are ready for the model, by length."""

from __future__ import annotations

import heapq
from itertools import count

from guard.scoring.request import Item

_BUCKET_TOKENS = 4  # wider buckets would pad more than larger batches save


class Shelf:
    """Gives batches of nearly equal length, the longest waiting first. Not thread-safe.

    tokens: on the shelf, those of requests that have ended meanwhile included.
    """

    def __init__(self) -> None:
        self._buckets: dict[int, list[tuple[float, int, Item]]] = {}
        self._numbers = count()
        self.tokens = 0

    def put(self, item: Item) -> None:
        bucket = self._buckets.setdefault(item.length // _BUCKET_TOKENS, [])
        heapq.heappush(bucket, (item.tag, next(self._numbers), item))
        self.tokens += item.length

    def first_tag(self) -> float | None:
        """The tag of the item that comes next; None when there is none."""
        self._discard_ended()
        return min((bucket[0][0] for bucket in self._buckets.values()), default=None)

    def take(self, budget: int) -> list[Item]:
        """The next item, with others of its length as far as `budget` tokens go."""
        self._discard_ended()
        if not self._buckets:
            return []
        bucket = min(self._buckets.values(), key=_first)
        batch = [self._pop(bucket)]
        longest = batch[0].length
        while bucket and max(longest, bucket[0][2].length) * (len(batch) + 1) <= budget:
            item = self._pop(bucket)
            if not item.request.done:
                batch.append(item)
                longest = max(longest, item.length)
        return batch

    def _discard_ended(self) -> None:
        for bucket in self._buckets.values():
            while bucket and bucket[0][2].request.done:
                self._pop(bucket)
        for key in [key for key, bucket in self._buckets.items() if not bucket]:
            del self._buckets[key]

    def _pop(self, bucket: list[tuple[float, int, Item]]) -> Item:
        item = heapq.heappop(bucket)[2]
        self.tokens -= item.length
        return item


def _first(bucket: list[tuple[float, int, Item]]) -> tuple[float, int]:
    return bucket[0][:2]
