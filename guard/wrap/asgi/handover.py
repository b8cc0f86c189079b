"""From hand to hand: whoever gives waits until it is taken."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

T = TypeVar("T")


class Handover(Generic[T]):
    """One giver and one taker on one event loop."""

    def __init__(self) -> None:
        self._offered: list[T] = []
        self._there = asyncio.Event()
        self._settled = asyncio.Event()
        self._closed = False

    async def give(self, one: T) -> bool:
        """Wait until it is taken; False if nobody will take it any more."""
        if self._closed:
            return False
        self._offered = [one]
        self._settled.clear()
        self._there.set()
        await self._settled.wait()
        return not self._offered

    async def take(self) -> T:
        """The next one."""
        await self._there.wait()
        self._there.clear()
        one = self._offered.pop()
        self._settled.set()
        return one

    def close(self) -> None:
        """Nothing more is taken."""
        self._closed = True
        self._settled.set()
