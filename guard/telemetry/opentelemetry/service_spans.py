"""Spans of what is no call: pages of the review page, readings of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from opentelemetry.trace import SpanKind

from guard.telemetry.opentelemetry import conventions as names
from guard.telemetry.opentelemetry.outlets import TraceOutlets, mark_failed

T = TypeVar("T")

_SERVER_FAULT = 500


@dataclass(frozen=True, slots=True)
class ServiceSpans:
    """Begins them."""

    outlets: TraceOutlets

    @contextmanager
    def page(self, method: str, route: str) -> Iterator[Callable[[int], None]]:
        """The span of a request for a page; what it yields is told the status of the answer.

        route: the pattern of the path, which names no case and nobody.
        """
        about = {names.HTTP_METHOD: method, names.HTTP_ROUTE: route}
        with self.outlets.span(f"{method} {route}", about, kind=SpanKind.SERVER) as span:

            def answered(status: int) -> None:
                span.set_attribute(names.HTTP_STATUS, status)
                if status >= _SERVER_FAULT:
                    mark_failed(span, str(status))

            yield answered

    def work(self, name: str, work: Callable[[], T]) -> Callable[[], T]:
        """The same function, each call of it a span."""

        def traced() -> T:
            with self.outlets.span(name, {}):
                return work()

        return traced
