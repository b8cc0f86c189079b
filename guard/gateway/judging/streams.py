"""A streamed response: each reply in it is judged separately while it streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Any

from guard.errors import Blocked, UpstreamError
from guard.flow import Exchange, call_ids, drive_async, worst_verdict
from guard.gateway.errors import upstream_refusal
from guard.gateway.judging.context import Context
from guard.gateway.judging.events import (
    END,
    Event,
    EventBuffer,
    EventFeed,
    ReportedError,
    event_bytes,
)
from guard.gateway.judging.formats import WITHHELD, add_usage
from guard.records import Verdict
from guard.replies.large import Turns
from guard.replies.sse import DONE, verdict_comment, write_event
from guard.upstream import Answer

Attempt = Callable[[int], AsyncIterator[Event]]
"""Gives the events of one reply. The argument counts the retries, from 0."""

_AHEAD = 4
_EVENT_STREAM = "text/event-stream"


class ReplyStream:
    """One reply of a streamed response."""

    def __init__(self, exchange: Exchange, buffer: EventBuffer, attempt: Attempt) -> None:
        self._attempt = attempt
        self._attempts = 0
        self.buffer = buffer
        self.exchange = exchange
        self.error: Exception | None = None

    async def run(self) -> AsyncGenerator[bytes]:
        """The bytes of this reply for the client; `error` is set afterwards if it failed."""
        try:
            async with aclosing(drive_async(self.exchange, self.buffer, self._ask)) as driven:
                async for piece in driven:
                    yield piece
        except (Blocked, UpstreamError) as error:
            self.error = error

    def _ask(self) -> AsyncIterator[Event]:
        self._attempts += 1
        return self._attempt(self._attempts - 1)


async def merge_streams(streams: Sequence[ReplyStream]) -> AsyncGenerator[bytes]:
    """The bytes of all replies as they come. No reply waits for another; back-pressure bounds how
    far they run ahead of the reader."""
    pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = asyncio.Semaphore(_AHEAD * len(streams))
    tasks = [asyncio.create_task(_put_all(pieces, room, stream)) for stream in streams]
    for task in tasks:
        task.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        for _ in streams:
            while (piece := await pieces.get()) is not None:
                room.release()
                yield piece
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        task.result()


async def _put_all(
    queue: asyncio.Queue[bytes | None], room: asyncio.Semaphore, stream: ReplyStream
) -> None:
    async with aclosing(stream.run()) as pieces:
        async for piece in pieces:
            await room.acquire()
            queue.put_nowait(piece)


class Stream:
    """One streamed response. stack: closed with it."""

    def __init__(self, context: Context, answer: Answer, stack: AsyncExitStack) -> None:
        self._context = context
        self._stack = stack
        self._feed = EventFeed(answer, context, replies=context.replies)
        self._turns = Turns()
        self._left: set[int] = set()
        self._replies = [self._reply(number) for number in range(context.replies)]
        self._exchanges = [one.exchange for one in self._replies]

    @property
    def call_ids(self) -> str:
        """The ids of the calls, in the order of the replies."""
        return call_ids(self._exchanges)

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body. Yields an empty piece first: from then on, closing it ends everything."""
        replies = self._replies
        pieces = replies[0].run() if len(replies) == 1 else merge_streams(replies)
        try:
            async with self._stack, aclosing(self._feed), aclosing(pieces):
                yield b""
                async for piece in pieces:
                    yield piece
                    await self._turns.give_way()
                error = await self._error_to_show()
                for piece in self._end(error):
                    yield piece
        finally:
            for one in self._exchanges:
                one.discard()

    def _reply(self, number: int) -> ReplyStream:
        context = self._context
        buffer = EventBuffer(
            context.reply_format(number), limit=context.asked.upstream.limits.body_bytes
        )

        async def attempt(which: int) -> AsyncGenerator[Event]:
            events = self._again(number, which) if which else self._first(number)
            async with aclosing(events):
                async for event in events:
                    await buffer.read_ahead(event)
                    yield event

        return ReplyStream(context.begin(), buffer, attempt)

    async def _first(self, number: int) -> AsyncGenerator[Event]:
        try:
            async for event in self._feed.reply(number):
                yield event
            yield END
        finally:
            self._feed.leave(number)
            self._left.add(number)

    async def _again(self, number: int, which: int) -> AsyncGenerator[Event]:
        context = self._context
        before = self._feed.usage if context.replies == 1 else None
        if len(self._left) == context.replies:
            await self._feed.aclose()
            await self._stack.aclose()
        async with context.send_again(number, which) as answer:
            if not is_stream(answer):
                raise context.unreadable()
            async with aclosing(EventFeed(answer, context, replies=1)) as feed:
                async for event in feed.reply(0):
                    yield self._renumber(event, number, before)
                self._feed.usage = add_usage(before, feed.usage)
        yield END

    def _renumber(self, event: Event, number: int, before: Any) -> Event:
        if event.value is None:
            return event
        value = self._context.dialect.renumber(event.value, number)
        if before is not None and isinstance(value, dict) and value.get("usage"):
            value = {**value, "usage": add_usage(before, value["usage"])}
        if value is event.value:
            return event
        return Event(value, None, event.name, read_bytes=event.read_bytes)

    async def _error_to_show(self) -> Exception | None:
        """The first error; a generic one where the text of the upstream's error is withheld."""
        error = next((one.error for one in self._replies if one.error is not None), None)
        if isinstance(error, ReportedError) and not await self._context.may_show(error.event):
            return ReportedError(self._context.dialect.error_event(*WITHHELD))
        return error

    def _end(self, error: Exception | None) -> Iterator[bytes]:
        yield from map(event_bytes, self._feed.common)
        if error is not None:
            yield self._error_event(error)
        else:
            yield from self._usage_event()
        verdict = worst_verdict(self._exchanges)
        yield verdict_comment(self.call_ids, verdict.value)
        if error is None and self._ends_with_done:
            yield write_event(DONE)

    @property
    def _ends_with_done(self) -> bool:
        """Whether to end with `[DONE]`: as the upstream did, if it was read to the end."""
        feed = self._feed
        return feed.done or (self._context.dialect.ends_with_done and not feed.ended)

    def _usage_event(self) -> Iterator[bytes]:
        """The token usage that the client requested, if the event with it was withheld."""
        options = self._context.asked.body.get("stream_options")
        wanted = isinstance(options, dict) and options.get("include_usage") is True
        blocked = any(
            one.finish is not None and one.finish.verdict is Verdict.BLOCKED
            for one in self._exchanges
        )
        given = any(
            isinstance(one.value, dict) and "usage" in one.value for one in self._feed.common
        )
        if wanted and blocked and not given and self._feed.usage is not None:
            buffer = self._replies[0].buffer
            value = self._context.dialect.usage_event(buffer.like, self._feed.usage)
            if value is not None:
                yield buffer.write(value)

    def _error_event(self, error: Exception) -> bytes:
        dialect = self._context.dialect
        match error:
            case ReportedError():
                value = error.event
            case Blocked():
                value = dialect.error_event("content_filter", "the rest of the reply was withheld")
            case _:
                fault = error if isinstance(error, UpstreamError) else UpstreamError(str(error))
                told = upstream_refusal(fault, self._context.asked.upstream.endpoint.name)
                value = dialect.error_event(told.code, str(told))
        return self._replies[0].buffer.write(value)


def is_stream(answer: Answer) -> bool:
    """Whether the response can be an event stream; some servers send another content type."""
    return _media_type(answer) in {_EVENT_STREAM, "text/plain", ""}


def is_event_stream(answer: Answer) -> bool:
    """Whether the response says that it is one."""
    return "content-type" in answer.headers and _media_type(answer) == _EVENT_STREAM


def _media_type(answer: Answer) -> str:
    kind = answer.headers.get("content-type", _EVENT_STREAM)
    return kind.partition(";")[0].strip().lower()
