"""How fast the model gets through texts while it has more than it can do."""

from __future__ import annotations

import math
from typing import Final

MEMORY_SECONDS: Final = 1.0
"""Of saturated time, after which a measurement counts about a third."""
LEAST_SECONDS: Final = 0.2
"""Of saturated time before anything is said."""
FRESH_SECONDS: Final = 3.0
"""So long after the last measurement nothing is said any more: the machine may have changed."""


class Pace:
    """Tokens in a second, measured from batch to batch for as long as work waits. Not thread-safe.

    Batches of an engine that waits for work say little: they are small, and their speed is not what
    it can do.
    """

    def __init__(self) -> None:
        self._tokens = 0.0
        self._seconds = 0.0
        self._since: float | None = None
        self._measured_at = -math.inf

    def note(self, tokens: int, now: float, *, more_waits: bool) -> None:
        """A batch with so many tokens came back; whether others wait for the model."""
        if self._since is not None:
            passed = now - self._since
            kept = math.exp(-passed / MEMORY_SECONDS)
            self._tokens = kept * self._tokens + tokens
            self._seconds = kept * self._seconds + passed
            self._measured_at = now
        self._since = now if more_waits else None

    def tokens_per_second(self, now: float) -> float | None:
        """None where nothing is known."""
        fresh = now - self._measured_at <= FRESH_SECONDS
        known = fresh and self._seconds >= LEAST_SECONDS
        return self._tokens / self._seconds if known else None
