"""Where spans and events go: a tracer and a logger of the API package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from opentelemetry import trace
from opentelemetry._logs import (
    Logger,
    LoggerProvider,
    SeverityNumber,
    get_logger_provider,
)
from opentelemetry.context import Context
from opentelemetry.trace import (
    Link,
    Span,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    TracerProvider,
)

from guard import __version__
from guard.telemetry.opentelemetry import conventions as names
from guard.telemetry.opentelemetry.attributes import Attributes
from guard.telemetry.opentelemetry.evaluations import TraceEvent

_SEVERITIES = {names.DETAILS_EVENT: SeverityNumber.DEBUG}


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOutlets:
    """Both of them. They do nothing as long as the application has set up no SDK."""

    tracer: Tracer
    logger: Logger

    @classmethod
    def of(
        cls, tracers: TracerProvider | None = None, loggers: LoggerProvider | None = None
    ) -> Self:
        """Those of these providers, by default of the application's."""
        tracers = tracers or trace.get_tracer_provider()
        loggers = loggers or get_logger_provider()
        scope = (names.SCOPE, __version__, None, names.SCOPE_ATTRIBUTES)
        return cls(tracer=tracers.get_tracer(*scope), logger=loggers.get_logger(*scope))

    @contextmanager
    def span(
        self,
        name: str,
        attributes: Attributes,
        *,
        kind: SpanKind = SpanKind.INTERNAL,
        links: Sequence[Link] = (),
        context: Context | None = None,
    ) -> Iterator[Span]:
        """A span that is current for as long as the context lasts; of an error it keeps the kind.

        context: in which its parent is looked for; by default the present one.
        """
        span = self.tracer.start_span(
            name, context=context, kind=kind, attributes=attributes, links=links
        )
        try:
            with trace.use_span(span, record_exception=False, set_status_on_exception=False):
                yield span
        except BaseException as error:
            mark_failed(span, type(error).__name__)
            raise
        finally:
            span.end()

    def emit(self, events: Iterable[TraceEvent], within: Context, *, at_nanoseconds: int) -> None:
        """Each event as a log record on the span that is current in `within`."""
        for event in events:
            self.logger.emit(
                timestamp=at_nanoseconds,
                context=within,
                event_name=event.name,
                severity_number=_SEVERITIES.get(event.name, SeverityNumber.INFO),
                attributes=event.attributes,
            )


def place_of(span: Span) -> str:
    """The `traceparent` of a span, as `TraceParent` writes it; empty for one that is in no trace.

    Made for every call while its caller waits, and so without a record in between.
    """
    found = span.get_span_context()
    if not found.is_valid:
        return ""
    return f"00-{found.trace_id:032x}-{found.span_id:016x}-{found.trace_flags:02x}"


def mark_failed(span: Span, error: str) -> None:
    """An error by its kind; its words may quote what a model said."""
    span.set_attribute(names.ERROR_TYPE, error)
    span.set_status(Status(StatusCode.ERROR))
