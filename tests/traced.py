"""Spans and events of tests, kept in memory by the SDK's own exporters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Sampler

from guard.policy import Rule
from guard.records import Head
from guard.telemetry.opentelemetry.call_spans import CallSpans
from guard.telemetry.opentelemetry.content import ContentCapture
from guard.telemetry.opentelemetry.evaluations import Evaluators
from guard.telemetry.opentelemetry.outlets import TraceOutlets

HEADS = {
    "toxicity": Head(key="toxicity", threshold=0.7, harm=True),
    "sentiment": Head(key="sentiment", threshold=None, harm=False),
}


class Collected:
    """An SDK that keeps what it is given. failed: what the tracer was told of faults."""

    def __init__(
        self, *, sampler: Sampler = ALWAYS_ON, processor: SpanProcessor | None = None
    ) -> None:
        self._spans = InMemorySpanExporter()
        self._logs = InMemoryLogRecordExporter()
        self.tracers = TracerProvider(sampler=sampler, shutdown_on_exit=False)
        self.tracers.add_span_processor(processor or SimpleSpanProcessor(self._spans))
        loggers = LoggerProvider(shutdown_on_exit=False)
        loggers.add_log_record_processor(SimpleLogRecordProcessor(self._logs))
        self.outlets = TraceOutlets.of(self.tracers, loggers)
        self.failed: list[str] = []
        self._calls: list[CallSpans] = []

    def calls(self, *rules: Rule, capture: str = "", kept: Callable[[str], str] = str) -> CallSpans:
        """A tracer of calls that ends up here."""
        self._calls.append(
            CallSpans(
                self.outlets,
                evaluators=Evaluators(heads=HEADS, first="bundled 1.2", second="large 2"),
                rules_of=lambda _: rules,
                content=ContentCapture.parse(capture, kept=kept),
                failed=self.failed.append,
            )
        )
        return self._calls[-1]

    @property
    def spans(self) -> list[ReadableSpan]:
        """In the order in which they ended; those of calls as soon as they are written."""
        self._write()
        return list(self._spans.get_finished_spans())

    @property
    def span(self) -> ReadableSpan:
        """The only one."""
        (one,) = self.spans
        return one

    @property
    def records(self) -> list[ReadableLogRecord]:
        """The events."""
        self._write()
        return list(self._logs.get_finished_logs())

    def evaluations(self) -> dict[str, Mapping[str, Any]]:
        """The attributes of the events about evaluations, by their name."""
        found = [dict(one.log_record.attributes or {}) for one in self.records]
        return {
            str(one["gen_ai.evaluation.name"]): one
            for one in found
            if "gen_ai.evaluation.name" in one
        }

    def _write(self) -> None:
        for calls in self._calls:
            calls.close(timeout_seconds=20.0)


def place(span: ReadableSpan) -> str:
    """The `traceparent` of a span."""
    found = span.get_span_context()
    assert found is not None
    return f"00-{found.trace_id:032x}-{found.span_id:016x}-{int(found.trace_flags):02x}"
