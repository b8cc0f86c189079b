"""A request on its way in, and whether its client is still there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from types import TracebackType
from typing import Any, Self

from guard.gateway.admission import Admission
from guard.gateway.errors import RefusedRequest

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


class ClientLeftError(Exception):
    """Nobody waits for the answer any more."""


class Body:
    """The body of one request, in memory for as long as the context lasts.

    limit: bytes it may have. seconds: it may take to arrive.
    """

    def __init__(self, admission: Admission, *, limit: int, seconds: float) -> None:
        self._admission = admission
        self._limit = limit
        self._seconds = seconds
        self._held = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._admission.let_go(self._held)

    async def read(self, receive: Receive, declared: bytes | None) -> bytes:
        """The whole. declared: what the header content-length says.

        Raises RefusedRequest for what is too large, as soon as that is clear, and for what does not
        come in time; ClientLeftError.
        """
        if declared is not None and declared.isdigit() and int(declared[:20]) > self._limit:
            raise self._too_large()
        try:
            async with asyncio.timeout(self._seconds):
                return await self._gathered(receive)
        except TimeoutError:
            raise RefusedRequest(
                408,
                "request_timeout",
                f"the body did not arrive within {self._seconds:g} seconds",
            ) from None

    async def _gathered(self, receive: Receive) -> bytes:
        found, more = b"", True
        parts: list[bytes] = []
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientLeftError
            found, more = message.get("body", b""), message.get("more_body", False)
            self._take(len(found))
            parts.append(found)
        return found if len(parts) == 1 else b"".join(parts)

    def _take(self, count: int) -> None:
        if self._held + count > self._limit:
            raise self._too_large()
        self._admission.hold(count)
        self._held += count

    def _too_large(self) -> RefusedRequest:
        return RefusedRequest(
            413,
            "body_too_large",
            f"the body has more than {self._limit} bytes (setting gateway.body_mb)",
        )


class Attended:
    """While the context lasts, a client that leaves ends what is done for it.

    What is under way is cancelled, and ClientLeftError comes out. To be entered once the body has
    been read, and left by `over` before the last word is sent.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = False

    async def __aenter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in a task
        self._task = task
        self._watch = asyncio.get_running_loop().create_task(self._await_leaving())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.over()
        if self._left and self._task.uncancel() <= 0 and isinstance(error, asyncio.CancelledError):
            raise ClientLeftError from None

    def over(self) -> None:
        """From now on it does not matter whether somebody leaves."""
        self._watch.cancel()

    async def _await_leaving(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._left = True
        self._task.cancel()
