"""The SDK and its exporters, set up from the standard `OTEL_*` variables: for the commands alone.

A library leaves both to the application. Nothing else in the house imports the SDK.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TypeVar

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, ConsoleLogRecordExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

from guard import __version__
from guard.errors import SettingsError
from guard.telemetry.opentelemetry.collector_session import collector_session
from guard.telemetry.opentelemetry.outlets import TraceOutlets

Exporter = TypeVar("Exporter")
Made = TypeVar("Made")

SHUTDOWN_SECONDS: Final = 5.0
"""For what is left when a command ends; a collector that is away must not hold it up."""
_TRACES: Final = "OTEL_TRACES_EXPORTER"
_LOGS: Final = "OTEL_LOGS_EXPORTER"
_PROTOCOLS: Final = (
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL",
)
_SPEAKS: Final = "http/protobuf"
_SPANS_TO: Final = {"otlp": OTLPSpanExporter, "console": ConsoleSpanExporter}
_EVENTS_TO: Final = {"otlp": OTLPLogExporter, "console": ConsoleLogRecordExporter}
_ADDRESS: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
_ADDRESSES: Final[Mapping[object, str]] = {
    OTLPSpanExporter: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    OTLPLogExporter: "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
}
"""What names the address of those over HTTP, before the one of both does."""
_OWN_SESSION: Final = "_CREDENTIAL_PROVIDER"
"""Ends the variables that name a session for the exporters, by a plug-in that signs requests."""


@contextmanager
def exporting(environment: Mapping[str, str]) -> Iterator[TraceOutlets]:
    """Outlets whose spans and events are exported; what is left goes out at the end.

    environment: that of the process, where the SDK reads the rest by itself.
    Raises SettingsError for an exporter or a protocol that there is not.
    """
    _check_protocols(environment)
    resource = _resource(environment)
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    loggers = LoggerProvider(resource=resource, shutdown_on_exit=False)
    if (spans_to := _exporter(environment, _TRACES, _SPANS_TO)) is not None:
        tracers.add_span_processor(BatchSpanProcessor(_made(spans_to, environment)))
    if (events_to := _exporter(environment, _LOGS, _EVENTS_TO)) is not None:
        loggers.add_log_record_processor(BatchLogRecordProcessor(_made(events_to, environment)))
    try:
        yield TraceOutlets.of(tracers, loggers)
    finally:
        _shut_down(tracers.shutdown, loggers.shutdown)


def _exporter(
    environment: Mapping[str, str], variable: str, known: Mapping[str, Exporter]
) -> Exporter | None:
    name = environment.get(variable, "").strip().lower() or "otlp"
    if name == "none":
        return None
    if name not in known:
        raise SettingsError(f"{variable}: {name!r:.80} is none of {', '.join(known)}, none")
    return known[name]


def _made(kind: Callable[..., Made], environment: Mapping[str, str]) -> Made:
    """An exporter; one over HTTP reads a bounded answer, unless the environment names a session."""
    named = any(variable.endswith(_OWN_SESSION) for variable in environment)
    if named or kind not in _ADDRESSES:
        return kind()
    own = _ADDRESSES[kind]
    return kind(session=collector_session(own if environment.get(own) else _ADDRESS))


def _check_protocols(environment: Mapping[str, str]) -> None:
    for variable in _PROTOCOLS:
        if environment.get(variable, "").strip().lower() not in {"", _SPEAKS}:
            raise SettingsError(f"{variable}: only {_SPEAKS} is spoken; set it so, or leave it out")


def _resource(environment: Mapping[str, str]) -> Resource:
    """That of the environment, with our name where it gives none."""
    is_named = "OTEL_SERVICE_NAME" in environment or "service.name=" in environment.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    )
    ours = {} if is_named else {"service.name": "evenguard", "service.version": __version__}
    return Resource.create(ours)


def _shut_down(*ends: Callable[[], object]) -> None:
    """All at once, given up together after a while."""
    threads = [threading.Thread(target=end, name="guard-otel-end", daemon=True) for end in ends]
    for thread in threads:
        thread.start()
    until = time.monotonic() + SHUTDOWN_SECONDS
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
