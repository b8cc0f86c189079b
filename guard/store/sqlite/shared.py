"""What all parts of a store in SQLite have in common."""

from __future__ import annotations

import os
import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path

from guard.store.options import Options
from guard.store.sqlite.connections import Connections


class Shared:
    """The file, and the connections of whatever process this is.

    A forked child opens its own. It keeps those of its parent as they are, never used nor closed:
    closing them would meddle with the parent's.
    """

    def __init__(self, url: str, file: Path, options: Options) -> None:
        self._url = url
        self._file = file
        self._options = options
        self._by_process: dict[int, Connections] = {}

    def shut(self) -> None:
        """See `ports.Store`."""
        self._here().shut()

    def _here(self) -> Connections:
        process = os.getpid()
        here = self._by_process.get(process)
        return here or self._by_process.setdefault(process, Connections(self._url, self._file))

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._here().writing()

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._here().reading()
