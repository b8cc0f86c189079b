"""A response body that is judged while it streams."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import aclosing
from functools import partial
from typing import Any, Generic, TypeVar

from guard.errors import Blocked
from guard.flow import Exchange, Pieces, drive_async, worst_verdict
from guard.records import Outcome, Unread
from guard.replies.large import Turns, run_beside, slices
from guard.replies.sse import verdict_comment
from guard.wrap.asgi.http import FieldNotice, error_json
from guard.wrap.asgi.stream_formats import StreamFormat
from guard.wrap.asgi.whole_body import GuardedBody

T = TypeVar("T")


BodyItem = bytes | Exception | None
"""What the application sends: bytes, what it raises, or None for the end."""


class UnbufferedQueue(Generic[T]):
    """One producer and one consumer on one event loop: `put` waits until the item is taken."""

    def __init__(self) -> None:
        self._item: list[T] = []
        self._available = asyncio.Event()
        self._taken = asyncio.Event()
        self._closed = False

    async def put(self, one: T) -> bool:
        """Wait until it is taken; False if nobody will take it any more."""
        if self._closed:
            return False
        self._item = [one]
        self._taken.clear()
        self._available.set()
        await self._taken.wait()
        return not self._item

    async def get(self) -> T:
        """The next one."""
        await self._available.wait()
        self._available.clear()
        one = self._item.pop()
        self._taken.set()
        return one

    def close(self) -> None:
        """Nothing more is taken."""
        self._closed = True
        self._taken.set()


class StreamedBody:
    """Hands each chunk of the application to a task that judges, and waits until it is taken."""

    def __init__(self, response: GuardedBody, stream_format: StreamFormat) -> None:
        self._writer = response.writer
        self._format = stream_format
        self._limit_bytes = response.limits.body_bytes
        self._stop = response.stop
        self._read_bytes = 0
        self._ended = False
        self._beyond = False
        self._turns = Turns()
        self._chunks: UnbufferedQueue[BodyItem] = UnbufferedQueue()
        self._task = asyncio.create_task(self._judge(response))

    async def add(self, body: bytes, *, more: bool) -> None:
        """More of the body. Raises what sending raises."""
        waiting: list[BodyItem] = [body] if body else []
        waiting += [] if more else [None]
        while waiting and await self._chunks.put(waiting[0]):
            waiting.pop(0)
        if waiting or not more:
            with contextlib.suppress(Blocked):  # `abandon` raises it, not `send`
                await self._task
        if waiting and self._beyond:
            await self._writer.write(body if waiting[0] is body else b"", more=more)

    async def abandon(self) -> None:
        """The application has ended without the end of its response. Raises Blocked where a stream
        has to break off because policy withholds the rest, and its format has no error."""
        if not self._task.done():
            self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError, OSError):  # a client that has gone
            await self._task

    async def fail(self, error: Exception) -> None:
        """The application raised."""
        await self._chunks.put(error)
        with contextlib.suppress(Exception):
            await self._task

    async def _judge(self, response: GuardedBody) -> None:
        exchange = response.flow.begin(response.call, streamed=True, once=True)
        exchange.outcome.add_done_callback(partial(_tell, response.notice))
        self._writer.replace_body(None)
        self._writer.add_headers(x_guard_call_id=exchange.call_id)
        driven = drive_async(exchange, Pieces(self._format.codec), self._pieces)
        try:
            async for piece in driven:
                await self._write(self._format.encode(piece))
            await self._finish(exchange)
        except Blocked as blocked:
            await self._write(self._format.remainder())
            await self._refuse(blocked)
        except Exception:
            await self._write(self._format.remainder())
            raise
        finally:
            self._chunks.close()
            await driven.aclose()

    async def _pieces(self) -> AsyncIterator[Any]:
        """What is to be judged; other pieces, which are bytes, leave at once."""
        while not self._ended:
            item = await self._chunks.get()
            if isinstance(item, Exception):
                raise item
            self._ended = item is None
            self._read_bytes += len(item or b"")
            if item and self._read_bytes > self._limit_bytes:
                self._beyond = True
                yield self._format.give_up(item, Unread.TOO_LARGE)
                return
            async with aclosing(self._found(item)) as found:
                async for piece in found:
                    if isinstance(piece, bytes):
                        await self._write(piece)
                    else:
                        yield piece

    async def _found(self, item: bytes | None) -> AsyncGenerator[Any]:
        """The pieces that this item completes."""
        if item is None:
            rest: Callable[[], list[Any]] = self._format.rest
            for piece in await run_beside(self._format.waiting_bytes, rest):
                yield piece
            return
        for part in slices(item):
            size_bytes = self._format.waiting_bytes + len(part)
            pieces = self._format.feed(part)
            while (piece := await run_beside(size_bytes, next, pieces, None)) is not None:
                yield piece
                await self._turns.give_way()

    async def _write(self, body: bytes) -> None:
        if body:
            await self._writer.write(body, more=True)

    async def _finish(self, exchange: Exchange) -> None:
        if self._beyond:
            return
        verdict = worst_verdict([exchange]).value
        comments = self._format.has_comments
        trailer = verdict_comment(exchange.call_id, verdict) if comments else b""
        await self._writer.write(trailer, more=False)
        self._stop_application()

    async def _refuse(self, blocked: Blocked) -> None:
        self._beyond = False
        self._stop_application()
        if not self._writer.begun:
            await self._writer.refuse(blocked)
            return
        end = self._format.error(error_json(blocked))
        if end is None:
            raise blocked
        await self._writer.write(end, more=False)

    def _stop_application(self) -> None:
        if not self._ended:
            self._stop()


def _tell(notice: FieldNotice, ended: Future[Outcome | None]) -> None:
    outcome = ended.result()
    notice.tell(outcome.unread if outcome is not None else ())
