"""Load shedding: what a worker cannot answer in time is refused at once."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from guard.gateway.errors import RefusedRequest
from guard.ports import Clock

RETRY_SECONDS: Final = 1.0
LEAST_BYTES: Final = 64_000_000
BODIES: Final = 16
MAX_VALUES: Final = 200_000
"""Values in a body."""
VALUE_BYTES: Final = 128
"""What each costs in memory while its request is under way, about, however few were sent."""
FEW_REQUESTS: Final = 16
"""With so few under way nothing is refused for lag: it is not they who cause it."""

LOOK_SECONDS: Final = 0.05
LAG_SECONDS: Final = 0.05
LAGS_IN_A_ROW: Final = 3
"""A single long turn of the event loop is no reason to refuse."""
STUCK_SECONDS: Final = 1.0
"""One so long is."""
STALE_SECONDS: Final = 1.0

CallLater = Callable[[float, Callable[[], None]], object]


class OverloadedError(RefusedRequest):
    """There is too much to do to take this request."""

    def __init__(
        self,
        code: str = "overloaded",
        message: str = "the gateway has as much to do as it may; ask again in a moment",
    ) -> None:
        super().__init__(429, code, message, retry_after_seconds=RETRY_SECONDS)


class LoadLimiter:
    """Counts the requests of one worker and the bytes of their bodies. For one event loop.

    requests: under way at once, at most. of_a_key: those of one key, at most; None for as many.
    body_bytes: of one request, at most; all of them together may have `BODIES` times as much, and
    those of one key the same share of that as of the requests.
    is_lagging: whether the event loop is too late to take more.
    """

    def __init__(
        self,
        *,
        requests: int,
        body_bytes: int,
        of_a_key: int | None = None,
        is_lagging: Callable[[], bool] = lambda: False,
    ) -> None:
        self._most = requests
        self._most_of_a_key = requests if of_a_key is None else of_a_key
        self._open_by_key: Counter[str] = Counter()
        self._is_lagging = is_lagging
        self._most_bytes = max(LEAST_BYTES, BODIES * body_bytes)
        share = min(1.0, self._most_of_a_key / requests)
        largest = 4 * body_bytes + MAX_VALUES * VALUE_BYTES
        self._most_bytes_of_a_key = max(largest, int(self._most_bytes * share))
        self._reserved: Counter[str] = Counter()
        self.open = 0

    def check(self, key: str = "") -> None:
        """Raises RefusedRequest where there is no room, before a body is read for nothing.

        key: the name of the key that asks; empty for none.
        """
        self._check_room(key)
        if self.open >= FEW_REQUESTS and self._is_lagging():
            raise OverloadedError

    @contextmanager
    def under_way(self, key: str = "") -> Iterator[None]:
        """While the context lasts, a request of this key is under way. Raises RefusedRequest."""
        self._check_room(key)
        self.open += 1
        self._open_by_key[key] += 1
        try:
            yield
        finally:
            self.open -= 1
            self._open_by_key[key] -= 1

    def _check_room(self, key: str) -> None:
        if self.open >= self._most:
            raise OverloadedError
        if self._open_by_key[key] >= self._most_of_a_key:
            raise _key_share_used("many requests under way as")

    def reserve(self, count: int, key: str = "") -> None:
        """Count bytes in memory for a body of this key. Raises RefusedRequest above the limit."""
        if self._reserved.total() + count > self._most_bytes:
            raise OverloadedError
        if self._reserved[key] + count > self._most_bytes_of_a_key:
            raise _key_share_used("much memory for bodies as")
        self._reserved[key] += count

    def release(self, count: int, key: str = "") -> None:
        """The bytes are not in memory any more."""
        self._reserved[key] -= count


def _key_share_used(what: str) -> OverloadedError:
    return OverloadedError(
        "key_share_used",
        f"this key has as {what} one key may (setting gateway.key_share); ask again in a moment",
    )


class LoopLag:
    """Measures how much later than asked for the event loop calls back, while somebody asks.

    clock: seconds, monotonic. call_later: calls a function after so many seconds.
    """

    def __init__(self, clock: Clock, call_later: CallLater | None = None) -> None:
        self._clock = clock
        self._call_later = call_later or call_on_this_loop
        self._due: float | None = None
        self._times = 0
        self._seen_at = -math.inf

    def is_high(self) -> bool:
        """Whether callbacks have been late several times in a row, or one is very late."""
        now = self._clock()
        if self._due is None:
            self._due = now + LOOK_SECONDS
            self._call_later(LOOK_SECONDS, self._look)
        overdue = now - self._due
        known = now - self._seen_at < STALE_SECONDS or overdue >= LAG_SECONDS
        return overdue >= STUCK_SECONDS or (known and self._times >= LAGS_IN_A_ROW)

    def _look(self) -> None:
        now, due = self._clock(), self._due or 0.0
        if now - due < LAG_SECONDS:
            self._times = 0
        else:
            self._times = self._times + 1 if due - self._seen_at < STALE_SECONDS else 1
        self._due, self._seen_at = None, now


def call_on_this_loop(seconds: float, function: Callable[[], None]) -> object:
    """Call `function` after so many seconds, on the event loop that runs here."""
    return asyncio.get_running_loop().call_later(seconds, function)
