"""Time that passes only when a test says so."""

from __future__ import annotations

START = 1_000_000_000.0


class ManualClock:
    """Unix seconds, starting at START."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
