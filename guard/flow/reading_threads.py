"""Threads in which texts are looked through for disguises, which can take seconds, before they are
scored."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import Lock
from typing import Final, TypeVar

T = TypeVar("T")

LONG_CHARACTERS: Final = 2**14
VERY_LONG_CHARACTERS: Final = 2**16


class ReadingThreads:
    """One for texts of usual length: those that are looked through at once keep an event loop
    waiting for each of them. Others for long and for very long ones, so that none need wait for
    those that are much longer. Thread-safe."""

    def __init__(self) -> None:
        self._usual = ThreadPoolExecutor(1, "guard-reading")
        self._long = ThreadPoolExecutor(1, "guard-reading-long")
        self._very_long = ThreadPoolExecutor(2, "guard-reading-very-long")

    def start(self, characters: int, work: Callable[[], T]) -> Future[T]:
        """The result of `work` on a text of this length; of work that is done at once where no
        thread can be had (a limit of the system, the end of the process)."""
        done: Future[T] = Future()
        do = partial(_do_once, Lock(), done, partial(copy_context().run, work))
        try:
            self._threads(characters).submit(do)
        except RuntimeError:  # it may be in the queue all the same
            do()
        return done

    def _threads(self, characters: int) -> ThreadPoolExecutor:
        if characters < LONG_CHARACTERS:
            return self._usual
        return self._long if characters < VERY_LONG_CHARACTERS else self._very_long


def _do_once(begun: Lock, done: Future[T], work: Callable[[], T]) -> None:
    if not begun.acquire(blocking=False) or not done.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:
        done.set_exception(error)
    else:
        done.set_result(result)
