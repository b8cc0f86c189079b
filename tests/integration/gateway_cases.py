"""What the tests of the gateway share: its settings, requests over bare sockets, the secret."""

from __future__ import annotations

import http.client
import io
import json
import re
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.servers import free_port
from tests.servers_gateway import Gateway
from tests.servers_openai import Behaviour, Tool, Upstream, read_events
from tests.servers_openai.replies import token_id, tokens

PATIENCE_SECONDS = 30.0
CHAT, COMPLETIONS, RESPONSES = "/chat/completions", "/completions", "/responses"
OPERATIONS = (CHAT, COMPLETIONS, RESPONSES)

FALLBACK = "I am not able to share that answer."
KIND = "Thank you for asking, I am glad to help you with that."
SECRET = "You are a stupid idiot, xylocarpqzvk."
MANY = "The desk opens at eight. It closes at six, on Saturdays at noon! Is that clear? Yes. " * 12
SIGNS = (
    "Hello, naïve 漢字かな。👩‍👩‍👧‍👦 Grüße aus Köln. مرحبا بالعالم. \\n\n\ttab \u2028 line. Fine."
)
WEATHER = Tool(name="weather", arguments='{"city": "Paris", "days": 3}')
TIME = Tool(name="time", arguments="{}", id="call_2")
BEFORE, AFTER = "Hello there, good morning.", "Have a nice day."

UPSTREAM_KEY = "key-of-ours"
USE_CASES = """
  chat: {}
  full: {stream: {hold: full}}
  firm: {policy: {toxicity: {block: 0.8}}}
  firm-full: {policy: {toxicity: {block: 0.8}}, stream: {hold: full}}
  none: {stream: {hold: none}}
  watch: {mode: observe}
  unread: {mode: off}
  redact: {policy: {toxicity: {redact: 0.8}}}
  again: {policy: {toxicity: {regenerate: 0.8}}}
  raise: {on_block: raise}
  raise-full: {on_block: raise, stream: {hold: full}}
  passing: {reasoning: pass, tool_calls: pass}
  quick: {upstream: quick}
  quick-full: {upstream: quick, stream: {hold: full}}
  gone: {upstream: gone}
  strict: {on_unscored: withhold}
  prompts: {prompt: {mode: block}}
  ours: {upstream: ours}
  theirs: {upstream: theirs}
"""
"""One process has them all; a client chooses by the path."""


def started(folder: Path, upstream: Upstream, *, more: str = "", **environment: str) -> Gateway:
    """A gateway in front of `upstream`. more: of the section `gateway` of its settings."""
    settings = settings_for(upstream.base_url, f"http://127.0.0.1:{free_port()}/v1", more)
    return Gateway(folder, settings, environment={"UPSTREAM_KEY": UPSTREAM_KEY, **environment})


def settings_for(base_url: str, gone: str, more: str) -> str:
    """guard.yaml. gone: an address where nobody listens."""
    return f"""
upstreams:
  main: {{base_url: "{base_url}", answer_mb: 1, connect_seconds: 20}}
  quick: {{base_url: "{base_url}", first_byte_seconds: 0.5, idle_seconds: 0.5, reply_seconds: 1.0}}
  gone: {{base_url: "{gone}", connect_seconds: 2}}
  ours: {{base_url: "{base_url}", api_key_env: UPSTREAM_KEY}}
  theirs: {{base_url: "{base_url}", pass_key: true}}
gateway:
  port: 0
  upstream: main
{more}
defaults: {{deadline_ms: 60000}}
use_cases: {USE_CASES}
"""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer. complete: whether it ended as it said it would. wire: every byte that came."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    complete: bool
    wire: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[tuple[str, Any]]:
        """Names and contents; JSON where it is some."""
        return [(one.event, parsed(one.data)) for one in read_events(self.body)[0]]

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The contents that are objects."""
        return [content for _, content in self.events if isinstance(content, dict)]

    @property
    def verdict(self) -> dict[str, Any]:
        """What the last comment of a stream says."""
        (found,) = [one for one in read_events(self.body)[1] if one.startswith("guard ")]
        told = json.loads(found.removeprefix("guard "))
        assert isinstance(told, dict)
        return told


def parsed(data: str) -> Any:
    """JSON, or the text as it is."""
    try:
        return json.loads(data)
    except ValueError:
        return data


def asking(operation: str, prompt: str, **more: Any) -> dict[str, Any]:
    """The body of a request."""
    said: dict[str, Any] = {"prompt": prompt}
    if operation == CHAT:
        said = {"messages": [{"role": "user", "content": prompt}]}
    if operation == RESPONSES:
        said = {"input": prompt}
    return {"model": "scripted", **said, **more}


def post(url: str, body: object, **headers: str) -> Answered:
    """Ask over a socket of its own and read until it is closed. body: JSON unless it is bytes."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return send("POST", url, content, **headers)


def send(method: str, url: str, content: bytes = b"", **headers: str) -> Answered:
    """`x_guard_key="k"` becomes a header."""
    with opened(url) as connection:
        connection.sendall(request(method, url, content, **headers))
        return received(connection)


def opened(url: str) -> socket.socket:
    """A connection to where `url` is."""
    at = urlsplit(url)
    return socket.create_connection((at.hostname, at.port), timeout=PATIENCE_SECONDS)


def request(method: str, url: str, content: bytes, **headers: str) -> bytes:
    """The bytes of a request after which the connection is closed."""
    at = urlsplit(url)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = {
        "host": at.netloc,
        "content-type": "application/json",
        "content-length": str(len(content)),
        "connection": "close",
        **named,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {at.path} HTTP/1.1\r\n{head}\r\n".encode() + content


def received(connection: socket.socket) -> Answered:
    """Everything until the other side closes, or breaks off."""
    wire = bytearray()
    with suppress(ConnectionResetError):
        while piece := connection.recv(65_536):
            wire += piece
    return understood(bytes(wire))


@dataclass(frozen=True, kw_only=True)
class Pair:
    """An upstream and a gateway in front of it."""

    upstream: Upstream
    gateway: Gateway

    def ask(
        self, operation: str, *behaviours: Behaviour, at: str = "chat", **more: Any
    ) -> Answered:
        """Through the gateway, in the use case `at`; `more` is of the body."""
        prompt = self.upstream.plan(*behaviours)
        return post(self.gateway.base_url(at) + operation, asking(operation, prompt, **more))

    def compare(self, operation: str, behaviour: Behaviour, at: str, **more: Any) -> None:
        """That the answer is the same through the gateway and without it, and the question too."""
        prompt = self.upstream.plan(behaviour)
        body = asking(operation, prompt, **more)
        direct = post(self.upstream.base_url + operation, body)
        same(direct, post(self.gateway.base_url(at) + operation, body))
        first, second = self.upstream.asked(prompt)
        assert first.body == second.body


def same(direct: Answered, through: Answered) -> None:
    """That status, kind and content are equal; of a stream its events."""
    assert through.status == direct.status
    assert through.headers["content-type"] == direct.headers["content-type"]
    assert through.complete
    if "event-stream" in direct.headers["content-type"]:
        assert through.events == direct.events
    else:
        assert through.json == direct.json


class _Recorded:
    """What http.client takes for a socket."""

    def __init__(self, wire: bytes) -> None:
        self._wire = wire

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self._wire)


def understood(wire: bytes) -> Answered:
    """The bytes of an answer, taken apart."""
    response = http.client.HTTPResponse(_Recorded(wire))  # type: ignore[arg-type]
    response.begin()
    try:
        body, complete = response.read(), True
    except http.client.IncompleteRead as error:
        body, complete = error.partial, False
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answered(
        status=response.status, headers=headers, body=body, complete=complete, wire=wire
    )


def leaks(found: Answered | bytes) -> list[bytes]:
    """The pieces of the secret that are among these bytes: as words, bytes or ids of tokens."""
    everything = found if isinstance(found, bytes) else found.wire + found.body
    plain = re.sub(rb"\s", b"", everything.lower())
    return [piece for piece in _PIECES if piece in plain]


def _pieces() -> list[bytes]:
    telling = [one for one in tokens(SECRET) if len(one.strip()) == 4]
    shown = [*telling, *(one.upper() for one in telling)]
    numbers = [json.dumps([*one.encode()], separators=(",", ":")).encode() for one in shown]
    return [one.strip().encode() for one in telling] + numbers + _ids(shown)


def _ids(shown: list[str]) -> list[bytes]:
    return [str(token_id(one)).encode() for one in shown]


_PIECES = _pieces()
