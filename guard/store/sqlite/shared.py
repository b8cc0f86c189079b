"""What all parts of a store in SQLite have in common."""

from __future__ import annotations

from guard.store.options import Options
from guard.store.sqlite.connections import Connections


class Shared:
    """The connections to the file, and how it is kept."""

    def __init__(self, connections: Connections, options: Options) -> None:
        self._connections = connections
        self._options = options
        self._reading = connections.reading
        self._writing = connections.writing

    def shut(self) -> None:
        """See `ports.Store`."""
        self._connections.shut()
