"""Amounts that are added up for a day, and begin anew with the next."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable

from guard.shadow.daily_cases import begins_anew, day_of


class DailyCount:
    """Sums by key for the latest day (UTC) that was seen, in this process. Thread-safe."""

    def __init__(self) -> None:
        self._day = -1
        self._sums: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def add(self, key: Hashable, amount: int, at_seconds: float) -> int:
        """The sum of the day with this amount. at_seconds: Unix time; that of the day before
        counts for the latest."""
        with self._lock:
            if begins_anew(day := day_of(at_seconds), self._day):
                self._day = day
                self._sums.clear()
            self._sums[key] += amount
            return self._sums[key]
