"""Log lines about what may go on for ever: said when it changes, and with how often it happened."""

from __future__ import annotations

import logging
from math import inf
from threading import Lock
from typing import Final

from guard.ports import Clock

SILENT_SECONDS: Final = 60.0


class RepeatedLine:
    """A line that many records may cause: the first at once, then one a minute at most, with how
    many were not said. Thread-safe. clock: seconds."""

    def __init__(self, log: logging.Logger, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._said_at = -inf
        self._unsaid = 0
        self._lock = Lock()

    def error(self, message: str, *values: object, fault: BaseException | None = None) -> None:
        """fault: whose traceback is shown."""
        with self._lock:
            now = self._clock()
            if 0 <= now - self._said_at < SILENT_SECONDS:
                self._unsaid += 1
                return
            unsaid, self._unsaid, self._said_at = self._unsaid, 0, now
        more = f" (and {unsaid} times since the last such line)" if unsaid else ""
        self._log.error(message + more, *values, exc_info=fault)


class OutageLine:
    """When something is away and when it is back; where it comes and goes, once a minute.

    For one thread. away, back: the lines; `away` has a place for the error, and `back` for how many
    attempts failed. clock: seconds.
    """

    def __init__(self, log: logging.Logger, clock: Clock, *, away: str, back: str) -> None:
        self._log = log
        self._clock = clock
        self._away = away
        self._back = back
        self._failed = 0
        self._is_said = False
        self._silent_until = -inf

    def failed(self, error: Exception) -> None:
        """An attempt failed."""
        self._failed += 1
        if not self._is_said and self._clock() >= self._silent_until:
            self._is_said = True
            self._log.error(self._away, error)

    def succeeded(self) -> None:
        """An attempt did not."""
        if self._is_said:
            self._log.warning(self._back, self._failed)
            self._is_said, self._failed = False, 0
            self._silent_until = self._clock() + SILENT_SECONDS
