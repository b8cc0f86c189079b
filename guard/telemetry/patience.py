"""Waiting for something slow, but not for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Late(Exception):  # noqa: N818 - a moment, not a mistake
    """There is no result yet."""


class Patience(Generic[Result]):
    """Makes results in a thread of its own, and waits `seconds` for each at most.

    One is made at a time: who asks while one is being made waits for that one. The thread is a
    daemon's, so that a maker that hangs for good keeps no process alive.
    """

    def __init__(self, make: Callable[[], Result], seconds: float) -> None:
        self._make = make
        self._seconds = seconds
        self._lock = threading.Lock()
        self._present: Future[Result] | None = None

    def result(self) -> Result:
        """A result that was not there before this was called.

        Raises Late when there is none in time, and whatever `make` raises.
        """
        future = self._made()
        wait([future], self._seconds)
        if not future.done():
            raise Late(f"not done after {self._seconds:g} s")
        return future.result()

    def _made(self) -> Future[Result]:
        with self._lock:
            if self._present is None or self._present.done():
                self._present = Future()
                threading.Thread(
                    target=self._run, args=(self._present,), name="guard-readings", daemon=True
                ).start()
            return self._present

    def _run(self, future: Future[Result]) -> None:
        try:
            future.set_result(self._make())
        except BaseException as error:
            future.set_exception(error)
