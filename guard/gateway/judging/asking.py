"""The request as the model's server gets it, and the judging of what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

from guard.errors import Blocked, UpstreamError
from guard.flow import Exchange, Flow
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.calls import call_of
from guard.gateway.judging.chat import Chat
from guard.gateway.judging.dialect import Dialect
from guard.gateway.judging.feed import Dealing, Feed, SaidError
from guard.gateway.judging.given import harmless, timing
from guard.gateway.judging.json_text import JsonReader, UnreadableError, json_bytes
from guard.gateway.judging.sse import written
from guard.gateway.judging.streamed import Lane, held_open
from guard.gateway.judging.strings import Reading
from guard.gateway.judging.verdicts import comment, ids_of, verdict_on
from guard.gateway.judging.waiting import Event, Waiting
from guard.gateway.judging.whole import Share, judged_all
from guard.gateway.records import Asked, Operation, Reply
from guard.policy import Hold, Policy
from guard.upstream import Answer, Broken

DIALECTS: dict[Operation, Dialect] = {Operation.CHAT: Chat()}


async def once(body: bytes) -> AsyncGenerator[bytes]:
    """A body that is there already."""
    yield body


class Asking:
    """One request under judgement."""

    def __init__(self, asked: Asked, flow: Flow, policy: Policy) -> None:
        self._asked = asked
        self._flow = flow
        self._policy = policy
        self._dialect = DIALECTS[asked.operation]
        self._replies = self._dialect.replies(asked.body)
        self._streamed = bool(asked.body.get("stream"))
        self._reading = Reading.under(
            policy,
            streamed=self._streamed,
            alternatives=bool(asked.body.get("logprobs") or asked.body.get("top_logprobs")),
        )
        self._attempts = 1

    def send(self, content: bytes) -> AbstractAsyncContextManager[Answer]:
        """Ask the model's server."""
        return self._asked.upstream.send(
            "POST", str(self._asked.operation), content=content, headers=self._asked.headers
        )

    async def reply(self) -> Reply:
        """See `reply_to`."""
        began = asyncio.get_running_loop().time()
        async with AsyncExitStack() as stack:
            answer = await stack.enter_async_context(self.send(self._asked.raw))
            if not 200 <= answer.status < 300:
                return await refused(answer)
            if self._streamed:
                return await self._stream(answer, stack.pop_all(), began)
            body = await answer.body()
        return await self._whole(answer, body, began)

    async def _whole(self, answer: Answer, body: bytes, began: float) -> Reply:
        loop = asyncio.get_running_loop()
        arrived = loop.time()
        reader = JsonReader()
        try:
            value = reader.read(body.decode("utf-8"))
        except (UnreadableError, UnicodeDecodeError):
            value = None
        if not self._dialect.is_answer(value):
            raise Broken(f"{self._asked.upstream.where}: the answer is none of this operation")
        shares = list(self._dialect.deal(value, self._replies, self._reading))
        exchanges = [self._begin() for _ in shares]
        replies = [
            (exchange, Share(self._voice(number), marker=self._policy.redaction), self._ask(share))
            for exchange, (number, share) in zip(exchanges, shares, strict=True)
        ]
        try:
            given = await judged_all(replies)
        except Blocked as error:
            raise RefusedRequest(400, "content_filter", "the reply was withheld") from error
        same = reader.exact and all(
            new is share for new, (_, share) in zip(given, shares, strict=True)
        )
        if not same:
            numbers = [number for number, _ in shares]
            made = self._dialect.joined(value, zip(numbers, given, strict=True))
            body = json_bytes(made)
        headers = (
            *harmless(answer),
            ("x-guard-call-id", ids_of(exchanges)),
            ("x-guard-verdict", verdict_on(exchanges).value),
            timing(arrived - began, loop.time() - arrived),
        )
        return Reply(status=answer.status, headers=headers, chunks=once(body), length=len(body))

    def _ask(self, share: Any) -> Any:
        async def ask() -> AsyncIterator[Any]:
            yield share

        return ask

    async def _stream(self, answer: Answer, stack: AsyncExitStack, began: float) -> Reply:
        feed = Feed(
            answer,
            Dealing(
                split=lambda value: self._dialect.deal(value, self._replies, self._reading),
                failure_in=self._dialect.failure_in,
                replies=self._replies,
                lenient=not self._policy.may_withhold or self._policy.hold is Hold.NONE,
            ),
            limit_bytes=self._asked.upstream.limits.body_bytes,
            where=self._asked.upstream.where,
        )
        stack.push_async_callback(feed.close)
        lanes = [
            Lane(
                number,
                self._begin(),
                Waiting(self._voice(number), marker=self._policy.redaction),
                feed,
            )
            for number in range(self._replies)
        ]
        exchanges = [lane.exchange for lane in lanes]
        chunks = held_open(lanes, self._ending(lanes, feed), stack)
        await anext(chunks)
        headers = (
            *harmless(answer),
            ("x-guard-call-id", ids_of(exchanges)),
            timing(asyncio.get_running_loop().time() - began),
        )
        return Reply(status=answer.status, headers=headers, chunks=chunks)

    async def _ending(self, lanes: list[Lane], feed: Feed) -> AsyncIterator[bytes]:
        error = next((lane.error for lane in lanes if lane.error is not None), None)
        for event in feed.common:
            yield self._event(event)
        if error is not None:
            yield self._failure(error)
        yield comment([lane.exchange for lane in lanes])
        if error is None and self._dialect.ends_with_done and not feed.ended:
            yield written(b"[DONE]")

    def _event(self, event: Event) -> bytes:
        return event.raw or written(json_bytes(event.value), event.name)

    def _failure(self, error: UpstreamError | Blocked) -> bytes:
        if isinstance(error, SaidError):
            value: Any = {"error": error.error}
        elif isinstance(error, Blocked):
            value = self._dialect.failure("content_filter", "the rest of the reply was withheld")
        else:
            value = self._dialect.failure("upstream_broken", "the upstream broke off")
        return written(json_bytes(value), str(value.get("type", "")))

    def _begin(self) -> Exchange:
        return self._flow.begin(call_of(self._asked), streamed=self._streamed)

    def _voice(self, number: int) -> Any:
        return self._dialect.voice(self._reading, number)


async def refused(answer: Answer) -> Reply:
    """An answer that is no reply, as it came."""
    body = await answer.body()
    return Reply(
        status=answer.status, headers=harmless(answer), chunks=once(body), length=len(body)
    )
