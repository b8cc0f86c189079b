"""Serves an ASGI application on a socket until it is drained."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from uvicorn import Config
from uvicorn.server import ServerState

from guard.gateway.protocol import Bounds, Timely
from guard.http.sockets import BACKLOG

Application: TypeAlias = Callable[..., Awaitable[None]]
"""What ASGI calls an application."""

IDLE_SECONDS: Final = 75
"""Longer than proxies keep a connection that they may use again."""
ACCEPTED_AT_ONCE: Final = 16
"""Connections in one turn of the loop. uvloop accepts one for each socket it listens on; with a
single one, new connections would wait for seconds while many requests are under way."""
LAST_SECONDS: Final = 2.0
"""For requests that were cancelled to let go of what they hold."""


class Server:
    """A listener of one worker. For one event loop."""

    def __init__(self, app: Application, bounds: Bounds) -> None:
        self._config = _config(app, bounds)
        self._state = ServerState()
        self._servers: list[asyncio.Server] = []

    async def start(self, listener: socket.socket) -> None:
        """Answer what is sent to a socket that is bound."""
        self._config.load()
        loop = asyncio.get_running_loop()
        for one in (listener, *(listener.dup() for _ in range(ACCEPTED_AT_ONCE - 1))):
            made = await loop.create_server(self._connection, sock=one, backlog=BACKLOG)
            self._servers.append(made)

    async def drain(self, seconds: float) -> None:
        """Accept nothing more, let requests under way end, and after so long cancel them."""
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
            await asyncio.wait(set(tasks), timeout=LAST_SECONDS)
        for connection in list(self._state.connections):
            connection.transport.close()

    def _connection(self) -> asyncio.Protocol:
        made: asyncio.Protocol = self._config.http_protocol_class(  # type: ignore[call-arg]
            config=self._config, server_state=self._state, app_state={}
        )
        return made


def _config(app: Application, bounds: Bounds) -> Config:
    """Whoever is in front of this could name any address as the client's: nobody is believed."""
    bounded = type("BoundedTimely", (Timely,), {"bounds": bounds})
    return Config(
        app,
        http=bounded,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE_SECONDS,
    )
