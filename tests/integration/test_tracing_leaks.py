"""A collector that is away for thousands of calls: what the process keeps of them is bounded."""

from __future__ import annotations

import gc
import logging
import os
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.sdk._logs import ReadableLogRecord, ReadWriteLogRecord
from opentelemetry.sdk.trace import ReadableSpan

from guard.flow import STRINGS, Flow
from guard.policy import Policy, Rule
from guard.records import Action, Outcome
from guard.telemetry.opentelemetry.call_spans import CallSpans, EndedCall
from guard.telemetry.opentelemetry.content import ContentCapture
from guard.telemetry.opentelemetry.evaluations import Evaluators
from guard.telemetry.opentelemetry.outlets import TraceOutlets
from guard.telemetry.opentelemetry.sdk import exporting
from guard.testing import Recorder, WordScorer
from guard.wrap.callables import WrapOptions, wrap_function
from tests.repeats import repeats
from tests.servers import PATIENCE_SECONDS, free_port
from tests.traced import HEADS

CALLS = repeats(500, soak=10_000)
QUEUED, BATCH = 64, 16
"""What the SDK may keep of spans and of events, and send at once."""
OF_TRACING = (EndedCall, ReadableSpan, ReadableLogRecord, ReadWriteLogRecord)
BLOCK = Rule(score="toxicity", action=Action.BLOCK, threshold=0.9)

pytestmark = pytest.mark.soak


class Forgetful(Recorder):
    """Keeps no outcome, so that only tracing could."""

    def outcome(self, outcome: Outcome) -> None:
        """Counted elsewhere."""


@pytest.fixture
def outlets(monkeypatch: pytest.MonkeyPatch) -> Iterator[TraceOutlets]:
    for name in ("OTEL_BSP", "OTEL_BLRP"):
        monkeypatch.setenv(f"{name}_MAX_QUEUE_SIZE", str(QUEUED))
        monkeypatch.setenv(f"{name}_MAX_EXPORT_BATCH_SIZE", str(BATCH))
        monkeypatch.setenv(f"{name}_SCHEDULE_DELAY", "10")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    with exporting(os.environ) as found:
        yield found


def kept() -> Counter[str]:
    """What is alive of spans and events."""
    gc.collect()
    return Counter(type(one).__name__ for one in gc.get_objects() if isinstance(one, OF_TRACING))


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_nothing_leaks_while_the_collector_is_away(
    outlets: TraceOutlets, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, logger="opentelemetry")
    failed, before = Counter[str](), kept()
    tracer = CallSpans(
        outlets,
        evaluators=Evaluators(heads=HEADS, first="words 1", second=""),
        rules_of=lambda _: (BLOCK,),
        content=ContentCapture.parse("", kept=str),
        failed=lambda kind: failed.update([kind]),
    )
    flow = Flow(
        scorer=WordScorer({"toxicity": {"nasty": 0.95}}),
        observer=Forgetful(),
        policy_of=lambda _: Policy(rules=(BLOCK,), fallback="No."),
        clock=lambda: 0.0,
        new_id=lambda: "c1",
        tracer=tracer,
    )
    options = WrapOptions(flow=flow, use_case="chat", codec=STRINGS)
    ask = wrap_function(lambda text: text, options)
    for _ in range(QUEUED):
        ask("fine")
    tracer.close(timeout_seconds=PATIENCE_SECONDS)
    threads, open_files = threading.active_count(), descriptors()
    for number in range(CALLS):
        assert ask(f"{number} nasty" if number % 2 else f"{number} fine")
    tracer.close(timeout_seconds=PATIENCE_SECONDS)
    alive = kept() - before
    assert alive["EndedCall"] == 0
    assert alive["_Span"] == 0
    assert 0 < alive["ReadableSpan"] <= QUEUED + BATCH
    assert alive["ReadWriteLogRecord"] <= QUEUED + BATCH
    assert 0 < alive["ReadableLogRecord"] <= QUEUED + BATCH
    assert threading.active_count() <= threads
    assert descriptors() <= open_files + 2
    assert failed.keys() <= {"SpanWriter"}
