"""A worker process that hangs, in the hands of its slot."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from guard.gateway.processes import supervisor, worker_slot
from guard.gateway.processes.messages import MessageKind, WorkerMessage
from guard.gateway.processes.supervisor import Supervisor
from guard.gateway.processes.worker_slot import WorkerSlot
from guard.http.sockets import listen
from guard.scoring import find_model
from guard.settings import Settings

PATIENCE_SECONDS = 120.0
NOBODY = 9
MANY = 40


def start(upstream: int, model: str = "bundled") -> WorkerMessage:
    """What a worker is told first. upstream: the port of its model."""
    settings = Settings.model_validate(
        {
            "upstreams": {"main": {"base_url": f"http://127.0.0.1:{upstream}/v1"}},
            "use_cases": {"chat": {"mode": "off"}},
            "scoring": {"model": model},
        }
    )
    return WorkerMessage(kind=MessageKind.START, text=settings.model_dump_json())


@asynccontextmanager
async def opened(
    replaced: asyncio.Event, upstream: int = NOBODY, model: str = "bundled"
) -> AsyncIterator[tuple[WorkerSlot, socket.socket, int]]:
    """A slot, its listener, and the process id of its first worker."""
    others = children()
    with listen("127.0.0.1", 0) as listener:
        changed = asyncio.Event()
        slot = WorkerSlot([listener], start(upstream, model), replaced.set, changed.set)
        accepting = asyncio.create_task(accept(slot, changed))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await slot.open()
            [worker] = children() - others
            yield slot, listener, worker
        finally:
            slot.kill()
            await slot.supervised()
            accepting.cancel()


@asynccontextmanager
async def waiting_model(asked: asyncio.Event, answer: asyncio.Event) -> AsyncIterator[int]:
    """The port of a model that is asked, and answers `hi` once it may."""

    async def model(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await answer.wait()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nhi")
        writer.close()

    async with await asyncio.start_server(model, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def accept(slot: WorkerSlot, changed: asyncio.Event) -> None:
    """What a supervisor of one worker does."""
    while True:
        await changed.wait()
        changed.clear()
        await slot.accept([0])


@asynccontextmanager
async def supervised(upstream: int = NOBODY) -> AsyncIterator[tuple[socket.socket, set[int]]]:
    """A socket of a gateway with two workers, and their process ids."""
    others = children()
    with ExitStack() as opened:
        first = opened.enter_context(listen("127.0.0.1", 0, shared=True))
        port = first.getsockname()[1]
        second = opened.enter_context(listen("127.0.0.1", port, shared=True))
        message = start(upstream)
        settings = Settings.model_validate_json(message.text)
        supervisor = Supervisor(settings, [first, second], message)
        signals, ready = asyncio.Queue[None](), asyncio.Event()
        running = asyncio.create_task(supervisor.run(signals, ready.set))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await ready.wait()
            yield first, children() - others
        finally:
            signals.put_nowait(None)
            await running


def children() -> set[int]:
    """The processes that this one has started."""
    found = set[int]()
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has just ended
            found.update(map(int, (task / "children").read_text().split()))
    return found


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


async def test_a_worker_that_drains_by_itself_still_says_that_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_slot, "SAMPLES_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(worker_slot, "MOST_UNANSWERED", 1)
    replaced, asked, answer = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async with waiting_model(asked, answer) as upstream, opened(replaced, upstream) as opened_slot:
        slot, listener, worker = opened_slot
        asking = asyncio.create_task(completion(listener))
        await asyncio.wait_for(asked.wait(), PATIENCE_SECONDS)
        os.kill(worker, signal.SIGTERM)
        for _ in range(5):
            await slot.check()
        answer.set()
        assert (await asking).endswith(b"hi")
        await asyncio.wait_for(replaced.wait(), PATIENCE_SECONDS)


async def completion(listener: socket.socket) -> bytes:
    """What a client gets that asks the model."""
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    body = b'{"model": "m", "messages": [{"role": "user", "content": "Hello."}]}'
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    found = await asyncio.wait_for(reader.read(), PATIENCE_SECONDS)
    writer.close()
    return found


async def test_a_worker_that_finds_another_model_than_the_one_before_it_is_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model, replaced = tmp_path / "model", asyncio.Event()
    shutil.copytree(find_model("bundled").folder, model)
    async with opened(replaced, model=str(model)) as (_, listener, worker):
        before = children()
        os.kill(worker, signal.SIGKILL)
        await asyncio.wait_for(replaced.wait(), PATIENCE_SECONDS)
        assert await answers(listener)
        assert "other models" not in caplog.text
        [again] = children() - before
        replaced.clear()
        manifest = json.loads((model / "manifest.json").read_text())
        manifest["heads"][0]["threshold"] = 0.001
        (model / "manifest.json").write_text(json.dumps(manifest))
        os.kill(again, signal.SIGKILL)
        await asyncio.wait_for(replaced.wait(), PATIENCE_SECONDS)
        assert await answers(listener)
        assert "a worker began with other models than the one before it" in caplog.text


async def test_connections_for_a_worker_that_cannot_be_started_go_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def nothing_left(*_: object) -> asyncio.subprocess.Process:
        raise OSError(errno.ENOMEM, "no memory")

    async with supervised() as (listener, workers):
        assert len(workers) == 2
        monkeypatch.setattr(worker_slot, "_start_process", nothing_left)
        os.kill(min(workers), signal.SIGKILL)
        assert all([await answers(listener) for _ in range(MANY)])
        assert children() & workers == {max(workers)}


async def test_requests_are_refused_while_no_worker_can_begin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starts, may_start = worker_slot._start_process, asyncio.Event()

    async def nothing_left(*sockets: Any) -> asyncio.subprocess.Process:
        if may_start.is_set():
            return await starts(*sockets)
        raise OSError(errno.ENOMEM, "no memory")

    async with supervised() as (listener, workers):
        monkeypatch.setattr(worker_slot, "_start_process", nothing_left)
        monkeypatch.setattr(worker_slot, "LONGEST_PAUSE_SECONDS", 0.1)
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        for _ in range(MANY):
            head, _, body = (await completion(listener)).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503 ")
            assert b"retry-after: " in head
            assert json.loads(body)["error"]["code"] == "no_worker"
        may_start.set()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not await answers(listener):
                await asyncio.sleep(0.05)
        assert all([await answers(listener) for _ in range(MANY)])


async def test_requests_are_refused_while_a_worker_takes_very_long_to_begin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def hanging(*_: object) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec("sleep", "600")

    async with supervised() as (listener, workers):
        others = children() - workers
        with monkeypatch.context() as patched:
            patched.setattr(worker_slot, "_start_process", hanging)
            patched.setattr(worker_slot, "BEGIN_SECONDS", 0.1)
            patched.setattr(supervisor, "CHECK_SECONDS", 0.1)
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
            assert (await completion(listener)).startswith(b"HTTP/1.1 503 ")
        for process in children() - others:
            os.kill(process, signal.SIGKILL)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not await answers(listener):
                await asyncio.sleep(0.05)


async def test_connections_for_a_worker_that_drains_go_to_another() -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    async with (
        waiting_model(asked, answer) as upstream,
        supervised(upstream) as (listener, workers),
    ):
        waiting = [asyncio.create_task(completion(listener)) for _ in range(MANY)]
        await asyncio.wait_for(asked.wait(), PATIENCE_SECONDS)
        os.kill(min(workers), signal.SIGTERM)
        assert all([await answers(listener) for _ in range(MANY)])
        answer.set()
        assert [(await each)[-2:] for each in waiting] == [b"hi"] * MANY


BEFORE_ITS_IMPORTS = """
import ctypes, runpy, sys
class Import:
    def find_spec(self, name, path=None, target=None):
        if name == "guard.gateway.processes.worker":
            number = ctypes.c_int()
            ctypes.CDLL(None).prctl(2, ctypes.byref(number), 0, 0, 0)  # PR_GET_PDEATHSIG
            sys.exit(f"continued by signal {number.value}")
sys.meta_path.insert(0, Import())
runpy.run_module("guard.gateway.processes", run_name="__main__")
"""


def test_a_worker_that_stands_still_while_it_starts_does_not_outlive_its_parent_either() -> None:
    """Its imports take a second, more on a busy machine."""
    started = subprocess.run(
        [sys.executable, "-c", BEFORE_ITS_IMPORTS], capture_output=True, text=True, check=False
    )
    assert started.stderr == f"continued by signal {int(signal.SIGCONT)}\n"
