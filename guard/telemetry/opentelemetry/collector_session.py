"""Connections to a collector that bear any answer: a bounded part of it is read, in bounded time.

The exporters take a session of `requests`, which comes with them; by itself it reads an answer to
its end, however long that is. Nothing else in the house imports it.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any, Final

from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from guard.telemetry.answer_time import TimedResponse

MOST_BYTES: Final = 64 * 1024
"""Of the body of an answer. A collector says a few words at most."""


class _BoundedConnection(HTTPConnection):
    response_class = TimedResponse


class _BoundedTlsConnection(HTTPSConnection):
    response_class = TimedResponse


class _CollectorPool(HTTPConnectionPool):
    ConnectionCls = _BoundedConnection


class _CollectorTlsPool(HTTPSConnectionPool):
    ConnectionCls = _BoundedTlsConnection


_POOLS: Final = {"http": _CollectorPool, "https": _CollectorTlsPool}


class _BoundedAdapter(HTTPAdapter):
    """Gives the status in any case; of a body that is larger, or late, what there is of it."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = _POOLS
        return manager

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        response = super().send(request, *args, **kwargs)
        response.raw = BytesIO(_beginning(response.raw))
        return response


def collector_session() -> Session:
    """A session for one exporter, which closes it."""
    session = Session()
    session.headers["accept-encoding"] = "identity"
    for scheme in _POOLS:
        session.mount(f"{scheme}://", _BoundedAdapter())
    return session


def _beginning(raw: Any) -> bytes:
    """At most MOST_BYTES of a body, as it came; the connection is kept where that was all."""
    found: bytes = b""
    try:
        found = raw.read(MOST_BYTES + 1, decode_content=False)
    except (HTTPError, OSError):
        raw.close()
    if len(found) > MOST_BYTES:
        raw.close()
    raw.release_conn()
    return found[:MOST_BYTES]
