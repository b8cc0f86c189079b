"""What has to happen when the process forks. A forked child has one thread and inherits all locks.

Three tools: `call_in_child` resets what belongs to the parent, `PerProcess` makes a value anew in
each process, and `ForkGate` lets no fork happen in the middle of work that would leave a lock
held in the child.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, RLock
from typing import Generic, TypeVar

T = TypeVar("T")

_PATIENCE_SECONDS = 10.0  # calls of a model and transactions take a fraction of a second


def call_in_child(method: Callable[[], None]) -> None:
    """Call a bound method in every forked child, for as long as its object is alive."""
    os.register_at_fork(after_in_child=_weak(method))


class PerProcess(Generic[T]):
    """A value of which each process has its own, made by `make` when it is first asked for."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._values: dict[int, T] = {}

    def get(self) -> T:
        """The value of this process."""
        process = os.getpid()
        return self._values.get(process) or self._values.setdefault(process, self._make())

    def made(self) -> tuple[T, ...]:
        """The value of this process, if it was made."""
        return tuple(filter(None, (self._values.get(os.getpid()),)))


class ForkGate:
    """Work passes through `work()`. Before a fork what has begun ends, and nothing begins.

    at_rest: called before a fork when nothing is under way, and once `end` was called. A fork waits
    for ten seconds at most; then it happens all the same, without `at_rest`. Thread-safe.
    """

    def __init__(self, at_rest: Callable[[], None] | None = None) -> None:
        self._at_rest = _nothing if at_rest is None else _weak(at_rest)
        self._lock = RLock()  # taken in one step: no signal comes between
        self._changed = Condition(self._lock)
        self._working = 0
        self._forking = False
        self._ended = False
        free = _weak(self.free)
        os.register_at_fork(before=_weak(self.hold), after_in_parent=free, after_in_child=free)

    @contextmanager
    def work(self) -> Iterator[None]:
        """Do something that a fork must not cut in two."""
        with self._lock:
            self._changed.wait_for(lambda: not self._forking)
            self._working += 1
        try:
            yield
        finally:
            with self._lock:
                self._working -= 1
                self._rest_if_ended()
                self._changed.notify_all()

    @property
    def ended(self) -> bool:
        """Whether `end` was called."""
        return self._ended

    def end(self) -> None:
        """Call `at_rest` as soon as nothing is under way."""
        with self._lock:
            self._ended = True
            self._rest_if_ended()

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Keep all work out; whether what had begun has ended, which is waited for as for a fork.

        Not for a thread that is at work itself.
        """
        with self._lock:
            self._changed.wait_for(lambda: not self._forking)
            self._forking = True
            try:
                yield self._changed.wait_for(lambda: self._working == 0, _PATIENCE_SECONDS)
            finally:
                self._forking = False
                self._changed.notify_all()

    def hold(self) -> None:
        """A fork is about to happen in this thread; `free` must follow."""
        self._changed.acquire()
        self._forking = True
        if self._changed.wait_for(lambda: self._working == 0, _PATIENCE_SECONDS):
            self._at_rest()

    def free(self) -> None:
        """The fork has happened."""
        self._forking = False
        self._changed.notify_all()
        self._changed.release()

    def _rest_if_ended(self) -> None:
        if self._ended and self._working == 0:
            self._at_rest()


def _nothing() -> None:
    """What a gate does at rest where it was given nothing."""


def _weak(method: Callable[[], None]) -> Callable[[], None]:
    """Calls a bound method while its object is alive: a hook of a fork is never unregistered."""
    reference = weakref.WeakMethod(method)

    def call() -> None:
        if (found := reference()) is not None:
            found()

    return call
