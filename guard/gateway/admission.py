"""How much is under way at once; what is above is refused at once, so that nobody waits in vain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from guard.gateway.errors import RefusedRequest

RETRY_SECONDS: Final = 1.0
LEAST_BYTES: Final = 64_000_000
BODIES: Final = 16
FEW: Final = 16
"""Requests that nobody is refused for: where they are late, it is not they who make it late."""


class Admission:
    """Counts the requests of one worker. For one event loop.

    requests: under way at once, at most. body_bytes: that one request may have; all of them
    together may have some times as much. is_late: whether more than a few cannot be answered in
    time.
    """

    def __init__(
        self, *, requests: int, body_bytes: int, is_late: Callable[[], bool] = lambda: False
    ) -> None:
        self._most = requests
        self._is_late = is_late
        self._most_bytes = max(LEAST_BYTES, BODIES * body_bytes)
        self._held = 0
        self.open = 0

    def check(self) -> None:
        """Raises RefusedRequest where there is no place, before a body is read for nothing."""
        if self.open >= self._most or (self.open >= FEW and self._is_late()):
            raise _overloaded()

    def __enter__(self) -> None:
        if self.open >= self._most:
            raise _overloaded()
        self.open += 1

    def __exit__(self, *_: object) -> None:
        self.open -= 1

    def hold(self, count: int) -> None:
        """So many bytes more are kept in memory. Raises RefusedRequest where that is too much."""
        if self._held + count > self._most_bytes:
            raise _overloaded()
        self._held += count

    def let_go(self, count: int) -> None:
        """They are not kept any more."""
        self._held -= count


def _overloaded() -> RefusedRequest:
    return RefusedRequest(
        429,
        "overloaded",
        "the gateway has as much to do as it may; ask again in a moment",
        retry_after_seconds=RETRY_SECONDS,
    )
