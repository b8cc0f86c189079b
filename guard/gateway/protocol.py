"""A connection that comes to its point, or is closed: what uvicorn leaves to those around it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from guard.gateway.errors import error_body

LARGEST_HEAD: Final = 65_536
"""Bytes of the request line and the headers."""
GRACE_SECONDS: Final = 5.0
"""For the rest of a request that was answered, or that the application should have ended."""
UNREAD_SECONDS: Final = 60.0
"""How long a client may leave unread what it was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """connections: open at once. request_seconds: for a request to arrive."""

    connections: int
    request_seconds: float


class Timely(HttpToolsProtocol):
    """uvicorn waits for ever for the rest of a request, for readers, and for any size of headers.

    And of several requests that were sent at once it would go on with the first one though its
    client has gone.
    """

    bounds: Bounds

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._waiting: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._begun = self._in_head = False
        self._head_bytes = 0
        self._running: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request; too many connections at once are closed."""
        super().connection_made(transport)
        if len(self.connections) > self.bounds.connections:
            transport.close()
        else:
            self._wait(self.bounds.request_seconds)

    def data_received(self, data: bytes) -> None:
        """Go on waiting until there is a whole request."""
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > LARGEST_HEAD:
                self._end(431, "headers_too_large", f"more than {LARGEST_HEAD} bytes of headers")
        if not self._begun:
            self._stop()
        elif self._waiting is None and not self.transport.is_closing():
            self._wait(self.bounds.request_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to wait for any more, and nobody to answer."""
        self._stop()
        self._read_again()
        self._leave()
        self.pipeline.clear()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._begun = self._in_head = True
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The body follows. What comes as headers behind it is nobody's."""
        super().on_headers_complete()
        self._in_head = False
        self.headers = []
        if not self.pipeline:
            self._running = self.cycle

    def on_message_complete(self) -> None:
        """The whole request is there."""
        self._begun = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Who was answered before the request was whole may send the rest, but not for long."""
        self._running = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()
        if self._begun and not self._in_head:
            self._stop()
            if self.expect_100_continue:  # and will not send it, having heard the answer
                self.transport.close()
            else:
                self._wait(GRACE_SECONDS)

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        self._read_again()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing was asked for a while; who has not even read what it got is cut off."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        super().timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP gets an error in the words of the API."""
        self._end(400, "bad_request", msg)

    def _wait(self, seconds: float) -> None:
        self._waiting = self.loop.call_later(seconds, self._late)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _late(self) -> None:
        """The application sees to a body that does not come; to all else, nobody would."""
        self._waiting = None
        if not self._begun:
            self.transport.close()
        elif self._in_head:
            self._end(408, "request_timeout", "the request did not arrive in time")
        elif self.cycle.response_complete:
            self.transport.abort()
        else:
            self._wait(GRACE_SECONDS)

    def _end(self, status: int, code: str, message: str) -> None:
        """An error in place of an application's answer, if none has begun, and the end."""
        if self._may_answer():
            body = error_body(code, message, kind="invalid_request_error")
            head = (
                f"HTTP/1.1 {status} \r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode("ascii") + body)
        self._leave()
        self.transport.close()

    def _may_answer(self) -> bool:
        running = self._running
        return running is None or running.response_complete or not running.response_started

    def _leave(self) -> None:
        """Tell the application, if it is answering, that nobody is there."""
        if (running := self._running) is not None and not running.response_complete:
            running.disconnected = True
            running.message_event.set()

    def _read_again(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
