"""An answer that is collected, judged, and then sent with what may be said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from guard.flow import Flow
from guard.flow.verdicts import ids_of, verdict_on
from guard.records import Call, Unread
from guard.wrap.asgi.fields import (
    Place,
    Steps,
    Unreadable,
    blanked,
    parsed,
    replaced,
    texts,
    written,
)
from guard.wrap.asgi.frames import ESCAPED, encoded
from guard.wrap.asgi.judging import Judged, UnreadReply, judged
from guard.wrap.asgi.out import Out


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """body_bytes: of what is collected. texts: in one answer."""

    body_bytes: int
    texts: int


class TextBody:
    """A body that is one text."""

    def __init__(self, body: bytes, charset: str) -> None:
        self._charset = charset
        self.texts = [body.decode(charset, ESCAPED)]

    def with_texts(self, said: list[str]) -> bytes:
        """The body with other texts."""
        return encoded("".join(said), self._charset)


class JsonBody:
    """A body of JSON with texts in it. Raises Unreadable."""

    def __init__(self, body: bytes, field: Steps, blank: tuple[Steps, ...]) -> None:
        self._document: Any = parsed(body)
        self._blank = blank
        found = texts(self._document, field)
        self._places: list[Place] = [place for place, _ in found]
        self.texts = [text for _, text in found]

    def with_texts(self, said: list[str]) -> bytes:
        """The body with other texts, and without what repeats them."""
        document = blanked(self._document, self._blank)
        for place, old, new in zip(self._places, self.texts, said, strict=True):
            document = replaced(document, place, new) if new != old else document
        return written(document).encode("ascii")


Body = TextBody | JsonBody
Reader = Callable[[bytes], Body]


class Whole:
    """Collects the body. call: without an id. read: raises Unreadable."""

    def __init__(self, out: Out, flow: Flow, call: Call, read: Reader, limits: Limits) -> None:
        self._out = out
        self._flow = flow
        self._call = call
        self._read = read
        self._limits = limits
        self._body = bytearray()
        self._given_up = False

    async def take(self, body: bytes, *, more: bool) -> None:
        """More of the body."""
        if self._given_up:
            await self._out.give(body, more=more)
            return
        self._body += body
        if len(self._body) > self._limits.body_bytes:
            await self.give_up(Unread.TOO_LARGE, more=more)
        elif not more:
            await self._judge()

    async def give_up(self, why: Unread, *, more: bool) -> None:
        """Nobody reads this body: by policy it passes as it is, or is refused."""
        self._given_up = True
        one = await judged(self._flow, self._call, UnreadReply(why))
        await self._send([one], bytes(self._body), more=more)

    async def _judge(self) -> None:
        body = bytes(self._body)
        if not body:
            await self._out.give(b"", more=False)
            return
        try:
            content = self._readable(body)
        except Unreadable as fault:
            await self.give_up(fault.why, more=False)
            return
        found = await asyncio.gather(*map(self._one, content.texts or [""]))
        said = [one.text for one in found][: len(content.texts)]
        changed = said != content.texts and not any(one.blocked for one in found)
        await self._send(found, content.with_texts(said) if changed else body, more=False)

    def _readable(self, body: bytes) -> Body:
        content = self._read(body)
        if len(content.texts) > self._limits.texts:
            raise Unreadable(Unread.TOO_MANY_TEXTS)
        if len(content.texts) > 1:
            self._call = replace(self._call, lane="", never_shadowed="several_texts")
        return content

    def _one(self, text: str) -> Any:
        return judged(self._flow, self._call, text)

    async def _send(self, found: list[Judged], body: bytes, *, more: bool) -> None:
        refused = next((one.blocked for one in found if one.blocked), None)
        if refused is not None:
            await self._out.refuse(refused)
            return
        if body != self._body:
            self._out.another_body(len(body))
        exchanges = [one.exchange for one in found]
        told = {"x_guard_call_id": ids_of(exchanges), "x_guard_verdict": verdict_on(exchanges)}
        self._out.say(**told)
        await self._out.give(body, more=more)

    async def left(self) -> None:
        """The application has ended without the end of its answer: nobody gets it."""

    async def failed(self, error: Exception) -> None:
        """The same, because it failed."""
        del error
        self._flow.upstream_failed(self._call.use_case)
