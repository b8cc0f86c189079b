"""A whole answer: each reply in it is judged before any is given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any

from guard.errors import Blocked, UpstreamError
from guard.flow import Exchange, Piece, Release, Say, call_ids, drive_async, worst_verdict
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.carving import replaced, without_copies
from guard.gateway.judging.context import NOTHING, Context
from guard.gateway.judging.given import Headers
from guard.gateway.judging.json_text import json_bytes
from guard.gateway.judging.placing import Text
from guard.gateway.judging.redacting import cleaned
from guard.gateway.judging.strings import Leaf
from guard.gateway.judging.usage import added
from guard.gateway.judging.waiting import Voice, piece_of


class Share:
    """What there is of one reply; see `flow.ReplyBuffer`. marker: for what is redacted."""

    def __init__(self, voice: Voice, *, marker: str) -> None:
        self._voice = voice
        self._marker = marker
        self.clear()

    def clear(self) -> None:
        """Forget it: the model is asked again."""
        self._value: Any = None
        self._leaves: list[Leaf] = []

    def add(self, value: Any) -> Piece:
        """Keep the reply."""
        self._value = value
        if value is NOTHING:
            return Piece(None)
        found, text = self._voice.read(value), Text()
        self._leaves = found.leaves
        return piece_of(found, text.place(found.leaves) + text.finish())

    def take(self, step: Release | Say) -> Sequence[Any]:
        """What the client gets by this step."""
        if isinstance(step, Release):
            return [self._value]
        if not step.cleaned:
            return [self._voice.blocked_whole(self._value, step.text)]
        texts = cleaned(self._leaves, step.cleaned, self._marker)
        new = {leaf.path: text for leaf, text in zip(self._leaves, texts, strict=True)}
        return [without_copies(replaced(self._value, new))]


class _Judge:
    """One reply, judged, and asked for again where policy says so.

    usage: the account of what was asked again.
    """

    def __init__(self, context: Context, number: int, share: Any) -> None:
        self._context = context
        self._number = number
        self._share = share
        self._asked = 0
        self.exchange: Exchange = context.begin()
        self.usage: Any = None

    async def given(self) -> Any:
        """What the client gets, or how it came to nothing."""
        share = Share(self._context.voice(self._number), marker=self._context.policy.redaction)
        try:
            return [one async for one in drive_async(self.exchange, share, self._ask)][-1]
        except (Blocked, UpstreamError) as error:
            return error

    def leave(self) -> None:
        """End an exchange that never began."""
        if not self._asked:
            self.exchange.cut_short(failed=False)

    async def _ask(self) -> AsyncIterator[Any]:
        self._asked += 1
        yield self._share if self._asked == 1 else await self._again()

    async def _again(self) -> Any:
        context = self._context
        async with context.send_again(self._number, self._asked - 1) as answer:
            value, _ = context.read(await answer.body())
        if value is NOTHING:
            raise context.strange()
        self.usage = added(self.usage, value.get("usage"))
        return context.dialect.only(value, self._number)


async def judged_body(context: Context, body: bytes) -> tuple[bytes, Headers]:
    """The body that the client gets, and what the headers say of it.

    Raises RefusedRequest where a reply is withheld and policy wants an error, and UpstreamError.
    """
    value, exact = context.read(body)
    if value is NOTHING and context.policy.may_withhold:
        raise context.strange()
    shares = _shares(context, value)
    judges = [_Judge(context, number, share) for number, share in shares]
    given = await _all(judges)
    told = _headers(judges)
    if any(isinstance(one, Blocked) for one in given):
        raise RefusedRequest(400, "content_filter", "the reply was withheld", headers=told)
    exact = exact or not context.policy.may_withhold
    if exact and all(new is share for new, (_, share) in zip(given, shares, strict=True)):
        return body, told
    numbers = [number for number, _ in shares]
    made = context.dialect.joined(value, dict(zip(numbers, given, strict=True)))
    return json_bytes(_with_usage(made, value, judges)), told


def _shares(context: Context, value: Any) -> list[tuple[int, Any]]:
    if value is NOTHING:
        return [(0, value)]
    return list(context.dialect.deal(value, context.replies, context.reading))


async def _all(judges: Sequence[_Judge]) -> list[Any]:
    """What each gives; raises UpstreamError, once all have ended, where one failed for it."""
    try:
        if len(judges) == 1:
            found = [await judges[0].given()]
        else:
            found = list(await asyncio.gather(*(judge.given() for judge in judges)))
    finally:
        for judge in judges:
            judge.leave()
    for one in found:
        if isinstance(one, UpstreamError):
            raise one
    return found


def _with_usage(made: Any, value: Any, judges: Sequence[_Judge]) -> Any:
    """With the account of all that was asked, where some was asked again."""
    usage = None
    for judge in judges:
        usage = added(usage, judge.usage)
    return made if usage is None else {**made, "usage": added(value.get("usage"), usage)}


def _headers(judges: Sequence[_Judge]) -> Headers:
    exchanges = [judge.exchange for judge in judges]
    return (
        ("x-guard-call-id", call_ids(exchanges)),
        ("x-guard-verdict", worst_verdict(exchanges).value),
    )


async def once(body: bytes) -> AsyncGenerator[bytes]:
    """A body that is there already."""
    if body:
        yield body
