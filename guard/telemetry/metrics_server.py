"""`/metrics` over HTTP, in the Prometheus or the OpenMetrics format, as the scraper asks."""

from __future__ import annotations

from typing import Protocol

from prometheus_client import CollectorRegistry, start_http_server

from guard.http.sockets import LOCALHOST, cannot_listen, url_of


class HasRegistry(Protocol):
    """Metrics that can be served: `Metrics`, `GlobalMetrics`, `Summed`."""

    @property
    def registry(self) -> CollectorRegistry:
        """The registry of their series."""


class MetricsServer:
    """Serves `/metrics` in a thread until closed."""

    def __init__(self, metrics: HasRegistry, host: str, port: int) -> None:
        self._server, self._thread = start_http_server(port, host, registry=metrics.registry)
        self.host = host
        self.port = self._server.server_port

    @property
    def url(self) -> str:
        """The URL to scrape."""
        return f"{url_of(self.host, self.port)}metrics"

    def close(self) -> None:
        """Stop listening and wait for the server's thread."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def serve(metrics: HasRegistry, host: str = LOCALHOST, port: int = 0) -> MetricsServer:
    """Serve `/metrics` in a thread; on a free port when `port` is 0.

    Raises SettingsError when that address cannot be listened on.
    """
    try:
        return MetricsServer(metrics, host, port)
    except (OSError, OverflowError) as error:
        remedy = "choose another port, or 0 for any"
        raise cannot_listen("metrics", host, port, error, remedy) from error
