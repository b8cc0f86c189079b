"""The request of a client: its headers, and a body that is read up to a limit and parsed strictly.

Strict JSON has one meaning: without duplicate keys and infinite numbers, an upstream cannot read
something else than what was looked at here.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self

from guard.gateway.errors import RefusedRequest
from guard.gateway.overload import MAX_VALUES, VALUE_BYTES, LoadLimiter
from guard.gateway.response import ClientLeftError, Receive
from guard.records import Lane
from guard.replies.json_text import count_values, has_few_values
from guard.replies.large import run_beside
from guard.text import LongNumberError, whole_number

if TYPE_CHECKING:
    from guard.upstream import HttpClient

MAX_DEPTH: Final = 100
"""Levels of lists and objects; no call of the API has more than some ten."""
_NOT_WIDE, _NOT_HALF_WIDE = bytes(range(0xF0)), bytes(range(0xC4))
"""Bytes of UTF-8 with which no letter begins that Python keeps in four bytes, or in two."""
_WIDE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF_WIDE_ESCAPE: Final = re.compile(rb"\\u(?!00)")
_READ: Final = frozenset(
    b"authorization content-encoding content-length content-type host x-api-key x-guard-key"
    b" x-guard-shadow x-guard-use-case".split()
)
_PASSED: Final = frozenset(
    {b"accept", b"openai-beta", b"traceparent", b"tracestate", b"user-agent", b"x-request-id"}
)
_PASSED_WITH_KEY: Final = frozenset({b"openai-organization", b"openai-project"})
"""They name the account that pays, so they go with the key of a client and never with ours."""
_KNOWN: Final = _READ | _PASSED | _PASSED_WITH_KEY


class Operation(StrEnum):
    """The generating operations, by their path behind the version."""

    CHAT = "/chat/completions"
    COMPLETIONS = "/completions"
    RESPONSES = "/responses"


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest:
    """A request to generate that was accepted.

    raw: the body as it came. body: the same, parsed. headers: those of the
    client that the upstream gets, names in lower case. lane: for shadow requests; None for none.
    never_shadowed: why the call must not be shadowed, by its headers; empty where it may be.
    """

    operation: Operation
    use_case: str
    raw: bytes = field(repr=False)
    body: Mapping[str, Any] = field(repr=False)
    upstream: HttpClient
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    lane: Lane | None = None
    never_shadowed: str = ""


class RequestHeaders:
    """The headers that are looked at here. Raises RefusedRequest for one that stands twice."""

    __slots__ = ("_found",)

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        found: dict[bytes, bytes] = {}
        for name, value in headers:
            if name in _KNOWN:
                if name in found and name in _READ:
                    raise RefusedRequest(
                        400, "bad_header", f"{name.decode()} stands twice", param=name.decode()
                    )
                found[name] = value
        self._found = found

    def get(self, name: bytes) -> bytes | None:
        """The value of a header, None where it is missing."""
        return self._found.get(name)

    def first(self, *names: bytes) -> bytes | None:
        """The value of the first of these headers that there is."""
        return next((self._found[name] for name in names if name in self._found), None)

    def text(self, name: bytes) -> str | None:
        """The same as text; other bytes than ASCII are escaped."""
        value = self._found.get(name)
        return None if value is None else value.decode("ascii", "backslashreplace").strip()

    def forwarded(self, *, with_key: bool) -> dict[str, str]:
        """What the upstream gets; with_key: with the client's own key."""
        passed = {"content-type": "application/json"}
        for name, value in self._found.items():
            if name in _PASSED or (with_key and name in _PASSED_WITH_KEY):
                _add(passed, name, value)
        if with_key and (key := self._found.get(b"authorization")) is not None:
            _add(passed, b"authorization", key)
        return passed

    def bearer(self) -> bytes | None:
        """The key in `Authorization: Bearer KEY`."""
        value = self._found.get(b"authorization")
        if value is None or value[:7].lower() != b"bearer ":
            return None
        return value[7:].strip()


class RequestBody:
    """The body of one request, in memory for as long as the context lasts.

    limit: of its size in bytes. seconds: for it to arrive. key: the name of the one that asks.
    """

    def __init__(self, limiter: LoadLimiter, *, limit: int, seconds: float, key: str = "") -> None:
        self._limiter = limiter
        self._limit = limit
        self._seconds = seconds
        self._key = key
        self._held = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._limiter.release(self._held, self._key)

    async def read(self, receive: Receive, declared: bytes | None) -> bytes:
        """The whole body. declared: the header content-length.

        Raises RefusedRequest for a body that is too large, as soon as that is clear, and for one
        that does not arrive in time; ClientLeftError.
        """
        if declared is not None and declared.isdigit() and int(declared[:20]) > self._limit:
            raise self._too_large()
        try:
            async with asyncio.timeout(self._seconds):
                return await self._read_body(receive)
        except TimeoutError:
            raise RefusedRequest(
                408, "request_timeout", f"the body did not arrive within {self._seconds:g} seconds"
            ) from None

    async def _read_body(self, receive: Receive) -> bytes:
        found, more = b"", True
        parts: list[bytes] = []
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientLeftError
            found, more = message.get("body", b""), message.get("more_body", False)
            self._reserve(len(found))
            parts.append(found)
        return found if len(parts) == 1 else b"".join(parts)

    async def parse(self, raw: bytes) -> dict[str, Any]:
        """The JSON object in the body, for which there is room as well. Raises RefusedRequest."""
        self._hold(await run_beside(len(raw), _more_when_parsed, raw))
        return await run_beside(len(raw), parse_body, raw)

    def _reserve(self, count: int) -> None:
        if self._held + count > self._limit:
            raise self._too_large()
        self._hold(count)

    def _hold(self, count: int) -> None:
        self._limiter.reserve(count, self._key)
        self._held += count

    def _too_large(self) -> RefusedRequest:
        return RefusedRequest(
            413,
            "body_too_large",
            f"the body has more than {self._limit} bytes (setting gateway.body_mb)",
        )


def _more_when_parsed(raw: bytes) -> int:
    """About how many bytes more than as it came a body takes with its values and its texts, of
    which one wide letter makes all others of its text as wide."""
    width = 1
    if raw.translate(None, _NOT_HALF_WIDE) or _HALF_WIDE_ESCAPE.search(raw):
        width = 4 if raw.translate(None, _NOT_WIDE) or _WIDE_ESCAPE.search(raw) else 2
    return count_values(raw, MAX_VALUES) * VALUE_BYTES + (width - 1) * len(raw)


class AmbiguousJsonError(ValueError):
    """JSON that different parsers read differently."""


def parse_body(raw: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises RefusedRequest, with the reason."""
    if not has_few_values(raw, MAX_VALUES):
        raise _bad(f"the body holds more than {MAX_VALUES} values")
    try:
        found = _decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _bad(f"the body is not UTF-8: {error.reason} at byte {error.start}") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise _bad(f"the body is not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise _bad("the body must be a JSON object")
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _depth(found) > MAX_DEPTH:
        raise _too_deep()
    return found


def check_content_type(content_type: str | None, content_encoding: str | None) -> None:
    """Raises RefusedRequest for a body that is not declared as plain JSON in UTF-8.

    A web page cannot send this type to a gateway on its visitor's machine without a CORS preflight.
    """
    kind, _, parameters = (content_type or "").partition(";")
    charset = re.search(r'charset\s*=\s*"?([^\s;"]+)', parameters, re.IGNORECASE)
    if kind.strip().lower() != "application/json":
        raise _bad_type("the header content-type must be application/json")
    if charset and charset[1].lower() not in {"utf-8", "utf8"}:
        raise _bad_type("the body must be UTF-8")
    if (content_encoding or "identity").strip().lower() != "identity":
        raise RefusedRequest(
            400,
            "bad_content_encoding",
            "a compressed body is not accepted",
            param="content-encoding",
        )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise AmbiguousJsonError(f"the key {twice!r:.80} stands twice")
    return made


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise AmbiguousJsonError(f"{text:.40} is too large a number")
    return number


def _no_number(text: str) -> NoReturn:
    raise AmbiguousJsonError(f"{text} is no number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_float=_finite,
    parse_int=whole_number,
    parse_constant=_no_number,
)


def _decode(text: str) -> object:
    try:
        return _DECODER.decode(text)
    except LongNumberError as error:
        raise ValueError(f"{error}: char {text.index(error.number)}") from None


def _depth(found: object) -> int:
    """Levels of containers in containers."""
    level, depth = [found], 0
    while level := [inner for one in level for inner in _inside(one)]:
        depth += 1
    return depth


def _inside(one: object) -> Iterator[object]:
    if isinstance(one, dict):
        return iter(one.values())
    return iter(one) if isinstance(one, list) else iter(())


def _too_deep() -> RefusedRequest:
    return _bad(f"the body is nested more than {MAX_DEPTH} levels deep")


def _bad_type(message: str) -> RefusedRequest:
    return RefusedRequest(400, "bad_content_type", message, param="content-type")


def _bad(message: str) -> RefusedRequest:
    return RefusedRequest(400, "bad_body", message)


def _add(passed: dict[str, str], name: bytes, value: bytes) -> None:
    """Leaves out what is not printable ASCII: upstreams may read it differently."""
    text = value.decode("latin-1")
    if text.isascii() and text.isprintable():
        passed[name.decode("ascii")] = text
