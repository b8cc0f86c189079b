"""A whole response: every reply in it is judged before any is released."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from guard.errors import Blocked, UpstreamError
from guard.flow import Exchange, Given, Piece, Redact, Say, call_ids, drive_async, worst_verdict
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.context import UNREADABLE, Context, write_json
from guard.gateway.judging.formats import add_usage
from guard.records import Unread
from guard.replies.assemble import Assembly
from guard.replies.edit import drop_copies, replace_texts
from guard.replies.fields import Path
from guard.replies.large import run_beside
from guard.replies.reply_format import ReplyFormat

Headers = tuple[tuple[str, str], ...]


class WholeBuffer:
    """Buffers one whole reply; a `flow.ReplyBuffer`."""

    def __init__(self, reply_format: ReplyFormat) -> None:
        self._format = reply_format
        self.clear()

    def clear(self) -> None:
        self._value: Any = None
        self._piece: Piece | None = None
        self._assembly: Assembly[Any] = Assembly(_edit)

    def add(self, value: Any) -> Piece:
        piece, self._piece = self._piece, None
        return self._read(value) if piece is None or value is not self._value else piece

    def read(self, value: Any) -> None:
        """What `add` does, ahead of it: that may take long."""
        self.clear()
        self._piece = self._read(value)

    def _read(self, value: Any) -> Piece:
        self._value = value
        if value is UNREADABLE:
            return Piece(None, unread=frozenset({Unread.NOT_JSON}))
        found = self._format.read(value)
        text = self._assembly.add(value, found) + self._assembly.finish()
        reason = self._format.finish_reason(value)
        structured = found.is_structured or self._assembly.cuts_words
        return Piece(text, structured=structured, unread=found.unread, finish_reason=reason)

    def take(self, step: Given) -> Sequence[Any]:
        if isinstance(step, Say):
            return [self._format.withheld_body(self._value, step.text)]
        if isinstance(step, Redact):
            self._assembly.redact(step.spans, step.marker)
            return self._assembly.release(step.end)
        return [self._value]


def _edit(value: Any, texts: Mapping[Path, str]) -> Any:
    return drop_copies(replace_texts(value, texts))


class _WholeReply:
    """One reply that is judged, and requested again if the policy says so.

    size_bytes: of the response that it came in. usage: the tokens of the retries.
    """

    def __init__(self, context: Context, number: int, value: Any, size_bytes: int) -> None:
        self._context = context
        self._number = number
        self._value = value
        self._size_bytes = size_bytes
        self._asked = 0
        self.exchange: Exchange = context.begin()
        self.usage: Any = None

    async def judge(self) -> Any:
        """The released reply, or the error that it ended in."""
        buffer = WholeBuffer(self._context.reply_format(self._number))

        async def ask() -> AsyncIterator[Any]:
            self._asked += 1
            value = self._value if self._asked == 1 else await self._again()
            await run_beside(self._size_bytes, buffer.read, value)
            yield value

        try:
            return [one async for one in drive_async(self.exchange, buffer, ask)][-1]
        except (Blocked, UpstreamError) as error:
            return error

    async def _again(self) -> Any:
        context = self._context
        async with context.send_again(self._number, self._asked - 1) as answer:
            body = await answer.body()
        self._size_bytes = len(body)
        value, _ = await run_beside(len(body), context.read, body)
        if value is UNREADABLE:
            raise context.unreadable()
        self.usage = add_usage(self.usage, value.get("usage"))
        return context.dialect.renumber(value, self._number)


async def judge_body(context: Context, body: bytes) -> tuple[bytes, Headers]:
    """The body that the client gets, and the guard's headers.

    Raises RefusedRequest where a reply is withheld and policy wants an error, and UpstreamError.
    """
    value, exact = await run_beside(len(body), context.read, body)
    if value is UNREADABLE and context.policy.may_withhold:
        raise context.unreadable()
    parts = await run_beside(len(body), _parts, context, value)
    replies = [_WholeReply(context, number, part, len(body)) for number, part in parts]
    made = await _judge_all(replies)
    told = _headers(replies)
    if any(isinstance(one, Blocked) for one in made):
        raise RefusedRequest(400, "content_filter", "the reply was withheld", headers=told)
    exact = exact or not context.policy.may_withhold
    if exact and all(new is part for new, (_, part) in zip(made, parts, strict=True)):
        return body, told
    numbers = [number for number, _ in parts]
    joined = context.dialect.join(value, dict(zip(numbers, made, strict=True)))
    return await run_beside(len(body), write_json, _with_usage(joined, value, replies)), told


def _parts(context: Context, value: Any) -> list[tuple[int, Any]]:
    if value is UNREADABLE:
        return [(0, value)]
    return list(context.dialect.split(value, context.replies, context.options))


async def _judge_all(replies: Sequence[_WholeReply]) -> list[Any]:
    """The result of each reply. Raises UpstreamError, after all have ended, if one of them did."""
    try:
        if len(replies) == 1:
            made = [await replies[0].judge()]
        else:
            made = list(await asyncio.gather(*(reply.judge() for reply in replies)))
    finally:
        for reply in replies:
            reply.exchange.discard()
    for one in made:
        if isinstance(one, UpstreamError):
            raise one
    return made


def _with_usage(joined: Any, value: Any, replies: Sequence[_WholeReply]) -> Any:
    """With the token usage of the retries added, if there were any."""
    usage = None
    for reply in replies:
        usage = add_usage(usage, reply.usage)
    return joined if usage is None else {**joined, "usage": add_usage(value.get("usage"), usage)}


def _headers(replies: Sequence[_WholeReply]) -> Headers:
    exchanges = [reply.exchange for reply in replies]
    return (
        ("x-guard-call-id", call_ids(exchanges)),
        ("x-guard-verdict", worst_verdict(exchanges).value),
    )
