"""What the commands send to a collector over OTLP, and how they bear one that is at fault."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import guard
from tests.integration.gateway_cases import CHAT, SECRET, post
from tests.servers import free_port
from tests.servers_gateway import Gateway
from tests.servers_otlp import Collector, Received, collecting
from tests.servers_upstream import Exchange, ScriptedUpstream

CLIENTS = f"00-{10:032x}-{11:016x}-01"
PROMPT = "My sister asked about her loan. Please write to her."
PATIENCE_SECONDS = 60.0
SETTINGS = """
store: {{url: "sqlite:///{folder}/store.db", spool: "{folder}/spool"}}
upstreams:
  scripted: {{base_url: "{base_url}"}}
gateway: {{port: 0, upstream: scripted, metrics: {{port: 0}}}}
use_cases:
  chat:
    mode: enforce
    shadow: {{share: 1.0, attributes: [gender], max_variants: 1, confirmations: 0}}
"""
BODY: dict[str, Any] = {
    "model": "scripted-1",
    "messages": [{"role": "user", "content": PROMPT}],
}
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def streams(text: str) -> Any:
    """A behaviour of the upstream: this text as a stream of words."""

    def behave(exchange: Exchange) -> None:
        exchange.begin(200, {"content-type": "text/event-stream", "connection": "close"})
        for word in text.split(" "):
            choice = {"index": 0, "delta": {"content": word + " "}, "finish_reason": None}
            exchange.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
        exchange.write(b"data: [DONE]\n\n")
        exchange.hang_up()

    return behave


@contextmanager
def command(*words: str, folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """A command that runs until it is stopped; its first line."""
    running = subprocess.Popen(
        [sys.executable, "-m", "guard", *words],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, **environment},
    )
    assert running.stdout is not None
    try:
        yield running.stdout.readline()
    finally:
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=PATIENCE_SECONDS)


def open_metrics(gateway: Gateway) -> str:
    wanted = urllib.request.Request(
        gateway.at("metrics"), headers={"accept": "application/openmetrics-text; version=1.0.0"}
    )
    with urllib.request.urlopen(wanted, timeout=PATIENCE_SECONDS) as answer:
        return str(answer.read().decode())


def named(received: list[Received], name: str) -> list[Received]:
    return [one for one in received if one.what.name == name]


def test_a_blocked_stream_and_its_shadow_as_a_collector_receives_them(tmp_path: Path) -> None:
    """The client's trace goes on to the model, and a link leads from the shadow to the call."""
    with ScriptedUpstream() as upstream, collecting() as collector:
        settings = SETTINGS.format(folder=tmp_path, base_url=upstream.base_url)
        environment = collector.environment(**{CAPTURE: "span_and_event"})
        upstream.next(streams(f"All is well. {SECRET} {SECRET} I mean it. So there."))
        with Gateway(tmp_path, settings, environment=environment) as gateway:
            url = gateway.base_url("chat") + CHAT
            blocked = post(url, {**BODY, "stream": True}, traceparent=CLIENTS)
            assert post(url, BODY, traceparent=CLIENTS).status == 200
            collector.wait(lambda it: len(it.spans) >= 2)
            exposed = open_metrics(gateway)
        lived = len(upstream.asked)
        with command(
            "shadow",
            *("--settings", str(tmp_path / "guard.yaml")),
            folder=tmp_path,
            environment=environment,
        ):
            collector.wait(lambda it: len(named(it.spans, "guard shadow")) >= 1)
            collector.wait(lambda it: _pairs(it) != [])
    assert "idiot" not in blocked.body.decode()
    calls = named(collector.spans, "chat scripted-1")[:2]
    first = next(one for one in calls if one.attributes.get("gen_ai.request.stream"))
    _check_blocked_call(first, collector)
    assert len(calls) == lived == 2
    for call in calls:
        assert call.what.trace_id.hex() == f"{10:032x}"
        assert call.what.parent_span_id.hex() == f"{11:016x}"
        assert call.what.kind == call.what.SPAN_KIND_CLIENT
        assert call.resource["service.name"] == "evenguard"
        assert call.scope == ("evenguard", guard.__version__)
        assert call.what.span_id.hex() in exposed
    assert {one["traceparent"].split("-")[2] for one in upstream.headers[:lived]} == {
        call.what.span_id.hex() for call in calls
    }
    _check_shadow(collector, {call.attributes["guard.call.id"]: call for call in calls})


def _check_blocked_call(call: Received, collector: Collector) -> None:
    found = call.attributes
    assert found["gen_ai.operation.name"] == "chat"
    assert found["gen_ai.request.model"] == "scripted-1"
    assert found["gen_ai.response.finish_reasons"] == ["content_filter"]
    assert (found["guard.verdict"], found["guard.use_case"]) == ("blocked", "chat")
    assert PROMPT in found["gen_ai.input.messages"]
    assert "well" in found["gen_ai.output.messages"]
    events = [one for one in collector.records if one.what.span_id == call.what.span_id]
    assert {one.what.event_name for one in events} == {
        "gen_ai.evaluation.result",
        "gen_ai.client.inference.operation.details",
    }
    toxicity = next(
        one.attributes
        for one in events
        if one.attributes.get("gen_ai.evaluation.name") == "toxicity"
    )
    assert toxicity["gen_ai.evaluation.score.label"] == "fail"
    assert toxicity["guard.evaluator"]
    said = str(call.what) + "".join(str(one.what) for one in events)
    assert "idiot" not in said
    assert SECRET.split()[-1] not in said


def _pairs(collector: Collector) -> list[Received]:
    return [one for one in collector.records if "guard.pair.attribute" in one.attributes]


def _check_shadow(collector: Collector, calls: dict[str, Received]) -> None:
    job = named(collector.spans, "guard shadow")[0]
    call = calls[job.attributes["guard.call.id"]]
    (link,) = job.what.links
    assert (link.trace_id, link.span_id) == (call.what.trace_id, call.what.span_id)
    assert job.what.trace_id != call.what.trace_id
    asks = [one for one in collector.spans if one.what.parent_span_id == job.what.span_id]
    assert asks
    assert {one.attributes["guard.shadow"] for one in asks} == {True}
    pair = _pairs(collector)[0]
    assert pair.attributes["guard.pair.groups"] == ["female", "male"]
    assert pair.what.trace_id in {
        one.what.trace_id for one in named(collector.spans, "guard shadow")
    }


@pytest.mark.parametrize(
    ("words", "path", "span"),
    [
        (("exporter", "--port", "0"), "", "guard readings"),
        (("review", "serve", "--port", "0"), "sign-in", "GET /sign-in"),
    ],
)
def test_the_other_services_export_what_they_do(
    tmp_path: Path, words: tuple[str, ...], path: str, span: str
) -> None:
    store = ("--store", f"sqlite:///{tmp_path}/store.db")
    with (
        collecting() as collector,
        command(*words, *store, folder=tmp_path, environment=collector.environment()) as line,
    ):
        with urllib.request.urlopen(line.split()[-1] + path, timeout=PATIENCE_SECONDS) as answer:
            assert answer.status == 200
        collector.wait(lambda it: named(it.spans, span) != [])
    assert collector.records == []


@pytest.mark.parametrize("fault", ["away", "silent", "failing"])
def test_a_collector_at_fault_holds_up_no_call_and_no_end(tmp_path: Path, fault: str) -> None:
    with (
        ScriptedUpstream() as upstream,
        collecting(status=500 if fault == "failing" else 200, held=fault == "silent") as collector,
    ):
        settings = SETTINGS.format(folder=tmp_path, base_url=upstream.base_url)
        environment = collector.environment()
        if fault == "away":
            environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = f"http://127.0.0.1:{free_port()}"
        with Gateway(tmp_path, settings, environment=environment) as gateway:
            url = gateway.base_url("chat") + CHAT
            assert {post(url, BODY).status for _ in range(20)} == {200}
            if fault != "away":
                collector.wait(lambda it: it.requests > 0)
            ending = time.monotonic()
        assert time.monotonic() - ending < PATIENCE_SECONDS / 2
    assert len(upstream.asked) == 20


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER: 'zipkin' is none of otlp"),
        (
            {"OTEL_LOGS_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL: only http/protobuf is spoken",
        ),
    ],
)
def test_what_cannot_be_exported_is_one_clear_error(
    tmp_path: Path, environment: dict[str, str], message: str
) -> None:
    settings = tmp_path / "guard.yaml"
    settings.write_text(SETTINGS.format(folder=tmp_path, base_url="http://127.0.0.1:9/v1"))
    done = subprocess.run(
        [sys.executable, "-m", "guard", "shadow", "--settings", str(settings)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **environment},
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
