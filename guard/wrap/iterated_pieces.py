"""The pieces of an iterator that a model gave, and END behind them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterator
from typing import Any, cast

from guard.flow.waiting import has_loop
from guard.wrap.known_replies import END


def until_end(pieces: Iterator[Any]) -> Generator[Any, None, Any]:
    """The pieces and END; returns what a generator returned."""
    returned = yield from cast("Generator[Any, None, Any]", pieces)
    yield END
    return returned


async def until_end_async(reply: Any) -> AsyncGenerator[Any, None]:
    """The same of an iterator, which may have to be awaited; closed with this one."""
    reply = await reply if inspect.isawaitable(reply) else reply
    pieces = aiter(reply if isinstance(reply, AsyncIterable) else _read_in_thread(reply))
    try:
        async for piece in pieces:
            yield piece
            del piece  # error reports show the variables of frames
        yield END
    finally:
        if callable(close := getattr(pieces, "aclose", None)):
            await close()


async def _read_in_thread(reply: Iterator[Any]) -> AsyncGenerator[Any, None]:
    """The pieces of an iterator that would hold up the event loop."""
    pieces = await asyncio.to_thread(list, reply) if has_loop() else list(reply)
    for piece in pieces:
        yield piece
