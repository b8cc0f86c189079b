"""What the headers of a request say, and which of them the model's server gets to see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from guard.gateway.errors import RefusedRequest

MOST_HEADERS: Final = 128
_READ: Final = frozenset(
    {
        b"authorization",
        b"content-encoding",
        b"content-length",
        b"content-type",
        b"host",
        b"x-guard-key",
        b"x-guard-shadow",
        b"x-guard-use-case",
    }
)
_PASSED: Final = frozenset(
    {b"accept", b"openai-beta", b"traceparent", b"tracestate", b"user-agent", b"x-request-id"}
)
_PASSED_WITH_KEY: Final = frozenset({b"openai-organization", b"openai-project"})
"""They say whose account pays, so they go with the key of a client and never with ours."""
_KNOWN: Final = _READ | _PASSED | _PASSED_WITH_KEY


class Headers:
    """Those headers that anybody here looks at. Raises RefusedRequest for ones that stand twice."""

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

    def text(self, name: bytes) -> str | None:
        """The same as text; what is no ASCII stays recognisable."""
        value = self._found.get(name)
        return None if value is None else value.decode("ascii", "backslashreplace").strip()

    def passed(self, *, with_key: bool) -> dict[str, str]:
        """What goes to the model's server; with the client's own key, if that is asked for."""
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


def request_id(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """What the client calls its request, if that can be repeated."""
    for name, value in headers:
        if name == b"x-request-id" and len(value) <= 200:
            text = value.decode("latin-1")
            return text if text.isascii() and text.isprintable() else None
    return None


def encoded(headers: Mapping[str, str] | Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """Headers as a server sends them."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return [(name.encode("ascii"), value.encode("latin-1", "replace")) for name, value in pairs]


def _add(passed: dict[str, str], name: bytes, value: bytes) -> None:
    """What is no plain text is left out: nobody knows what the other side makes of it."""
    text = value.decode("latin-1")
    if text.isascii() and text.isprintable():
        passed[name.decode("ascii")] = text
