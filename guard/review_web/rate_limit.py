"""How often a password may be tried, per name and per client address."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import Final

from guard.ports import Clock
from guard.review_web.options import ReviewOptions

MAX_KEYS: Final = 10_000
"""Names and addresses kept; beyond it those that were quiet longest are forgotten."""


class SignInLimiter:
    """Counts attempts before the password is checked, so that many at once are no way around it."""

    def __init__(self, options: ReviewOptions) -> None:
        self._limits = {"name": options.tries, "address": options.tries_per_address}
        self._seconds = options.tries_seconds
        self._clock: Clock = options.clock
        self._attempts: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def attempt(self, name: str, address: str) -> float:
        """Count an attempt; seconds to wait before it is allowed, 0.0 if it is allowed now.

        An attempt that must wait is not counted.
        """
        now = self._clock()
        keys = (("name", name), ("address", address))
        with self._lock:
            wait = max(self._wait(key, now) for key in keys)
            if wait <= 0:
                for key in keys:
                    self._record(key, now)
        return max(wait, 0.0)

    def succeeded(self, name: str, address: str) -> None:
        """The password was right: forget the attempts of the name, and this one of the address."""
        with self._lock:
            self._attempts.pop(("name", name), None)
            times = self._attempts.get(("address", address))
            if times:
                times.pop()

    def _wait(self, key: tuple[str, str], now: float) -> float:
        times = self._attempts.get(key, deque())
        while times and now - times[0] >= self._seconds:
            times.popleft()
        full = len(times) >= self._limits[key[0]]
        return times[0] + self._seconds - now if full else 0.0

    def _record(self, key: tuple[str, str], now: float) -> None:
        self._attempts.setdefault(key, deque()).append(now)
        self._attempts.move_to_end(key)
        while len(self._attempts) > MAX_KEYS:
            self._attempts.popitem(last=False)
