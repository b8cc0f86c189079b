"""A thread that completes and ends spans, so that no call waits for whoever processes them.

An application may have processors that export at once, and scores alone are a dozen events a call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, Generic, TypeVar

T = TypeVar("T")

MOST_WAITING: Final = 2048
"""Above that a span is dropped and counted: memory is bounded, and no call ever waits."""
MOST_CHARACTERS: Final = 20_000_000
"""Likewise of the texts of all that waits, unless nothing else does."""


class SpanWriter(Generic[T]):
    """Calls `write` with each of what it is given, in order. Thread-safe; for one process.

    failed: told the kind of what `write` raised, or why something was dropped. size: characters
    that it holds.
    """

    def __init__(
        self,
        write: Callable[[T], None],
        failed: Callable[[str], None],
        size: Callable[[T], int] = lambda _: 0,
    ) -> None:
        self._write = write
        self._failed = failed
        self._size = size
        self._characters = 0
        self._waiting = SimpleQueue[tuple[T, int] | None]()
        self._lock = threading.RLock()  # a finalizer may put a span while the thread is begun
        self._thread: threading.Thread | None = None

    def put(self, one: T) -> None:
        """Have it written soon. Never waits; drops it where too much waits already."""
        size = self._size(one)
        with self._lock:
            full = self._characters and self._characters + size > MOST_CHARACTERS
            if full or self._waiting.qsize() >= MOST_WAITING:
                self._failed("SpanWriter")
                return
            self._characters += size
        self._waiting.put((one, size))
        if self._thread is None:
            self._start()

    def close(self, *, timeout_seconds: float) -> None:
        """Write what waits, for so long at most. What comes later begins a new thread."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._waiting.put(None)
            thread.join(timeout_seconds)

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None:
                return
            thread = threading.Thread(target=self._run, name="guard-spans", daemon=True)
            self._thread = thread
            try:
                thread.start()
            except RuntimeError as error:  # no thread can be had now; the next span tries again
                self._thread = None
                self._failed(type(error).__name__)

    def _run(self) -> None:
        while (item := self._waiting.get()) is not None:
            try:
                self._write(item[0])
            except BaseException as error:  # of a processor; nothing may end this thread
                self._failed(type(error).__name__)
            with self._lock:
                self._characters -= item[1]
            item = None  # its texts are not held until the next one comes
