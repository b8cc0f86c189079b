"""Through the gateway no character reaches a client before somebody looked at it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from guard.errors import UpstreamError
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging import reply_to
from guard.gateway.request import Operation
from guard.policy import Hold, OnUnscored, Policy, Rule
from guard.records import Action
from guard.testing import Recorder
from tests.property.gateway_inputs import Watching, Words, anything, cut, events, framed, whole
from tests.unit.gateway.judging.fake import Scripted, ScriptedClient, asked, flow_of

T = TypeVar("T")
ACTIONS = [Action.BLOCK, Action.REDACT, Action.REGENERATE]
HOLDS = [Hold.SENTENCE, Hold.FULL]
EACH = pytest.mark.parametrize("operation", Operation)
SSE, JSON = {"content-type": "text/event-stream"}, {"content-type": "application/json"}
CHANCE = st.integers(0, 2**32).map(Random)


def policy_for(action: Action, hold: Hold = Hold.SENTENCE, *, raises: bool = False) -> Policy:
    return Policy(
        rules=(Rule(score="toxicity", action=action, threshold=0.5),),
        on_unscored=OnUnscored.WITHHOLD,
        fallback="<withheld>",
        redaction="[x]",
        hold=hold,
        raises=raises,
    )


async def watched(
    operation: Operation,
    body: dict[str, Any],
    policy: Policy,
    answers: Sequence[Scripted],
) -> tuple[bytes, Recorder]:
    """What the client got; every word of it was in a text that passed before."""
    scorer, recorder, client = Watching(), Recorder(), ScriptedClient(answers)
    flow, read = flow_of(policy, recorder, scorer), b""
    try:
        reply = await reply_to(asked(body, client, operation), flow)
        async for chunk in reply.chunks:
            read += chunk
            assert not _is_held(policy) or scorer.unjudged(read) == []
    except (RefusedRequest, UpstreamError):
        pass
    assert flow.drain(0)
    assert client.open == 0
    return read, recorder


def _is_held(policy: Policy) -> bool:
    return policy.may_withhold and policy.hold is not Hold.NONE


def run(
    operation: Operation,
    body: dict[str, Any],
    policy: Policy,
    answers: Sequence[Scripted],
) -> tuple[bytes, Recorder]:
    return asyncio.run(watched(operation, body, policy, answers))


def body_of(operation: Operation, replies: int, **more: Any) -> dict[str, Any]:
    count = {} if operation is Operation.RESPONSES else {"n": replies}
    return {"model": "m", "messages": [], "input": "", "prompt": "", **count, **more}


@EACH
@given(by=CHANCE)
def test_streams(operation: Operation, by: Random) -> None:
    words, replies = Words(by, "ok ok ok ok ok bad slow"), by.choice((1, 1, 2, 3))
    answers = [
        Scripted(cut(framed(events(operation, words, by, replies), by, odd=True), by), headers=SSE)
        for _ in range(6)
    ]
    policy = policy_for(by.choice(ACTIONS), by.choice(HOLDS), raises=by.random() < 0.2)
    run(operation, body_of(operation, replies, stream=True, logprobs=True), policy, answers)


@EACH
@given(by=CHANCE)
def test_whole_answers(operation: Operation, by: Random) -> None:
    words, replies = Words(by, "ok ok ok ok ok bad slow"), by.choice((1, 1, 2, 3))
    answers = [
        Scripted([json.dumps(whole(operation, words, by, replies)).encode()], headers=JSON)
        for _ in range(6)
    ]
    run(operation, body_of(operation, replies), policy_for(by.choice(ACTIONS)), answers)


@EACH
@pytest.mark.parametrize("streamed", [False, True])
@given(by=CHANCE)
def test_any_json_at_all(operation: Operation, streamed: bool, by: Random) -> None:
    words, replies = Words(by, "ok bad slow"), by.choice((1, 2))
    told = [anything(words, by) for _ in range(by.randrange(1, 6))]
    for event in told:
        if isinstance(event, dict):
            event.pop("error", None)  # what is said of an error passes
    data = framed(told, by, odd=True) if streamed else json.dumps(told[0]).encode()
    headers = SSE if streamed else JSON
    answers = [Scripted(cut(data, by), headers=headers) for _ in range(6)]
    policy = policy_for(by.choice(ACTIONS), by.choice(HOLDS))
    run(operation, body_of(operation, replies, stream=streamed), policy, answers)


@EACH
@pytest.mark.parametrize("streamed", [False, True])
@given(by=CHANCE, data=st.binary(max_size=300))
def test_any_bytes_at_all(operation: Operation, streamed: bool, by: Random, data: bytes) -> None:
    told = events(operation, Words(by, "ok bad slow"), by, 2)[:3]
    sent = bytearray(framed(told, by, odd=True))
    at = by.randrange(len(sent) + 1)
    sent[at : at + by.randrange(20)] = data
    answers = [Scripted(cut(bytes(sent), by), headers=SSE if streamed else JSON) for _ in range(6)]
    run(operation, body_of(operation, 2, stream=streamed), policy_for(Action.BLOCK), answers)


PASSING = [
    policy_for(Action.BLOCK),
    policy_for(Action.REDACT, Hold.FULL),
    policy_for(Action.BLOCK, Hold.NONE),
    Policy(rules=policy_for(Action.BLOCK).rules, enforce=False),
    Policy(rules=(), off=True),
]


@EACH
@given(by=CHANCE)
def test_a_stream_without_harm_arrives_as_it_was_sent(operation: Operation, by: Random) -> None:
    policy = by.choice(PASSING)
    told = [one for one in events(operation, Words(by, "ok", most=1), by, 1) if not _is_long(one)]
    assume(told)
    data = framed(told, by, odd=False)
    answer = Scripted(cut(data, by), headers=SSE)
    read, recorder = run(operation, body_of(operation, 1, stream=True), policy, [answer])
    if policy.off:
        assert read == data
    else:
        assert _blocks(read) == _blocks(data)
    assert len(recorder.outcomes) == 1


def _is_long(event: Any) -> bool:
    """Whether an event says so much that it may be cut in two."""
    return json.dumps(event).count("~") > 2 and "choices" in event


def _blocks(data: bytes) -> list[bytes]:
    return [one for one in data.split(b"\n\n") if one and not one.startswith(b":")]


@EACH
@given(by=CHANCE)
def test_a_whole_answer_without_harm_arrives_as_it_was_sent(
    operation: Operation, by: Random
) -> None:
    replies = 1 if operation is Operation.RESPONSES else by.choice((1, 2, 3))
    value = whole(operation, Words(by, "ok"), by, replies)
    data = json.dumps(value, ensure_ascii=by.random() < 0.5).encode()
    answer = Scripted(cut(data, by), headers=JSON)
    read, recorder = run(operation, body_of(operation, replies), policy_for(Action.BLOCK), [answer])
    assert read == data
    assert len(recorder.outcomes) == replies


TEXTS: dict[Operation, Callable[[str], Any]] = {
    Operation.CHAT: lambda text: {"choices": [{"index": 0, "delta": {"content": text}}]},
    Operation.COMPLETIONS: lambda text: {"choices": [{"index": 0, "text": text}]},
    Operation.RESPONSES: lambda text: {"type": "response.output_text.delta", "delta": text},
}


def _said(operation: Operation, read: bytes) -> str:
    out = ""
    for block in _blocks(read):
        data = block.split(b"data: ", 1)[-1]
        event = {} if data == b"[DONE]" else json.loads(data)
        for choice in event.get("choices", ()):
            out += choice.get("text") or choice.get("delta", {}).get("content") or ""
        if str(event.get("type")).endswith("output_text.delta"):
            out += event["delta"]
    return out


@EACH
@given(by=CHANCE)
def test_words_that_are_cut_anywhere(operation: Operation, by: Random) -> None:
    words = Words(by, "ok ok ok ok bad slow")
    text = "".join(words.some() for _ in range(by.randrange(12)))
    pieces = [one.decode() for one in cut(text.replace("。", ".").encode(), by)]
    told = [TEXTS[operation](piece) for piece in pieces]
    assume(told)  # a stream without an event is a failure, and no reply
    answer = Scripted(cut(framed(told, by, odd=False), by), headers=SSE)
    policy = policy_for(Action.BLOCK, by.choice(HOLDS))
    read, recorder = run(operation, body_of(operation, 1, stream=True), policy, [answer])
    said, sent = _said(operation, read), "".join(pieces)
    (outcome,) = recorder.outcomes
    assert "bad" not in said.replace("<withheld>", "")
    assert "slow" not in said
    assert said.split("<withheld>")[0].rstrip() in sent
    assert said.split() == outcome.text.split()
    if outcome.action is Action.RELEASE:
        assert said == sent
