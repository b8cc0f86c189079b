"""The request as the application inside reads it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from guard.wrap.asgi.fields import Steps, Unreadable, at, parsed, places
from guard.wrap.asgi.headers import value_of, without
from guard.wrap.asgi.types import Headers, Message, Receive, Scope
from guard.wrap.prompts import Question, question

_UNREADABLE = ("accept-encoding", "range", "if-range")
_OFF = ("http.response.pathsend", "http.response.zerocopysend", "http.response.trailers")


class CutShort(OSError):  # noqa: N818 - named for what happened
    """The answer has ended early; the application has nothing more to send."""


class Asking:
    """Hands the request on, keeps what is asked in it, and can say that the client has left.

    prompt: where in the request's JSON; None keeps nothing. limit_bytes: a longer body is not kept.
    opted_out: whether the client wants nobody to ask the like again.
    """

    def __init__(
        self, receive: Receive, headers: Headers, prompt: Steps | None, limit_bytes: int
    ) -> None:
        self.opted_out = value_of(headers, "x-guard-shadow").lower() == "off"
        self._receive = receive
        self._prompt = prompt
        self._limit_bytes = limit_bytes
        self._kept = bytearray()
        self._keeps = prompt is not None
        self._cut = asyncio.Event()

    @property
    def cut(self) -> bool:
        """Whether the application was told to stop."""
        return self._cut.is_set()

    def cut_short(self) -> None:
        """From now on the application hears that the client has gone."""
        self._cut.set()

    async def receive(self) -> Message:
        """The application's `receive`."""
        message = asyncio.ensure_future(self._receive())
        cut = asyncio.ensure_future(self._cut.wait())
        try:
            await asyncio.wait({message, cut}, return_when=asyncio.FIRST_COMPLETED)
            return self._noted(message.result()) if message.done() else {"type": "http.disconnect"}
        finally:
            message.cancel()
            cut.cancel()

    def question(self) -> Question:
        """What is asked, as far as the application has read the request; empty if it is unclear."""
        if self._prompt is None or not self._keeps:
            return Question()
        try:
            document = parsed(bytes(self._kept))
            found = [at(document, place) for place in places(document, self._prompt)]
        except Unreadable:
            return Question()
        return question(found, {})

    def _noted(self, message: Message) -> Message:
        body = message.get("body", b"") if self._keeps else b""
        self._keeps = self._keeps and len(self._kept) + len(body) <= self._limit_bytes
        if self._keeps:
            self._kept += body
        return message


@contextmanager
def plainly_asked(scope: Scope) -> Iterator[None]:
    """While this lasts, the request asks for a whole body that can be read.

    It is changed in place: what the application leaves in it, like its route, is for everybody
    around.
    """
    headers, extensions = scope["headers"], scope.get("extensions")
    scope["headers"] = without(list(headers), _UNREADABLE)
    if extensions is not None:
        scope["extensions"] = {key: extensions[key] for key in extensions if key not in _OFF}
    try:
        yield
    finally:
        scope["headers"] = headers
        if extensions is not None:
            scope["extensions"] = extensions
