"""Whether a worker is alive, and whether it wants requests."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

ALIVE: Final = "/healthz"
READY: Final = "/readyz"
_PATHS: Final = frozenset({ALIVE, READY})
_HEADERS: Final = (("content-type", "application/json"), ("cache-control", "no-store"))

Told = tuple[int, bytes, tuple[tuple[str, str], ...]]


class Health:
    """store: how it is with what is kept, in a word. `draining` is set when the end has begun."""

    def __init__(self, store: Callable[[], str]) -> None:
        self._store = store
        self.draining = False

    def at(self, method: str, path: str) -> Told | None:
        """Status, body and headers for a path that asks for it; None for any other."""
        if path not in _PATHS:
            return None
        if method not in {"GET", "HEAD"}:
            return 405, b"{}", (*_HEADERS, ("allow", "GET, HEAD"))
        if path == ALIVE:
            return 200, b'{"alive": true}', _HEADERS
        ready = {"ready": not self.draining, "store": self._store()}
        return 503 if self.draining else 200, json.dumps(ready).encode("ascii"), _HEADERS
