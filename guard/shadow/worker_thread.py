"""A worker for shadow requests in a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress

from guard.shadow.worker import Worker

_log = logging.getLogger("guard.shadow")


class WorkerThread:
    """Runs a worker in a thread of its own, beside the calls, until closed. Thread-safe.

    make: makes the worker, on the thread that it will run on. The thread is a daemon: a process
    that ends without closing leaves its jobs to whoever takes their leases when they run out.
    """

    def __init__(self, make: Callable[[], Worker]) -> None:
        self._make = make
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._worker: Worker | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="guard-shadow", daemon=True)
        self._thread.start()
        self._ready.wait()

    def nudge(self) -> None:
        """There may be something to do."""
        if self._worker is not None:
            self._call(self._worker.nudge)

    def close(self, *, timeout_seconds: float) -> None:
        """Stop taking jobs and wait for those under way."""
        self._closed = True
        if self._stop is not None:
            self._call(self._stop.set)
        self._thread.join(timeout_seconds)

    def _call(self, function: Callable[[], None]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(function)

    def _run(self) -> None:
        while self._was_cut_off():
            pass

    def _was_cut_off(self) -> bool:
        """Work until closed; whether it has to begin anew, since something that the application
        gave raised what ends an event loop (`KeyboardInterrupt`, `SystemExit`)."""
        try:
            asyncio.run(self._work())
        except Exception:
            _log.exception("the shadow worker ended; its jobs wait for another one")
        except BaseException:
            _log.exception("the shadow worker was cut off and begins anew")
            return not self._closed
        finally:
            self._ready.set()
        return False

    async def _work(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._worker = self._make()
        self._ready.set()
        if self._closed:
            self._stop.set()
        await self._worker.run(self._stop)
