"""Requests to a gateway at little cost to who sends them: on uvloop, without a client library."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import httptools

DONE = "[DONE]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a chat completion is asked for. key: sent as a bearer token."""

    url: str
    key: str = ""
    path: str = "/v1/chat/completions"

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.url)
        return str(parts.hostname), int(parts.port or 80)

    def post(self, body: dict[str, Any]) -> bytes:
        """The request, in bytes."""
        content = json.dumps(body).encode()
        lines = [
            f"POST {self.path} HTTP/1.1",
            f"host: {urlsplit(self.url).netloc}",
            f"authorization: Bearer {self.key}",
            "content-type: application/json",
            f"content-length: {len(content)}",
        ]
        return "\r\n".join([*lines, "", ""]).encode() + content


@dataclass
class Answer:
    """What came back. chunks: of the body, each with its time on the monotonic clock."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    chunks: list[tuple[float, bytes]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def body(self) -> bytes:
        """All of it."""
        return b"".join(chunk for _, chunk in self.chunks)

    def events(self) -> Iterator[tuple[float, str]]:
        """The data of each event of a stream, with the time at which it was whole."""
        waiting = b""
        for at, chunk in self.chunks:
            *lines, waiting = (waiting + chunk).split(b"\n")
            yield from (
                (at, line.removeprefix(b"data:").strip().decode())
                for line in lines
                if line.startswith(b"data:")
            )

    def deltas(self) -> Iterator[tuple[float, str]]:
        """The texts of a streamed chat completion that are not empty."""
        for at, data in self.events():
            choices = [] if data == DONE else json.loads(data).get("choices") or []
            for choice in choices:
                if content := choice["delta"].get("content"):
                    yield at, content

    def text(self) -> str:
        """What was said, streamed or not."""
        if "event-stream" in self.headers.get("content-type", ""):
            return "".join(said for _, said in self.deltas())
        return str(json.loads(self.body)["choices"][0]["message"]["content"])


class Connection(asyncio.Protocol):
    """One connection: a request, its answer, the next request.

    answer: what has come so far of the last one.
    """

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._lost = False
        self._whole: asyncio.Future[None] | None = None
        self.answer = Answer()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        if self._whole is not None and not self._whole.done():
            self._whole.set_exception(ConnectionError("closed in the middle of an answer"))

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.answer.headers[name.decode().lower()] = value.decode()

    def on_headers_complete(self) -> None:
        self.answer.status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self.answer.chunks.append((time.monotonic(), body))

    def on_message_complete(self) -> None:
        assert self._whole is not None
        if not self._whole.done():
            self._whole.set_result(None)

    async def ask(self, request: bytes) -> Answer:
        """Raises ConnectionError where no whole answer comes."""
        if self._lost:
            raise ConnectionError("closed")
        self.answer = Answer()
        self._whole = asyncio.get_running_loop().create_future()
        began = time.perf_counter()
        self._transport.write(request)
        await self._whole
        self.answer.seconds = time.perf_counter() - began
        return self.answer

    def close(self) -> None:
        """Both ways."""
        self._transport.close()


async def connect(target: Target) -> Connection:
    """A connection to it."""
    loop = asyncio.get_running_loop()
    _, protocol = await loop.create_connection(Connection, *target.address)
    return protocol


async def once(target: Target, body: dict[str, Any]) -> Answer:
    """One request on a connection of its own."""
    connection = await connect(target)
    try:
        return await connection.ask(target.post(body))
    finally:
        connection.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a closed loop of callers saw."""

    seconds: list[float]
    statuses: Counter[int]
    took_seconds: float

    @property
    def per_second(self) -> float:
        """Answers. Ends the benchmark where one was not 200."""
        if set(self.statuses) != {200}:
            raise SystemExit(f"not every answer was 200: {dict(self.statuses)}")
        return len(self.seconds) / self.took_seconds


async def closed_loop(target: Target, body: dict[str, Any], callers: int, seconds: float) -> Load:
    """`callers` connections, each asking again as soon as it is answered."""
    request, found, statuses = target.post(body), list[float](), Counter[int]()
    began = time.perf_counter()

    async def caller() -> None:
        connection = await connect(target)
        while time.perf_counter() - began < seconds:
            answer = await connection.ask(request)
            found.append(answer.seconds)
            statuses[answer.status] += 1
        connection.close()

    await asyncio.gather(*(caller() for _ in range(callers)))
    return Load(seconds=found, statuses=statuses, took_seconds=time.perf_counter() - began)
