"""A streamed answer: each reply in it is judged for itself while it is on its way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing

from guard.errors import Blocked, UpstreamError
from guard.flow import Exchange, drive_async
from guard.gateway.judging.feed import Feed
from guard.gateway.judging.waiting import Event, Waiting


class Lane:
    """One reply of a stream, from the feed to the client."""

    def __init__(self, number: int, exchange: Exchange, waiting: Waiting, feed: Feed) -> None:
        self._number = number
        self._waiting = waiting
        self._feed = feed
        self._asked = False
        self._began = False
        self.exchange = exchange
        self.error: UpstreamError | Blocked | None = None

    async def run(self) -> AsyncGenerator[bytes]:
        """What the client gets of this reply; `error` says afterwards what went wrong."""
        self._began = True
        driven = drive_async(self.exchange, self._waiting, self._ask)
        try:
            async with aclosing(driven):
                async for piece in driven:
                    yield piece
        except (Blocked, UpstreamError) as error:
            self.error = error
        finally:
            self._feed.leave(self._number)

    def leave(self) -> None:
        """End an exchange that never began."""
        if not self._began:
            self._began = True
            self.exchange.cut_short(failed=False)

    def _ask(self) -> AsyncIterator[Event]:
        return self._feed.reply(self._number)


async def merged(lanes: Sequence[Lane]) -> AsyncGenerator[bytes]:
    """What all lanes give, as it comes. None waits for another one."""
    given: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=4 * len(lanes))
    tasks = [asyncio.create_task(_into(given, lane)) for lane in lanes]
    try:
        for _ in lanes:
            while (piece := await given.get()) is not None:
                yield piece
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _into(given: asyncio.Queue[bytes | None], lane: Lane) -> None:
    async with aclosing(lane.run()) as pieces:
        async for piece in pieces:
            await given.put(piece)
    await given.put(None)


async def held_open(
    lanes: Sequence[Lane], ending: AsyncIterator[bytes], stack: AsyncExitStack
) -> AsyncGenerator[bytes]:
    """The body of the answer: what the lanes give, and then its end.

    Gives one empty piece first, so that closing it always ends what is behind it.
    """
    pieces = lanes[0].run() if len(lanes) == 1 else merged(lanes)
    try:
        async with stack, aclosing(pieces):
            yield b""
            async for piece in pieces:
                yield piece
            async for piece in ending:
                yield piece
    finally:
        for lane in lanes:
            lane.leave()
