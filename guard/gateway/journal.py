"""What the log and the counters hear of requests: never a prompt, a reply or a key."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

from guard.gateway.answering import Answering
from guard.gateway.headers import request_id
from guard.ports import Clock
from guard.telemetry import GatewayMetrics

ACCESS: Final = "guard.gateway.access"
_AGAIN_SECONDS: Final = 10.0
_access = logging.getLogger(ACCESS)
_log = logging.getLogger("guard.gateway")


class Journal:
    """clock: seconds, monotonic. One line for each request at INFO, where somebody listens."""

    def __init__(self, metrics: GatewayMetrics, clock: Clock) -> None:
        self._metrics = metrics
        self._clock = clock
        self._told: dict[tuple[str, str], float] = {}

    def request(
        self, scope: Mapping[str, Any], answering: Answering
    ) -> AbstractContextManager[None]:
        """Around one request."""
        if not _access.isEnabledFor(logging.INFO):
            return nullcontext()
        return self._logged(scope, answering)

    def refused(self, code: str) -> None:
        """An error of the gateway's own was the answer."""
        self._metrics.refused(code)

    def fault(self, upstream: str, error: Exception) -> None:
        """A model gave no answer. The same is said again after some seconds only."""
        about, now = (upstream, type(error).__name__), self._clock()
        if now - self._told.get(about, -_AGAIN_SECONDS) >= _AGAIN_SECONDS:
            self._told[about] = now
            _log.warning("%s", error)

    @contextmanager
    def _logged(self, scope: Mapping[str, Any], answering: Answering) -> Iterator[None]:
        began = self._clock()
        try:
            yield
        finally:
            line = {
                "method": scope["method"],
                "path": scope["path"],
                "status": answering.status,
                "complete": answering.complete,
                "use_case": answering.use_case,
                "key": answering.key,
                "request_id": request_id(scope["headers"]),
                "seconds": round(self._clock() - began, 6),
            }
            _access.info("%s", json.dumps(line))
