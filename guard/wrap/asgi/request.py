"""The request as the application inside reads it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from guard.wrap.asgi.fields import Steps, Unreadable, at, parsed, places
from guard.wrap.asgi.http import Headers, Message, Receive, Scope, header_value, without_headers
from guard.wrap.prompts import Question, question

_UNREADABLE_IF_ASKED = ("accept-encoding", "range", "if-range")
UNSUPPORTED_EXTENSIONS = (
    "http.response.pathsend",
    "http.response.zerocopysend",
    "http.response.trailers",
)


class ResponseEndedError(OSError):
    """The guard has ended the response early; the application has nothing more to send."""


class GuardedRequest:
    """Hands the request on, keeps its prompt, and can tell the application that the client left.

    prompt: where in the JSON of the request; None keeps nothing. limit_bytes: a longer body is not
    kept. opted_out: whether the client does not allow shadow requests.
    """

    def __init__(
        self, receive: Receive, headers: Headers, prompt: Steps | None, limit_bytes: int
    ) -> None:
        self.opted_out = header_value(headers, "x-guard-shadow").lower() == "off"
        self._receive = receive
        self._prompt = prompt
        self._limit_bytes = limit_bytes
        self._body = bytearray()
        self._keeps = prompt is not None
        self._end = asyncio.Event()

    @property
    def is_ended(self) -> bool:
        """Whether the application is to stop."""
        return self._end.is_set()

    def end(self) -> None:
        """From now on the application is told that the client has disconnected."""
        self._end.set()

    async def receive(self) -> Message:
        """The application's `receive`."""
        message = asyncio.ensure_future(self._receive())
        end = asyncio.ensure_future(self._end.wait())
        try:
            await asyncio.wait({message, end}, return_when=asyncio.FIRST_COMPLETED)
            return self._keep(message.result()) if message.done() else {"type": "http.disconnect"}
        finally:
            message.cancel()
            end.cancel()

    def question(self) -> Question:
        """The prompt, as far as the application has read the request; empty if it is unclear."""
        if self._prompt is None or not self._keeps:
            return Question()
        try:
            document = parsed(bytes(self._body))
            found = [at(document, place) for place in places(document, self._prompt)]
        except Unreadable:
            return Question()
        return question(found, {})

    def _keep(self, message: Message) -> Message:
        body = message.get("body", b"") if self._keeps else b""
        self._keeps = self._keeps and len(self._body) + len(body) <= self._limit_bytes
        if self._keeps:
            self._body += body
        return message


@contextmanager
def readable_request(scope: Scope) -> Iterator[None]:
    """While this lasts, the request does not ask for compression or for a part of the body.

    It is changed in place: what the application leaves in the scope, like its route, is for the
    middlewares around.
    """
    headers, extensions = scope["headers"], scope.get("extensions")
    scope["headers"] = without_headers(list(headers), _UNREADABLE_IF_ASKED)
    if extensions is not None:
        scope["extensions"] = {
            key: extensions[key] for key in extensions if key not in UNSUPPORTED_EXTENSIONS
        }
    try:
        yield
    finally:
        scope["headers"] = headers
        if extensions is not None:
            scope["extensions"] = extensions
