"""The threads of an engine: workers that feed the model, and a watcher of deadlines."""

from __future__ import annotations

import atexit
import logging
import os
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from threading import Lock, Thread, current_thread

from guard.forks import ForkGate
from guard.ports import Clock
from guard.records import Assessment
from guard.scoring.classifier import Classifier
from guard.scoring.desk import Desk
from guard.scoring.order import Batch, Refill, Task
from guard.scoring.request import Request

_log = logging.getLogger(__name__)

_FAREWELL_SECONDS = 5.0  # a batch in the model takes a fraction of a second


@dataclass(frozen=True, slots=True, kw_only=True)
class Manning:
    """workers: threads that run the model. portion_tokens: made of a long text at a time.
    heard: called with texts and their complete assessments, by the thread that answered."""

    workers: int
    portion_tokens: int
    heard: Callable[[str, Assessment], None]


class Crew:
    """Works off a desk. Its threads are daemons and start with `ensure`.

    A thread that dies, whatever kills it, has what it was working on answered and is replaced.
    """

    def __init__(
        self, desk: Desk, classifier: Classifier, clock: Clock, *, manning: Manning
    ) -> None:
        self._desk = desk
        self._classifier = classifier
        self._clock = clock
        self._heard = manning.heard
        self._portion = manning.portion_tokens
        self._lock = Lock()
        self._workers = manning.workers
        self._missing: list[Callable[[], None]] = [self._watch, *[self._work] * manning.workers]
        self._threads: set[Thread] = set()
        self._process = os.getpid()
        self._gate = ForkGate()
        self._at_exit = partial(_farewell, weakref.ref(self))

    def ensure(self) -> bool:
        """Start the threads that are missing; whether any worker is there."""
        if self._missing:
            with self._lock:
                self._start()
        return self._missing.count(self._work) < self._workers

    def answer(self, ended: Iterable[Request]) -> None:
        """Answer requests that have ended: all of them, even if a callback of one raises."""
        with ExitStack() as last:
            for request in ended:
                last.callback(self._answer, request)

    def perform(self, task: Task) -> None:
        """Do it. Whatever breaks, the requests it was for are answered."""
        try:
            self._score(task) if isinstance(task, Batch) else self._refill(task)
        except BaseException:
            self.answer(self._desk.fail(task.requests))
            raise

    def close(self) -> None:
        """Answer what is open and end the threads. Waits for a batch that is in the model."""
        if self._process != os.getpid():
            return  # a copy in a forked child: its threads were never there
        atexit.unregister(self._at_exit)
        self.answer(self._desk.close())
        for thread in tuple(self._threads - {current_thread()}):
            thread.join(_FAREWELL_SECONDS)

    def _start(self) -> None:
        if not self._threads:
            atexit.register(self._at_exit)
        while self._missing:
            thread = Thread(
                target=self._guarded, args=(self._missing[-1],), name="guard-scoring", daemon=True
            )
            try:
                thread.start()
            except RuntimeError:
                _log.exception("a scoring thread could not be started")
                return
            self._threads.add(thread)
            self._missing.pop()

    def _guarded(self, loop: Callable[[], None]) -> None:
        try:
            loop()
        except BaseException:
            _log.exception("a scoring thread died and is replaced")
            self._desk.count_restart()
            with self._lock:
                self._threads.discard(current_thread())
                self._missing.append(loop)
                self._start()

    def _watch(self) -> None:
        while self._desk.await_deadline():
            self.answer(self._desk.expired())

    def _work(self) -> None:
        while (task := self._desk.next()) is not None:
            with self._gate.work():
                self.perform(task)

    def _refill(self, task: Refill) -> None:
        for request in task.requests:
            try:
                portion = request.more(self._portion)
            except Exception:
                _log.exception("a text could not be tokenized")
                self.answer(self._desk.fail([request]))
            else:
                self.answer(self._desk.filled(request, portion))

    def _score(self, batch: Batch) -> None:
        rows: Sequence[Sequence[float] | None] = [None] * len(batch.items)
        try:
            rows = self._classifier.values([item.window for item in batch.items])
        except Exception:
            _log.exception("the model failed on a batch")
        finally:
            self.answer(self._desk.settle(batch, rows))

    def _answer(self, request: Request) -> None:
        try:
            complete = request.answer(self._clock())
        except Exception:
            _log.exception("an assessment could not be made")
            request.give_up()
        else:
            if complete is not None:
                self._heard(request.text, complete)


def _farewell(crew: weakref.ref[Crew]) -> None:
    """At exit: a daemon thread that is still inside native code then would abort the process."""
    if (found := crew()) is not None:
        found.close()
