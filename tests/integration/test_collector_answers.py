"""A collector that answers without end, or one byte after the other."""

from __future__ import annotations

import os
import time

import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult

from guard.telemetry.opentelemetry.collector_session import MOST_BYTES, collector_session
from guard.telemetry.opentelemetry.evaluations import TraceEvent
from guard.telemetry.opentelemetry.sdk import exporting
from tests.servers import PATIENCE_SECONDS
from tests.servers_endless import CHUNKED, HEAD, endless
from tests.servers_otlp import collecting
from tests.servers_upstream import ScriptedUpstream

SETTING = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
CHUNK = b"10000\r\n" + b"x" * 65536 + b"\r\n"
BUFFERED_BYTES = 32 * 2**20
"""What the system may take in for a connection that nobody reads."""


def export(url: str, *, timeout_seconds: float) -> SpanExportResult:
    exporter = OTLPSpanExporter(url, timeout=timeout_seconds, session=collector_session(SETTING))
    span = TracerProvider().get_tracer("tests").start_span("a span")
    span.end()
    assert isinstance(span, ReadableSpan)
    try:
        return exporter.export([span])
    finally:
        exporter.shutdown()


def test_of_an_answer_without_end_a_part_is_read() -> None:
    with endless(CHUNKED, CHUNK) as collector:
        answer = collector_session(SETTING).post(
            collector.url, data=b"{}", timeout=PATIENCE_SECONDS
        )
        assert (answer.status_code, answer.content) == (200, b"x" * MOST_BYTES)
        assert collector.wait_until_left()
        assert collector.sent_bytes < BUFFERED_BYTES
        exported = export(collector.url, timeout_seconds=PATIENCE_SECONDS)
        assert exported is SpanExportResult.SUCCESS


@pytest.mark.parametrize(
    ("begin", "again", "end"),
    [
        (HEAD + b"x-a: ", b"y", SpanExportResult.FAILURE),
        (HEAD, b"x-a: b\r\n", SpanExportResult.FAILURE),
        (CHUNKED, b"1\r\nx\r\n", SpanExportResult.SUCCESS),
    ],
)
def test_an_answer_that_drips_is_left_in_time(
    begin: bytes, again: bytes, end: SpanExportResult
) -> None:
    """Where the status is there, it is known what became of the spans."""
    with endless(begin, again, pause_seconds=0.05) as collector:
        began = time.monotonic()
        assert export(collector.url, timeout_seconds=0.5) is end
        assert time.monotonic() - began < PATIENCE_SECONDS / 2
        assert collector.wait_until_left()


@pytest.mark.parametrize("left_out", ["OTEL_TRACES_EXPORTER", "OTEL_LOGS_EXPORTER"])
def test_the_commands_read_no_more_either(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with endless(CHUNKED, CHUNK) as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv(left_out, "none")
        with exporting(os.environ) as outlets:
            context = trace.set_span_in_context(outlets.tracer.start_span("a span"))
            outlets.emit([TraceEvent(name="an event", attributes={})], context, at_nanoseconds=1)
            trace.get_current_span(context).end()
        assert collector.wait_until_left()
        assert collector.sent_bytes < BUFFERED_BYTES


def test_what_an_answer_says_beside_its_status_cannot_flood_or_colour_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    head = b"HTTP/1.1 400 \x1b[31mred " + b"x" * 40_000 + b"\r\ncontent-length: 0\r\n\r\n"
    with endless(head, b"", pause_seconds=0.05) as collector:
        assert export(collector.url, timeout_seconds=PATIENCE_SECONDS) is SpanExportResult.FAILURE
    assert "[31mred xxx" in caplog.text
    assert "\x1b" not in caplog.text
    assert len(caplog.text) < 1_000


def test_a_connection_is_used_again() -> None:
    with ScriptedUpstream() as server, collector_session(SETTING) as session:
        url = f"{server.base_url}/chat/completions"
        for _ in range(3):
            answer = session.post(url, data=b"{}", timeout=PATIENCE_SECONDS)
            assert answer.json()["choices"]
        assert server.connections == 1
        assert server.headers[0]["accept-encoding"] == "identity"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with collecting(status=status) as collector:
        url = f"{collector.url}/v1/traces"
        assert export(url, timeout_seconds=PATIENCE_SECONDS) is SpanExportResult.FAILURE
        assert collector.requests == 1
    assert f"a redirect ({status}), which is not followed" in caplog.text
    assert SETTING in caplog.text


@pytest.mark.parametrize("said", ["OTEL_EXPORTER_OTLP_ENDPOINT", SETTING])
def test_a_redirect_is_told_once_with_the_setting(
    said: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with collecting(status=307) as collector:
        path = "/v1/traces" if said == SETTING else ""
        monkeypatch.setenv(said, f"{collector.url}{path}")
        monkeypatch.setenv("OTEL_LOGS_EXPORTER", "none")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=a%20key")
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
        with exporting(os.environ) as outlets:
            for count in (1, 2):
                outlets.tracer.start_span("a span").end()
                collector.wait(lambda found, count=count: found.requests == count)
    told = [one for one in caplog.messages if "is sent is lost until" in one]
    assert told == [
        "the collector answers with a redirect (307), which is not followed: what is sent is lost"
        f" until {said} says where it leads"
    ]
    assert "a key" not in caplog.text
