"""The request as the model's server gets it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from guard.gateway.records import Asked
from guard.upstream import Answer


def sent(asked: Asked, content: bytes) -> AbstractAsyncContextManager[Answer]:
    """Ask. An answer that is no stream begins when all of it is there, so it may take as long to
    begin as a reply may take."""
    upstream = asked.upstream
    return upstream.send(
        "POST",
        str(asked.operation),
        content=content,
        headers=asked.headers,
        first_byte_seconds=None if asked.body.get("stream") else upstream.limits.total_seconds,
    )
