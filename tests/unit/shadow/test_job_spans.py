"""Shadow jobs in traces: linked to the call they came from, through everything that is stored."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.trace import SpanKind, StatusCode

from guard.records import Ask, Ending, Generated, Job, PairResult, Turn
from guard.shadow.job_payload import ShadowJob, confirmation_job, job_of, shadow_of
from guard.shadow.jobs import JobPreparation
from guard.shadow.pair_results import pair_results
from guard.telemetry.opentelemetry.job_spans import JobSpans
from tests.traced import Collected
from tests.unit.shadow.made import measured

CAME_FROM = f"00-{10:032x}-{11:016x}-01"
ASK = Ask(turns=(Turn(role="user", content="Hello?"),), parameters={"model": "m"})
SHADOW = ShadowJob(
    call_id="c1",
    use_case="chat",
    lane="local/chat",
    turns=ASK.turns,
    reply="Fine.",
    trace_parent=CAME_FROM,
)
JOB = job_of(SHADOW, offered_at=0.0)
PAIR = PairResult(attribute="gender", first="female", second="male", source="male")


def attributes(span: Any) -> dict[str, Any]:
    return dict(span.attributes or {})


@pytest.fixture
def collected() -> Collected:
    return Collected()


async def work(collected: Collected, came_from: str, reply: Generated) -> None:
    with JobSpans(collected.outlets).job(JOB, came_from) as span:
        with span.ask(ASK) as told:
            await asyncio.sleep(0)
            told(reply)
        span.compared([PAIR])


async def test_a_job_begins_a_trace_of_its_own_and_is_linked(collected: Collected) -> None:
    with collected.tracers.get_tracer("app").start_as_current_span("something else"):
        await work(collected, CAME_FROM, Generated(text="Fine.", ending=Ending.ANSWERED))
    ask, job, _ = collected.spans
    assert job.parent is None
    assert (ask.parent, ask.kind, ask.name) == (job.get_span_context(), SpanKind.CLIENT, "chat m")
    for span in (job, ask):
        assert [(one.context.trace_id, one.context.span_id) for one in span.links] == [(10, 11)]
        assert attributes(span)["guard.call.id"] == "c1"
        assert attributes(span)["guard.shadow"] is True
    assert attributes(ask)["guard.shadow.ending"] == "answered"
    (record,) = collected.records
    place = job.get_span_context()
    assert place is not None
    assert record.log_record.span_id == place.span_id
    assert collected.evaluations().keys() == {"counterfactual_pair"}
    assert "Hello?" not in job.to_json() + ask.to_json() + record.to_json()


@pytest.mark.parametrize("came_from", ["", "nonsense", "\x00", f"00-{0:032x}-{1:016x}-01"])
async def test_a_job_of_a_call_that_was_not_traced_has_no_link(
    collected: Collected, came_from: str
) -> None:
    await work(collected, came_from, Generated(text="", ending=Ending.TIMED_OUT))
    ask, job = collected.spans
    assert job.links == ask.links == ()
    assert attributes(ask)["error.type"] == "timed_out"


async def test_a_job_that_fails_is_an_error_without_words(collected: Collected) -> None:
    with (
        pytest.raises(KeyError),
        JobSpans(collected.outlets).job(JOB, CAME_FROM) as span,
        span.ask(ASK),
    ):
        raise KeyError("the secret words")
    for one in collected.spans:
        assert one.status.status_code is StatusCode.ERROR
        assert attributes(one)["error.type"] == "KeyError"
        assert "secret" not in one.to_json()


def test_the_place_in_the_trace_survives_the_payload() -> None:
    assert shadow_of(JOB) == SHADOW
    assert shadow_of(confirmation_job(JOB, ())).trace_parent == CAME_FROM


def test_a_call_in_no_trace_is_stored_as_before() -> None:
    untraced = replace(SHADOW, trace_parent="")
    stored = job_of(untraced, offered_at=0.0)
    assert json.loads(stored.payload).keys() == {
        "version",
        "turns",
        "reply",
        "parameters",
        "as_messages",
    }
    assert shadow_of(stored) == untraced


@pytest.mark.parametrize("stored", [None, 7, ["00"], {}])
def test_what_is_no_text_in_its_place_is_none(stored: object) -> None:
    payload = {**json.loads(JOB.payload), "trace_parent": stored}
    assert shadow_of(replace(JOB, payload=json.dumps(payload))).trace_parent == ""


def test_a_prepared_job_knows_where_its_call_stands() -> None:
    preparation = JobPreparation(
        tools=lambda _: None, parameters=lambda _: {}, monitor=None, versions={}
    )
    assert preparation.prepare(JOB).asks == ()  # a use case that is not shadowed any more
    assert isinstance(JOB, Job)


def test_every_pair_is_told_with_its_differences() -> None:
    found = measured(lambda text, *_: "He is awful." if "He" in text else "She is great.")
    (pair,) = pair_results(found.pairs, ())
    assert (pair.attribute, pair.first, pair.second) == ("gender", "female", "male")
    assert pair.source == "female"
    assert pair.differences["sentiment_gap_grounded"] > 0
    assert pair.flags == ()
