"""Guarded calls as spans. Those that nobody records cost nothing but passing their place on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import Token
from dataclasses import dataclass
from typing import Final

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from guard.errors import may_be_signal
from guard.forks import PerProcess
from guard.policy import Rule
from guard.records import Call, Outcome
from guard.telemetry.opentelemetry.attributes import (
    outcome_attributes,
    request_attributes,
    span_name,
)
from guard.telemetry.opentelemetry.content import ContentCapture
from guard.telemetry.opentelemetry.evaluations import Evaluators, TraceEvent, score_events
from guard.telemetry.opentelemetry.outlets import TraceOutlets, mark_failed, place_of
from guard.telemetry.opentelemetry.span_writer import SpanWriter

_NOTHING: Final = nullcontext()
_W3C: Final = TraceContextTextMapPropagator()


@dataclass(frozen=True, slots=True)
class EndedCall:
    """A call whose span is still to be written. at_nanoseconds: when it ended, in Unix time."""

    span: Span
    context: Context
    outcome: Outcome | None
    error: str
    at_nanoseconds: int


def _characters(ended: EndedCall) -> int:
    outcome = ended.outcome
    if outcome is None:
        return 0
    asked = sum(len(turn.content) for turn in outcome.call.turns)
    return asked + len(outcome.call.prompt) + len(outcome.text) + len(outcome.reply)


class CallSpans:
    """Begins the spans of calls (`ports.CallTracer`).

    rules_of: of a use case. failed: told the kind of what an SDK raised; it never reaches a call.
    """

    def __init__(
        self,
        outlets: TraceOutlets,
        *,
        evaluators: Evaluators,
        rules_of: Callable[[str], Sequence[Rule]],
        content: ContentCapture,
        failed: Callable[[str], None],
    ) -> None:
        self._outlets = outlets
        self._evaluators = evaluators
        self._rules_of = rules_of
        self._content = content
        self._failed = failed
        self._writers = PerProcess(lambda: SpanWriter(self._write, failed, _characters))

    def begin(self, call: Call, headers: Mapping[str, str] | None = None) -> CallInTrace:
        """A child of the current span; with headers, a client's span that is a child of theirs."""
        try:
            span = self._begin(call, headers)
        except Exception as error:  # a processor of the application's
            if may_be_signal(error):
                raise
            self._failed(type(error).__name__)
            span = trace.INVALID_SPAN
        return CallInTrace(span, self._put)

    def close(self, *, timeout_seconds: float) -> None:
        """Write the spans of calls that have ended, for so long at most."""
        for writer in self._writers.made():
            writer.close(timeout_seconds=timeout_seconds)

    def _begin(self, call: Call, headers: Mapping[str, str] | None) -> Span:
        return self._outlets.tracer.start_span(
            span_name(call.requested),
            context=None if headers is None else _W3C.extract(headers),
            kind=SpanKind.INTERNAL if headers is None else SpanKind.CLIENT,
            attributes=request_attributes(call),
        )

    def _put(self, ended: EndedCall) -> None:
        self._writers.get().put(ended)

    def _write(self, ended: EndedCall) -> None:
        span, outcome = ended.span, ended.outcome
        try:
            if outcome is not None:
                span.set_attributes(outcome_attributes(outcome))
                span.set_attributes(self._content.span_attributes(outcome))
                events = self._events(outcome)
                self._outlets.emit(events, ended.context, at_nanoseconds=ended.at_nanoseconds)
            if ended.error:
                mark_failed(span, ended.error)
        finally:
            span.end(end_time=ended.at_nanoseconds)

    def _events(self, outcome: Outcome) -> Iterator[TraceEvent]:
        yield from score_events(outcome, self._rules_of(outcome.call.use_case), self._evaluators)
        if (details := self._content.event(outcome)) is not None:
            yield details


class CallInTrace:
    """One span (`ports.CallSpan`). put: has it written once it has ended."""

    __slots__ = ("_context", "_ended", "_put", "_span", "trace_parent")

    def __init__(self, span: Span, put: Callable[[EndedCall], None]) -> None:
        self._span = span
        self._put = put
        self._ended = False
        self.trace_parent = place_of(span)
        self._context = trace.set_span_in_context(span)

    def headers(self, given: Mapping[str, str]) -> Mapping[str, str]:
        """With the place of this span in those of W3C Trace Context."""
        if not self.trace_parent:
            return given
        made = {name: value for name, value in given.items() if name not in _W3C.fields}
        _W3C.inject(made, context=self._context)
        return made

    def current(self) -> AbstractContextManager[object]:
        """A context for one thread or task."""
        return _Current(self._context) if self.trace_parent else _NOTHING

    def end(self, outcome: Outcome | None, *, error: str = "") -> None:
        """Hand it to the thread that writes; what nobody records is over by now."""
        if self._ended:
            return
        self._ended = True
        if self._span.is_recording():
            now = time.time_ns()
            self._put(EndedCall(self._span, self._context, outcome, error, now))


class _Current:
    """While it lasts, a span is the current one."""

    __slots__ = ("_context", "_token")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._token: Token[Context] | None = None

    def __enter__(self) -> None:
        self._token = contexts.attach(self._context)

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            contexts.detach(self._token)
