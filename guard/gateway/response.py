"""The answer to one client on its way out, and whether the client is still there."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from guard.gateway.errors import RefusedRequest, error_body

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_ERROR_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the client gets.

    headers: names in lower case, in order, repeated where they are. chunks: of the body; closing
    them early ends what is under way behind them. length: of the whole body in bytes, None where it
    is a stream.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    chunks: AsyncGenerator[bytes]
    length: int | None = None


class ClientLeftError(Exception):
    """The client has disconnected."""


class CancelOnDisconnect:
    """While the context lasts, a client that disconnects cancels the work for it.

    The current task is cancelled, and the context raises ClientLeftError. To be entered once the
    body has been read, and ended by `stop` before the last chunk is sent.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = False

    async def __aenter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in a task
        self._task = task
        self._watch = asyncio.get_running_loop().create_task(self._wait_for_disconnect())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        if self._left and self._task.uncancel() <= 0 and isinstance(error, asyncio.CancelledError):
            raise ClientLeftError from None

    def stop(self) -> None:
        """From now on a disconnect cancels nothing."""
        self._watch.cancel()

    async def _wait_for_disconnect(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._left = True
        self._task.cancel()


class ClientResponse:
    """What is sent to one client, and what the log says of it.

    status: 0 until it is sent. use_case, key: set once they are known.
    """

    __slots__ = ("_send", "complete", "key", "status", "use_case")

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.complete = False
        self.use_case = ""
        self.key = ""

    async def stream(self, reply: Reply, client: CancelOnDisconnect) -> None:
        """Send the reply as it comes; its chunks are closed whatever happens."""
        last = b""
        async with aclosing(reply.chunks) as chunks:
            headers = encode_headers(reply.headers)
            if reply.length is not None:
                headers.append((b"content-length", str(reply.length).encode("ascii")))
            await self._begin(reply.status, headers)
            async for chunk in chunks:
                if reply.length is None:
                    await self._more(chunk)
                else:  # usually one chunk: it is sent with the end
                    await self._more(last)
                    last = chunk
        client.stop()
        await self._end(last)

    async def whole(
        self,
        status: int,
        body: bytes,
        headers: Iterable[tuple[str, str]],
        *,
        head_only: bool = False,
    ) -> None:
        """Send an answer that is complete. head_only: as HEAD asks for it."""
        length = (b"content-length", str(len(body)).encode("ascii"))
        await self._begin(status, [*encode_headers(headers), length])
        await self._end(b"" if head_only else body)

    async def refuse(self, refusal: RefusedRequest, request_id: str | None) -> None:
        """Send an error in the form of the API. request_id: the client's own."""
        headers = [("content-type", "application/json"), *refusal.headers]
        if refusal.retry_after_seconds is not None:
            headers.append(("retry-after", str(math.ceil(refusal.retry_after_seconds))))
        if request_id is not None:
            headers.append(("x-request-id", request_id))
        await self.whole(refusal.status, _refusal_body(refusal), headers)

    async def _begin(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self.status = status
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def _more(self, body: bytes) -> None:
        if body:
            await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def _end(self, body: bytes) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": False})
        self.complete = True


def request_id(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The x-request-id of the client, if it can be repeated in an answer."""
    for name, value in headers:
        if name == b"x-request-id" and len(value) <= 200:
            text = value.decode("latin-1")
            return text if text.isascii() and text.isprintable() else None
    return None


def encode_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """Headers as ASGI sends them."""
    return [(name.encode("ascii"), value.encode("latin-1", "replace")) for name, value in headers]


def _refusal_body(refusal: RefusedRequest) -> bytes:
    kind = "server_error" if refusal.status >= 500 else "invalid_request_error"
    kind = _ERROR_TYPES.get(refusal.status, kind)
    return error_body(refusal.code, str(refusal), kind=kind, param=refusal.param)
