"""The answer while no worker can begin; connections would wait for one without an end."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from guard.gateway.errors import error_body
from guard.store.log_lines import RepeatedLine

RETRY_SECONDS: Final = 5
"""About the pause between two workers that cannot begin."""
PATIENCE_SECONDS: Final = 2.0
"""For the head of a request, and again for the rest of it."""
PAUSE_SECONDS: Final = 1.0
"""Until it is tried again to accept, where the system has no descriptor left."""
MOST_CONNECTIONS: Final = 500
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
    """Answers every request with 503 while it is open. For one event loop.

    connections: open at once, over all listeners; one more closes the oldest. The process needs
    descriptors to start workers.
    """

    def __init__(self, listeners: Sequence[socket.socket], connections: int) -> None:
        self._listeners = listeners
        self._most = connections
        self._accepting: list[socket.socket] = []
        self._answers: dict[asyncio.Task[None], None] = {}
        self._loop = asyncio.get_running_loop()
        self._failures = RepeatedLine(_log, self._loop.time)

    def open(self) -> None:
        """Accept from all listeners, unless it does."""
        if self._accepting:
            return
        _log.error("no worker can begin: all requests are refused with 503 until one does")
        try:
            for listener in self._listeners:
                self._accepting.append(listener.dup())
        except OSError as error:  # no descriptors left: the supervisor tries again
            _log.error("requests cannot be refused: %s", error)
            self.close()
        for listener in self._accepting:
            listener.settimeout(0.0)
            self._resume(listener)

    def close(self) -> None:
        """Leave new connections to the workers."""
        accepting, self._accepting = self._accepting, []
        for listener in accepting:
            self._loop.remove_reader(listener)
            listener.close()

    def _resume(self, listener: socket.socket) -> None:
        if listener in self._accepting:
            self._loop.add_reader(listener, self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        """Called again at once while more connections wait."""
        if len(self._answers) >= self._most:
            self._close_oldest()
            return
        try:
            connection, _ = listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            self._failures.error("a connection cannot be accepted: %s", error)
            self._close_oldest()
            self._loop.remove_reader(listener)
            self._loop.call_later(PAUSE_SECONDS, self._resume, listener)
            return
        connection.settimeout(0.0)
        answer = self._loop.create_task(refuse(connection))
        self._answers[answer] = None
        answer.add_done_callback(partial(self._end, connection))

    def _end(self, connection: socket.socket, answer: asyncio.Task[None]) -> None:
        del self._answers[answer]
        connection.close()  # also where it was cancelled before it began

    def _close_oldest(self) -> None:
        for answer in self._answers:
            answer.cancel()
            return


async def refuse(connection: socket.socket) -> None:
    """Answer one request.

    The rest of it is read: to close a connection with bytes that nobody has read may take the
    answer from the client.
    """
    loop = asyncio.get_running_loop()
    with connection, suppress(OSError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            head = await _read_head(connection)
        if not head:
            return
        async with asyncio.timeout(PATIENCE_SECONDS):
            await loop.sock_sendall(connection, unavailable())
            connection.shutdown(socket.SHUT_WR)
            while await loop.sock_recv(connection, _PART_BYTES):
                pass


async def _read_head(connection: socket.socket) -> bytes:
    """As much as is read of it at most; nothing where the client leaves before its end."""
    loop, head = asyncio.get_running_loop(), b""
    while b"\r\n\r\n" not in head and len(head) < _PART_BYTES:
        part = await loop.sock_recv(connection, _PART_BYTES)
        if not part:
            return b""
        head += part
    return head
