"""One at a time, and not after the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from guard.errors import StoreError
from guard.store.options import Options


class Alone:
    """The lock that all parts of a store in memory share."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lock = threading.RLock()
        self._is_shut = False

    def shut(self) -> None:
        """See `ports.Store`."""
        with self._lock:
            self._is_shut = True

    @contextmanager
    def _alone(self) -> Iterator[float]:
        """Nobody else meanwhile; the time."""
        with self._lock:
            if self._is_shut:
                raise StoreError("memory: was shut; open another one (setting store.url)")
            yield self._options.clock()
