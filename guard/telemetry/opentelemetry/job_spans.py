"""Shadow jobs as spans: each is linked to the call it came from, and every question is a child."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, TraceFlags

from guard.records import Ask, Generated, Job, PairResult
from guard.telemetry.opentelemetry import conventions as names
from guard.telemetry.opentelemetry.attributes import ask_attributes, reply_attributes
from guard.telemetry.opentelemetry.evaluations import pair_event
from guard.telemetry.opentelemetry.outlets import TraceOutlets
from guard.telemetry.opentelemetry.trace_parent import TraceParent


@dataclass(frozen=True, slots=True)
class JobSpans:
    """Begins the spans of shadow jobs (`shadow.job_span.JobTracer`)."""

    outlets: TraceOutlets

    @contextmanager
    def job(self, job: Job, came_from: str) -> Iterator[JobInTrace]:
        """The span of a job, which is current for as long as the context lasts.

        came_from: the `traceparent` of the call. The span begins a trace of its own: the call's is
        long over.
        """
        about = {names.CALL_ID: job.call_id, names.USE_CASE: job.use_case, names.SHADOW: True}
        links = _links_to(came_from)
        with self.outlets.span("guard shadow", about, links=links, context=Context()) as span:
            yield JobInTrace(self, job, links, span)


@dataclass(frozen=True, slots=True)
class JobInTrace:
    """One job (`shadow.job_span.JobSpan`)."""

    spans: JobSpans
    job: Job
    links: Sequence[Link]
    span: Span

    @contextmanager
    def ask(self, ask: Ask) -> Iterator[Callable[[Generated], None]]:
        """The span of one question; what it yields is told the reply."""
        about = ask_attributes(self.job.call_id, self.job.use_case, ask)
        name = f"chat {about.get(names.REQUEST_MODEL, '')}".strip()
        kind = SpanKind.CLIENT
        with self.spans.outlets.span(name, about, links=self.links, kind=kind) as span:

            def answered(reply: Generated) -> None:
                span.set_attributes(reply_attributes(reply))

            yield answered

    def compared(self, pairs: Sequence[PairResult]) -> None:
        """One event for each pair."""
        if self.span.is_recording():
            events = (pair_event(pair, self.job.call_id) for pair in pairs)
            within = trace.set_span_in_context(self.span)
            self.spans.outlets.emit(events, within, at_nanoseconds=time.time_ns())


def _links_to(trace_parent: str) -> list[Link]:
    found = TraceParent.parse(trace_parent)
    if found is None:
        return []
    return [
        Link(
            SpanContext(
                trace_id=found.trace_id,
                span_id=found.span_id,
                is_remote=True,
                trace_flags=TraceFlags(found.flags),
            )
        )
    ]
