"""Waiting for a future: on an event loop or in this thread.

Who waits hears whether it is done, and never what it holds. Whatever is raised meanwhile is thus
not of the work that was waited for, but the caller's own: a cancellation, or what the handler of a
signal raised.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from threading import Lock
from typing import Any, Protocol


class Wait(Protocol):
    """Whether a future is done after so many seconds at most; None waits until it is."""

    def __call__(
        self, done: Future[Any], seconds: float | None = None, /
    ) -> Coroutine[Any, Any, bool]: ...


async def wait_on_loop(done: Future[Any], seconds: float | None = None, /) -> bool:
    """Wait on the running event loop of asyncio. What is not waited for any more is cancelled.

    In a coroutine that another library runs (trio) it is waited for in this thread.
    """
    if not has_loop():
        return await wait_blocking(done, seconds)
    waiting = asyncio.wrap_future(done)
    try:
        await asyncio.wait([waiting], timeout=seconds)
    finally:
        if not waiting.cancel() and not waiting.cancelled():
            waiting.exception()  # or asyncio would log that nobody asked for it
    return done.done()


async def wait_blocking(done: Future[Any], seconds: float | None = None, /) -> bool:
    """Wait in this thread.

    On a lock of this wait alone: one that was interrupted must leave no lock behind that the
    thread which answers needs, as `Future.result` may.
    """
    finished = Lock()
    finished.acquire()
    done.add_done_callback(lambda _: finished.release())
    return finished.acquire(timeout=-1 if seconds is None else max(seconds, 0.0))


def has_loop() -> bool:
    """Whether an event loop of asyncio runs here: none does any more where a generator is collected
    late, nor in coroutines that another library runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
