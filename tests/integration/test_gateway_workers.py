"""A worker process that hangs, in the hands of its slot."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from guard.gateway.processes import worker_slot
from guard.gateway.processes.messages import MessageKind, WorkerMessage
from guard.gateway.processes.worker_slot import WorkerSlot
from guard.http.sockets import listen
from guard.settings import Settings

PATIENCE_SECONDS = 120.0
SETTINGS = Settings.model_validate(
    {
        "upstreams": {"main": {"base_url": "http://127.0.0.1:9/v1"}},
        "use_cases": {"chat": {"mode": "off"}},
    }
)
START = WorkerMessage(kind=MessageKind.START, text=SETTINGS.model_dump_json())


@asynccontextmanager
async def opened(replaced: asyncio.Event) -> AsyncIterator[tuple[WorkerSlot, socket.socket, int]]:
    """A slot, its listener, and the process id of its first worker."""
    others = children()
    with listen("127.0.0.1", 0) as listener:
        slot = WorkerSlot(listener, START, replaced.set)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await slot.open()
            [worker] = children() - others
            yield slot, listener, worker
        finally:
            slot.kill()
            await slot.supervised()


def children() -> set[int]:
    """The processes that this one has started."""
    tasks = Path(f"/proc/{os.getpid()}/task").iterdir()
    return {int(one) for task in tasks for one in (task / "children").read_text().split()}


async def answers(listener: socket.socket) -> bool:
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(b"GET /healthz HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")
    async with asyncio.timeout(PATIENCE_SECONDS):
        answer = await reader.read()
    writer.close()
    return answer.startswith(b"HTTP/1.1 200 ")


async def test_a_worker_that_does_not_answer_any_more_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_slot, "SAMPLES_SECONDS", 0.05)
    replaced = asyncio.Event()
    async with opened(replaced) as (slot, listener, worker):
        os.kill(worker, signal.SIGSTOP)
        for _ in range(worker_slot.MOST_UNANSWERED):
            await slot.check()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await replaced.wait()
        assert await answers(listener)


async def test_a_worker_that_was_away_for_a_while_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replaced = asyncio.Event()
    async with opened(replaced) as (slot, listener, worker):
        for _ in range(2):
            os.kill(worker, signal.SIGSTOP)
            monkeypatch.setattr(worker_slot, "SAMPLES_SECONDS", 0.05)
            for _ in range(worker_slot.MOST_UNANSWERED - 1):
                await slot.check()
            os.kill(worker, signal.SIGCONT)
            monkeypatch.setattr(worker_slot, "SAMPLES_SECONDS", PATIENCE_SECONDS)
            await slot.check()
        assert await answers(listener)
        assert worker in children()
        assert not replaced.is_set()


async def test_a_worker_that_drains_has_a_limit_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_slot, "SAMPLES_SECONDS", 0.05)
    replaced = asyncio.Event()
    async with opened(replaced) as (slot, _, worker):
        os.kill(worker, signal.SIGSTOP)
        draining = asyncio.create_task(slot.drain(PATIENCE_SECONDS))
        await asyncio.sleep(0)
        for _ in range(2 * worker_slot.MOST_UNANSWERED):
            await slot.check()
        assert worker in children()
        os.kill(worker, signal.SIGCONT)
        await draining
        assert not replaced.is_set()
