"""Connections to a collector that bear any answer: a bounded part of it is read, in bounded time,
and it leads nowhere else.

The exporters take a session of `requests`, which comes with them; by itself it reads an answer to
its end, however long that is. Nothing else in the house imports it.
"""

from __future__ import annotations

import logging
from io import BytesIO
from typing import Any, Final

from requests import PreparedRequest, RequestException, Response, Session
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from guard.telemetry.answer_time import TimedResponse

_log = logging.getLogger(__name__)

MOST_BYTES: Final = 64 * 1024
"""Of the body of an answer. A collector says a few words at most."""
MOST_OF_A_REASON: Final = 80
"""Characters of the reason that stands beside a status."""


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


class RedirectedError(RequestException):
    """The collector says that it is elsewhere. The exporters would take that for a success."""


class _CollectorSession(Session):
    """Follows no redirect, since headers may hold a key. setting: what names the collector."""

    def __init__(self, setting: str) -> None:
        super().__init__()
        self._setting = setting
        self._has_complained = False

    def get_redirect_target(self, resp: Response) -> str | None:
        """None, wherever an answer leads."""

    def send(self, request: PreparedRequest, **kwargs: Any) -> Response:
        """The answer. Raises RedirectedError for one that leads elsewhere."""
        response = super().send(request, **kwargs)
        response.reason = _printable(response.reason or "")  # the exporters log it
        if response.status_code // 100 == 3:
            self._complain(response.status_code)
            raise RedirectedError(f"a redirect ({response.status_code}), which is not followed")
        return response

    def _complain(self, status: int) -> None:
        if not self._has_complained:
            self._has_complained = True
            _log.error(
                "the collector answers with a redirect (%d), which is not followed: what is sent is"
                " lost until %s says where it leads",
                status,
                self._setting,
            )


def collector_session(setting: str) -> Session:
    """A session for one exporter, which closes it. setting: the variable that names its address,
    for the log. What it sends raises RedirectedError where the answer is a redirect."""
    session = _CollectorSession(setting)
    session.headers["accept-encoding"] = "identity"
    for scheme in _POOLS:
        session.mount(f"{scheme}://", _BoundedAdapter())
    return session


def _printable(reason: str) -> str:
    return "".join(filter(str.isprintable, reason[:MOST_OF_A_REASON]))


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
