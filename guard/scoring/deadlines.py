"""Which request has to be answered next."""

from __future__ import annotations

import heapq
from itertools import count

from guard.scoring.request import Request

_SPARE = 64


class Deadlines:
    """Requests by the moment they have to be answered. Not thread-safe."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Request]] = []
        self._numbers = count()
        self._swept_at = _SPARE

    def add(self, due_at: float, request: Request) -> bool:
        """Whether it is now the first."""
        heapq.heappush(self._heap, (due_at, next(self._numbers), request))
        self._sweep()
        return self._heap[0][2] is request

    def first(self) -> float | None:
        """When the first is due; None when there is none."""
        while self._heap and self._heap[0][2].done:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, now: float) -> list[Request]:
        """Those that are due."""
        taken: list[Request] = []
        while (due := self.first()) is not None and due <= now:
            taken.append(heapq.heappop(self._heap)[2])
        return taken

    def _sweep(self) -> None:
        """Let go of answered requests, so that long deadlines do not keep them."""
        if len(self._heap) > self._swept_at:
            self._heap = [entry for entry in self._heap if not entry[2].done]
            heapq.heapify(self._heap)
            self._swept_at = 2 * len(self._heap) + _SPARE
