"""Connections to a listener of the gateway that are slow, greedy, strange, or leave."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from guard.gateway.errors import invalid_request
from guard.gateway.processes.worker import WorkerServer
from guard.http import protocol
from guard.http.protocol import MOST_PIPELINED, Bounds
from guard.http.sockets import listen

REQUEST = b"POST /%s HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\n{}"
SECONDS = 10.0

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class App:
    """Answers with what it was sent. `/wait` waits for the gate, `/early` reads nothing, `/flood`
    says more than anybody wants to read."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.begun = asyncio.Semaphore(0)
        self.left = asyncio.Semaphore(0)
        self.scopes: list[dict[str, Any]] = []
        self.flooding = 0

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[dict[str, Any]]],
        send: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> None:
        self.scopes.append(scope)
        self.begun.release()
        body = b""
        if scope["path"] != "/early":
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    self.left.release()
                    return
                body, more = body + message["body"], message["more_body"]
        if scope["path"] == "/wait":
            gate, gone = (asyncio.ensure_future(one) for one in (self.gate.wait(), receive()))
            done, _ = await asyncio.wait({gate, gone}, return_when=asyncio.FIRST_COMPLETED)
            gate.cancel()
            gone.cancel()
            if gone in done:
                self.left.release()
                return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while scope["path"] == "/flood" and self.flooding < 10_000:
            self.flooding += 1
            await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
        await send({"type": "http.response.body", "body": body, "more_body": False})


@asynccontextmanager
async def served(
    app: App, *, connections: int = 100, request_seconds: float = SECONDS
) -> AsyncIterator[tuple[WorkerServer, int]]:
    bounds = Bounds(
        connections=connections, request_seconds=request_seconds, error_body=invalid_request
    )
    listener = listen("127.0.0.1", 0)
    server = WorkerServer(app, bounds, [listener])
    await server.accept([0])
    try:
        yield server, listener.getsockname()[1]
    finally:
        app.gate.set()
        await server.drain(1.0)


async def connected(port: int) -> Streams:
    return await asyncio.open_connection("127.0.0.1", port)


async def everything(reader: asyncio.StreamReader) -> bytes:
    """Until the other side closes."""
    with suppress(ConnectionError):
        async with asyncio.timeout(SECONDS):
            return await reader.read()
    return b""


async def head(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(SECONDS):
        return await reader.readuntil(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("sent", "begins"),
    [
        (b"", b""),
        (b"POST /echo HT", b"HTTP/1.1 408 "),
        (b"POST /echo HTTP/1.1\r\nhost: he", b"HTTP/1.1 408 "),
        (b"POST /early HTTP/1.1\r\ncontent-length: 9\r\n\r\nhalf", b"HTTP/1.1 200 "),
    ],
)
async def test_a_request_that_does_not_come_to_its_end_is_ended(
    sent: bytes, begins: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "GRACE_SECONDS", 0.1)
    async with served(App(), request_seconds=0.1) as (_, port):
        reader, writer = await connected(port)
        writer.write(sent)
        answer = await everything(reader)
        writer.close()
    assert answer.startswith(begins)
    assert bool(answer) == bool(begins)


async def test_drops_of_a_header_do_not_make_it_wait_for_ever() -> None:
    async with served(App(), request_seconds=0.3) as (_, port):
        reader, writer = await connected(port)
        writer.write(b"POST /echo HTTP/1.1\r\n")

        async def drip() -> None:
            with suppress(ConnectionError):
                for number in range(1000):
                    writer.write(b"x-%d: y\r\n" % number)
                    await writer.drain()
                    await asyncio.sleep(0.02)

        dripping = asyncio.create_task(drip())
        assert (await everything(reader))[:13] in {b"HTTP/1.1 408 ", b""}
        dripping.cancel()
        writer.close()


async def test_headers_without_end_are_refused() -> None:
    async with served(App()) as (_, port):
        reader, writer = await connected(port)
        writer.write(b"POST /echo HTTP/1.1\r\n")
        with suppress(ConnectionError):
            for _ in range(100):
                writer.write(b"x: " + b"y" * 16_384 + b"\r\n")
                await writer.drain()
        assert (await everything(reader))[:13] in {b"HTTP/1.1 431 ", b""}
        writer.close()


@pytest.mark.parametrize("upgrade", [b"", b"connection: upgrade\r\nupgrade: h2c\r\n"])
async def test_headers_of_more_than_64_kb_are_refused_though_they_come_at_once(
    upgrade: bytes,
) -> None:
    app = App()
    async with served(app) as (_, port):
        for size, begins in ((100_000, b"HTTP/1.1 431 "), (60_000, b"HTTP/1.1 200 ")):
            reader, writer = await connected(port)
            fields = b"".join(b"x-%d: %s\r\n" % (one, b"y" * 1000) for one in range(size // 1000))
            writer.write(
                b"GET /echo HTTP/1.1\r\nconnection: close\r\n" + upgrade + fields + b"\r\n"
            )
            assert (await everything(reader)).startswith(begins)
            writer.close()
    assert len(app.scopes) == 1


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST / HTTP/1.1\r\ntransfer-encoding: gzip, chunked\r\n", b"501"),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n", b"501"),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked, chunked\r\n", b"400"),
        (b"POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n", b"400"),
        (b"GET ftp://here/ HTTP/1.1\r\n", b"400"),
        (b"GET http://key@here/ HTTP/1.1\r\n", b"400"),
    ],
)
async def test_what_another_server_would_read_otherwise_is_refused(
    head: bytes, status: bytes
) -> None:
    app = App()
    async with served(app) as (_, port):
        reader, writer = await connected(port)
        writer.write(head + b"host: here\r\n\r\n0\r\n\r\n")
        assert (await everything(reader)).startswith(b"HTTP/1.1 %s " % status)
        writer.close()
    assert app.scopes == []


@pytest.mark.parametrize(
    ("target", "path", "host"),
    [
        (b"http://other:81/echo?a=b", b"/echo", b"other:81"),
        (b"HTTP://other", b"/", b"other"),
        (b"http://[::1]/echo", b"/echo", b"[::1]"),
    ],
)
async def test_the_host_of_a_whole_url_is_the_one_that_counts(
    target: bytes, path: bytes, host: bytes
) -> None:
    app = App()
    async with served(app) as (_, port):
        reader, writer = await connected(port)
        writer.write(b"GET %s HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n" % target)
        assert (await everything(reader)).startswith(b"HTTP/1.1 200 ")
        writer.close()
    [scope] = app.scopes
    assert scope["raw_path"] == path
    assert [value for name, value in scope["headers"] if name == b"host"] == [host]


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET http://[ HTTP/1.1\r\n\r\n",
        b"CONNECT evil:443 HTTP/1.1\r\n\r\n",
        b"CONNECT / HTTP/1.1\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        b"POST / HTTP/1.1\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}",
        b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n{}",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"nonsense\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_told_so(sent: bytes) -> None:
    async with served(App()) as (_, port):
        reader, writer = await connected(port)
        writer.write(sent)
        answer = await everything(reader)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'"code": "bad_request"' in answer


async def test_more_connections_than_may_be_answered_at_once_are_closed() -> None:
    app = App()
    async with served(app, connections=2) as (_, port):
        busy = [await connected(port) for _ in range(2)]
        for _, writer in busy:
            writer.write(REQUEST % b"wait")
            await app.begun.acquire()
        reader, writer = await connected(port)
        assert await everything(reader) == b""
        app.gate.set()
        for kept, _ in busy:
            assert (await head(kept)).startswith(b"HTTP/1.1 200 ")
        for _, kept in (*busy, (reader, writer)):
            kept.close()


@pytest.mark.parametrize("sent", [b"", b"POST /ec", REQUEST % b"echo"])
async def test_who_asks_nothing_for_longest_makes_room(sent: bytes) -> None:
    app = App()
    async with served(app, connections=3) as (_, port):
        busy = await connected(port)
        busy[1].write(REQUEST % b"wait")
        await app.begun.acquire()
        idle = [await connected(port) for _ in range(2)]
        for reader, writer in idle:
            writer.write(sent)
            if sent.endswith(b"}"):
                await head(reader)
        came = await connected(port)
        came[1].write(REQUEST % b"echo")
        assert (await head(came[0])).startswith(b"HTTP/1.1 200 ")
        await everything(idle[0][0])
        assert idle[0][0].at_eof()
        assert not idle[1][0].at_eof()
        app.gate.set()
        assert (await head(busy[0])).startswith(b"HTTP/1.1 200 ")
        for _, writer in (busy, *idle, came):
            writer.close()


async def test_who_does_not_send_a_request_for_longest_makes_room() -> None:
    half = b"POST /echo HTTP/1.1\r\ncontent-length: 100\r\n\r\n{"
    async with served(App(), connections=2) as (_, port):
        halves = [await connected(port) for _ in range(2)]
        for _, writer in halves:
            writer.write(half)
            await asyncio.sleep(0)
        came = await connected(port)
        came[1].write(REQUEST % b"echo")
        assert (await head(came[0])).startswith(b"HTTP/1.1 200 ")
        assert (await everything(halves[0][0])).startswith(b"HTTP/1.1 408 ")
        assert not halves[1][0].at_eof()
        for _, writer in (*halves, came):
            writer.close()


async def test_half_a_request_behind_a_whole_one_makes_room() -> None:
    half = b"POST /echo HTTP/1.1\r\ncontent-length: 100\r\n\r\n{"
    async with served(App(), connections=1) as (_, port):
        behind = await connected(port)
        behind[1].write(REQUEST % b"echo" + half)
        assert (await head(behind[0])).startswith(b"HTTP/1.1 200 ")
        came = await connected(port)
        came[1].write(REQUEST % b"echo")
        assert (await head(came[0])).startswith(b"HTTP/1.1 200 ")
        for _, writer in (behind, came):
            writer.close()


async def test_who_is_answered_makes_no_room_with_a_second_request_under_way() -> None:
    app = App()
    half = b"POST /echo HTTP/1.1\r\ncontent-length: 100\r\n\r\n{"
    async with served(app, connections=1) as (_, port):
        busy = await connected(port)
        busy[1].write(REQUEST % b"wait" + half)
        await app.begun.acquire()
        came = await connected(port)
        assert await everything(came[0]) == b""
        app.gate.set()
        assert (await head(busy[0])).startswith(b"HTTP/1.1 200 ")
        for _, writer in (busy, came):
            writer.close()


async def test_who_is_answered_early_may_send_the_rest_and_ask_again() -> None:
    async with served(App()) as (_, port):
        reader, writer = await connected(port)
        writer.write(b"POST /early HTTP/1.1\r\ncontent-length: 200000\r\n\r\n")
        assert (await head(reader)).startswith(b"HTTP/1.1 200 ")
        await reader.readuntil(b"0\r\n\r\n")
        writer.write(b"x" * 200_000 + REQUEST % b"echo")
        assert (await head(reader)).startswith(b"HTTP/1.1 200 ")
        writer.close()


async def test_who_waits_to_be_asked_for_a_body_and_is_not_is_let_go() -> None:
    async with served(App()) as (_, port):
        reader, writer = await connected(port)
        writer.write(b"POST /early HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n")
        assert (await everything(reader)).endswith(b"0\r\n\r\n")
        writer.close()


async def test_headers_behind_a_body_are_nobodys() -> None:
    app = App()
    async with served(app) as (_, port):
        reader, writer = await connected(port)
        writer.write(
            b"POST /echo HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n"
            b"2\r\n{}\r\n0\r\nx-guard-use-case: other\r\n\r\n"
        )
        await head(reader)
        writer.close()
    assert b"x-guard-use-case" not in dict(app.scopes[0]["headers"])


async def test_trailers_are_not_kept() -> None:
    async with served(App()) as (server, port):
        reader, writer = await connected(port)
        writer.write(b"POST /early HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n")
        await head(reader)
        writer.write(b"x-more: y\r\n" * 100)
        await writer.drain()
        second = await connected(port)
        second[1].write(REQUEST % b"echo")
        await head(second[0])
        kept = [one.headers for one in server._state.connections if one._in_request]
        assert kept == [[]]
        for one in (writer, second[1]):
            one.close()


async def test_trailers_without_end_are_refused() -> None:
    """Each that is read is time of others."""
    async with served(App()) as (server, port):
        reader, writer = await connected(port)
        writer.write(b"POST /echo HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
        with suppress(ConnectionError):
            while not reader.at_eof():
                writer.write(b"x-more: y\r\n" * 1_000)
                await writer.drain()
                await asyncio.sleep(0)
        assert not [one for one in server._state.connections if one._in_request]
        writer.close()


H2C = b"connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAAB\r\n"
"""As the JDK's HttpClient offers HTTP/2 with every first request to an address."""
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nhost: here\r\n\r\n"


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        (b"content-length: %d\r\n" % len(SMUGGLED), SMUGGLED),
        (b"transfer-encoding: chunked\r\n", b"%x\r\n%s\r\n0\r\n\r\n" % (len(SMUGGLED), SMUGGLED)),
    ],
    ids=["length", "chunked"],
)
@pytest.mark.parametrize("apart", [False, True], ids=["at once", "in drops"])
async def test_who_offers_another_protocol_is_answered_in_this_one(
    framing: bytes, body: bytes, *, apart: bool
) -> None:
    app, sent = App(), b"POST /echo HTTP/1.1\r\nhost: here\r\n" + H2C + framing + b"\r\n" + body
    async with served(app) as (_, port):
        reader, writer = await connected(port)
        for piece in [bytes([one]) for one in sent] if apart else [sent]:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        assert (await head(reader)).startswith(b"HTTP/1.1 200 ")
        assert SMUGGLED in await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.write(REQUEST % b"again")
        assert (await head(reader)).startswith(b"HTTP/1.1 200 ")
        writer.close()
    assert [one["path"] for one in app.scopes] == ["/echo", "/again"]


async def test_offers_that_were_sent_at_once_are_answered_in_turn() -> None:
    app, offer = App(), b"GET /%d HTTP/1.1\r\nhost: here\r\n" + H2C + b"\r\n"
    async with served(app) as (_, port):
        reader, writer = await connected(port)
        writer.write(b"".join(offer % number for number in range(MOST_PIPELINED)))
        for _ in range(MOST_PIPELINED):
            assert (await head(reader)).startswith(b"HTTP/1.1 200 ")
            await reader.readuntil(b"0\r\n\r\n")
        writer.close()
    assert [one["path"] for one in app.scopes] == [f"/{number}" for number in range(MOST_PIPELINED)]


async def test_requests_that_were_sent_at_once_all_end_when_their_client_leaves() -> None:
    app = App()
    async with served(app) as (_, port):
        _, writer = await connected(port)
        writer.write(REQUEST % b"wait" + REQUEST % b"wait" + REQUEST % b"echo")
        async with asyncio.timeout(SECONDS):
            await app.begun.acquire()
            writer.close()
            await app.left.acquire()
    assert len(app.scopes) == 1


async def test_requests_that_were_sent_at_once_are_answered_in_turn() -> None:
    async with served(App()) as (_, port):
        reader, writer = await connected(port)
        writer.write((REQUEST % b"echo") * 3)
        for _ in range(3):
            assert (await head(reader)).startswith(b"HTTP/1.1 200 ")
            assert await reader.readuntil(b"0\r\n\r\n") == b"2\r\n{}\r\n0\r\n\r\n"
        writer.close()


async def test_who_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "UNREAD_SECONDS", 0.1)
    app = App()
    async with served(app) as (_, port):
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", port))
            client.sendall(REQUEST % b"flood")
            async with asyncio.timeout(SECONDS):
                while app.flooding < 10_000:
                    await asyncio.sleep(0.01)


async def test_the_end_lets_requests_end_and_nobody_in() -> None:
    app = App()
    async with served(app) as (server, port):
        idle, busy = await connected(port), await connected(port)
        busy[1].write(REQUEST % b"wait")
        await app.begun.acquire()
        draining = asyncio.create_task(server.drain(SECONDS))
        assert await everything(idle[0]) == b""
        with pytest.raises(ConnectionError):
            await connected(port)
        app.gate.set()
        answer = await everything(busy[0])
        assert answer.endswith(b"2\r\n{}\r\n0\r\n\r\n")
        await draining
        for _, writer in (idle, busy):
            writer.close()


async def test_the_end_waits_for_nobody_longer_than_it_may() -> None:
    app = App()
    async with served(app) as (server, port):
        reader, writer = await connected(port)
        writer.write(REQUEST % b"wait")
        await app.begun.acquire()
        async with asyncio.timeout(SECONDS):
            await server.drain(0.1)
        await everything(reader)
        writer.close()
