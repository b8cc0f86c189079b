"""The requests an engine has open, under one lock: what came in, what goes out. It has no threads.

What comes in too fast is refused at once: `RequestQueue.admit` bounds the open tokens and, by the
pace that was measured, refuses what could not be scored by its deadline.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition, Lock
from typing import Final

from guard.ports import Clock
from guard.records import Assessment, Unscored
from guard.scoring.batching import EngineTask, LiveHeap, ScoreTask, is_done
from guard.scoring.priorities import (
    BACKGROUND_SHARE,
    PATIENT_SHARE,
    Priority,
    PriorityScheduler,
    priority_of,
)
from guard.scoring.request import Request
from guard.scoring.vocabulary import TokenWindow

_LONG_SHARE = 16
_IN_TIME_SHARE = 0.75
"""Of the time until its deadline in which a text has to be through: the pace is an estimate."""
_ALWAYS_TOKENS = 2048
"""Open texts that are let in whatever the pace: without them a better one would not be seen."""

MEMORY_SECONDS: Final = 1.0
"""Of saturated time, after which a measurement of pace counts about a third."""
LEAST_SECONDS: Final = 0.2
"""Of saturated time before a pace is known."""
FRESH_SECONDS: Final = 3.0
"""So long after the last measurement no pace is known any more: the machine may have changed."""
ROOM_SECONDS: Final = 60.0
"""So long after a text that somebody waited for room is kept for the next one."""

Rows = Sequence[Sequence[float] | None]
"""For each window of a batch its values, None where the model gave nothing usable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStats:
    """A snapshot; running totals are since the engine, or the forked process, started.

    queued: texts that wait for their first batch. in_flight: texts that some batch has touched
    and that are not yet answered. open_tokens: estimated, of both. batches, tokens: gone
    through the model; padded_tokens: fillers beside them. restarts: threads that died and were
    replaced. cancelled: requests dropped.
    """

    queued: int
    in_flight: int
    open_tokens: int
    batches: int = 0
    tokens: int = 0
    padded_tokens: int = 0
    restarts: int = 0
    cancelled: int = 0

    @property
    def open_requests(self) -> int:
        """Texts that are not yet answered."""
        return self.queued + self.in_flight


class Pacemeter:
    """Tokens in a second, measured from batch to batch for as long as work waits. Not thread-safe.

    Batches of an engine that waits for work say little: they are small, and their speed is not what
    it can do.
    """

    def __init__(self) -> None:
        self._tokens = 0.0
        self._seconds = 0.0
        self._since: float | None = None
        self._measured_at = -math.inf

    def note(self, tokens: int, now: float, *, more_waits: bool) -> None:
        """A batch with so many tokens came back; whether others wait for the model."""
        if self._since is not None:
            passed = now - self._since
            kept = math.exp(-passed / MEMORY_SECONDS)
            self._tokens = kept * self._tokens + tokens
            self._seconds = kept * self._seconds + passed
            self._measured_at = now
        self._since = now if more_waits else None

    def tokens_per_second(self, now: float) -> float | None:
        """None where nothing is known."""
        fresh = now - self._measured_at <= FRESH_SECONDS
        known = fresh and self._seconds >= LEAST_SECONDS
        return self._tokens / self._seconds if known else None


class RequestQueue:
    """Takes requests in, hands out tasks, takes results back, says who has to be answered.

    Requests it returns have ended: nobody else will return them, the caller answers them.
    Long texts (by weight, more than a sixteenth of `max_open_tokens`) and the others may each
    take half of it, so that neither kind locks the other out, and of either half those that nobody
    waits for (without a deadline) one half where others came lately; one text alone is always let
    in.
    A text that cannot be through by its deadline at the present pace is not let in either: it would
    only make the others late. Thread-safe.
    """

    def __init__(self, scheduler: PriorityScheduler, clock: Clock, *, max_open_tokens: int) -> None:
        self._scheduler = scheduler
        self._clock = clock
        self._kind_tokens = max_open_tokens // 2
        self._long_tokens = max_open_tokens // _LONG_SHARE
        self._open_tokens = Counter[tuple[bool, bool]]()
        self._lock = Lock()
        self._work = Condition(self._lock)
        self._due = Condition(self._lock)
        self._deadlines = LiveHeap[Request](is_done)
        self._pace = Pacemeter()
        self._open: dict[Future[Assessment], Request] = {}
        self._awaited: dict[Future[Assessment], Request] = {}
        self._awaited_at = -math.inf
        self._begun = 0
        self._closed = False
        self._counts = Counter[str]()

    def admit(self, request: Request) -> Unscored | None:
        """Let `request` in, or say why not."""
        weight, due_at = request.weight, request.due_at
        with self._lock:
            if self._closed:
                return Unscored.CLOSED
            if not self._has_room(request) or not self._in_time(request):
                return Unscored.OVERLOAD
            self._open_tokens[self._kind(request)] += weight
            self._open[request.future] = request
            self._scheduler.join(request)
            self._work.notify()
            if due_at is not None:
                self._awaited[request.future] = request
                self._awaited_at = self._clock()
                self._add_deadline(due_at, request)
        return None

    def next_task(self) -> EngineTask | None:
        """The next task, as soon as there is one; None once the queue is closed."""
        with self._lock:
            while not self._closed:
                if (task := self._task()) is not None:
                    return task
                self._work.wait()
        return None

    def add_windows(
        self, request: Request, windows: Sequence[TokenWindow], *, exhausted: bool
    ) -> list[Request]:
        """Windows were made of `request`. exhausted: there are no more after them."""
        with self._lock:
            if request.done:
                return []
            self._scheduler.put(request, request.receive(windows, exhausted=exhausted))
            if not exhausted:
                self._scheduler.rejoin(request)
            return self._advance([request])

    def settle(self, batch: ScoreTask, rows: Rows) -> list[Request]:
        """The model has been through `batch`."""
        with self._lock:
            self._count(batch)
            for window, values in zip(batch.windows, rows, strict=True):
                window.request.settle(window, values)
            return self._advance(batch.requests)

    def fail(self, requests: Iterable[Request]) -> list[Request]:
        """Something broke while these were worked on."""
        with self._lock:
            return [each for each in requests if self._end(each, Unscored.ENGINE_ERROR)]

    def count_restart(self) -> None:
        """A thread died and was replaced."""
        with self._lock:
            self._counts["restarts"] += 1

    def withdraw(self, future: Future[Assessment]) -> None:
        """A future is done: if it was cancelled, drop its request."""
        if future.cancelled():
            with self._lock:
                request = self._open.get(future)
                if request is not None and self._end(request, None):
                    self._counts["cancelled"] += 1

    def expire(self) -> list[Request]:
        """End the requests whose deadline has come."""
        expired: list[Request] = []
        with self._lock:
            now = self._clock()
            while (first := self._deadlines.first()) is not None and first[0] <= now:
                expired.append(self._deadlines.pop())
                self._end(expired[-1], Unscored.DEADLINE)
        return expired

    def wait_for_deadline(self) -> bool:
        """Wait until a deadline has come; False once the queue is closed."""
        with self._lock:
            while not self._closed:
                first = self._deadlines.first()
                if first is not None and first[0] <= self._clock():
                    return True
                self._due.wait(None if first is None else first[0] - self._clock())
        return False

    def close(self) -> list[Request]:
        """Let nothing more in. All requests end."""
        with self._lock:
            self._closed = True
            self._work.notify_all()
            self._due.notify_all()
            return [each for each in tuple(self._open.values()) if self._end(each, Unscored.CLOSED)]

    def stats(self) -> QueueStats:
        """What is open now, and what was done."""
        with self._lock:
            return QueueStats(
                queued=len(self._open) - self._begun,
                in_flight=self._begun,
                open_tokens=sum(self._open_tokens.values()),
                **self._counts,
            )

    def _kind(self, request: Request) -> tuple[bool, bool]:
        """Whether it is long, and whether nobody waits for it."""
        return request.weight > self._long_tokens, request.due_at is None

    def _has_room(self, request: Request) -> bool:
        long, background = self._kind(request)
        unawaited = self._open_tokens[long, True]
        held = self._open_tokens[long, False] + unawaited
        shared = self._awaited or self._clock() - self._awaited_at < ROOM_SECONDS
        most = self._kind_tokens // 2 if background and shared else self._kind_tokens
        if unawaited and unawaited + request.weight > most:
            return False
        return not held or held + request.weight <= self._kind_tokens

    def _in_time(self, request: Request) -> bool:
        """Whether a text can be through by its deadline, or is alone: then what is read of it by
        then costs nobody anything, and a rule may act by it.

        The order of service is fair: until a text is through, each other one of its priority gets
        as much of the model as that one does, or as it needs; the rest gets its share. Of a patient
        text the urgent ones that are open count as well, not those that will come.
        """
        now, weight, due_at = self._clock(), request.weight, request.due_at
        if due_at is None or not self._awaited:
            return True
        if (pace := self._pace.tokens_per_second(now)) is None:
            return True
        room = _IN_TIME_SHARE * pace * (due_at - now)
        if len(self._awaited) < len(self._open):
            room *= 1 - BACKGROUND_SHARE
        others = list(self._awaited.values())
        if priority_of(request) is Priority.URGENT:
            others = [one for one in others if priority_of(one) is Priority.URGENT]
            room *= 1 if len(others) == len(self._awaited) else 1 - PATIENT_SHARE
        before = sum(min(one.weight, weight) for one in others)
        return before + weight <= max(room, _ALWAYS_TOKENS)

    def _add_deadline(self, due_at: float, request: Request) -> None:
        self._deadlines.push(due_at, request)
        if self._deadlines.first() == (due_at, request):
            self._due.notify()

    def _task(self) -> EngineTask | None:
        task = self._scheduler.next()
        if isinstance(task, ScoreTask):
            self._begin(task)
        if self._scheduler.has_work:
            self._work.notify()
        return task

    def _begin(self, batch: ScoreTask) -> None:
        now = self._clock()
        for window in batch.windows:
            if window.request.begun_at is None:
                window.request.begun_at = now
                self._begun += 1

    def _count(self, batch: ScoreTask) -> None:
        """Later stages are not in the weight of a text: they count as time without tokens."""
        lengths = [window.length for window in batch.windows]
        tokens = sum(lengths)
        self._counts["batches"] += 1
        self._counts["tokens"] += tokens
        self._counts["padded_tokens"] += max(lengths) * len(lengths) - tokens
        looked_at = sum(window.length for window in batch.windows if not window.stage)
        self._pace.note(looked_at, self._clock(), more_waits=self._scheduler.has_work)

    def _advance(self, requests: Iterable[Request]) -> list[Request]:
        """Send those that are through a stage into the next one; end the others."""
        ended: list[Request] = []
        for request in requests:
            if not request.is_through:
                continue
            if request.next_stage():
                self._scheduler.rejoin(request)
            elif self._end(request, None):
                ended.append(request)
        return ended

    def _end(self, request: Request, reason: Unscored | None) -> bool:
        future = request.future
        if self._open.pop(future, None) is None:
            return False
        self._awaited.pop(future, None)
        self._begun -= request.begun_at is not None
        self._open_tokens[self._kind(request)] -= request.weight
        self._scheduler.leave(request)
        request.end(reason)
        return True
