"""Guarded calls as spans of a real SDK: where they stand, what they carry, what they never do."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode

from guard.flow import STRINGS, Flow
from guard.policy import Policy, Rule
from guard.records import Action, Call
from guard.telemetry.metrics import Metrics
from guard.telemetry.opentelemetry.call_spans import CallSpans
from guard.telemetry.opentelemetry.outlets import TraceOutlets
from guard.telemetry.opentelemetry.service_spans import ServiceSpans
from guard.telemetry.opentelemetry.span_writer import MOST_CHARACTERS, MOST_WAITING, SpanWriter
from guard.telemetry.opentelemetry.trace_parent import TraceParent
from guard.testing import Recorder, WordScorer
from guard.wrap.callables import WrapOptions, wrap_function
from tests.traced import Collected, place

BLOCK = Rule(score="toxicity", action=Action.BLOCK, threshold=0.9)
SCORER = WordScorer({"toxicity": {"nasty": 0.95}, "sentiment": {"fine": 0.8}})


def guarded(fn: Any, tracer: CallSpans, seen: Recorder | None = None) -> Any:
    flow = Flow(
        scorer=SCORER,
        observer=seen or Recorder(),
        policy_of=lambda _: Policy(rules=(BLOCK,), fallback="No."),
        clock=lambda: 0.0,
        new_id=lambda: "c1",
        tracer=tracer,
    )
    return wrap_function(fn, WrapOptions(flow=flow, use_case="chat", codec=STRINGS))


@pytest.fixture
def collected() -> Collected:
    return Collected()


def inside() -> str:
    """Where the code that runs stands in a trace."""
    found = trace.get_current_span().get_span_context()
    return f"{found.trace_id:032x}-{found.span_id:016x}"


class Model:
    """A model in each of its four forms, that notes in which span it was asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.seen: list[str] = []

    def plain(self, _: str) -> str:
        self.seen.append(inside())
        return self.text

    async def coroutine(self, _: str) -> str:
        await asyncio.sleep(0)
        self.seen.append(inside())
        return self.text

    def generator(self, _: str) -> Iterator[str]:
        for word in self.text.split(" "):
            self.seen.append(inside())
            yield word + " "

    async def async_generator(self, _: str) -> AsyncIterator[str]:
        for word in self.text.split(" "):
            await asyncio.sleep(0)
            self.seen.append(inside())
            yield word + " "


async def finish(ask: Any) -> str:
    """The reply of a function in any form."""
    reply = ask("Hello?")
    if hasattr(reply, "__await__"):
        return str(await reply)
    if hasattr(reply, "__aiter__"):
        return "".join([piece async for piece in reply])
    return reply if isinstance(reply, str) else "".join(reply)


FORMS = ("plain", "coroutine", "generator", "async_generator")


@pytest.mark.parametrize("form", FORMS)
async def test_a_call_is_a_child_of_the_current_span_and_the_model_runs_inside(
    collected: Collected, form: str
) -> None:
    model = Model("all fine")
    ask = guarded(getattr(model, form), collected.calls(BLOCK))
    with collected.tracers.get_tracer("app").start_as_current_span("app") as app:
        before = inside()
        assert (await finish(ask)).strip() == "all fine"
        assert inside() == before
    call = next(one for one in collected.spans if one.name == "chat")
    assert call.kind is SpanKind.INTERNAL
    assert call.parent == app.get_span_context()
    assert set(model.seen) == {place(call)[3:-3]}
    assert inside() == f"{0:032x}-{0:016x}"


@pytest.mark.parametrize("form", FORMS)
async def test_a_blocked_call_says_so_and_is_no_error(collected: Collected, form: str) -> None:
    model = Model("so nasty")
    reply = await finish(guarded(getattr(model, form), collected.calls(BLOCK)))
    assert "nasty" not in reply
    span = collected.span
    assert dict(span.attributes or {})["guard.verdict"] == "blocked"
    assert span.status.status_code is StatusCode.UNSET
    assert collected.evaluations()["toxicity"]["gen_ai.evaluation.score.label"] == "fail"


@pytest.mark.parametrize("form", FORMS)
async def test_a_model_that_raises_is_an_error_without_its_words(
    collected: Collected, form: str
) -> None:
    async def broken_async(_: str) -> str:
        raise KeyError("the secret words")

    def broken_generator(_: str) -> Iterator[str]:
        yield from ()
        raise KeyError("the secret words")

    async def broken_async_generator(_: str) -> AsyncIterator[str]:
        if inside():
            raise KeyError("the secret words")
        yield ""

    def broken(_: str) -> str:
        raise KeyError("the secret words")

    functions = (broken, broken_async, broken_generator, broken_async_generator)
    ask = guarded(dict(zip(FORMS, functions, strict=True))[form], collected.calls(BLOCK))
    with pytest.raises(KeyError):
        await finish(ask)
    span = collected.span
    assert span.status.status_code is StatusCode.ERROR
    assert dict(span.attributes or {})["error.type"] == "KeyError"
    assert "secret" not in span.to_json()


def test_events_are_log_records_on_the_span(collected: Collected) -> None:
    guarded(Model("all fine").plain, collected.calls(BLOCK))("Hello?")
    span = collected.span.get_span_context()
    assert span is not None
    records = [one.log_record for one in collected.records]
    assert {one.event_name for one in records} == {"gen_ai.evaluation.result"}
    assert {one.trace_id for one in records} == {span.trace_id}
    assert {one.span_id for one in records} == {span.span_id}
    assert collected.evaluations().keys() == {"toxicity", "stereotype", "sentiment"}
    scope = collected.records[0].instrumentation_scope
    assert scope is not None
    assert (scope.name, dict(scope.attributes or {})) == (
        "evenguard",
        {"guard.conventions.version": "0.1.0", "guard.conventions.status": "development"},
    )


@pytest.mark.parametrize("capture", ["", "true", "event_only"])
def test_texts_only_where_they_are_asked_for(collected: Collected, capture: str) -> None:
    guarded(Model("all fine").plain, collected.calls(BLOCK, capture=capture))("Hello?")
    said = collected.span.to_json() + "".join(one.to_json() for one in collected.records)
    assert ("Hello?" in said) is bool(capture)
    assert ("all fine" in said) is bool(capture)


def test_what_was_withheld_is_nowhere(collected: Collected) -> None:
    calls = collected.calls(BLOCK, capture="span_and_event")
    assert guarded(Model("so nasty").plain, calls)("Hello?") == "No."
    said = collected.span.to_json() + "".join(one.to_json() for one in collected.records)
    assert "Hello?" in said
    assert "nasty" not in said


def test_the_record_of_a_call_knows_its_place_in_the_trace(collected: Collected) -> None:
    seen = Recorder()
    guarded(Model("all fine").plain, collected.calls(BLOCK), seen)("Hello?")
    found = seen.outcomes[0].call.trace_parent
    assert found == place(collected.span) == str(TraceParent.parse(found))


def test_what_is_not_sampled_has_no_events_and_passes_its_place_on() -> None:
    collected, seen, model = Collected(sampler=ALWAYS_OFF), Recorder(), Model("all fine")
    guarded(model.plain, collected.calls(BLOCK), seen)("Hello?")
    assert collected.spans == []
    assert collected.records == []
    assert int(seen.outcomes[0].call.trace_parent[-2:], 16) & 1 == 0
    assert model.seen[0] in seen.outcomes[0].call.trace_parent


def test_without_an_sdk_nothing_is_done() -> None:
    """The API package alone: no span has a place, nothing is written, no thread begins."""
    failed: list[str] = []
    outlets = TraceOutlets.of(trace.NoOpTracerProvider(), None)
    tracer = Collected().calls()
    tracer = CallSpans(
        outlets,
        evaluators=tracer._evaluators,
        rules_of=lambda _: (),
        content=tracer._content,
        failed=failed.append,
    )
    seen, model = Recorder(), Model("all fine")
    assert guarded(model.plain, tracer, seen)("Hello?") == "all fine"
    assert seen.outcomes[0].call.trace_parent == ""
    span = tracer.begin(Call(id="", use_case="chat"), {"accept": "*/*"})
    assert span.headers({"accept": "*/*"}) == {"accept": "*/*"}
    assert tracer._writers.made() == ()
    assert failed == []


class Broken(SpanProcessor):
    """A processor of an application that fails wherever it can."""

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        raise OSError("no")

    def on_end(self, span: ReadableSpan) -> None:
        raise OSError("no")


def test_an_sdk_that_fails_reaches_no_caller() -> None:
    collected = Collected(processor=Broken())
    assert guarded(Model("all fine").plain, collected.calls(BLOCK))("Hello?") == "all fine"
    assert collected.failed == ["OSError"]


class Interrupted(SpanProcessor):
    """One that a signal interrupts."""

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        signal.raise_signal(signal.SIGALRM)


def test_what_the_handler_of_a_signal_raises_meanwhile_reaches_the_caller() -> None:
    def handler(*_: object) -> None:
        raise TimeoutError

    collected, before = Collected(processor=Interrupted()), signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(TimeoutError):
            guarded(Model("all fine").plain, collected.calls(BLOCK))("Hello?")
    finally:
        signal.signal(signal.SIGALRM, before)
    assert collected.failed == []


class BrokenAtTheEnd(Broken):
    """One that fails once a span has ended."""

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """Nothing is wrong yet."""


def test_an_exporter_that_fails_is_counted() -> None:
    collected = Collected(processor=BrokenAtTheEnd())
    assert guarded(Model("all fine").plain, collected.calls(BLOCK))("Hello?") == "all fine"
    assert collected.spans == []
    assert collected.failed == ["OSError"]


def test_a_span_ends_once(collected: Collected) -> None:
    span = collected.calls().begin(Call(id="", use_case="chat"))
    span.end(None, error="timeout")
    span.end(None)
    assert dict(collected.span.attributes or {})["error.type"] == "timeout"


def test_above_its_bound_the_writer_drops_and_counts_instead_of_waiting() -> None:
    failed, written = list[str](), list[int]()
    writer = SpanWriter[int](written.append, failed.append)
    writer._start = lambda: None  # type: ignore[method-assign]  # nobody takes anything out
    for number in range(MOST_WAITING + 3):
        writer.put(number)
    assert failed == ["SpanWriter"] * 3
    assert written == []


def test_the_texts_of_what_waits_are_bounded_too() -> None:
    failed, written = list[str](), list[int]()
    writer = SpanWriter[int](written.append, failed.append, lambda characters: characters)
    start, writer._start = writer._start, lambda: None  # type: ignore[method-assign]
    for characters in (2 * MOST_CHARACTERS, 1, 0):  # one alone may be as long as it likes
        writer.put(characters)
    assert failed == ["SpanWriter"] * 2
    start()
    writer.close(timeout_seconds=20.0)
    writer._start = start  # type: ignore[method-assign]
    writer.put(MOST_CHARACTERS)
    writer.close(timeout_seconds=20.0)
    assert written == [2 * MOST_CHARACTERS, MOST_CHARACTERS]


def test_without_a_thread_nobody_is_disturbed_and_the_next_span_tries_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    failed, written = list[str](), list[int]()
    writer = SpanWriter[int](written.append, failed.append)
    with monkeypatch.context() as none_left:
        none_left.setattr(threading.Thread, "start", refuse)
        writer.put(1)
    assert (failed, written) == (["RuntimeError"], [])
    writer.put(2)
    writer.close(timeout_seconds=20.0)
    assert written == [1, 2]


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, ValueError])
def test_nothing_that_a_processor_raises_ends_the_writer(error: type[BaseException]) -> None:
    failed, written = list[str](), list[int]()

    def write(number: int) -> None:
        if number == 1:
            raise error
        written.append(number)

    writer = SpanWriter[int](write, failed.append)
    writer.put(1)
    writer.put(2)
    writer.close(timeout_seconds=20.0)
    assert (failed, written) == ([error.__name__], [2])


def test_a_closed_writer_begins_anew() -> None:
    written: list[int] = []
    writer = SpanWriter[int](written.append, lambda _: None)
    for number in range(3):
        writer.put(number)
        writer.close(timeout_seconds=20.0)
    assert written == [0, 1, 2]


def test_open_metrics_lead_to_the_trace(collected: Collected) -> None:
    metrics = Metrics(rules_of=lambda _: (BLOCK,))
    flow_seen = Recorder()
    guarded(Model("all fine").plain, collected.calls(BLOCK), flow_seen)("Hello?")
    metrics.outcome(flow_seen.outcomes[0])
    trace_id = place(collected.span).split("-")[1]
    body, _ = metrics.expose("application/openmetrics-text; version=1.0.0")
    lines = [line for line in body.decode().splitlines() if f'trace_id="{trace_id}"' in line]
    assert {line.partition("{")[0] for line in lines} == {
        "guard_calls_total",
        "guard_added_seconds_bucket",
        "guard_policy_score_bucket",
    }
    plain, _ = metrics.expose("text/plain")
    assert trace_id not in plain.decode()


@pytest.mark.parametrize(("status", "code"), [(200, StatusCode.UNSET), (503, StatusCode.ERROR)])
def test_a_page_is_a_span_by_its_route(collected: Collected, status: int, code: StatusCode) -> None:
    with ServiceSpans(collected.outlets).page("GET", "/cases/{id}") as answered:
        answered(status)
    span = collected.span
    assert (span.name, span.kind, span.status.status_code) == (
        "GET /cases/{id}",
        SpanKind.SERVER,
        code,
    )
    found = dict(span.attributes or {})
    assert (found["http.route"], found["http.response.status_code"]) == ("/cases/{id}", status)


def test_work_is_a_span_each_time(collected: Collected) -> None:
    work = ServiceSpans(collected.outlets).work("guard readings", lambda: 7)
    assert (work(), work()) == (7, 7)
    assert [one.name for one in collected.spans] == ["guard readings"] * 2


def test_a_span_that_ends_while_the_thread_of_the_writer_begins_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one does that a collection of garbage ends, on the same thread."""
    written = list[int]()
    writer = SpanWriter[int](written.append, pytest.fail)
    start = threading.Thread.start

    def start_late(self: threading.Thread) -> None:
        if self.name == "guard-spans":
            writer.put(2)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", start_late)
    putting = threading.Thread(target=writer.put, args=(1,), daemon=True)
    putting.start()
    putting.join(10)
    assert not putting.is_alive()
    writer.close(timeout_seconds=10)
    assert written == [1, 2]
