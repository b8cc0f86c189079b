"""A collector: takes OTLP over HTTP as it is specified, keeps it, and fails where it is told to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tests.servers import PATIENCE_SECONDS

PATHS: dict[str, tuple[Any, Any]] = {
    "/v1/traces": (ExportTraceServiceRequest, ExportTraceServiceResponse),
    "/v1/logs": (ExportLogsServiceRequest, ExportLogsServiceResponse),
}


@dataclass(frozen=True, kw_only=True)
class Received:
    """A span or a log record. resource: of whoever sent it. scope: its name and version."""

    what: Any
    resource: dict[str, Any]
    scope: tuple[str, str]

    @property
    def attributes(self) -> dict[str, Any]:
        return {one.key: plain(one.value) for one in self.what.attributes}


@dataclass
class Collector:
    """What came in. status: of every answer. hold: set where answers are given at all."""

    status: int = 200
    port: int = 0
    spans: list[Received] = field(default_factory=list)
    records: list[Received] = field(default_factory=list)
    requests: int = 0
    hold: threading.Event = field(default_factory=threading.Event)
    _came: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        """For OTEL_EXPORTER_OTLP_ENDPOINT."""
        return f"http://127.0.0.1:{self.port}"

    def environment(self, **more: str) -> dict[str, str]:
        """For a process that sends here soon, not after five seconds."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.url,
            "OTEL_BSP_SCHEDULE_DELAY": "50",
            "OTEL_BLRP_SCHEDULE_DELAY": "50",
            **more,
        }

    def wait(self, enough: Callable[[Collector], bool]) -> None:
        """Until it is true of what has come in."""
        with self._came:
            assert self._came.wait_for(lambda: enough(self), PATIENCE_SECONDS), self

    def take(self, path: str, body: bytes) -> bytes:
        """Keep one request; the answer to it."""
        request_type, response_type = PATHS[path]
        request = request_type.FromString(body)
        with self._came:
            self.requests += 1
            if self.status == 200:
                self.spans += _spans(request) if path == "/v1/traces" else []
                self.records += _records(request) if path == "/v1/logs" else []
            self._came.notify_all()
        found: bytes = response_type().SerializeToString()
        return found


def _spans(request: Any) -> list[Received]:
    return [
        _received(span, resource, scope)
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def _records(request: Any) -> list[Received]:
    return [
        _received(record, resource, scope)
        for resource in request.resource_logs
        for scope in resource.scope_logs
        for record in scope.log_records
    ]


def _received(what: Any, resource: Any, scope: Any) -> Received:
    about = {one.key: plain(one.value) for one in resource.resource.attributes}
    return Received(what=what, resource=about, scope=(scope.scope.name, scope.scope.version))


def plain(value: Any) -> Any:
    """A value of OTLP as one of Python."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [plain(one) for one in value.array_value.values]
    if kind == "kvlist_value":
        return {one.key: plain(one.value) for one in value.kvlist_value.values}
    return getattr(value, kind) if kind else None


@contextmanager
def collecting(*, status: int = 200, held: bool = False) -> Iterator[Collector]:
    """A collector on a free port of this machine. held: it takes requests and answers none."""
    collector = Collector(status=status)
    if not held:
        collector.hold.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                raise AssertionError("nobody asked for compression")
            answer = collector.take(self.path, body)
            collector.hold.wait(PATIENCE_SECONDS)
            self.send_response(collector.status)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", str(len(answer)))
            if collector.status // 100 == 3:
                self.send_header("location", f"{collector.url}{self.path}")
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield collector
    finally:
        collector.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()
