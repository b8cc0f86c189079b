"""A model behind an address that costs next to nothing, in a process of its own.

python tests/benchmarks/fast_upstream.py    prints its base URL and serves until it is ended

It answers every POST with the same chat completion. What a request says in `metadata` changes that:
    marker              a word that every sentence of the reply holds, and its name in the log
    tokens              how long the reply is (default 60)
    tokens_per_second   how fast a stream is (default 0: at once)
With `"stream": true` the tokens come one by one.

GET /sentences gives for each marker when the last character of its first sentence was sent, and
when the token after it was: {"MARKER": [SECONDS, SECONDS]} on the clock of time.monotonic, which
on Linux all processes share. GET /connections gives how many are open, this one not counted, and
how many requests were answered. GET /hang-up closes those that wait for a request.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

SENTENCE = "The service desk can open the account and send a new letter about {marker} today ."
REPLY = " ".join(
    (
        "Thank you for your message. Open the login page, choose the link below the form, and",
        "wait for the e-mail. If nothing arrives within ten minutes, the service desk can open the",
        "account and send a new letter. The link in the letter is valid for a day, and you can ask",
        "for another one at any time. The desk is open from eight in the morning until six in the",
        "evening, on Saturdays until noon. You can also call us in that time.",
    )
)
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
STREAMED = re.compile(rb'"stream": *true')
MARKED = b'"marker"'


def completion(body: dict[str, Any]) -> bytes:
    """A whole reply."""
    content = text(body) if body.get("metadata") else REPLY
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content},
        "logprobs": None,
        "finish_reason": "stop",
    }
    answer = {
        "id": "chatcmpl-8f14e45fceea167a5a36dedd4bea2543",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "gpt-4o-mini",
        "choices": [choice],
        "usage": {"prompt_tokens": 57, "completion_tokens": 96, "total_tokens": 153},
        "system_fingerprint": "fp_44709d6fcb",
    }
    return json.dumps(answer).encode()


def whole(body: bytes) -> bytes:
    """A complete answer."""
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


CANNED = whole(completion({}))
STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)


@dataclass
class Log:
    """What the upstream has seen."""

    sentences: dict[str, list[float]] = field(default_factory=dict)
    open: set[Connection] = field(default_factory=set)
    answered: int = 0


class Connection(asyncio.Protocol):
    """One connection; requests with a content-length, no pipelining."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._waiting = b""
        self._streaming: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by its class
        self._log.open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._log.open.discard(self)
        if self._streaming:
            self._streaming.cancel()

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        end = self._waiting.find(b"\r\n\r\n")
        if end < 0:
            return
        length = LENGTH.search(self._waiting, 0, end)
        ends = end + 4 + (int(length[1]) if length else 0)
        if len(self._waiting) >= ends:
            request, self._waiting = self._waiting[:ends], self._waiting[ends:]
            self._answer(request, request[end + 4 :])

    def hang_up(self) -> None:
        """Close, unless an answer is under way."""
        if self._streaming is None:
            self._transport.close()

    def _answer(self, request: bytes, body: bytes) -> None:
        if request.startswith(b"GET"):
            self._transport.write(whole(json.dumps(self._told(request)).encode()))
            return
        self._log.answered += 1
        if STREAMED.search(body):
            self._streaming = asyncio.ensure_future(self._stream(json.loads(body)))
        else:
            self._transport.write(whole(completion(json.loads(body))) if MARKED in body else CANNED)

    def _told(self, request: bytes) -> object:
        if request.startswith(b"GET /sentences"):
            return self._log.sentences
        if request.startswith(b"GET /hang-up"):
            for one in self._log.open - {self}:
                one.hang_up()
        return {"open": len(self._log.open) - 1, "answered": self._log.answered}

    async def _stream(self, body: dict[str, Any]) -> None:
        self._transport.write(STREAM_HEAD)
        sentences = self._log.sentences.setdefault(marker_of(body), [])
        async for token in paced(body):
            self._send(event({"content": token}))
            if token == "." or len(sentences) == 1:
                sentences += [time.monotonic()][: 2 - len(sentences)]
        self._send(event({}, "stop"))
        self._send(b"data: [DONE]\n\n")
        self._transport.write(b"0\r\n\r\n")
        self._streaming = None

    def _send(self, content: bytes) -> None:
        self._transport.write(b"%x\r\n%b\r\n" % (len(content), content))


def marker_of(body: dict[str, Any]) -> str:
    """The word of this request."""
    return str((body.get("metadata") or {}).get("marker", "it"))


def tokens(body: dict[str, Any]) -> Iterator[str]:
    """The reply to a request with a marker, in tokens; a full stop is one of its own."""
    asked = body.get("metadata") or {}
    *words, stop = SENTENCE.format(marker=marker_of(body)).split()
    sentence = [*(f" {word}" for word in words), stop]
    reply = itertools.islice(itertools.cycle(sentence), int(asked.get("tokens", 60)))
    yield next(reply).lstrip()
    yield from reply


def text(body: dict[str, Any]) -> str:
    """The same in one piece."""
    return "".join(tokens(body))


async def paced(body: dict[str, Any]) -> AsyncIterator[str]:
    """The same, each token at its time, whatever the one before it took."""
    pace = float((body.get("metadata") or {}).get("tokens_per_second", 0))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for number, token in enumerate(tokens(body)):
        if pace:
            await asyncio.sleep(begun + number / pace - loop.time())
        yield token


def event(delta: dict[str, str], finish: str | None = None) -> bytes:
    """One event of a stream."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    chunk = {
        "id": "chatcmpl-8f14e45fceea167a5a36dedd4bea2543",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "gpt-4o-mini",
        "choices": [choice],
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


async def serve() -> None:
    """Until the process is ended."""
    loop, log = asyncio.get_running_loop(), Log()
    server = await loop.create_server(lambda: Connection(log), "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


def run() -> None:
    """With uvloop."""
    import uvloop

    uvloop.run(serve())


if __name__ == "__main__":
    run()
