"""What the model does next: a fair order of requests and of their windows."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from guard.scoring.request import Item, Request
from guard.scoring.shelf import Shelf
from guard.scoring.tokens import Window


@dataclass(frozen=True, slots=True)
class Refill:
    """Requests whose next windows are to be made."""

    requests: list[Request]


@dataclass(frozen=True, slots=True)
class Batch:
    """Items of nearly equal length for one call of the model."""

    items: list[Item]

    @property
    def requests(self) -> list[Request]:
        """Those the items are from, each once."""
        return list(dict.fromkeys(item.request for item in self.items))


Task = Refill | Batch


class Order:
    """Requests wait in line for windows to be made of them, windows on a shelf for the model.

    Both are ordered by virtual time, which advances by the tokens served, divided by the
    requests that are open. Each window of a text is due as many tokens after the one before as
    that one is long. So a long text gets its share, no more, and a short one that comes later
    never waits for all of it. Not thread-safe.

    batch_tokens: for one call of the model. ahead_tokens: windows kept ready, so that some of
    one length can be picked from them.
    """

    def __init__(self, *, batch_tokens: int, ahead_tokens: int) -> None:
        self._batch_tokens = batch_tokens
        self._ahead_tokens = ahead_tokens
        self._line: list[tuple[float, int, Request]] = []
        self._shelf = Shelf()
        self._numbers = count()
        self._now = 0.0

    def join(self, request: Request) -> None:
        """A new request: it is due now."""
        request.tag = self._now
        self.rejoin(request)

    def rejoin(self, request: Request) -> None:
        """More windows are to be made of this request."""
        heapq.heappush(self._line, (request.tag, next(self._numbers), request))

    @property
    def waits(self) -> bool:
        """Whether anything waits."""
        return bool(self._line) or self._shelf.tokens > 0

    def put(self, request: Request, windows: Sequence[Window]) -> int:
        """Windows of `request` are ready for the model; how many they are."""
        for window in windows:
            length = len(window.ids)
            self._shelf.put(
                Item(
                    request=request,
                    window=window,
                    passage=request.looking,
                    tag=request.tag,
                    length=length,
                )
            )
            request.tag += length
        return len(windows)

    def next(self, open_requests: int) -> Task | None:
        """What a free worker should do; None when nothing waits."""
        if self._refill_is_due():
            return Refill(self._from_line())
        items = self._shelf.take(self._batch_tokens)
        self._now += sum(item.length for item in items) / max(1, open_requests)
        return Batch(items) if items else None

    def _refill_is_due(self) -> bool:
        while self._line and self._line[0][2].done:
            heapq.heappop(self._line)
        if not self._line or self._shelf.tokens < self._ahead_tokens:
            return bool(self._line)
        first = self._shelf.first_tag()
        return first is None or self._line[0][0] < first

    def _from_line(self) -> list[Request]:
        """About one batch of requests, by their estimated tokens."""
        taken: list[Request] = []
        weight = 0
        while self._line and weight < self._batch_tokens:
            request = heapq.heappop(self._line)[2]
            if not request.done:
                taken.append(request)
                weight += request.weight
        return taken
