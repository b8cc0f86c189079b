"""`/metrics` over HTTP: Prometheus and OpenMetrics, as the scraper asks."""

from __future__ import annotations

from typing import Protocol

from prometheus_client import CollectorRegistry, start_http_server

from guard.errors import SettingsError

LOCALHOST = "127.0.0.1"


class Exposed(Protocol):
    """What has series: `Metrics`, `GlobalMetrics`."""

    @property
    def registry(self) -> CollectorRegistry:
        """They are in here."""


class MetricsServer:
    """Serves until closed. Read `host` and `port` for where; `url` is what to scrape."""

    def __init__(self, metrics: Exposed, host: str, port: int) -> None:
        self._server, self._thread = start_http_server(port, host, registry=metrics.registry)
        self.host = host
        self.port = self._server.server_port

    @property
    def url(self) -> str:
        """The address to scrape."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/metrics"

    def close(self) -> None:
        """Stop listening and wait for the server's thread."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def serve(metrics: Exposed, host: str = LOCALHOST, port: int = 0) -> MetricsServer:
    """Listen on `host`, on a free port when `port` is 0.

    Raises SettingsError when that address cannot be listened on.
    """
    try:
        return MetricsServer(metrics, host, port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(
            f"cannot serve metrics on {host}:{port}: {reason}; choose another port, or 0 for any"
        ) from error
