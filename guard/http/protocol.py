"""One HTTP/1.1 connection with bounds on time, size and number: what uvicorn leaves unbounded."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from guard.http.request_head import (
    HeadError,
    check_framing,
    check_size,
    check_waiting,
    settle_target,
    too_large,
    too_many,
)

Application: TypeAlias = Callable[..., Awaitable[None]]
"""What ASGI calls an application."""
ErrorBody: TypeAlias = Callable[[str, str], bytes]
"""Code and message of an error to the JSON that a client gets."""

MOST_PIPELINED: Final = 32
"""Requests of a client that wait for the answer to the one before; all that it sends at once are
parsed in one turn of the event loop."""
GRACE_SECONDS: Final = 5.0
"""For the rest of a request that was answered, or that the application should have ended."""
UNREAD_SECONDS: Final = 60.0
"""How long a client may leave unread what it was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Limits of one listener.

    connections: open at once; one more closes the one that has not asked for longest, else the one
    whose request is still to arrive for longest, or itself where all others are being answered.
    request_seconds: for the head of a request to arrive; the application bounds the body.
    head_bytes: of the request line and the headers.
    headers: of a request; each takes some hundred bytes more than it was sent in.
    drops_unread: such a one also closes, before any other, the one whose client has left unread for
    longest what it was sent: for short answers, which nobody reads slowly.
    error_body: renders the answer to what is no valid request; None closes
    without an answer, or with a status alone where the head was whole.
    """

    connections: int
    request_seconds: float
    head_bytes: int = 65_536
    headers: int = 128
    drops_unread: bool = False
    error_body: ErrorBody | None = None


class BoundedProtocol(HttpToolsProtocol):
    """A connection that is closed when its client is too slow, too large, or gone.

    uvicorn waits without limit for the rest of a request and for readers, accepts headers of any
    size, takes as many pipelined requests as there come, goes on with the first of them when its
    client has left, and loses the body of a request that offers another protocol.

    idle: those of the listener that are not being answered, the longest first; sending: those of
    which the head of a request is there, and not yet the body, likewise; unread: those whose
    clients do not read.
    """

    bounds: Bounds
    idle: OrderedDict[BoundedProtocol, None]
    sending: OrderedDict[BoundedProtocol, None]
    unread: OrderedDict[BoundedProtocol, None]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._request_timer: asyncio.TimerHandle | None = None
        self._unread_timer: asyncio.TimerHandle | None = None
        self._in_request = self._in_head = False
        self._head_bytes = self._trailer_bytes = 0
        self._begun_heads = 0
        self._head_error: HeadError | None = None
        self._running: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.bounds.connections and not self._make_room():
            transport.close()
            return
        self.idle[self] = None
        self._start_timer(self.bounds.request_seconds)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        goes_on, self._begun_heads = self._in_request, 0
        try:
            self._parse(memoryview(data))
        except HttpParserError:
            self._refuse_head(self._head_error, whole=True)
            return
        if self._in_head:
            if self._begun_heads == (0 if goes_on else 1):  # else others came with it
                self._head_bytes += len(data)
            if self._head_bytes > self.bounds.head_bytes:
                self._refuse_head(too_large(self.bounds.head_bytes))
        if not self._in_request:
            self._stop_timer()
        elif self._request_timer is None and not self.transport.is_closing():
            self._start_timer(self.bounds.request_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self.idle.pop(self, None)
        self.sending.pop(self, None)
        self.unread.pop(self, None)
        self._stop_timer()
        self._stop_unread_timer()
        self._disconnect()
        self.pipeline.clear()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._in_request = self._in_head = True
        self._head_bytes = 0
        self._begun_heads += 1
        if self in self.idle:
            self.idle.move_to_end(self)
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Trailers, which come as headers after the body, are dropped: each would be kept. As many
        bytes of them as of headers are read. Raises HeadError, as `_check_head` does."""
        if self._in_head:
            if len(self.headers) >= self.bounds.headers:  # not once the head is whole
                self._head_error = too_many(self.bounds.headers)
                raise self._head_error
            super().on_header(name, value)
            return
        self._trailer_bytes += len(name) + len(value)
        if self._trailer_bytes > self.bounds.head_bytes:
            self._head_error = too_large(self.bounds.head_bytes)
            raise self._head_error

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            return  # what follows from it is said by `_parse`
        self._check_head()
        super().on_headers_complete()
        self.idle.pop(self, None)
        self._in_head = False
        self._trailer_bytes = 0
        self.headers = []
        if not self.pipeline:
            self._running = self.cycle
            self.sending[self] = None

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._in_request = False
        self.sending.pop(self, None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A client that was answered before its request was whole may send the rest, but soon."""
        self._running = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()
        if self._running is None and self in self.connections:
            self.idle[self] = None
        elif self._running is not None and self._in_request and not self._in_head:
            self.sending[self] = None
        if self._in_request and not self._in_head:
            self._stop_timer()
            if self.expect_100_continue:  # it has the answer and will not send the body
                self.transport.close()
            else:
                self._start_timer(GRACE_SECONDS)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.unread[self] = None
        if self._unread_timer is None:
            self._unread_timer = self.loop.call_later(UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self.unread.pop(self, None)
        self._stop_unread_timer()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """A client that has not even read its last answer is cut off."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        super().timeout_keep_alive_handler()

    def _check_head(self) -> None:
        """Raises HeadError, which the parser takes for an error of its own: hence `_head_error`."""
        try:
            check_waiting(len(self.pipeline), MOST_PIPELINED)
            check_size(self.url, self.headers, self.bounds.head_bytes)
            check_framing(self.headers, self.parser.get_http_version())
            self.url = settle_target(self.url, self.headers)
        except HeadError as error:
            self._head_error = error
            raise

    def _refuse_head(self, error: HeadError | None, *, whole: bool = False) -> None:
        """whole: all of it is there, so that whoever sent it hears a status in any case."""
        if error is None:
            self.send_400_response("Invalid HTTP request received.")
        else:
            self._refuse(error.status, error.code, str(error), answers=whole)

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "bad_request", msg)

    def _parse(self, data: memoryview) -> None:
        """Take in what arrived. Raises HttpParserError for what is no HTTP.

        An offer of another protocol (`Upgrade`) is not taken up, and its request answered as any
        other (RFC 9110, section 7.8). The parser leaves out the body of such a request and would
        read it as the next one; so it is given the request again, without the offer.
        """
        while data:
            try:
                self.parser.feed_data(data)
            except HttpParserUpgrade as offer:
                data = data[offer.args[0] :]
                self._parse_without_upgrade()
            else:
                return

    def _parse_without_upgrade(self) -> None:
        head = self._head_without_upgrade()
        self.parser = HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's
        self.parser.feed_data(head)

    def _head_without_upgrade(self) -> bytes:
        method = self.parser.get_method()
        if method == b"CONNECT":
            raise HttpParserError("tunnels are not offered")
        version = self.parser.get_http_version().encode("ascii")
        lines = [method + b" " + self.url + b" HTTP/" + version]
        lines += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def _make_room(self) -> bool:
        """For a new connection; whether there was one to close."""
        if self.bounds.drops_unread and self.unread:
            unread, _ = self.unread.popitem(last=False)
            unread.transport.abort()
            return True
        if self.idle:
            longest, _ = self.idle.popitem(last=False)
            self.sending.pop(longest, None)
            longest.timeout_keep_alive_handler()
            return True
        for sender in self.sending:
            if sender._may_answer():
                self.sending.pop(sender)
                sender._refuse(408, "request_timeout", "others needed the connection meanwhile")
                return True
        return False

    def _start_timer(self, seconds: float) -> None:
        self._request_timer = self.loop.call_later(seconds, self._timed_out)

    def _stop_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _stop_unread_timer(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _timed_out(self) -> None:
        self._request_timer = None
        if not self._in_request:
            self.transport.close()
        elif self._in_head:
            self._refuse(408, "request_timeout", "the request did not arrive in time")
        elif self.cycle.response_complete:
            self.transport.abort()
        else:  # the application ends a body that does not arrive
            self._start_timer(GRACE_SECONDS)

    def _refuse(self, status: int, code: str, message: str, *, answers: bool = False) -> None:
        """An error in place of the application's answer, unless that has begun; then close.

        answers: with a status alone where nothing renders errors.
        """
        make = self.bounds.error_body
        if (answers or make is not None) and self._may_answer():
            body = b"" if make is None else make(code, message)
            told = "content-type: application/json\r\n" if body else ""
            head = (
                f"HTTP/1.1 {status} \r\n{told}"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode("ascii") + body)
        self._disconnect()
        self.transport.close()

    def _may_answer(self) -> bool:
        running = self._running
        return running is None or running.response_complete or not running.response_started

    def _disconnect(self) -> None:
        """Send `http.disconnect` to the application, if it is answering."""
        if (running := self._running) is not None and not running.response_complete:
            running.disconnected = True
            running.message_event.set()


def bounded_config(
    app: Application,
    bounds: Bounds,
    *,
    keep_alive_seconds: int,
    drain_seconds: int | None = None,
    date_header: bool = True,
    log_level: str | None = None,
) -> Config:
    """A uvicorn configuration for an application behind `BoundedProtocol`.

    There is no log of requests, because their paths can say what was looked at. Headers of proxies
    are not believed: whoever is in front could name any address as the client's. Few connections
    are accepted in a row, so that those above the bound are closed before there are many.
    """
    return Config(
        app,
        backlog=max(bounds.connections // 8, 1),
        http=_protocol_within(bounds),
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level=log_level,
        access_log=False,
        server_header=False,
        date_header=date_header,
        proxy_headers=False,
        timeout_keep_alive=keep_alive_seconds,
        timeout_graceful_shutdown=drain_seconds,
    )


def _protocol_within(bounds: Bounds) -> type[BoundedProtocol]:
    """The protocol of the connections of one listener."""
    lists = {name: OrderedDict[Any, None]() for name in ("idle", "sending", "unread")}
    return type("BoundedProtocolOfListener", (BoundedProtocol,), {"bounds": bounds, **lists})
