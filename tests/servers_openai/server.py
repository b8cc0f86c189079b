"""Raw sockets on a thread of their own that read requests, perform answers and see who leaves."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.servers_openai.acts import ADDRESSES, Act, Behaviour, Ending, Gate, canned, says

_MODELS = ("scripted", "other")
_NO_LINGER = struct.pack("ii", 1, 0)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request. left: set when the asker hangs up before it has the whole answer."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    left: threading.Event = field(default_factory=threading.Event)

    @property
    def body(self) -> dict[str, Any]:
        found = json.loads(self.raw or b"{}")
        assert isinstance(found, dict)
        return found


class Upstream:
    """See the package. Thread-safe. `requests`: all that came, oldest first."""

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.connections = 0
        self._plans: dict[str, list[Behaviour]] = {}
        self._open: set[_Connection] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @property
    def origin(self) -> str:
        """Where it listens, as in http://127.0.0.1:PORT."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def open_connections(self) -> int:
        return len(self._open)

    def plan(self, *behaviours: Behaviour) -> str:
        """A word; who asks with it gets these answers in turn, and the last one ever after."""
        prompt = f"plan-{len(self._plans)}."
        self._plans[prompt] = list(behaviours)
        return prompt

    def asked(self, prompt: str) -> list[Asked]:
        """The requests that had this word in them."""
        return [one for one in self.requests if prompt.encode() in one.raw]

    def answer(self, asked: Asked) -> Iterable[Act]:
        """What this request gets."""
        self.requests.append(asked)
        if asked.method != "POST" or asked.path not in ADDRESSES:
            return _read(asked)(asked)
        for prompt, behaviours in self._plans.items():
            if prompt.encode() in asked.raw:
                return (behaviours.pop(0) if len(behaviours) > 1 else behaviours[0])(asked)
        return says("Nothing was planned.")(asked)

    def drop_idle(self) -> None:
        """Close every connection on which nothing is being asked."""
        self._loop.call_soon_threadsafe(self._drop_idle)

    def opened(self, connection: _Connection) -> None:
        self.connections += 1
        self._open.add(connection)

    def closed(self, connection: _Connection) -> None:
        self._open.discard(connection)

    def _drop_idle(self) -> None:
        for connection in tuple(self._open):
            connection.drop_if_idle()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        create = self._loop.create_server(lambda: _Connection(self), sock=self._listener)
        server = self._loop.run_until_complete(create)
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        tasks = [connection.end() for connection in tuple(self._open)]
        await asyncio.gather(*tasks, return_exceptions=True)


class _Connection(asyncio.Protocol):
    """One asker: its requests, one after the other."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._buffer = bytearray()
        self._answering = False
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._upstream.opened(self)
        self._task = asyncio.create_task(self._serve())

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._arrived.set()

    def connection_lost(self, error: Exception | None) -> None:
        self._upstream.closed(self)
        self._writable.set()
        self._arrived.set()
        if not self._gone.done():
            self._gone.set_result(None)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def drop_if_idle(self) -> None:
        if not self._answering:
            self._transport.close()

    def end(self) -> asyncio.Task[None]:
        """Stop at once."""
        self._transport.abort()
        self._task.cancel()
        return self._task

    async def _serve(self) -> None:
        goes_on = True
        while goes_on and (asked := await self._request()) is not None:
            self._answering = True
            goes_on = await self._answer(asked)
            self._answering = False
        self._transport.close()

    async def _answer(self, asked: Asked) -> bool:
        """Whether the connection can be used again."""
        performing = asyncio.create_task(self._perform(self._upstream.answer(asked)))
        try:
            await asyncio.wait([performing, self._gone], return_when=asyncio.FIRST_COMPLETED)
            if not performing.done() or performing.result() is Ending.HANG:
                asked.left.set()
            kept = asked.headers.get("connection", "").lower() != "close"
            return kept and performing.done() and performing.result() is None
        finally:
            performing.cancel()
            with suppress(asyncio.CancelledError):
                await performing

    async def _perform(self, acts: Iterable[Act]) -> Ending | None:
        for act in acts:
            match act:
                case bytes():
                    self._transport.write(act)
                    await asyncio.sleep(0)
                    await self._writable.wait()
                case Gate():
                    await asyncio.shield(asyncio.wrap_future(act.passed))
                case Ending.HANG:
                    await asyncio.wait([self._gone])
                    return act
                case Ending.RESET:
                    made = self._transport.get_extra_info("socket")
                    made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
                    return act
                case Ending.CLOSE:
                    return act
        return None

    async def _request(self) -> Asked | None:
        """The next one; None when there is none any more."""
        if (top := await self._until(b"\r\n\r\n")) is None:
            return None
        first, *lines = top.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        method, path, _ = first.split(" ")
        raw = await self._body(headers)
        return None if raw is None else Asked(method=method, path=path, headers=headers, raw=raw)

    async def _body(self, headers: dict[str, str]) -> bytes | None:
        if headers.get("transfer-encoding") != "chunked":
            return await self._exactly(int(headers.get("content-length", 0)))
        found = bytearray()
        while (size := await self._until(b"\r\n")) is not None:
            piece = await self._exactly(int(size, 16) + 2)
            if piece is None or piece == b"\r\n":
                return None if piece is None else bytes(found)
            found += piece[:-2]
        return None

    async def _until(self, mark: bytes) -> bytes | None:
        while mark not in self._buffer:
            if not await self._more():
                return None
        return await self._exactly(self._buffer.index(mark) + len(mark))

    async def _exactly(self, count: int) -> bytes | None:
        while len(self._buffer) < count:
            if not await self._more():
                return None
        found = bytes(self._buffer[:count])
        del self._buffer[:count]
        return found

    async def _more(self) -> bool:
        self._arrived.clear()
        if self._gone.done():
            return False
        await self._arrived.wait()
        return True


def _read(asked: Asked) -> Behaviour:
    """A list of the models, one of them, or that there is no such thing."""
    named = {name: _model(name) for name in _MODELS}
    if asked.path == "/v1/models":
        found: Any = {"object": "list", "data": [*named.values()]}
    else:
        found = named.get(asked.path.removeprefix("/v1/models/"))
    if found is None:
        return canned(404, json.dumps({"error": {"message": "there is none"}}).encode())
    return canned(200, json.dumps(found).encode())


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1_686_935_002, "owned_by": "scripted"}
