"""How often a password may be tried, per name and per client address."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from guard.ports import Clock
from guard.review_web.options import ReviewOptions

MAX_KEYS: Final = 10_000
"""Names and addresses kept; beyond it those that were quiet longest are forgotten."""


AttemptKey: TypeAlias = tuple[Literal["name", "user", "address"], str]
"""What attempts are counted by."""


def sign_in_keys(name: str, address: str) -> tuple[AttemptKey, ...]:
    """By what an attempt to sign in is counted. address: empty where it is not known."""
    return (("name", name), ("address", address)) if address else (("name", name),)


def change_keys(user: str) -> tuple[AttemptKey, ...]:
    """The same for the password of somebody who is signed in: strangers cannot use it up."""
    return (("user", user),)


class SignInLimiter:
    """Counts attempts before the password is checked, so that many at once are no way around it.

    Attempts to sign in are counted by name and by client address, where that is known; those of
    somebody who is signed in, and changes a password, by that user alone.
    """

    def __init__(self, options: ReviewOptions) -> None:
        self._limits = {
            "name": options.tries,
            "user": options.tries,
            "address": options.tries_per_address,
        }
        self._seconds = options.tries_seconds
        self._clock: Clock = options.clock
        self._attempts: OrderedDict[AttemptKey, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def attempt(self, keys: Sequence[AttemptKey]) -> float:
        """Count an attempt; seconds to wait before it is allowed, 0.0 if it is allowed now.

        An attempt that must wait is not counted.
        """
        now = self._clock()
        with self._lock:
            wait = max(self._wait(key, now) for key in keys)
            if wait <= 0:
                for key in keys:
                    self._record(key, now)
        return max(wait, 0.0)

    def succeeded(self, keys: Sequence[AttemptKey]) -> None:
        """The password was right: forget this attempt of the address, and all of the others."""
        with self._lock:
            for key in keys:
                times = self._attempts.get(key)
                if key[0] != "address":
                    self._attempts.pop(key, None)
                elif times:
                    times.pop()

    def _wait(self, key: AttemptKey, now: float) -> float:
        times = self._attempts.get(key, deque())
        while times and not 0 <= now - times[0] < self._seconds:  # or the clock was set back
            times.popleft()
        full = len(times) >= self._limits[key[0]]
        return times[0] + self._seconds - now if full else 0.0

    def _record(self, key: AttemptKey, now: float) -> None:
        self._attempts.setdefault(key, deque()).append(now)
        self._attempts.move_to_end(key)
        while len(self._attempts) > MAX_KEYS:
            self._attempts.popitem(last=False)
