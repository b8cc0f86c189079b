"""An answer on its way out."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import aclosing
from typing import Any, Final

from guard.gateway.arriving import Attended
from guard.gateway.errors import RefusedRequest, error_body
from guard.gateway.headers import encoded
from guard.gateway.records import Reply

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_KINDS: Final = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}


class Answering:
    """What is sent to one client, and what the log says of it.

    status: 0 until there is one. use_case, key: what is known of who asked for what.
    """

    __slots__ = ("_send", "complete", "key", "status", "use_case")

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.complete = False
        self.use_case = ""
        self.key = ""

    async def give(self, reply: Reply, attended: Attended) -> None:
        """The reply as it comes; its chunks are closed whatever happens."""
        last = b""
        async with aclosing(reply.chunks) as chunks:
            headers = encoded(reply.headers)
            if reply.length is not None:
                headers.append((b"content-length", str(reply.length).encode("ascii")))
            await self._begin(reply.status, headers)
            async for chunk in chunks:
                if reply.length is None:
                    await self._more(chunk)
                else:  # one chunk, as a rule: it is sent with the end
                    await self._more(last)
                    last = chunk
        attended.over()
        await self._end(last)

    async def whole(
        self, status: int, body: bytes, headers: Iterable[tuple[str, str]], *, empty: bool = False
    ) -> None:
        """An answer that is there already. empty: only its headers are wanted."""
        length = (b"content-length", str(len(body)).encode("ascii"))
        await self._begin(status, [*encoded(headers), length])
        await self._end(b"" if empty else body)

    async def refuse(self, refusal: RefusedRequest, request_id: str | None) -> None:
        """An error in the words of the API. request_id: as the client calls its request."""
        headers = [("content-type", "application/json"), *refusal.headers]
        if refusal.retry_after_seconds is not None:
            headers.append(("retry-after", str(math.ceil(refusal.retry_after_seconds))))
        if request_id is not None:
            headers.append(("x-request-id", request_id))
        await self.whole(refusal.status, _told(refusal), headers)

    async def _begin(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self.status = status
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def _more(self, body: bytes) -> None:
        if body:
            await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def _end(self, body: bytes) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": False})
        self.complete = True


def _told(refusal: RefusedRequest) -> bytes:
    kind = "server_error" if refusal.status >= 500 else "invalid_request_error"
    kind = _KINDS.get(refusal.status, kind)
    return error_body(refusal.code, str(refusal), kind=kind, param=refusal.param)
