"""The answer while no worker can begin; connections would wait for one without an end."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Final

from guard.gateway.errors import error_body
from guard.http.sockets import BACKLOG

RETRY_SECONDS: Final = 5
"""About the pause between two workers that cannot begin."""
PATIENCE_SECONDS: Final = 2.0
"""For the head of a request, and again for the rest of it."""
_PART_BYTES: Final = 65_536

_log = logging.getLogger("guard.gateway")


def unavailable() -> bytes:
    """A whole answer of HTTP."""
    body = error_body(
        "no_worker", "no worker of the gateway can begin; its log says why", kind="server_error"
    )
    head = (
        "HTTP/1.1 503 Service Unavailable\r\n"
        "content-type: application/json\r\n"
        f"content-length: {len(body)}\r\n"
        f"retry-after: {RETRY_SECONDS}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


class Refusals:
    """Answers every request with 503 while it is open. For one event loop."""

    def __init__(self, listeners: Sequence[socket.socket]) -> None:
        self._listeners = listeners
        self._servers: list[asyncio.Server] = []

    async def open(self) -> None:
        """Accept from all listeners, unless it does."""
        if self._servers:
            return
        _log.error("no worker can begin: all requests are refused with 503 until one does")
        try:
            for listener in self._listeners:
                one = listener.dup()
                self._servers.append(await asyncio.start_server(refuse, sock=one, backlog=BACKLOG))
        except OSError as error:  # no descriptors left: the supervisor tries again
            _log.error("requests cannot be refused: %s", error)
            self.close()

    def close(self) -> None:
        """Leave new connections to the workers."""
        servers, self._servers = self._servers, []
        for server in servers:
            server.close()


async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request.

    The rest of it is read: to close a connection with bytes that nobody has read may take the
    answer from the client.
    """
    with closing(writer), suppress(OSError, asyncio.IncompleteReadError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            with suppress(asyncio.LimitOverrunError):
                await reader.readuntil(b"\r\n\r\n")
        writer.write(unavailable())
        async with asyncio.timeout(PATIENCE_SECONDS):
            await writer.drain()
            writer.write_eof()
            while await reader.read(_PART_BYTES):
                pass
