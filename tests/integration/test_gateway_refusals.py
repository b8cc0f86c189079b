"""Requests while no worker of the gateway can begin: refused, whatever silent clients do."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from guard.gateway.processes.refusals import Refusals
from guard.http.sockets import listen

PATIENCE_SECONDS = 60.0
BOUND = 4
REQUEST = b"POST /v1 HTTP/1.1\r\ncontent-length: 2\r\n\r\nhi"


@contextmanager
def refusing(listener: socket.socket) -> Iterator[Refusals]:
    refusals = Refusals([listener], BOUND)
    refusals.open()
    try:
        yield refusals
    finally:
        refusals.close()


def silent(listener: socket.socket, opened: ExitStack, count: int) -> list[socket.socket]:
    """Clients that are connected and send nothing."""
    address = listener.getsockname()
    clients = [opened.enter_context(socket.create_connection(address)) for _ in range(count)]
    for client in clients:
        client.settimeout(0.0)
    return clients


async def answer(listener: socket.socket, request: bytes = REQUEST) -> bytes:
    reader, writer = await asyncio.open_connection(*listener.getsockname()[:2])
    writer.write(request)
    async with asyncio.timeout(PATIENCE_SECONDS):
        found = await reader.read()
    writer.close()
    await writer.wait_closed()
    return found


async def end_of(client: socket.socket) -> bytes:
    async with asyncio.timeout(PATIENCE_SECONDS):
        return await asyncio.get_running_loop().sock_recv(client, 9)


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


async def test_silent_clients_hold_few_descriptors_and_keep_nobody_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("guard.gateway.processes.refusals.PATIENCE_SECONDS", PATIENCE_SECONDS)
    with ExitStack() as opened:
        listener = opened.enter_context(listen("127.0.0.1", 0))
        clients = silent(listener, opened, 10 * BOUND)
        opened.enter_context(refusing(listener))
        before = descriptors()
        for client in clients[:-BOUND]:
            assert await end_of(client) == b""
        assert descriptors() - before <= BOUND
        assert (await answer(listener)).startswith(b"HTTP/1.1 503 ")
        for client in clients[-BOUND + 1 :]:
            with pytest.raises(BlockingIOError):
                client.recv(9)


async def test_a_client_that_leaves_or_sends_too_long_a_head_holds_up_nothing() -> None:
    with listen("127.0.0.1", 0) as listener, refusing(listener):
        socket.create_connection(listener.getsockname()).close()
        assert (await answer(listener, b"x" * 70_000)).startswith(b"HTTP/1.1 503 ")
        assert (await answer(listener)).startswith(b"HTTP/1.1 503 ")


async def test_once_it_is_closed_connections_wait_for_a_worker() -> None:
    with ExitStack() as opened:
        listener = opened.enter_context(listen("127.0.0.1", 0))
        with refusing(listener):
            assert await answer(listener)
        silent(listener, opened, 1)
        await asyncio.sleep(0)
        listener.settimeout(PATIENCE_SECONDS)
        connection, _ = listener.accept()
        connection.close()


async def test_without_a_free_descriptor_it_pauses_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("guard.gateway.processes.refusals.PAUSE_SECONDS", 0.01)
    with ExitStack() as opened:
        listener = opened.enter_context(listen("127.0.0.1", 0))
        opened.enter_context(refusing(listener))
        [client] = silent(listener, opened, 1)
        client.send(REQUEST)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        free = os.dup(0)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
        try:
            with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
                os.dup(0)
            await asyncio.sleep(0.1)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert (await end_of(client)).startswith(b"HTTP")
    assert caplog.text.count("a connection cannot be accepted") == 1
