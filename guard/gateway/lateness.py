"""Whether the event loop is behind with its work, and so everybody on it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Final

from guard.ports import Clock

LOOK_SECONDS: Final = 0.05
LATE_SECONDS: Final = 0.05
GRAVE_TIMES: Final = 3
"""So often in a row it has to be late: a single long turn of the loop is no reason."""
STUCK_SECONDS: Final = 1.0
"""One so long is."""
STALE_SECONDS: Final = 1.0

Later = Callable[[float, Callable[[], None]], object]


def on_this_loop(seconds: float, what: Callable[[], None]) -> object:
    """Do something later."""
    return asyncio.get_running_loop().call_later(seconds, what)


class Lateness:
    """Looks how much later than asked for the loop calls back, for as long as somebody asks.

    clock: seconds, monotonic. later: calls something back after so many seconds.
    """

    def __init__(self, clock: Clock, later: Later = on_this_loop) -> None:
        self._clock = clock
        self._later = later
        self._due: float | None = None
        self._times = 0
        self._seen_at = -math.inf

    def is_grave(self) -> bool:
        """Whether the loop has been late for a while."""
        now = self._clock()
        if self._due is None:
            self._due = now + LOOK_SECONDS
            self._later(LOOK_SECONDS, self._look)
        overdue = now - self._due
        known = now - self._seen_at < STALE_SECONDS or overdue >= LATE_SECONDS
        return overdue >= STUCK_SECONDS or (known and self._times >= GRAVE_TIMES)

    def _look(self) -> None:
        now, due = self._clock(), self._due or 0.0
        if now - due < LATE_SECONDS:
            self._times = 0
        else:
            self._times = self._times + 1 if due - self._seen_at < STALE_SECONDS else 1
        self._due, self._seen_at = None, now
