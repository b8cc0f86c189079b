"""The threads of an engine: workers that feed the model, and a watcher of deadlines.

How many workers there are follows from `usable_cores`.
"""

from __future__ import annotations

import atexit
import logging
import math
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock, Thread, current_thread

from guard.forks import ForkGate
from guard.ports import Clock
from guard.records import Assessment
from guard.scoring.batching import EngineTask, ScoreTask, TokenizeTask
from guard.scoring.models import Classifier
from guard.scoring.queue import RequestQueue
from guard.scoring.request import Request

_log = logging.getLogger(__name__)

_SYSTEM = Path("/")
_FAREWELL_SECONDS = 5.0  # a batch in the model takes a fraction of a second


@dataclass(kw_only=True, eq=False)
class WorkerPool:
    """Works off a queue. Its threads are daemons and start with `ensure`.

    A thread that dies, whatever kills it, has what it was working on answered and is replaced.

    workers: threads that run the model. portion_tokens: made of a long text at a time.
    on_complete: called with texts and their complete assessments, by the thread that answered.
    """

    queue: RequestQueue
    classifier: Classifier
    clock: Clock
    workers: int
    portion_tokens: int
    on_complete: Callable[[str, Assessment], None]

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._missing: list[Callable[[], None]] = [self._watch, *[self._work] * self.workers]
        self._threads: set[Thread] = set()
        self._process = os.getpid()
        self._gate = ForkGate()
        self._at_exit = partial(_farewell, weakref.ref(self))

    def ensure(self) -> bool:
        """Start the threads that are missing; whether any worker is there."""
        if self._missing:
            with self._lock:
                self._start()
        return self._missing.count(self._work) < self.workers

    def answer(self, ended: Iterable[Request]) -> None:
        """Answer requests that have ended: all of them, even if a callback of one raises."""
        raised: BaseException | None = None
        for request in ended:
            try:
                self._answer(request)
            except BaseException as error:
                raised = raised or error
        if raised is not None:
            raise raised

    def perform(self, task: EngineTask) -> None:
        """Carry out a task. Whatever breaks, the requests it was for are answered."""
        try:
            self._score(task) if isinstance(task, ScoreTask) else self._tokenize(task)
        except BaseException:
            self.answer(self.queue.fail(task.requests))
            raise

    def close(self) -> None:
        """Answer what is open and end the threads. Waits for a batch that is in the model."""
        if self._process != os.getpid():
            return  # a copy in a forked child: its threads were never there
        atexit.unregister(self._at_exit)
        self.answer(self.queue.close())
        for thread in tuple(self._threads - {current_thread()}):
            thread.join(_FAREWELL_SECONDS)

    def _start(self) -> None:
        if not self._threads:
            atexit.register(self._at_exit)
        while self._missing:
            thread = Thread(
                target=self._run_guarded,
                args=(self._missing[-1],),
                name="guard-scoring",
                daemon=True,
            )
            try:
                thread.start()
            except RuntimeError:
                _log.exception("a scoring thread could not be started")
                return
            self._threads.add(thread)
            self._missing.pop()

    def _run_guarded(self, loop: Callable[[], None]) -> None:
        try:
            loop()
        except BaseException:
            _log.exception("a scoring thread died and is replaced")
            self.queue.count_restart()
            with self._lock:
                self._threads.discard(current_thread())
                self._missing.append(loop)
                self._start()

    def _watch(self) -> None:
        while self.queue.wait_for_deadline():
            self.answer(self.queue.expire())

    def _work(self) -> None:
        while (task := self.queue.next_task()) is not None:
            with self._gate.work():
                self.perform(task)

    def _tokenize(self, task: TokenizeTask) -> None:
        for request in task.requests:
            try:
                windows, exhausted = request.next_windows(self.portion_tokens)
            except Exception:
                _log.exception("a text could not be tokenized")
                self.answer(self.queue.fail([request]))
            else:
                self.answer(self.queue.add_windows(request, windows, exhausted=exhausted))

    def _score(self, batch: ScoreTask) -> None:
        rows: Sequence[Sequence[float] | None] = [None] * len(batch.windows)
        try:
            rows = self.classifier.values([ready.window for ready in batch.windows])
        except Exception:
            _log.exception("the model failed on a batch")
        finally:
            self.answer(self.queue.settle(batch, rows))

    def _answer(self, request: Request) -> None:
        try:
            complete = request.answer(self.clock())
        except Exception:
            _log.exception("an assessment could not be made")
            request.give_up()
        else:
            if complete is not None:
                self.on_complete(request.text, complete)


def _farewell(pool: weakref.ref[WorkerPool]) -> None:
    """At exit: a daemon thread that is still inside native code then would abort the process."""
    if (found := pool()) is not None:
        found.close()


def usable_cores(system: Path = _SYSTEM) -> int:
    """Cores by the quota of the control group (v2 or v1) and by affinity, the least; >= 1.

    system: the root of the file system in which `sys` and `proc` are looked up.
    """
    limits = [float(len(os.sched_getaffinity(0))), *_quotas(system)]
    return max(1, math.ceil(min(limits)))


def _quotas(system: Path) -> Iterator[float]:
    for group in _groups(system):
        limit, _, period = _text(group / "cpu.max").partition(" ")
        yield from _ratio(limit, period)
        yield from _ratio(_text(group / "cpu.cfs_quota_us"), _text(group / "cpu.cfs_period_us"))


def _groups(system: Path) -> Iterator[Path]:
    """Our own control group and those around it: the tightest quota holds."""
    for line in _text(system / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "" or "cpu" in controllers.split(","):
            root = system / "sys/fs/cgroup" / ("cpu" if controllers else "")
            inner = root / path.lstrip("/")
            yield from (group for group in (inner, *inner.parents) if group.is_relative_to(root))


def _ratio(limit: str, period: str) -> Iterator[float]:
    """Nothing where there is no limit: absent, "max" or -1."""
    if limit.isdigit() and period.isdigit():
        yield int(limit) / int(period)


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except OSError:
        return ""
