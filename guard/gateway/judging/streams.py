"""The body of a streamed answer, from the server of the model to the client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import AsyncExitStack, aclosing
from typing import Any

from guard.errors import Blocked, UpstreamError
from guard.flow import call_ids, worst_verdict
from guard.gateway.errors import upstream_refusal
from guard.gateway.judging.context import Context
from guard.gateway.judging.feed import Dealing, Feed, SaidError
from guard.gateway.judging.given import WITHHELD, Headers
from guard.gateway.judging.sse import written
from guard.gateway.judging.streamed import Lane, merged
from guard.gateway.judging.usage import added
from guard.gateway.judging.waiting import END, Event, Waiting, event_bytes
from guard.policy import Hold
from guard.records import Verdict
from guard.replies.sse import verdict_comment
from guard.upstream import Answer


class Stream:
    """One streamed answer. stack: what ends with it."""

    def __init__(self, context: Context, answer: Answer, stack: AsyncExitStack) -> None:
        self._context = context
        self._stack = stack
        self._feed = self._feed_of(answer, context.replies)
        self._left: set[int] = set()
        self._lanes = [self._lane(number) for number in range(context.replies)]
        self._exchanges = [lane.exchange for lane in self._lanes]

    @property
    def headers(self) -> Headers:
        """What can be said of it before it begins."""
        return (("x-guard-call-id", call_ids(self._exchanges)),)

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body. Gives one empty piece first: closing it from then on ends what is behind it."""
        lanes = self._lanes
        pieces = lanes[0].run() if len(lanes) == 1 else merged(lanes)
        try:
            async with self._stack, aclosing(self._feed), aclosing(pieces):
                yield b""
                async for piece in pieces:
                    yield piece
                error = await self._shown(self._error)
                for piece in self._ending(error):
                    yield piece
        finally:
            for lane in lanes:
                lane.leave()

    def _lane(self, number: int) -> Lane:
        context = self._context
        waiting = Waiting(
            context.voice(number),
            marker=context.policy.redaction,
            limit=context.asked.upstream.limits.body_bytes,
        )

        def attempt(which: int) -> AsyncIterator[Event]:
            return self._again(number, which) if which else self._first(number)

        return Lane(context.begin(), waiting, attempt)

    async def _first(self, number: int) -> AsyncGenerator[Event]:
        try:
            async for event in self._feed.reply(number):
                yield event
            yield END
        finally:
            self._leave(number)

    def _leave(self, number: int) -> None:
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
                raise context.strange()
            async with aclosing(self._feed_of(answer, 1)) as feed:
                async for event in feed.reply(0):
                    yield self._renumbered(event, number, before)
                self._feed.usage = added(before, feed.usage)
        yield END

    def _renumbered(self, event: Event, number: int, before: Any) -> Event:
        if event.value is None:
            return event
        value = self._context.dialect.only(event.value, number)
        if before is not None and isinstance(value, dict) and value.get("usage"):
            value = {**value, "usage": added(before, value["usage"])}
        return event if value is event.value else Event(value, None, event.name)

    def _feed_of(self, answer: Answer, replies: int) -> Feed:
        context = self._context
        dealing = Dealing(
            split=lambda value: context.dialect.deal(value, replies, context.reading),
            failure_in=context.dialect.failure_in,
            replies=replies,
            lenient=passes_through(context),
        )
        limit = context.asked.upstream.limits.body_bytes
        return Feed(answer, dealing, limit_bytes=limit, where=context.where)

    @property
    def _error(self) -> Exception | None:
        return next((lane.error for lane in self._lanes if lane.error is not None), None)

    async def _shown(self, error: Exception | None) -> Exception | None:
        """The same error, without words of the model's server that the client must not see."""
        if isinstance(error, SaidError) and not await self._context.shows(error.event):
            return SaidError(self._context.dialect.failure(*WITHHELD))
        return error

    def _ending(self, error: Exception | None) -> Iterator[bytes]:
        yield from map(event_bytes, self._feed.common)
        if error is not None:
            yield self._failure(error)
        else:
            yield from self._account()
        exchanges = self._exchanges
        yield verdict_comment(call_ids(exchanges), worst_verdict(exchanges).value)
        if error is None and self._ends_with_done:
            yield written(b"[DONE]")

    @property
    def _ends_with_done(self) -> bool:
        """As the answer does; one that was left before its end, as the others do."""
        feed = self._feed
        return feed.done or (self._context.dialect.ends_with_done and not feed.ended)

    def _account(self) -> Iterator[bytes]:
        """The account of tokens that a client asked for, where the event with it was withheld."""
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
            value = self._context.dialect.account(self._lanes[0].waiting.like, self._feed.usage)
            if value is not None:
                yield self._lanes[0].waiting.written(value)

    def _failure(self, error: Exception) -> bytes:
        dialect = self._context.dialect
        match error:
            case SaidError():
                value = error.event
            case Blocked():
                value = dialect.failure("content_filter", "the rest of the reply was withheld")
            case _:
                told = upstream_refusal(
                    _upstream(error), self._context.asked.upstream.endpoint.name
                )
                value = dialect.failure(told.code, str(told))
        return self._lanes[0].waiting.written(value)


def _upstream(error: Exception) -> UpstreamError:
    return error if isinstance(error, UpstreamError) else UpstreamError(str(error))


def passes_through(context: Context) -> bool:
    """Whether a stream goes out as it comes, and is judged afterwards."""
    return not context.policy.may_withhold or context.policy.hold is Hold.NONE


def is_stream(answer: Answer) -> bool:
    """Whether an answer can be one of events; some servers do not say so."""
    kind = answer.headers.get("content-type", "text/event-stream")
    return kind.partition(";")[0].strip().lower() in {"text/event-stream", "text/plain", ""}
