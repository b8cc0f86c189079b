"""What the parts of a store in Redis share."""

from __future__ import annotations

from typing import Any

from guard.store.options import REMEMBERED_SECONDS, Options
from guard.store.redis.server import Server

REMEMBERED_KEYS = 1_000_000
"""How many keys of ended jobs are remembered at most; the oldest go first."""


class Part:
    """A server and how the store on it is kept."""

    def __init__(self, server: Server, options: Options) -> None:
        self._server = server
        self._options = options

    def shut(self) -> None:
        """See `ports.Store`."""
        self._server.shut()

    def _run(self, script: str, /, **arguments: object) -> Any:
        return self._server.run(script, now=self._options.clock(), **arguments)

    def _run_on_jobs(self, script: str, /, **arguments: object) -> Any:
        return self._run(
            script,
            max_jobs=self._options.max_jobs,
            remember_seconds=REMEMBERED_SECONDS,
            remember_keys=REMEMBERED_KEYS,
            **arguments,
        )
