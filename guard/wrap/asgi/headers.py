"""What the headers of an answer say about its body, and headers for a body that changed. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from email.message import Message as Parsed
from enum import StrEnum

from guard.wrap.asgi.types import Headers

OF_THE_BODY = frozenset(
    {
        *("etag", "last-modified", "accept-ranges", "content-range", "transfer-encoding"),
        *("digest", "content-digest", "repr-digest", "content-md5", "trailer", "content-length"),
    }
)
"""What is no longer true of another body, or of one whose end nobody knows yet."""

_CHARSETS = {"": "utf-8", "utf-8": "utf-8", "utf8": "utf-8", "us-ascii": "utf-8"} | dict.fromkeys(
    ["iso-8859-1", "latin-1", "latin1"], "latin-1"
)


class Kind(StrEnum):
    """How the text stands in a body."""

    JSON = "json"
    TEXT = "text"
    EVENTS = "events"
    LINES = "lines"


_KINDS = {
    "application/json": Kind.JSON,
    "text/event-stream": Kind.EVENTS,
    "text/plain": Kind.TEXT,
    "text/markdown": Kind.TEXT,
    "application/x-ndjson": Kind.LINES,
    "application/jsonl": Kind.LINES,
    "application/jsonlines": Kind.LINES,
}


def value_of(headers: Headers, name: str) -> str:
    """The first value of a header, or nothing."""
    wanted = name.encode("latin-1")
    found = next((value for key, value in headers if key.lower() == wanted), b"")
    return found.decode("latin-1").strip()


def without(headers: Headers, names: Iterable[str]) -> Headers:
    """All but these."""
    dropped = {name.encode("latin-1") for name in names}
    return [(key, value) for key, value in headers if key.lower() not in dropped]


def header(name: str, value: str) -> tuple[bytes, bytes]:
    """One header as ASGI has it."""
    return name.encode("latin-1"), value.encode("latin-1")


def kind_of(headers: Headers) -> Kind | None:
    """None for a body that nobody here can read."""
    media = _content_type(headers).get_content_type()
    return Kind.JSON if media.endswith("+json") else _KINDS.get(media)


def charset_of(headers: Headers) -> str | None:
    """The codec of a text; None for one that is not known here."""
    given = _content_type(headers).get_param("charset", "")
    return _CHARSETS.get(str(given).strip().lower())


def compressed(headers: Headers) -> bool:
    """Whether the body has to be unpacked before it can be read."""
    return value_of(headers, "content-encoding").lower() not in {"", "identity"}


def _content_type(headers: Headers) -> Parsed:
    parsed = Parsed()
    parsed["content-type"] = value_of(headers, "content-type") or "application/octet-stream"
    return parsed
