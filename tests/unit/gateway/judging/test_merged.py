"""Several replies of one stream, given as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import cast

import pytest

from guard.gateway.judging.streams import ReplyStream, merge_streams


class Scripted:
    """A lane that gives these pieces, and then raises where it is told to."""

    def __init__(self, *pieces: bytes, error: Exception | None = None) -> None:
        self._pieces = pieces
        self._error = error
        self.taken = 0
        self.ended = False

    async def run(self) -> AsyncGenerator[bytes]:
        try:
            for piece in self._pieces:
                self.taken += 1
                yield piece
                await asyncio.sleep(0)
            if self._error is not None:
                raise self._error
        finally:
            self.ended = True


def together(*lanes: Scripted) -> AsyncGenerator[bytes]:
    return merge_streams([cast("ReplyStream", lane) for lane in lanes])


async def whole(pieces: AsyncIterator[bytes]) -> list[bytes]:
    return [piece async for piece in pieces]


async def test_every_piece_arrives_in_the_order_of_its_lane() -> None:
    first, second = Scripted(*[b"a%d" % n for n in range(50)]), Scripted(b"b")
    found = await whole(together(first, second))
    assert [piece for piece in found if piece[:1] == b"a"] == [b"a%d" % n for n in range(50)]
    assert found.count(b"b") == 1


async def test_who_leaves_while_lanes_wait_to_hand_over_is_not_held_up() -> None:
    lanes = [Scripted(*[b"x"] * 1000) for _ in range(3)]
    async with asyncio.timeout(5), aclosing(together(*lanes)) as pieces:
        await anext(pieces)
        for _ in range(200):
            await asyncio.sleep(0)
    assert all(lane.ended for lane in lanes)
    assert all(lane.taken < 100 for lane in lanes)


async def test_a_lane_that_fails_ends_the_whole_with_its_error() -> None:
    with pytest.raises(ValueError, match="broken"):
        await whole(together(Scripted(b"a", error=ValueError("broken")), Scripted(b"b")))
