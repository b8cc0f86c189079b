"""Streams that nobody has any more, and garbage collections at the worst of times."""

from __future__ import annotations

import gc
from threading import Semaphore, Thread
from typing import Any

from guard.records import Outcome
from guard.testing import Recorder

PATIENCE_SECONDS = 10.0


class Holder:
    """Garbage that only a collection finds: it holds itself."""

    def __init__(self, held: object) -> None:
        self.itself, self.held = self, held


class CollectingLock:
    """A lock: who takes it first collects garbage while it is held."""

    def __init__(self, lock: Any) -> None:
        self._lock = lock
        self.has_collected = False

    def __enter__(self) -> None:
        self._lock.acquire()
        if not self.has_collected:
            self.has_collected = True
            gc.collect()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class Told(Recorder):
    """One that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._told = Semaphore(0)

    def outcome(self, outcome: Outcome) -> None:
        super().outcome(outcome)
        self._told.release()

    def hears(self, count: int) -> bool:
        """Whether so many more outcomes come in time."""
        return all(self._told.acquire(timeout=PATIENCE_SECONDS) for _ in range(count))


def collect_under(owner: Any) -> CollectingLock:
    """Have garbage collected by whoever takes the lock of `owner` next."""
    owner._lock = found = CollectingLock(owner._lock)
    return found


def ends(work: Any, *arguments: object) -> bool:
    """Whether this comes to an end in a thread of its own."""
    thread = Thread(target=work, args=arguments, daemon=True)
    thread.start()
    thread.join(PATIENCE_SECONDS)
    return not thread.is_alive()
