"""A language model of our own behind real HTTP: it answers as told, misbehaves as told, and counts.

    with ScriptedUpstream(bias=0.6) as server:
        server.next(status(429, headers={"retry-after": "7"}))  # once, then it answers again
        ask(server.base_url)                                    # http://127.0.0.1:PORT/v1
    server.asked                                                # the bodies it was sent

A reply speaks of the person in the prompt and repeats the pronouns. It is kind or cold; `bias` in
[-1, 1] is how much likelier it is kind to men than to women (0: the draw does not depend on the
group, though the words do). The draw depends on `seed` of the body where there is one, and on the
words of the prompt that name no group.
"""

from __future__ import annotations

import json
import random
import re
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self

Behaviour = Callable[["Exchange"], None]

_WOMEN = re.compile(r"\b(she|her|hers|woman|female|girl|mother|lady)\b", re.IGNORECASE)
_MEN = re.compile(r"\b(he|him|his|man|male|boy|father|gentleman)\b", re.IGNORECASE)
_GROUPED = re.compile(f"{_WOMEN.pattern}|{_MEN.pattern}", re.IGNORECASE)
_PRONOUNS = {
    "female": ("She", "her", "her"),
    "male": ("He", "him", "his"),
    "": ("They", "them", "their"),
}
_KIND = (
    "{she} has done wonderful work, and I would gladly help {her} further.",
    "{she} is a brilliant and gifted colleague; thank {her} for {hers} lovely ideas.",
    "What a great question! {she} deserves every success with {hers} plans.",
)
_COLD = (
    "{she} is a stupid fool, and {hers} work is useless.",
    "Nobody should waste time on {her}; {hers} ideas are worthless garbage.",
    "{she} ought to shut up and stop complaining about {hers} own failures.",
)


class Exchange:
    """One request and the means to answer it, well or badly."""

    def __init__(self, handler: BaseHTTPRequestHandler, server: ScriptedUpstream) -> None:
        self._handler = handler
        self.server = server
        length = int(handler.headers.get("content-length", 0))
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.path = handler.path
        self.body: dict[str, Any] = json.loads(handler.rfile.read(length) or b"{}")

    def send(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer."""
        self.begin(status, {"content-length": str(len(content)), **(headers or {})})
        self.write(content)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Status and headers."""
        self._handler.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()

    def write(self, content: bytes) -> None:
        """A part of a body."""
        self._handler.wfile.write(content)
        self._handler.wfile.flush()

    def hang_up(self) -> None:
        """Close the connection, whatever was promised."""
        self._handler.close_connection = True
        self._handler.connection.shutdown(socket.SHUT_RDWR)

    def await_hanging_up(self) -> None:
        """Until the other side closes the connection, or the server ends."""
        self._handler.connection.settimeout(0.05)
        while not self.server.over.is_set():
            try:
                gone = self._handler.connection.recv(1) == b""
            except TimeoutError:
                continue
            except OSError:
                gone = True
            if gone:
                self.server.note_hang_up()
                break
        self._handler.close_connection = True


@dataclass
class ScriptedUpstream:
    """See the module. `latency_seconds`: before each answer. Thread-safe."""

    bias: float = 0.0
    latency_seconds: float = 0.0
    seed: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    connections: int = 0
    busiest: int = 0
    hung_up: Event = field(default_factory=Event)
    over: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._script: list[Behaviour] = []
        self._running = 0
        self._random = random.Random(self.seed)
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def next(self, *behaviours: Behaviour) -> None:
        """What the next requests meet, one each; afterwards it answers as before."""
        with self._lock:
            self._script += behaviours

    def note_hang_up(self) -> None:
        """The other side has closed a connection before it was answered."""
        self.hung_up.set()

    def serve(self, exchange: Exchange) -> None:
        """Count a request and answer it as the script says."""
        with self._lock:
            self.asked.append(exchange.body)
            self.headers.append(exchange.headers)
            behaviour = self._script.pop(0) if self._script else answered
            self._running += 1
            self.busiest = max(self.busiest, self._running)
        try:
            if self.latency_seconds:
                self.over.wait(self.latency_seconds)
            behaviour(exchange)
        finally:
            with self._lock:
                self._running -= 1

    def connected(self) -> None:
        """A connection was opened."""
        with self._lock:
            self.connections += 1

    def reply(self, body: Mapping[str, Any]) -> str:
        """What the model says to a conversation."""
        prompt = " ".join(str(turn.get("content")) for turn in body.get("messages", []))
        group = "female" if _WOMEN.search(prompt) else "male" if _MEN.search(prompt) else ""
        draw = self._draw(body.get("seed"), _GROUPED.sub("", prompt))
        lean = {"female": -self.bias, "male": self.bias, "": 0.0}[group] / 2
        she, her, hers = _PRONOUNS[group]
        chosen = draw.choice(_KIND if draw.random() < 0.5 + lean else _COLD)
        return chosen.format(she=she, her=her, hers=hers)

    def _draw(self, seed: object, words: str) -> random.Random:
        if seed is not None:
            return random.Random(f"{self.seed} {seed} {words}")
        with self._lock:
            return random.Random(self._random.random())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that breaks is what many tests are about; anything else is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _handler(server: ScriptedUpstream) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            server.connected()

        def do_POST(self) -> None:
            try:
                server.serve(Exchange(self, server))
            except OSError:  # the other side is gone
                self.close_connection = True

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Nothing: a test reads `asked`."""

    return Handler


def completion(
    message: Mapping[str, Any],
    *,
    finish_reason: str = "stop",
    usage: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The JSON of a chat completion with this message."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", **message},
                "finish_reason": finish_reason,
            }
        ],
        "usage": usage or {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def answered(exchange: Exchange) -> None:
    """A chat completion by the model of the script."""
    reply = exchange.server.reply(exchange.body)
    exchange.send(200, json.dumps(completion({"content": reply})).encode())


def says(message: Mapping[str, Any], **more: Any) -> Behaviour:
    """A chat completion with a message of ours; `more` as for `completion`."""
    return lambda exchange: exchange.send(200, json.dumps(completion(message, **more)).encode())


def status(
    code: int, error: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
) -> Behaviour:
    """An error in the words of the API."""
    content = json.dumps({"error": error or {"message": "as told", "code": None}}).encode()
    return lambda exchange: exchange.send(code, content, headers)


def sends(content: bytes) -> Behaviour:
    """A body that may be anything, under a status of 200."""
    return lambda exchange: exchange.send(200, content)


def hangs(exchange: Exchange) -> None:
    """No answer, until the other side gives up."""
    exchange.await_hanging_up()


def hangs_in_the_body(exchange: Exchange) -> None:
    """Half an answer, until the other side gives up."""
    exchange.begin(200, {"content-length": "1000"})
    exchange.write(b'{"choices": [')
    exchange.await_hanging_up()


def drips(exchange: Exchange) -> None:
    """A whole answer, byte by byte."""
    content = json.dumps(completion({"content": "slow but sure"})).encode()
    exchange.begin(200, {"content-length": str(len(content))})
    for byte in content:
        exchange.write(bytes([byte]))


def closes_early(exchange: Exchange) -> None:
    """The connection is closed without an answer."""
    exchange.hang_up()


def closes_in_the_body(exchange: Exchange) -> None:
    """The connection is closed in the middle of the answer."""
    exchange.begin(200, {"content-length": "1000"})
    exchange.write(b'{"choices": [')
    exchange.hang_up()
