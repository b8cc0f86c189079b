"""What the model does next: a fair order of requests, and batches of windows of like length."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from operator import attrgetter
from typing import Generic, TypeVar

from guard.scoring.request import ReadyWindow, Request
from guard.scoring.vocabulary import TokenWindow

T = TypeVar("T")

_CALL_TOKENS = 4  # what a call of the model costs beside its tokens, in tokens
_SPARE_ENTRIES = 64


@dataclass(frozen=True, slots=True)
class TokenizeTask:
    """Requests whose next windows are to be made."""

    requests: Sequence[Request]


@dataclass(frozen=True, slots=True)
class ScoreTask:
    """Windows of nearly equal length for one call of the model."""

    windows: Sequence[ReadyWindow]

    @property
    def requests(self) -> list[Request]:
        """Those the windows are from, each once."""
        return list(dict.fromkeys(window.request for window in self.windows))


EngineTask = TokenizeTask | ScoreTask


class LiveHeap(Generic[T]):
    """Things by priority, the lowest number first, then the oldest. Not thread-safe.

    is_over: says of which things nothing is wanted any more; they are passed over and let go.
    """

    def __init__(self, is_over: Callable[[T], bool]) -> None:
        self._is_over = is_over
        self._entries: list[tuple[float, int, T]] = []
        self._numbers = count()
        self._sweep_at = _SPARE_ENTRIES

    def __len__(self) -> int:
        """Entries that are kept, some that are over included."""
        return len(self._entries)

    def push(self, priority: float, thing: T) -> None:
        """Add a thing that is not over."""
        heapq.heappush(self._entries, (priority, next(self._numbers), thing))
        if len(self._entries) > self._sweep_at:
            self._entries = [entry for entry in self._entries if not self._is_over(entry[2])]
            heapq.heapify(self._entries)
            self._sweep_at = 2 * len(self._entries) + _SPARE_ENTRIES

    def first(self) -> tuple[float, T] | None:
        """The first thing that is not over, with its priority."""
        while self._entries:
            priority, _, thing = self._entries[0]
            if not self._is_over(thing):
                return priority, thing
            heapq.heappop(self._entries)
        return None

    def pop(self) -> T:
        """Take the thing out that `first` gave."""
        return heapq.heappop(self._entries)[2]


is_done = attrgetter("done")


def _is_gone(window: ReadyWindow) -> bool:
    return window.taken or window.request.done


class BatchScheduler:
    """Requests wait in line for windows to be made of them, windows wait for the model.

    Both are ordered by virtual time, which advances by the tokens served, divided by the
    requests that are open. Each window of a text is due as many tokens after the one before as
    that one is long. So a long text gets its share, no more, and a short one that comes later
    never waits for all of it. Not thread-safe.

    batch_tokens: for one call of the model. ahead_tokens: windows kept ready, so that some of
    one length can be picked from them. pads: whether windows of other lengths may stand in one
    call, the shorter ones padded.
    """

    def __init__(self, *, batch_tokens: int, ahead_tokens: int, pads: bool = True) -> None:
        self._batch_tokens = batch_tokens
        self._padding_limit = _CALL_TOKENS if pads else 1
        self._ahead_tokens = ahead_tokens
        self._line = LiveHeap[Request](is_done)
        self._ready = LiveHeap(_is_gone)
        self._by_length: dict[int, LiveHeap[ReadyWindow]] = {}
        self._ready_tokens = 0
        self._now = 0.0

    @property
    def has_work(self) -> bool:
        """Whether anything waits."""
        return len(self._line) > 0 or self._ready_tokens > 0

    def join(self, request: Request) -> None:
        """A new request: it is due now."""
        request.tag = self._now
        self.rejoin(request)

    def rejoin(self, request: Request) -> None:
        """More windows are to be made of this request."""
        self._line.push(request.tag, request)

    def leave(self, request: Request) -> None:
        """A request has ended: its windows are not wanted any more."""
        self._count(request, -request.ready_tokens)

    def put(self, request: Request, windows: Sequence[TokenWindow]) -> None:
        """Windows of `request` are ready for the model."""
        for window in windows:
            ready = ReadyWindow(
                request=request,
                window=window,
                stage=request.stage,
                length=len(window.ids),
            )
            self._ready.push(request.tag, ready)
            same_length = self._by_length.setdefault(ready.length, LiveHeap(_is_gone))
            same_length.push(request.tag, ready)
            self._count(request, ready.length)
            request.tag += ready.length
        request.pending += len(windows)

    def next(self, open_requests: int) -> EngineTask | None:
        """What a free worker should do; None when nothing waits."""
        if self._needs_windows():
            return TokenizeTask(self._from_line())
        windows = self._batch()
        self._now += sum(window.length for window in windows) / max(1, open_requests)
        return ScoreTask(windows) if windows else None

    def _needs_windows(self) -> bool:
        waiting, ready = self._line.first(), self._ready.first()
        if waiting is None or ready is None or self._ready_tokens < self._ahead_tokens:
            return waiting is not None
        return waiting[0] < ready[0]

    def _from_line(self) -> list[Request]:
        """About one batch of requests, by their estimated tokens."""
        taken: list[Request] = []
        weight = 0
        while weight < self._batch_tokens and self._line.first():
            taken.append(self._line.pop())
            weight += taken[-1].weight
        return taken

    def _batch(self) -> list[ReadyWindow]:
        """The next window, with others of about its length as far as `batch_tokens` go.

        Others join it while the padding they cause is less than a call of their own would cost.
        """
        if (first := self._ready.first()) is None:
            return []
        batch: list[ReadyWindow] = []
        longest = first[1].length
        for length in _outward(longest):
            while self._fits(length, longest, len(batch)):
                longest = max(longest, length)
                batch.append(self._take(length))
        return batch

    def _fits(self, length: int, longest: int, count: int) -> bool:
        padding = longest - length if length <= longest else count * (length - longest)
        room = max(length, longest) * (count + 1) <= self._batch_tokens or not count
        if not room or padding >= self._padding_limit or length not in self._by_length:
            return False
        return self._by_length[length].first() is not None

    def _take(self, length: int) -> ReadyWindow:
        window = self._by_length[length].pop()
        window.taken = True
        self._count(window.request, -length)
        return window

    def _count(self, request: Request, tokens: int) -> None:
        request.ready_tokens += tokens
        self._ready_tokens += tokens


def _outward(length: int) -> Iterator[int]:
    """`length` and its neighbours, nearest first."""
    yield length
    for distance in range(1, _CALL_TOKENS):
        yield length - distance
        yield length + distance
