"""The HTTP server of one worker: serves an ASGI application on a socket until it is drained."""

from __future__ import annotations

import asyncio
import socket
from typing import Final

from uvicorn.server import ServerState

from guard.http.protocol import Application, Bounds, bounded_config
from guard.http.sockets import BACKLOG

KEEP_ALIVE_SECONDS: Final = 75
"""Longer than proxies keep a connection that they may use again."""
ACCEPTED_AT_ONCE: Final = 16
"""Connections in one turn of the loop. uvloop accepts one for each socket it listens on; with a
single one, new connections would wait for seconds while many requests are under way."""
CANCEL_SECONDS: Final = 2.0
"""For requests that were cancelled to release what they hold."""


class WorkerServer:
    """The listener of one worker. For one event loop."""

    def __init__(self, app: Application, bounds: Bounds) -> None:
        self._config = bounded_config(
            app,
            bounds,
            keep_alive_seconds=KEEP_ALIVE_SECONDS,
            date_header=False,
            log_level="critical",
        )
        self._state = ServerState()
        self._servers: list[asyncio.Server] = []

    async def start(self, listener: socket.socket) -> None:
        """Answer the requests that come to a bound socket."""
        self._config.load()
        loop = asyncio.get_running_loop()
        for one in (listener, *(listener.dup() for _ in range(ACCEPTED_AT_ONCE - 1))):
            made = await loop.create_server(self._connection, sock=one, backlog=BACKLOG)
            self._servers.append(made)

    async def drain(self, seconds: float) -> None:
        """Stop accepting, let requests under way end, and cancel them after `seconds`."""
        for server in self._servers:
            server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        tasks = self._state.tasks
        if tasks:
            await asyncio.wait(set(tasks), timeout=seconds)
        for task in list(tasks):
            task.cancel()
        if tasks:
            await asyncio.wait(set(tasks), timeout=CANCEL_SECONDS)
        for connection in list(self._state.connections):
            connection.transport.close()

    def _connection(self) -> asyncio.Protocol:
        made: asyncio.Protocol = self._config.http_protocol_class(  # type: ignore[call-arg]
            config=self._config, server_state=self._state, app_state={}
        )
        return made
