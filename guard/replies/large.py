"""Large replies, and those of many small parts, hold up no other work of an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

LARGE_BYTES: Final = 2**18
SLICE_BYTES: Final = 2**14
"""How much of a stream is looked at in one go."""
LEAST_PART_BYTES: Final = 256
"""An event, or a comment, of a stream counts as so many bytes at least: each costs time."""
_PARTS_IN_A_ROW: Final = 32


async def run_beside(
    size_bytes: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """The result of `function`; for a body of this size in a thread if it is large, so that other
    requests are answered meanwhile."""
    if size_bytes < LARGE_BYTES:
        return function(*args, **kwargs)
    return await asyncio.to_thread(function, *args, **kwargs)


def slices(chunk: bytes) -> Iterator[bytes]:
    """A chunk in pieces that are quickly looked at: decompressed ones can be of any size."""
    if len(chunk) <= SLICE_BYTES:
        yield chunk
        return
    for start in range(0, len(chunk), SLICE_BYTES):
        yield chunk[start : start + SLICE_BYTES]


class Turns:
    """Lets other tasks of the event loop run every few parts of a reply: what has arrived already
    is read without waiting, and would let none run before its end."""

    def __init__(self) -> None:
        self._parts = 0

    async def give_way(self) -> None:
        """After each part."""
        self._parts += 1
        if self._parts % _PARTS_IN_A_ROW == 0:
            await asyncio.sleep(0)
