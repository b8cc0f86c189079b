"""What the gateway counts beside the calls themselves."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge

from guard.telemetry import names
from guard.telemetry.prometheus import add_process_series


class GatewayMetrics:
    """Counters of one worker. open_requests: read on every scrape."""

    def __init__(self, registry: CollectorRegistry, *, open_requests: Callable[[], int]) -> None:
        refused = names.REFUSED
        self._refused = Counter(refused.name, refused.help, refused.labels, registry=registry)
        under_way = Gauge(names.OPEN_REQUESTS.name, names.OPEN_REQUESTS.help, registry=registry)
        under_way.set_function(open_requests)

    def refused(self, code: str) -> None:
        """Count a request that got an error of the gateway's own."""
        self._refused.labels(code).inc()


class ReplicaMetrics:
    """What the process above the workers knows, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        restarts = names.WORKER_RESTARTS
        self._restarts = Counter(restarts.name, restarts.help, registry=self.registry)
        add_process_series(self.registry)

    def worker_replaced(self) -> None:
        """Count a worker that died and another one that took its place."""
        self._restarts.inc()
