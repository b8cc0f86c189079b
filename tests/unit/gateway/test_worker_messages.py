"""What workers and their supervisor send when one of them is ending."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import pytest
import uvloop

from guard.gateway.processes.messages import MessageKind, MessageStream, WorkerMessage

SAMPLES = WorkerMessage(kind=MessageKind.SAMPLES, text="x" * 1_000_000)


async def ends() -> tuple[MessageStream, MessageStream]:
    pair = socket.socketpair()
    for one in pair:
        one.settimeout(0.0)
    return await MessageStream.over(pair[0]), await MessageStream.over(pair[1])


async def send_when_closed() -> None:
    ours, other = await ends()
    ours.close()
    await ours.send(SAMPLES)
    assert await other.receive() is None
    await other.send(SAMPLES)
    await ours.send(SAMPLES)
    other.close()


async def close_while_sending() -> None:
    ours, other = await ends()
    sending = asyncio.ensure_future(ours.send(SAMPLES))
    await asyncio.sleep(0)
    ours.close()
    other.close()
    await sending
    await asyncio.gather(ours.send(SAMPLES), ours.send(SAMPLES))


async def send_to_nobody() -> None:
    ours, other = await ends()
    other.close()
    assert await ours.receive() is None
    for _ in range(3):
        await ours.send(SAMPLES)
    ours.close()


@pytest.mark.parametrize("case", [send_when_closed, close_while_sending, send_to_nobody])
@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_nobody_hears_it_and_nothing_is_raised(
    case: Callable[[], object], loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(asyncio.wait_for(case(), 10))
