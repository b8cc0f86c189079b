"""How much of this server each kind of browser can have, so that none keeps the others waiting.

Whoever reaches the page can ask for it without end, and whoever has its form can have passwords
checked, which takes memory and cores on purpose. Those in which nobody was ever signed in share a
few threads; those who work with the page have threads, and checks of passwords, that no stranger
can use up. All shares together are fewer than the threads that starlette has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Final, TypeVar

from starlette.concurrency import run_in_threadpool

CHECK_SECONDS: Final = 5.0
"""How long a password may wait until it is checked."""
RETRY_SECONDS: Final = 5
"""After which a client that was refused may ask again."""
T = TypeVar("T")


class BrowserKind(StrEnum):
    """What the signed cookies of a browser say, before anything is looked up.

    KNOWN: nobody is signed in now, and somebody was not long ago.
    """

    SIGNED_IN = "signed_in"
    KNOWN = "known"
    UNKNOWN = "unknown"


class ThreadShare:
    """So many answers that are made at once, each in a thread, and so many that wait for one.

    For one event loop: what waits, waits there, and in no thread. seconds: how long at most.
    """

    def __init__(self, threads: int, *, waiting: float = inf, seconds: float | None = None) -> None:
        self._free = asyncio.Semaphore(threads)
        self._most = threads + waiting
        self._seconds = seconds
        self._taken = 0

    @contextmanager
    def place(self) -> Iterator[bool]:
        """A place among those; False where there is none."""
        if self._taken >= self._most:
            yield False
            return
        self._taken += 1
        try:
            yield True
        finally:
            self._taken -= 1

    async def run(self, answer: Callable[[], T]) -> T | None:
        """What `answer` returns, called in a thread; None where none was free in time."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._free.acquire()
        except TimeoutError:
            return None
        try:
            return await run_in_threadpool(answer)
        finally:
            self._free.release()


def _checks() -> ThreadShare:
    return ThreadShare(1, waiting=8, seconds=CHECK_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """The shares of one page.

    pages: for all that is answered, by who asks. known_checks: of passwords, for those who are
    signed in, and for names in browsers in which they were before. checks: for all others.
    """

    pages: Mapping[BrowserKind, ThreadShare] = field(
        default_factory=lambda: {
            BrowserKind.SIGNED_IN: ThreadShare(32),
            BrowserKind.KNOWN: ThreadShare(2, waiting=30),
            BrowserKind.UNKNOWN: ThreadShare(2, waiting=62),
        }
    )
    known_checks: ThreadShare = field(default_factory=_checks)
    checks: ThreadShare = field(default_factory=_checks)
