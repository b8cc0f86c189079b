"""Health checks, the log of requests and its counters: never a prompt, a reply or a key."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

from guard.gateway.response import ClientResponse, request_id
from guard.ports import Clock
from guard.telemetry import GatewayMetrics

LIVENESS: Final = "/healthz"
READINESS: Final = "/readyz"
ACCESS_LOG: Final = "guard.gateway.access"
_HEADERS: Final = (("content-type", "application/json"), ("cache-control", "no-store"))
_REPEAT_SECONDS: Final = 10.0
_access = logging.getLogger(ACCESS_LOG)
_log = logging.getLogger("guard.gateway")

WholeResponse = tuple[int, bytes, tuple[tuple[str, str], ...]]
"""Status, body and headers."""


class Health:
    """store: the state of the store in a word. Set `draining` when the worker shuts down."""

    def __init__(self, store: Callable[[], str]) -> None:
        self._store = store
        self.draining = False

    def response(self, method: str, path: str) -> WholeResponse | None:
        """The answer at the paths of health checks; None for any other path."""
        if path not in {LIVENESS, READINESS}:
            return None
        if method not in {"GET", "HEAD"}:
            return 405, b"{}", (*_HEADERS, ("allow", "GET, HEAD"))
        if path == LIVENESS:
            return 200, b'{"alive": true}', _HEADERS
        ready = {"ready": not self.draining, "store": self._store()}
        return 503 if self.draining else 200, json.dumps(ready).encode("ascii"), _HEADERS


class RequestLog:
    """Logs one line of JSON for each request at INFO, and counts refusals.

    clock: seconds, monotonic.
    """

    def __init__(self, metrics: GatewayMetrics, clock: Clock) -> None:
        self._metrics = metrics
        self._clock = clock
        self._logged_at: dict[tuple[str, str], float] = {}

    def request(
        self, scope: Mapping[str, Any], response: ClientResponse
    ) -> AbstractContextManager[None]:
        """A context around one request."""
        if not _access.isEnabledFor(logging.INFO):
            return nullcontext()
        return self._access_line(scope, response)

    def refused(self, code: str) -> None:
        """Count an error that the gateway answered with."""
        self._metrics.refused(code)

    def upstream_fault(self, upstream: str, error: Exception) -> None:
        """Log that an upstream gave no answer, the same error at most every ten seconds."""
        about, now = (upstream, type(error).__name__), self._clock()
        if now - self._logged_at.get(about, -_REPEAT_SECONDS) >= _REPEAT_SECONDS:
            self._logged_at[about] = now
            _log.warning("%s", error)

    @contextmanager
    def _access_line(self, scope: Mapping[str, Any], response: ClientResponse) -> Iterator[None]:
        began = self._clock()
        try:
            yield
        finally:
            line = {
                "method": scope["method"],
                "path": scope["path"],
                "status": response.status,
                "complete": response.complete,
                "use_case": response.use_case,
                "key": response.key,
                "request_id": request_id(scope["headers"]),
                "seconds": round(self._clock() - began, 6),
            }
            _access.info("%s", json.dumps(line))
