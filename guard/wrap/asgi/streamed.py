"""An answer that is judged while it streams."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from guard.errors import Blocked
from guard.flow import Exchange, Flow, Pieces, drive_async
from guard.records import Call, Unread
from guard.wrap.asgi.framings import Framing
from guard.wrap.asgi.handover import Handover
from guard.wrap.asgi.out import Out, refusal


class _End:
    """The application has sent the last of its answer."""


Given = bytes | _End | Exception


class Streamed:
    """Hands each chunk of the application to a task that judges, and waits until it is taken.

    call: without an id. limit_bytes: what is read; what comes behind it is unread. cut: called when
    nothing more of the application's is wanted.
    """

    def __init__(
        self,
        out: Out,
        flow: Flow,
        call: Call,
        framing: Framing,
        *,
        limit_bytes: int,
        cut: Callable[[], None],
    ) -> None:
        self._out = out
        self._framing = framing
        self._limit_bytes = limit_bytes
        self._cut = cut
        self._read_bytes = 0
        self._ended = False
        self._beyond = False
        self._chunks: Handover[Given] = Handover()
        self._task = asyncio.create_task(self._judge(flow, call))

    async def take(self, body: bytes, *, more: bool) -> None:
        """More of the body. Raises what sending raises."""
        waiting: list[Given] = [body] if body else []
        waiting += [] if more else [_End()]
        while waiting and await self._chunks.give(waiting[0]):
            waiting.pop(0)
        if waiting or not more:
            with contextlib.suppress(Blocked):  # told by `left`: the application did nothing wrong
                await self._task
        if waiting and self._beyond:
            await self._out.give(body if waiting[0] is body else b"", more=more)

    async def left(self) -> None:
        """The application has ended without the end of its answer. Raises Blocked where a stream
        has to break off because policy withholds the rest, and cannot say so."""
        if not self._task.done():
            self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError, OSError):  # a client that has gone
            await self._task

    async def failed(self, error: Exception) -> None:
        """The same, because it failed."""
        await self._chunks.give(error)
        with contextlib.suppress(Exception):
            await self._task

    async def _judge(self, flow: Flow, call: Call) -> None:
        exchange = flow.begin(call, streamed=True, once=True)
        self._out.another_body(None)
        self._out.say(x_guard_call_id=exchange.call_id)
        driven = drive_async(exchange, Pieces(self._framing.codec), self._pieces)
        try:
            async for piece in driven:
                await self._show(self._framing.shown(piece))
            await self._finish(exchange)
        except Blocked as blocked:
            await self._show(self._framing.left_over())
            await self._refuse(blocked)
        except Exception:
            await self._show(self._framing.left_over())
            raise
        finally:
            self._chunks.close()
            await driven.aclose()

    async def _pieces(self) -> AsyncIterator[Any]:
        while not isinstance(given := await self._chunks.take(), _End):
            if isinstance(given, Exception):
                raise given
            self._read_bytes += len(given)
            if self._read_bytes > self._limit_bytes:
                self._beyond = True
                yield self._framing.give_up(given, Unread.TOO_LARGE)
                return
            for piece in self._framing.feed(given):
                if aside := self._framing.aside(piece):
                    await self._show(aside)
                else:
                    yield piece
        self._ended = True
        for piece in self._framing.rest():
            yield piece

    async def _show(self, shown: bytes) -> None:
        if shown:
            await self._out.give(shown, more=True)

    async def _finish(self, exchange: Exchange) -> None:
        if self._beyond:
            return
        await self._out.give(self._framing.ended(exchange), more=False)
        self._stop()

    async def _refuse(self, blocked: Blocked) -> None:
        self._beyond = False
        self._stop()
        if not self._out.begun:
            await self._out.refuse(blocked)
            return
        end = self._framing.failed(refusal(blocked))
        if end is None:
            raise blocked
        await self._out.give(end, more=False)

    def _stop(self) -> None:
        if not self._ended:
            self._cut()
