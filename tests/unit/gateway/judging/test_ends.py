"""How long an answer is waited for at its beginning, and at its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import cast

import pytest

from guard.gateway.judging.context import read_context
from guard.gateway.judging.events import EventFeed
from guard.testing import Recorder
from guard.upstream import Answer
from tests.unit.gateway.judging.fake import (
    BLOCK,
    ScriptedClient,
    ask,
    asked,
    completion,
    flow_of,
    stream,
    whole,
)


class Endless:
    """An answer that never ends after its last event."""

    closed = False

    async def chunks(self) -> AsyncGenerator[bytes]:
        try:
            yield b"data: {}\n\ndata: [DONE]\n\n"
            await asyncio.Event().wait()
        finally:
            self.closed = True


async def test_what_follows_the_last_event_is_read() -> None:
    answer = stream({"choices": [{"index": 0, "delta": {"content": "Hi."}}]})
    answer.chunks = [*answer.chunks, b": bye\n", b"\n"]
    seen = await ask({"messages": [], "stream": True}, answer)
    assert answer.taken == 4
    assert seen.body.endswith(b"data: [DONE]\n\n")


async def test_an_end_that_does_not_come_is_not_waited_for() -> None:
    answer = Endless()
    request = asked({"messages": [], "stream": True}, ScriptedClient([]))
    context = await read_context(request, flow_of(BLOCK, Recorder()), BLOCK)
    feed = EventFeed(cast("Answer", answer), context, replies=1)
    async with asyncio.timeout(5):
        assert len([event async for event in feed.reply(0)]) == 1
        await feed.aclose()
    assert answer.closed


@pytest.mark.parametrize("off", [False, True])
async def test_a_whole_answer_may_take_long_to_begin_and_a_stream_not(*, off: bool) -> None:
    policy = replace(BLOCK, off=off)
    seen = await ask({"messages": []}, whole(completion("Hi.")), policy=policy)
    assert seen.client.patience == [seen.client.limits.total_seconds]
    seen = await ask({"messages": [], "stream": True}, stream(), policy=policy)
    assert seen.client.patience == [None]
