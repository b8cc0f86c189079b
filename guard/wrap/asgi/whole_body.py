"""A response body that is collected, judged, and then sent with what is released of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from guard.errors import Blocked
from guard.flow import Codec, Exchange, Flow, Piece, Pieces, call_ids, drive_async, worst_verdict
from guard.flow.steps import plain_text
from guard.records import Call, Unread
from guard.replies.edit import blank, drop_log_probabilities, replace_texts
from guard.replies.fields import Steps, UnreadableError, fields_at
from guard.replies.json_text import JsonReader, json_bytes
from guard.replies.large import run_beside
from guard.wrap.asgi.http import (
    BodyKind,
    FieldNotice,
    Headers,
    ResponseWriter,
    body_kind,
    charset_of,
)

ESCAPED = "surrogateescape"
"""How bytes that are no text are kept, so that they come out as they went in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """body_bytes: of what is collected. texts: in one response."""

    body_bytes: int
    texts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedBody:
    """What it takes to judge a body and to send what is released of it.

    call: without an id. stop: called when nothing more of the application is wanted. notice: told
    of what is not read.
    """

    writer: ResponseWriter
    flow: Flow
    call: Call
    limits: BodyLimits
    stop: Callable[[], None]
    notice: FieldNotice


def encode_text(text: str, charset: str = "utf-8") -> bytes:
    """The text as bytes, with a question mark for what the codec does not have."""
    try:
        return text.encode(charset, ESCAPED)
    except UnicodeEncodeError:
        return text.encode(charset, "replace")


def read_json(body: bytes) -> Any:
    """The document.

    Raises UnreadableError for what is no JSON, holds bytes that are no text, has too many values,
    or has the same key twice in an object: one reader takes the first value and another the last.
    """
    reader = JsonReader()
    try:
        document = reader.read(body.decode(json.detect_encoding(body)))
    except ValueError as error:
        raise UnreadableError(Unread.NOT_JSON) from error
    if not reader.exact:
        raise UnreadableError(Unread.NOT_JSON)
    return document


def texts_anywhere(body: bytes) -> list[str]:
    """What any reader may find in a body that `read_json` refuses: the strings of all values, of
    keys that stand twice too; all of it as one text where it is no JSON."""
    decoder = json.JSONDecoder(
        object_pairs_hook=lambda pairs: [v for _, v in pairs], parse_int=float, strict=False
    )
    whole = body.decode(json.detect_encoding(body), "replace")
    try:
        return list(_strings(decoder.decode(whole)))
    except (ValueError, RecursionError):
        return [whole]


def _strings(value: object) -> Iterator[str]:
    """Those in lists, however deep, in order."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            left += reversed(one)


class TextBody:
    """A body that is one text."""

    def __init__(self, body: bytes, charset: str) -> None:
        self._charset = charset
        self.texts = [body.decode(charset, ESCAPED)]

    def with_texts(self, texts: list[str]) -> bytes:
        """The body with other texts."""
        return encode_text("".join(texts), self._charset)


class JsonBody:
    """A body of JSON with texts in it. Raises UnreadableError."""

    def __init__(self, body: bytes, field: Steps, copies: tuple[Steps, ...]) -> None:
        """copies: fields that repeat the texts."""
        self._document: Any = read_json(body)
        self._codec = json.detect_encoding(body)
        self._copies = copies
        self._fields = fields_at(self._document, field)
        self.texts = [found.text for found in self._fields]

    def with_texts(self, texts: list[str]) -> bytes:
        """The body with other texts, and with null in place of their copies; those that are log
        probabilities need not be listed."""
        pairs = zip(self._fields, texts, strict=True)
        changed = {field.path: text for field, text in pairs if text != field.text}
        kept = drop_log_probabilities(blank(self._document, self._copies))
        return json_bytes(replace_texts(kept, changed)).decode().encode(self._codec)


Body = TextBody | JsonBody
ReadBody = Callable[[bytes], Body]


def body_reader(headers: Headers, field: Steps | None, copies: tuple[Steps, ...]) -> ReadBody:
    """How to read a body that is judged whole. field, copies: where JSON has its texts."""
    if body_kind(headers) is BodyKind.TEXT:
        return partial(TextBody, charset=charset_of(headers) or "utf-8")
    return partial(JsonBody, field=field or (), copies=copies)


@dataclass(frozen=True, slots=True)
class UnreadBytes:
    """Bytes that are not read, and why."""

    raw: bytes = field(repr=False)
    why: Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedText:
    """text: what may be released. blocked: the whole response must be refused."""

    exchange: Exchange
    text: str = field(default="", repr=False)
    blocked: Blocked | None = None


def _piece_of(piece: str | UnreadBytes) -> Piece:
    if isinstance(piece, UnreadBytes):
        return Piece(None, unread=frozenset({piece.why}))
    return Piece(piece)


TEXT_OR_UNREAD: Codec[str | UnreadBytes] = Codec(read=_piece_of, write=plain_text)


async def judge(flow: Flow, call: Call, reply: str | UnreadBytes) -> JudgedText:
    """Judge a whole reply, which cannot be generated again."""

    async def once() -> AsyncIterator[str | UnreadBytes]:
        yield reply

    exchange = flow.begin(call, streamed=False, once=True)
    try:
        released = [piece async for piece in drive_async(exchange, Pieces(TEXT_OR_UNREAD), once)]
    except Blocked as blocked:
        return JudgedText(exchange=exchange, blocked=blocked)
    return JudgedText(
        exchange=exchange, text="".join(one for one in released if isinstance(one, str))
    )


class WholeBody:
    """Collects the body. read: raises UnreadableError."""

    def __init__(self, response: GuardedBody, read: ReadBody) -> None:
        self._writer = response.writer
        self._flow = response.flow
        self._call = response.call
        self._limits = response.limits
        self._notice = response.notice
        self._read = read
        self._body = bytearray()
        self._given_up = False

    async def add(self, body: bytes, *, more: bool) -> None:
        """More of the body."""
        if self._given_up:
            await self._writer.write(body, more=more)
            return
        self._body += body
        if len(self._body) > self._limits.body_bytes:
            await self.give_up(Unread.TOO_LARGE, more=more)
        elif not more:
            await self._judge()

    async def give_up(self, why: Unread, *, more: bool) -> None:
        """This body is not read: by policy it passes as it is, or is refused."""
        self._given_up = True
        self._notice.tell([why])
        one = await judge(self._flow, self._call, UnreadBytes(b"", why))
        await self._send([one], bytes(self._body), more=more)

    async def _judge(self) -> None:
        body = bytes(self._body)
        if not body:
            await self._writer.write(b"", more=False)
            return
        try:
            content = await run_beside(len(body), self._readable, body)
        except UnreadableError as error:
            await self.give_up(error.why, more=False)
            return
        found = await asyncio.gather(*map(self._one, content.texts or [""]))
        said = [one.text for one in found][: len(content.texts)]
        changed = said != content.texts and not any(one.blocked for one in found)
        if changed:
            body = await run_beside(len(body), content.with_texts, said)
        await self._send(found, body, more=False)

    def _readable(self, body: bytes) -> Body:
        content = self._read(body)
        if len(content.texts) > self._limits.texts:
            raise UnreadableError(Unread.TOO_MANY_TEXTS)
        if len(content.texts) > 1:
            self._call = replace(self._call, lane=None, never_shadowed="several_texts")
        return content

    def _one(self, text: str) -> Any:
        return judge(self._flow, self._call, text)

    async def _send(self, found: list[JudgedText], body: bytes, *, more: bool) -> None:
        refused = next((one.blocked for one in found if one.blocked), None)
        if refused is not None:
            await self._writer.refuse(refused)
            return
        if body != self._body:
            self._writer.replace_body(len(body))
        exchanges = [one.exchange for one in found]
        self._writer.add_headers(
            x_guard_call_id=call_ids(exchanges), x_guard_verdict=worst_verdict(exchanges)
        )
        await self._writer.write(body, more=more)

    async def abandon(self) -> None:
        """The application has ended without the end of its response: nothing is sent."""

    async def fail(self, error: Exception) -> None:
        """The application raised: nothing is sent."""
        del error
        self._flow.upstream_failed(self._call.use_case)
