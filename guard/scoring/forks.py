"""A fork waits until no thread of ours is in native code, whose locks the child would inherit."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

_PATIENCE_SECONDS = 10.0  # a call of the model takes a fraction of one, if the machine lets it


class ForkGate:
    """Work passes through `work()`. Before a fork what has begun ends, and nothing begins."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._working = 0
        self._forking = False
        hold, free = weakref.WeakMethod(self.hold), weakref.WeakMethod(self.free)
        os.register_at_fork(
            before=lambda: _call(hold()),
            after_in_parent=lambda: _call(free()),
            after_in_child=lambda: _call(free()),
        )

    @contextmanager
    def work(self) -> Iterator[None]:
        """Do something that a fork must not cut in two."""
        with self._changed:
            self._changed.wait_for(lambda: not self._forking)
            self._working += 1
        try:
            yield
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def hold(self) -> None:
        """A fork is about to happen in this thread; `free` must follow."""
        self._changed.acquire()
        self._forking = True
        self._changed.wait_for(lambda: self._working == 0, _PATIENCE_SECONDS)

    def free(self) -> None:
        """The fork has happened."""
        self._forking = False
        self._changed.notify_all()
        self._changed.release()


def _call(method: Callable[[], None] | None) -> None:
    if method is not None:
        method()
