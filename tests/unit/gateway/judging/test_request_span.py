"""The gateway's span: around the request to the upstream, within the client's trace."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.trace import SpanKind, StatusCode

from guard.errors import TimedOut
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging import reply_to
from guard.gateway.request import Operation
from guard.policy import Hold
from guard.records import Action
from guard.testing import Recorder
from tests.traced import Collected, place
from tests.unit.gateway.judging.fake import (
    BLOCK,
    Scripted,
    ScriptedClient,
    ask,
    asked,
    flow_of,
    rule,
    stream,
    whole,
)

CLIENTS = {"traceparent": f"00-{10:032x}-{11:016x}-01", "tracestate": "vendor=1", "accept": "*/*"}
BODY: dict[str, Any] = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello?"}]}
NASTY = "That was nasty."


def completion(*texts: str, reason: str = "stop") -> Any:
    choices = [
        {
            "index": number,
            "message": {"role": "assistant", "content": text},
            "finish_reason": reason,
        }
        for number, text in enumerate(texts)
    ]
    return {"id": "x", "object": "chat.completion", "model": "gpt-4o", "choices": choices}


def chunk(text: str, reason: str | None = None) -> Any:
    delta = {"content": text} if text else {}
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "x", "object": "chat.completion.chunk", "model": "gpt-4o", "choices": [choice]}


@pytest.fixture
def collected() -> Collected:
    return Collected()


def attributes(span: Any) -> dict[str, Any]:
    return dict(span.attributes or {})


async def test_the_span_of_the_call_is_the_clients_span_around_the_upstream(
    collected: Collected,
) -> None:
    calls = collected.calls(*BLOCK.rules)
    seen = await ask(BODY, whole(completion("Fine.")), tracer=calls, headers=CLIENTS)
    span = collected.span
    assert (span.name, span.kind) == ("chat gpt-4o", SpanKind.CLIENT)
    assert span.parent is not None
    assert (span.parent.trace_id, span.parent.span_id) == (10, 11)
    found = attributes(span)
    assert found["gen_ai.operation.name"] == "chat"
    assert found["gen_ai.provider.name"] == "openai"
    assert found["gen_ai.response.finish_reasons"] == ("stop",)
    assert (found["server.address"], found["server.port"]) == ("model", 80)
    assert found["guard.call.id"] == seen.headers["x-guard-call-id"]
    assert found["guard.verdict"] == "released"
    assert seen.recorder.outcomes[0].call.trace_parent == place(span)
    (given,) = seen.client.given
    assert given == {"accept": "*/*", "traceparent": place(span), "tracestate": "vendor=1"}


async def test_untraced_requests_pass_the_clients_place_on() -> None:
    seen = await ask(BODY, whole(completion("Fine.")), headers=CLIENTS)
    assert seen.client.given == [CLIENTS]


async def test_a_blocked_stream(collected: Collected) -> None:
    policy = replace(BLOCK, hold=Hold.SENTENCE)
    events = [
        chunk(word + " ")
        for word in f"All is well. {NASTY} And on. And again. And so on. The end.".split(" ")
    ]
    seen = await ask(
        {**BODY, "stream": True},
        stream(*events, chunk("", "stop")),
        policy=policy,
        tracer=collected.calls(*policy.rules, capture="span_and_event"),
    )
    found = attributes(collected.span)
    assert b"nasty" not in seen.body
    assert found["guard.verdict"] == "blocked"
    assert found["gen_ai.request.stream"] is True
    assert found["gen_ai.response.finish_reasons"] == ("content_filter",)
    assert "nasty" not in collected.span.to_json()
    assert collected.evaluations()["toxicity"]["gen_ai.evaluation.score.label"] == "fail"


async def test_several_replies_are_children_of_the_request(collected: Collected) -> None:
    await ask(
        {**BODY, "n": 2},
        whole(completion("Fine.", NASTY)),
        tracer=collected.calls(*BLOCK.rules),
        headers=CLIENTS,
    )
    *calls, request = collected.spans
    assert request.kind is SpanKind.CLIENT
    assert attributes(request)["gen_ai.request.choice.count"] == 2
    assert [one.parent for one in calls] == [request.get_span_context()] * 2
    assert {one.kind for one in calls} == {SpanKind.INTERNAL}
    assert {attributes(one)["guard.verdict"] for one in calls} == {"released", "blocked"}
    assert "guard.verdict" not in attributes(request)


async def test_a_reply_that_is_asked_for_again_is_within_the_same_span(
    collected: Collected,
) -> None:
    policy = replace(BLOCK, rules=rule(Action.REGENERATE), regenerations=1)
    answers = whole(completion(NASTY)), whole(completion("Fine."))
    seen = await ask(BODY, *answers, policy=policy, tracer=collected.calls(*policy.rules))
    assert attributes(collected.span)["guard.attempts"] == 2
    assert {one["traceparent"] for one in seen.client.given} == {place(collected.span)}


@pytest.mark.parametrize("status", [400, 429, 500])
async def test_an_error_of_the_upstream(collected: Collected, status: int) -> None:
    error = whole({"error": {"message": "no"}}, status=status)
    await ask(BODY, error, tracer=collected.calls())
    assert collected.span.status.status_code is StatusCode.ERROR
    assert attributes(collected.span)["error.type"] == str(status)


async def test_an_upstream_that_does_not_answer(collected: Collected) -> None:
    with pytest.raises(TimedOut):
        await ask(BODY, TimedOut("late"), tracer=collected.calls())
    assert attributes(collected.span)["error.type"] == "TimedOut"


async def test_an_answer_that_cannot_be_read(collected: Collected) -> None:
    with pytest.raises(Exception, match="none of"):
        await ask(BODY, Scripted([b"nonsense"]), tracer=collected.calls())
    assert attributes(collected.span)["error.type"] == "Broken"


async def test_a_client_that_leaves(collected: Collected) -> None:
    class Hanging(ScriptedClient):
        def send(self, *args: Any, **kwargs: Any) -> Any:
            raise asyncio.CancelledError

    flow = flow_of(BLOCK, Recorder(), tracer=collected.calls())
    with pytest.raises(asyncio.CancelledError):
        await reply_to(asked(BODY, Hanging(())), flow)
    assert attributes(collected.span)["error.type"] == "CancelledError"


async def test_a_request_that_is_refused_has_no_span(collected: Collected) -> None:
    with pytest.raises(RefusedRequest):
        await ask({**BODY, "n": 0}, tracer=collected.calls())
    assert collected.spans == []


async def test_a_use_case_that_is_off_is_traced_and_unscored(collected: Collected) -> None:
    policy = replace(BLOCK, off=True)
    await ask(BODY, whole(completion("Fine.")), policy=policy, tracer=collected.calls())
    found = attributes(collected.span)
    assert (found["guard.verdict"], found["guard.coverage"]) == ("unscored", "none")
    assert collected.records == []


async def test_the_responses_api_tells_of_its_conversation(collected: Collected) -> None:
    answer = {
        "id": "r",
        "object": "response",
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Fine."}],
            }
        ],
    }
    body = {"model": "gpt-4o", "input": "Hello?", "conversation": {"id": "conv_1"}}
    await ask(body, whole(answer), operation=Operation.RESPONSES, tracer=collected.calls())
    found = attributes(collected.span)
    assert found["gen_ai.conversation.id"] == "conv_1"
    assert found["gen_ai.response.finish_reasons"] == ("max_output_tokens",)


async def test_a_completion_is_an_operation_of_its_own(collected: Collected) -> None:
    answer = {"choices": [{"index": 0, "text": "Fine.", "finish_reason": "length"}]}
    body = {"model": "old", "prompt": "Hello?"}
    await ask(body, whole(answer), operation=Operation.COMPLETIONS, tracer=collected.calls())
    found = attributes(collected.span)
    assert found["gen_ai.operation.name"] == "text_completion"
    assert found["gen_ai.response.finish_reasons"] == ("length",)


async def test_words_in_place_of_a_reason_are_not_repeated(collected: Collected) -> None:
    answer = whole(completion("Fine.", reason="nasty words of the model"))
    await ask(BODY, answer, tracer=collected.calls())
    assert attributes(collected.span)["gen_ai.response.finish_reasons"] == ("other",)
