"""Work that is done now and then for as long as a process runs, in a thread beside."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from guard.errors import StoreError

HOUR: float = 3600.0
_log = logging.getLogger("guard.store")


class Regularly:
    """Does `work` at once and every so often until closed.

    What fails because the store is away is seen to the next time; other faults are logged.
    """

    def __init__(
        self, work: Callable[[], object], *, name: str, every_seconds: float = HOUR
    ) -> None:
        self._work = work
        self._name = name
        self._every = every_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let it be the last time; waits for work under way."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._work()
            except StoreError as error:
                _log.warning("%s: %s", self._name, error)
            except Exception:
                _log.exception("%s failed and is tried again", self._name)
            self._stop.wait(self._every)
