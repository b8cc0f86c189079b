"""How an answer is given: bytes, pauses until a signal, and endings of all kinds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from tests.servers_openai import chat, completions, responses
from tests.servers_openai.reading import spoken
from tests.servers_openai.replies import Choice, Dialect, Saying

if TYPE_CHECKING:
    from tests.servers_openai.server import Asked

_INTERFACES = {
    "/v1/chat/completions": chat,
    "/v1/completions": completions,
    "/v1/responses": responses,
}
ADDRESSES = frozenset(_INTERFACES)
_REASONS = {200: "OK", 401: "Unauthorized", 429: "Too Many Requests", 500: "Internal Server Error"}


class Ending(Enum):
    """How a connection ends that does not go on to the next request."""

    CLOSE = auto()
    RESET = auto()
    HANG = auto()
    """Nothing more, until the other side gives up."""


class Gate:
    """A place where an answer waits until the test lets it go on."""

    def __init__(self) -> None:
        self.passed: Future[None] = Future()

    def open(self) -> None:
        if not self.passed.done():
            self.passed.set_result(None)


Act = bytes | Gate | Ending
Behaviour = Callable[["Asked"], Iterable[Act]]
Chop = Callable[[bytes], Iterable[bytes]]


def at_once(content: bytes) -> Iterable[bytes]:
    """An event is one piece."""
    return [content]


def bytewise(content: bytes) -> Iterable[bytes]:
    """Each byte is a piece, also within a character."""
    return (content[i : i + 1] for i in range(len(content)))


def in_pieces_of(size: int) -> Chop:
    """Pieces of `size` bytes, whatever they cut."""
    return lambda content: (content[i : i + size] for i in range(0, len(content), size))


@dataclass(frozen=True, kw_only=True)
class Wire:
    """How events become bytes.

    comments: a comment before every event, and the other fields that the format knows. chunked:
    otherwise the end of the connection is the end of the answer.
    """

    newline: str = "\n"
    chop: Chop = at_once
    comments: bool = False
    done: bool = True
    chunked: bool = True
    ascii: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    def frame(self, event: Mapping[str, Any]) -> bytes:
        """One event."""
        kind = event.get("type")
        lines = [f"event: {kind}"] if kind else []
        lines.append(f"data: {json.dumps(event, ensure_ascii=self.ascii)}")
        return self.lines(*lines)

    def lines(self, *lines: str) -> bytes:
        """These lines and the empty one that ends an event."""
        before = [": keep-alive", "", "retry: 3000", "unknown"] if self.comments else []
        return self.newline.join([*before, *lines, "", ""]).encode()

    def head(self, status: int = 200) -> bytes:
        """Status and headers of a stream."""
        framing = {"transfer-encoding": "chunked"} if self.chunked else {"connection": "close"}
        kind = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        return head(status, {**kind, **framing, **self.headers})

    def pack(self, piece: bytes) -> bytes:
        """A piece of the body as it stands on the wire."""
        return b"%x\r\n%s\r\n" % (len(piece), piece) if self.chunked else piece

    def end(self) -> list[Act]:
        """After the last piece."""
        return [b"0\r\n\r\n"] if self.chunked else [Ending.CLOSE]


PLAIN = Wire()


def head(status: int, headers: Mapping[str, str]) -> bytes:
    """The first lines of an answer."""
    shown = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    always = "x-request-id: req_4f2a\r\nopenai-processing-ms: 12\r\nset-cookie: secret=1\r\n"
    return f"HTTP/1.1 {status} {_REASONS.get(status, 'As Told')}\r\n{always}{shown}\r\n".encode()


def canned(
    status: int,
    content: bytes,
    *,
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Behaviour:
    """This body under this status, whatever was asked."""
    length = {"content-type": content_type, "content-length": str(len(content))}
    return lambda _: [head(status, {**length, **(headers or {})}), content]


def status(code: int, message: str = "as told", **headers: str) -> Behaviour:
    """An error in the words of the interface; `retry_after="7"` becomes a header."""
    error = {"message": message, "type": "as_told", "param": None, "code": "told"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return canned(code, json.dumps({"error": error}).encode(), headers=named)


def says(
    *texts: str | Choice,
    dialect: Dialect = Dialect.OPENAI,
    wire: Wire = PLAIN,
    extra: Mapping[str, Any] | None = None,
) -> Behaviour:
    """One choice per text, whole or as a stream, as asked for, at the address asked."""
    saying = _saying(texts, dialect, extra)

    def behaviour(asked: Asked) -> Iterable[Act]:
        if asked.body.get("stream"):
            return [wire.head(), *_packed(_frames(saying, asked, wire), wire), *wire.end()]
        answer = _INTERFACES[asked.path].whole(saying, asked.body)
        content = json.dumps(answer, ensure_ascii=wire.ascii).encode()
        return canned(200, content, headers=wire.headers)(asked)

    return behaviour


def waits_after(text: str, gate: Gate, *said: str | Choice, wire: Wire = PLAIN) -> Behaviour:
    """A stream that stops once `text` has been said, until the gate opens."""
    return _interrupted(_saying(said), wire, text, [gate], goes_on=True)


def breaks_off(text: str, *acts: Act, said: str | Choice, wire: Wire = PLAIN) -> Behaviour:
    """A stream that is nothing but `acts` once `text` has been said.

    Bytes among them are of the body.
    """
    return _interrupted(_saying((said,)), wire, text, acts)


def falls_silent(text: str, *, said: str | Choice) -> Behaviour:
    """A stream that hangs once `text` has been said."""
    return breaks_off(text, Ending.HANG, said=said)


def hangs(asked: Asked) -> Iterable[Act]:
    """No answer, until the other side gives up."""
    return [Ending.HANG]


def closes(asked: Asked) -> Iterable[Act]:
    """The connection is closed without an answer."""
    return [Ending.CLOSE]


def drips(*texts: str) -> Behaviour:
    """A whole answer, byte by byte."""

    def behaviour(asked: Asked) -> Iterator[Act]:
        for act in says(*texts)(asked):
            assert isinstance(act, bytes)
            yield from bytewise(act)

    return behaviour


def huge(megabytes: int) -> Behaviour:
    """More than anybody wants to hold: a whole answer of spaces, or a line that never ends."""

    def behaviour(asked: Asked) -> Iterator[Act]:
        streamed = bool(asked.body.get("stream"))
        yield (
            PLAIN.head()
            if streamed
            else head(200, {"content-type": "application/json", "transfer-encoding": "chunked"})
        )
        yield PLAIN.pack(b"data: ")
        for _ in range(megabytes * 16):
            yield PLAIN.pack(b" " * 65_536)
        yield from PLAIN.end()

    return behaviour


def _saying(
    texts: Iterable[str | Choice],
    dialect: Dialect = Dialect.OPENAI,
    extra: Mapping[str, Any] | None = None,
) -> Saying:
    choices = tuple(Choice(text=one) if isinstance(one, str) else one for one in texts)
    return Saying(choices=choices, dialect=dialect, extra=extra or {})


def _interrupted(
    saying: Saying, wire: Wire, text: str, acts: Iterable[Act], *, goes_on: bool = False
) -> Behaviour:
    def behaviour(asked: Asked) -> Iterator[Act]:
        frames = _frames(saying, asked, wire)
        at = _said_by(text, _INTERFACES[asked.path].events(saying, asked.body))
        yield wire.head()
        yield from _packed(frames[:at], wire)
        yield from (wire.pack(act) if isinstance(act, bytes) else act for act in acts)
        if goes_on:
            yield from _packed(frames[at:], wire)
        yield from wire.end()

    return behaviour


def _said_by(text: str, events: Iterable[Mapping[str, Any]]) -> int:
    """How many events it takes to have said `text`."""
    seen: list[Mapping[str, Any]] = []
    for event in events:
        seen.append(event)
        if text in spoken(seen):
            return len(seen)
    raise AssertionError(f"{text!r} is never said")


def _frames(saying: Saying, asked: Asked, wire: Wire) -> list[bytes]:
    frames = [wire.frame(one) for one in _INTERFACES[asked.path].events(saying, asked.body)]
    ends = wire.done and asked.path != "/v1/responses"
    return [*frames, wire.lines("data: [DONE]")] if ends else frames


def _packed(frames: Iterable[bytes], wire: Wire) -> Iterator[Act]:
    for frame in frames:
        yield from map(wire.pack, wire.chop(frame))
