"""How often a password may be tried."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import Final

from guard.ports import Clock
from guard.reviewer.options import ReviewOptions

REMEMBERED: Final = 10_000
"""Names and addresses; beyond it those that were quiet longest are forgotten."""


class Tries:
    """Counts tries before they are made, so that many at once are no way around it."""

    def __init__(self, options: ReviewOptions) -> None:
        self._limits = {"name": options.tries, "address": options.tries_per_address}
        self._seconds = options.tries_seconds
        self._clock: Clock = options.clock
        self._made: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, name: str, address: str) -> float:
        """Count one; how many seconds to wait before it may be made, 0.0 if it may be now.

        A try that must wait is not counted.
        """
        now = self._clock()
        keys = (("name", name), ("address", address))
        with self._lock:
            wait = max(self._wait(key, now) for key in keys)
            if wait <= 0:
                for key in keys:
                    self._remember(key, now)
        return max(wait, 0.0)

    def right(self, name: str, address: str) -> None:
        """It was the right password: neither the name nor this try counts any more."""
        with self._lock:
            self._made.pop(("name", name), None)
            times = self._made.get(("address", address))
            if times:
                times.pop()

    def _wait(self, key: tuple[str, str], now: float) -> float:
        times = self._made.get(key, deque())
        while times and now - times[0] >= self._seconds:
            times.popleft()
        full = len(times) >= self._limits[key[0]]
        return times[0] + self._seconds - now if full else 0.0

    def _remember(self, key: tuple[str, str], now: float) -> None:
        self._made.setdefault(key, deque()).append(now)
        self._made.move_to_end(key)
        while len(self._made) > REMEMBERED:
            self._made.popitem(last=False)
