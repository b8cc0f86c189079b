"""A streamed answer: each reply in it is judged for itself while it is on its way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing

from guard.errors import Blocked, UpstreamError
from guard.flow import Exchange, drive_async
from guard.gateway.judging.waiting import Event, Waiting

Attempt = Callable[[int], AsyncIterator[Event]]
"""The events of one reply, when it is asked for the first time (0) or again."""


_AHEAD = 4


class Lane:
    """One reply of a stream on its way to the client."""

    def __init__(self, exchange: Exchange, waiting: Waiting, attempt: Attempt) -> None:
        self._attempt = attempt
        self._attempts = 0
        self._began = False
        self.waiting = waiting
        self.exchange = exchange
        self.error: Exception | None = None

    async def run(self) -> AsyncGenerator[bytes]:
        """What the client gets of this reply; `error` says afterwards what went wrong."""
        self._began = True
        try:
            async with aclosing(drive_async(self.exchange, self.waiting, self._ask)) as driven:
                async for piece in driven:
                    yield piece
        except (Blocked, UpstreamError) as error:
            self.error = error

    def leave(self) -> None:
        """End an exchange that never began."""
        if not self._began:
            self._began = True
            self.exchange.cut_short(failed=False)

    def _ask(self) -> AsyncIterator[Event]:
        self._attempts += 1
        return self._attempt(self._attempts - 1)


async def merged(lanes: Sequence[Lane]) -> AsyncGenerator[bytes]:
    """What all lanes give, as it comes. None waits for another one, and none runs far ahead of who
    takes it."""
    given: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = asyncio.Semaphore(_AHEAD * len(lanes))
    tasks = [asyncio.create_task(_into(given, room, lane)) for lane in lanes]
    for task in tasks:
        task.add_done_callback(lambda _: given.put_nowait(None))
    try:
        for _ in lanes:
            while (piece := await given.get()) is not None:
                room.release()
                yield piece
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        task.result()


async def _into(given: asyncio.Queue[bytes | None], room: asyncio.Semaphore, lane: Lane) -> None:
    async with aclosing(lane.run()) as pieces:
        async for piece in pieces:
            await room.acquire()
            given.put_nowait(piece)
