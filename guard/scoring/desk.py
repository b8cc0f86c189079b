"""The engine's whole state under one lock: what came in, what goes out. It has no threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition, Lock

from guard.ports import Clock
from guard.records import Assessment, Unscored
from guard.scoring.deadlines import Deadlines
from guard.scoring.order import Batch, Order, Task
from guard.scoring.pace import Pace
from guard.scoring.request import Portion, Request
from guard.scoring.tokens import Vocabulary

_LONG_SHARE = 16
_IN_TIME_SHARE = 0.75
"""Of the time until its deadline in which a text has to be through: the pace is an estimate."""
_ALWAYS_TOKENS = 2048
"""Open texts that are let in whatever the pace: without them a better one would not be seen."""

Rows = Sequence[Sequence[float] | None]
"""For each item of a batch its values, None where the model gave nothing usable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """queued, begun: open requests that no batch, or some batch, has touched.
    tokens: estimated, of both."""

    queued: int
    begun: int
    tokens: int


@dataclass(slots=True)
class _Lane:
    """Open requests of one kind, and their estimated tokens."""

    requests: int = 0
    tokens: int = 0

    def admits(self, weight: int, limit: int) -> bool:
        return not self.requests or self.tokens + weight <= limit

    def change(self, requests: int, tokens: int) -> None:
        self.requests += requests
        self.tokens += tokens


@dataclass(slots=True)
class Counts:
    """Running totals."""

    batches: int = 0
    tokens: int = 0
    padded_tokens: int = 0
    restarts: int = 0
    cancelled: int = 0


class Desk:
    """Takes requests in, hands out tasks, takes results back, says who has to be answered.

    Requests it returns have ended: nobody else will return them, the caller answers them.
    Long texts (by weight, more than a sixteenth of `max_open_tokens`) and the others may each
    take half of it, so that neither kind locks the other out; one text alone is always let in.
    A text that cannot be through by its deadline at the present pace is not let in either: it would
    only make the others late. Thread-safe.
    """

    def __init__(
        self, order: Order, vocabulary: Vocabulary, clock: Clock, *, max_open_tokens: int
    ) -> None:
        self._order = order
        self._vocabulary = vocabulary
        self._clock = clock
        self._lane_tokens = max_open_tokens // 2
        self._long_tokens = max_open_tokens // _LONG_SHARE
        self._lanes = {long: _Lane() for long in (False, True)}
        self._lock = Lock()
        self._work = Condition(self._lock)
        self._due = Condition(self._lock)
        self._deadlines = Deadlines()
        self._pace = Pace()
        self._open: dict[Future[Assessment], Request] = {}
        self._begun = 0
        self._closed = False
        self.counts = Counts()

    def admit(self, request: Request) -> Unscored | None:
        """Let `request` in, or say why not."""
        with self._lock:
            if self._closed:
                return Unscored.CLOSED
            lane = self._lane(request)
            if not lane.admits(request.weight, self._lane_tokens) or not self._in_time(request):
                return Unscored.OVERLOAD
            lane.change(1, request.weight)
            self._open[request.future] = request
            self._order.join(request)
            self._work.notify()
            if request.due_at is not None and self._deadlines.add(request.due_at, request):
                self._due.notify()
        return None

    def next(self) -> Task | None:
        """The next task, as soon as there is one; None once the desk is closed."""
        with self._lock:
            while not self._closed:
                if (task := self._task()) is not None:
                    return task
                self._work.wait()
        return None

    def filled(self, request: Request, portion: Portion) -> list[Request]:
        """Windows were made of `request`."""
        with self._lock:
            if request.done:
                return []
            request.pending += self._order.put(request, portion.windows)
            request.receive(portion)
            if not request.dry:
                self._order.rejoin(request)
            return self._advanced([request])

    def settle(self, batch: Batch, rows: Rows) -> list[Request]:
        """The model has been through `batch`."""
        with self._lock:
            self._count(batch)
            self._note_pace(batch)
            for item, values in zip(batch.items, rows, strict=True):
                item.request.settle(item, values)
            return self._advanced(dict.fromkeys(item.request for item in batch.items))

    def fail(self, requests: Iterable[Request]) -> list[Request]:
        """Something broke while these were worked on."""
        with self._lock:
            return [each for each in requests if self._end(each, Unscored.ENGINE_ERROR)]

    def count_restart(self) -> None:
        """A thread died and was replaced."""
        with self._lock:
            self.counts.restarts += 1

    def withdraw(self, future: Future[Assessment]) -> None:
        """A future is done: if it was cancelled, drop its request."""
        if future.cancelled():
            with self._lock:
                request = self._open.get(future)
                if request is not None and self._end(request, None):
                    self.counts.cancelled += 1

    def expired(self) -> list[Request]:
        """The requests whose deadline has come."""
        with self._lock:
            due = self._deadlines.take(self._clock())
            return [each for each in due if self._end(each, Unscored.DEADLINE)]

    def await_deadline(self) -> bool:
        """Wait until a deadline has come; False once the desk is closed."""
        with self._lock:
            while not self._closed:
                due_at = self._deadlines.first()
                if due_at is not None and due_at <= self._clock():
                    return True
                self._due.wait(None if due_at is None else due_at - self._clock())
        return False

    def close(self) -> list[Request]:
        """Let nothing more in. All requests end."""
        with self._lock:
            self._closed = True
            self._work.notify_all()
            self._due.notify_all()
            return [each for each in tuple(self._open.values()) if self._end(each, Unscored.CLOSED)]

    def levels(self) -> Levels:
        """What is open now."""
        with self._lock:
            tokens = sum(lane.tokens for lane in self._lanes.values())
            return Levels(queued=len(self._open) - self._begun, begun=self._begun, tokens=tokens)

    def _in_time(self, request: Request) -> bool:
        """Whether it can be through by its deadline.

        The order of service is fair: until a text is through, each other one gets as much of the
        model as that one does, or as it needs.
        """
        now = self._clock()
        if request.due_at is None or (pace := self._pace.tokens_per_second(now)) is None:
            return True
        before = sum(min(other.weight, request.weight) for other in self._open.values())
        room = _IN_TIME_SHARE * pace * (request.due_at - now)
        return before + request.weight <= max(room, _ALWAYS_TOKENS)

    def _lane(self, request: Request) -> _Lane:
        return self._lanes[request.weight > self._long_tokens]

    def _task(self) -> Task | None:
        task = self._order.next(len(self._open))
        if isinstance(task, Batch):
            self._begin(task)
        if self._order.waits:
            self._work.notify()
        return task

    def _begin(self, batch: Batch) -> None:
        now = self._clock()
        for item in batch.items:
            if item.request.begun_at is None:
                item.request.begun_at = now
                self._begun += 1

    def _count(self, batch: Batch) -> None:
        lengths = [item.length for item in batch.items]
        self.counts.batches += 1
        self.counts.tokens += sum(lengths)
        self.counts.padded_tokens += max(lengths) * len(lengths) - sum(lengths)

    def _note_pace(self, batch: Batch) -> None:
        """Second looks are not in the weight of a text: they count as time without tokens."""
        tokens = sum(item.length for item in batch.items if not item.passage)
        self._pace.note(tokens, self._clock(), more_waits=self._order.waits)

    def _advanced(self, requests: Iterable[Request]) -> list[Request]:
        """Send those that are through the first look into the second; end the others."""
        through = [each for each in requests if each.dry and not each.pending and not each.done]
        for request in through:
            if request.wants_second_look:
                request.look_again(self._vocabulary)
                self._order.rejoin(request)
        return [each for each in through if each.dry and self._end(each, each.reason)]

    def _end(self, request: Request, reason: Unscored | None) -> bool:
        if self._open.pop(request.future, None) is None:
            return False
        self._begun -= request.begun_at is not None
        self._lane(request).change(-1, -request.weight)
        request.end(reason)
        return True
