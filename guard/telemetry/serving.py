"""`/metrics` over HTTP, with bounds on what a client that does not finish can keep open."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from socketserver import ThreadingMixIn
from threading import Lock, Thread
from typing import Any, Final, Protocol
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from prometheus_client import CollectorRegistry, make_wsgi_app

from guard.http.sockets import LOCALHOST, listening_errors, url_of

MAX_CONNECTIONS: Final = 32
"""Open at once, each with a thread. Those who scrape are few."""
IDLE_SECONDS: Final = 10.0
"""For the next bytes of a request, and for a client to take the answer."""


class HasRegistry(Protocol):
    """Metrics that can be served: `Metrics`, `CollectedMetrics`."""

    @property
    def registry(self) -> CollectorRegistry:
        """The registry of their series."""


class MetricsServer:
    """Serves `/metrics`, in the format the scraper asks for, in a thread until closed."""

    def __init__(self, metrics: HasRegistry, host: str, port: int) -> None:
        self._server = _BoundedServer(host, port)
        self._server.set_app(_in_time(_whole(make_wsgi_app(metrics.registry))))
        self.host = host
        self.port = self._server.server_port
        self._thread = Thread(target=self._server.serve_forever, name="guard-metrics", daemon=True)
        self._thread.start()

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
    with listening_errors("metrics", host, port):
        return MetricsServer(metrics, host, port)


def _in_time(app: WSGIApplication) -> WSGIApplication:
    """`app`, with status 503 where its figures were not there in time."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return app(environ, start_response)
        except TimeoutError:
            start_response("503 Service Unavailable", [("Content-Type", "text/plain")])
            return [b"the figures of all processes were not there in time; scrape again\n"]

    return answer


def _whole(app: WSGIApplication) -> WSGIApplication:
    """`app` without a query: by `name[]` it would choose among metrics that are described
    beforehand, as those collected from several processes are not."""
    return lambda environ, start_response: app({**environ, "QUERY_STRING": ""}, start_response)


class _BoundedServer(ThreadingMixIn, WSGIServer):
    """A thread for each connection, and few connections.

    Where one more comes than there may be, the one is closed that has been sending its request for
    longest: scrapers send theirs at once, so that clients which never finish keep nobody out.
    """

    daemon_threads = True
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, host: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._lock = Lock()
        self._open: dict[object, bool] = {}
        """Connections in the order of their arrival, and whether their request still arrives."""
        super().__init__((host, port), _MetricsHandler)

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002
        """Whether there is room for a new connection."""
        with self._lock:
            if len(self._open) >= MAX_CONNECTIONS and not self._close_oldest():
                return False
            self._open[request] = True
        return True

    def request_arrived(self, request: object) -> bool:
        """Note that a request is whole; False when its connection was closed meanwhile."""
        with self._lock:
            if request not in self._open:
                return False
            self._open[request] = False
        return True

    def shutdown_request(self, request: Any) -> None:
        """Called at the end of every connection."""
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report what went wrong, but for clients that left or were too slow."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def _close_oldest(self) -> bool:
        """Of those whose request still arrives; its thread ends by it."""
        oldest = next((one for one, arriving in self._open.items() if arriving), None)
        if not isinstance(oldest, socket.socket):
            return False
        del self._open[oldest]
        with suppress(OSError):
            oldest.shutdown(socket.SHUT_RDWR)
        return True


class _MetricsHandler(WSGIRequestHandler):
    """One request; the connection is closed after its answer."""

    timeout = IDLE_SECONDS
    server: _BoundedServer

    def parse_request(self) -> bool:
        parsed = super().parse_request()
        return self.server.request_arrived(self.request) and parsed

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Scrapes are not logged."""
