"""The types of ASGI, the headers of a response, and the writer of what leaves for the client."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from email.message import Message as ParsedHeaders
from enum import StrEnum
from typing import Any

from guard.errors import Blocked
from guard.records import Unread, Verdict

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_BODY_HEADERS = frozenset(
    {
        *("etag", "last-modified", "accept-ranges", "content-range", "transfer-encoding"),
        *("digest", "content-digest", "repr-digest", "content-md5", "trailer", "content-length"),
    }
)
"""Headers that are not true of a body that was changed, or whose length is not known yet."""

_CHARSETS = {"": "utf-8", "utf-8": "utf-8", "utf8": "utf-8", "us-ascii": "utf-8"} | dict.fromkeys(
    ["iso-8859-1", "latin-1", "latin1"], "latin-1"
)


class BodyKind(StrEnum):
    """How a body holds its text."""

    JSON = "json"
    TEXT = "text"
    EVENTS = "events"
    LINES = "lines"


_MEDIA_TYPES = {
    "application/json": BodyKind.JSON,
    "text/event-stream": BodyKind.EVENTS,
    "text/plain": BodyKind.TEXT,
    "text/markdown": BodyKind.TEXT,
    "application/x-ndjson": BodyKind.LINES,
    "application/jsonl": BodyKind.LINES,
    "application/jsonlines": BodyKind.LINES,
}


def header_value(headers: Headers, name: str) -> str:
    """The first value of a header, or nothing."""
    wanted = name.encode("latin-1")
    found = next((value for key, value in headers if key.lower() == wanted), b"")
    return found.decode("latin-1").strip()


def without_headers(headers: Headers, names: Iterable[str]) -> Headers:
    """All but these."""
    dropped = {name.encode("latin-1") for name in names}
    return [(key, value) for key, value in headers if key.lower() not in dropped]


def header(name: str, value: str) -> tuple[bytes, bytes]:
    """One header as ASGI has it."""
    return name.encode("latin-1"), value.encode("latin-1")


def body_kind(headers: Headers) -> BodyKind | None:
    """By its media type; None for a body that cannot be read here."""
    media = _content_type(headers).get_content_type()
    return BodyKind.JSON if media.endswith("+json") else _MEDIA_TYPES.get(media)


def charset_of(headers: Headers) -> str | None:
    """The codec of a text; None for one that is not known here."""
    given = _content_type(headers).get_param("charset", "")
    return _CHARSETS.get(str(given).strip().lower())


def is_compressed(headers: Headers) -> bool:
    """Whether the body has to be unpacked before it can be read."""
    return header_value(headers, "content-encoding").lower() not in {"", "identity"}


def _content_type(headers: Headers) -> ParsedHeaders:
    parsed = ParsedHeaders()
    parsed["content-type"] = header_value(headers, "content-type") or "application/octet-stream"
    return parsed


_REMEDIES = {
    Unread.COMPRESSED: "add the middleware that compresses after GuardASGI, so that it is outside",
    Unread.TOO_LARGE: "raise body_mb of GuardASGI, the number of megabytes that are read",
    Unread.TOO_MANY_TEXTS: "raise most_texts of GuardASGI, the number of texts that are judged",
    Unread.NO_FIELD: "the response does not have the field that GuardASGI was configured with",
    Unread.MEDIA_TYPE: "only JSON, plain text, event streams and JSON lines can be read",
}


_log = logging.getLogger("guard.wrap")


class FieldNotice:
    """Warns once about a guarded field that answers do not have, or that holds no text.

    path, field: as the user wrote them.
    """

    def __init__(self, path: str, field: str | None) -> None:
        self._path = path
        self._field = field
        self._told: set[Unread] = set()

    def tell(self, unread: Iterable[Unread]) -> None:
        """unread: why a body was not read, or a part of it."""
        for why in {*unread} & _MISTYPED.keys() - self._told:
            self._told.add(why)
            _log.warning(
                "GuardASGI: %s: %s: %r, so answers are not scored and `on_unscored` decides about"
                " them; `paths` says where the text is, as in 'summary' or 'choices.*.text'",
                self._path,
                _MISTYPED[why],
                self._field,
            )


_MISTYPED = {
    Unread.NO_FIELD: "the JSON does not have the field",
    Unread.NOT_TEXT: "the JSON has no text in the field",
}


class ResponseWriter:
    """Sends the response to the client. Its head leaves with the first bytes of its body."""

    def __init__(self, send: Send, start: Message) -> None:
        self._send = send
        headers = [*(start.get("headers") or ())]  # ASGI allows an iterator, which is read once
        self._start = {key: start[key] for key in start if key != "trailers"} | {"headers": headers}
        self.begun = False
        self.ended = False

    @property
    def headers(self) -> Headers:
        """As they are now."""
        return [(bytes(name), bytes(value)) for name, value in self._start["headers"]]

    def add_headers(self, **values: str) -> None:
        """Add headers of the guard; an underscore in a name stands for a hyphen."""
        names = {name.replace("_", "-"): value for name, value in values.items() if value}
        added = [header(name, value) for name, value in names.items()]
        self._start["headers"] = [*without_headers(self.headers, names), *added]

    def replace_body(self, length: int | None) -> None:
        """Drop what headers say of the body that the application sent. length: of the new one."""
        headers = without_headers(self.headers, _BODY_HEADERS)
        added = [] if length is None else [header("content-length", str(length))]
        self._start = {**self._start, "headers": [*headers, *added]}

    async def write(self, body: bytes, *, more: bool) -> None:
        """Send bytes of the body. more: others follow."""
        if not self.begun:
            self.begun = True
            await self._send(self._start)
        if body or not more:
            self.ended = not more
            await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def refuse(self, blocked: Blocked, *, status: int = 502) -> None:
        """In place of the whole answer: an error that says why."""
        self._start = {"type": "http.response.start", "status": status, "headers": []}
        body = error_json(blocked).encode("ascii")
        self.replace_body(len(body))
        self._start["headers"] += [header("content-type", "application/json")]
        self.add_headers(x_guard_call_id=blocked.outcome.call.id, x_guard_verdict=Verdict.BLOCKED)
        await self.write(body, more=False)


def error_json(blocked: Blocked) -> str:
    """The error as JSON of ASCII characters."""
    unread = sorted(blocked.outcome.unread)
    why = f": it could not be read ({', '.join(unread)})" if unread else ""
    remedies = "".join(f"; {_REMEDIES[one]}" for one in unread if one in _REMEDIES)
    error = {"code": "content_filter", "message": f"{blocked}{why}{remedies}"}
    return json.dumps({"error": error}, ensure_ascii=True)
