"""Which traces calls and shadow jobs are in: the application's, or those that a command exports."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from guard.bootstrap.review import kept_text
from guard.bootstrap.scorers import classifier_version
from guard.bootstrap.second_look import second_version
from guard.flow import Untraced
from guard.policy import Rule
from guard.ports import CallTracer, Scorer
from guard.scoring import ScoringEngine
from guard.settings import Settings
from guard.shadow.job_span import JobTracer, UntracedJob
from guard.telemetry.opentelemetry import conventions
from guard.telemetry.opentelemetry.content import ContentCapture
from guard.telemetry.opentelemetry.evaluations import Evaluators

if TYPE_CHECKING:
    from guard.telemetry.opentelemetry.call_spans import CallSpans
    from guard.telemetry.opentelemetry.outlets import TraceOutlets

T = TypeVar("T")
PageSpan: TypeAlias = Callable[[str, str], AbstractContextManager[Callable[[int], object]]]
"""Method and route to a context that gives what is to be told the status of the answer."""

EXTRA: Final = "otel"
_log = logging.getLogger("guard.telemetry")
_DESTINATIONS: Final = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
    "OTEL_TRACES_EXPORTER",
    "OTEL_LOGS_EXPORTER",
)
"""Variables of which one at least must be set for a command to export anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """The tracers of one runtime. spans: what has to be written before it closes."""

    calls: CallTracer = field(default_factory=Untraced)
    jobs: JobTracer = field(default_factory=UntracedJob)
    spans: CallSpans | None = None

    def close(self, *, drain_seconds: float) -> None:
        """Write the spans of calls that have ended."""
        if self.spans is not None:
            self.spans.close(timeout_seconds=drain_seconds)


def application_outlets() -> TraceOutlets | None:
    """Those of the SDK that the application sets up, now or later; None without the API package."""
    try:
        from guard.telemetry.opentelemetry.outlets import TraceOutlets  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        return None
    return TraceOutlets.of()


def open_tracing(
    settings: Settings,
    outlets: TraceOutlets | None,
    *,
    scorers: tuple[ScoringEngine, Scorer | None],
    rules_of: Callable[[str], Sequence[Rule]],
    failed: Callable[[str], None],
) -> Tracing:
    """The tracers for a guard. scorers: the first, and that of second looks. outlets: None is
    nowhere. failed: told the kind of what an SDK raised."""
    if outlets is None:
        return Tracing()
    from guard.telemetry.opentelemetry.call_spans import CallSpans  # noqa: PLC0415 - an extra

    first, second = scorers
    spans = CallSpans(
        outlets,
        evaluators=Evaluators(
            heads=first.heads,
            first=classifier_version(settings.scoring),
            second=second_version(settings.scoring, second).get("second_look", ""),
        ),
        rules_of=rules_of,
        content=ContentCapture.parse(
            os.environ.get(conventions.CAPTURE_VARIABLE, ""), kept=kept_text(settings.review)
        ),
        failed=failed,
    )
    return Tracing(calls=spans, jobs=job_tracer(outlets), spans=spans)


def job_tracer(outlets: TraceOutlets | None) -> JobTracer:
    """The tracer of shadow jobs. outlets: None is nowhere."""
    if outlets is None:
        return UntracedJob()
    from guard.telemetry.opentelemetry.job_spans import JobSpans  # noqa: PLC0415 - an extra

    return JobSpans(outlets)


def page_spans(outlets: TraceOutlets | None) -> PageSpan:
    """A context around a request for a page. outlets: None is nowhere."""
    if outlets is None:
        return lambda _method, _route: nullcontext(lambda _: None)
    from guard.telemetry.opentelemetry.service_spans import ServiceSpans  # noqa: PLC0415 - an extra

    return ServiceSpans(outlets).page


def traced_work(outlets: TraceOutlets | None, name: str, work: Callable[[], T]) -> Callable[[], T]:
    """The same function, each call of it a span. outlets: None is nowhere."""
    if outlets is None:
        return work
    from guard.telemetry.opentelemetry.service_spans import ServiceSpans  # noqa: PLC0415 - an extra

    return ServiceSpans(outlets).work(name, work)


@contextmanager
def command_outlets(environment: Mapping[str, str]) -> Iterator[TraceOutlets | None]:
    """For a command that runs until it is stopped: exported as the `OTEL_*` variables say.

    None where none of them says where to, where OTEL_SDK_DISABLED is true, or without the extra,
    which is logged. Raises SettingsError.
    """
    wanted = next((name for name in _DESTINATIONS if environment.get(name)), "")
    if not wanted or environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        yield None
        return
    try:
        from guard.telemetry.opentelemetry.sdk import exporting  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        remedy = f"pip install 'evenguard[{EXTRA}]'"
        _log.warning(
            "%s is set, but nothing is exported: %s is missing: %s", wanted, error.name, remedy
        )
        yield None
        return
    with exporting(environment) as outlets:
        yield outlets
