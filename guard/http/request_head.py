"""What the head of a request may say. Source: RFC 9112, sections 3.2, 6.1 and 6.3. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httptools import parse_url

Headers = list[tuple[bytes, bytes]]
"""Names in lower case."""
_BESIDE_A_HEADER = len(b": \r\n")


class HeadError(Exception):
    """A request must not be answered by the application. code: for programs, in snake case."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def check_waiting(count: int, most: int) -> None:
    """Raises HeadError where so many requests of a connection wait for the one before."""
    if count >= most:
        raise HeadError(429, "too_many_requests", f"more than {most} requests without waiting")


def check_size(url: bytes, headers: Sequence[tuple[bytes, bytes]], limit_bytes: int) -> None:
    """Raises HeadError for a head of more than that."""
    lengths = (len(name) + len(value) + _BESIDE_A_HEADER for name, value in headers)
    if len(url) + sum(lengths) > limit_bytes:
        raise too_large(limit_bytes)


def too_large(limit_bytes: int) -> HeadError:
    """The error for a head of more than that."""
    return HeadError(431, "headers_too_large", f"more than {limit_bytes} bytes of headers")


def too_many(most: int) -> HeadError:
    """The error for a head of more headers than that."""
    return HeadError(431, "too_many_headers", f"more than {most} headers")


def check_framing(headers: Sequence[tuple[bytes, bytes]], version: str) -> None:
    """Raises HeadError for a body in another coding than `chunked`: who takes it for that reads
    another body than whoever stands in front. version: of HTTP, such as 1.1."""
    codings = [value for name, value in headers if name == b"transfer-encoding"]
    if codings and version == "1.0":
        raise HeadError(400, "bad_request", "HTTP/1.0 has no transfer-encoding")
    if codings and [one.strip().lower() for one in codings] != [b"chunked"]:
        raise HeadError(
            501, "transfer_encoding_unknown", "a body may have no transfer-encoding but chunked"
        )


def settle_target(url: bytes, headers: Headers) -> bytes:
    """The target of a request as a path. Where it is the whole URL of a server, the host in it
    comes in place of the header `host`, which is to be ignored then.

    Raises HeadError for a URL with a scheme other than http and https, or with the name of a user,
    and what `httptools.parse_url` does.
    """
    if url.startswith((b"/", b"*")):
        return url
    target: Any = parse_url(url)  # any part of it may be None
    if (target.schema or b"").lower() not in {b"http", b"https"} or target.userinfo:
        raise HeadError(400, "bad_request", "the target is neither a path nor the URL of a server")
    name = b"[%s]" % target.host if b":" in target.host else target.host
    port = b"" if target.port is None else b":%d" % target.port
    headers[:] = [(b"host", name + port), *(pair for pair in headers if pair[0] != b"host")]
    return (target.path or b"/") + (b"" if target.query is None else b"?" + target.query)
