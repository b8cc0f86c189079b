"""Arguments of tools are judged as they are parsed, and tokens go with the texts they repeat."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guard.gateway.request import Operation
from guard.policy import Policy
from guard.records import Action
from tests.unit.gateway.judging.fake import (
    FALLBACK,
    ask,
    chunk,
    completion,
    rule,
    said,
    stream,
    whole,
)

ASK = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
STREAM = {**ASK, "stream": True}
REDACT = Policy(rules=rule(Action.REDACT), fallback=FALLBACK)
SOURCES = [
    r'{"t": "you n\u0061sty"}',
    r'{"t": "hello\nnasty"}',
    r'{"t": "\"nasty"}',
    r"no JSON: \tnasty",
]


def call(arguments: str) -> dict[str, Any]:
    function = {"name": "send", "arguments": arguments}
    return {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": function}]}


@pytest.mark.parametrize("source", SOURCES)
async def test_arguments_of_a_whole_answer_are_judged_as_they_are_parsed(source: str) -> None:
    answer = completion("")
    answer["choices"][0]["message"] |= call(source)
    seen = await ask(ASK, whole(answer))
    assert seen.headers["x-guard-verdict"] == "blocked"
    assert b"tool_calls" not in seen.body


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("size", [1, 3, 100])
async def test_arguments_that_stream_are_judged_as_they_are_parsed(source: str, size: int) -> None:
    parts = [source[at : at + size] for at in range(0, len(source), size)]
    seen = await ask(STREAM, stream(*(chunk(call(part)) for part in parts), chunk({}, finish="x")))
    assert seen.comment["verdict"] == "blocked"
    assert b"sty" not in seen.body


async def test_arguments_that_pass_are_the_very_ones() -> None:
    source = json.dumps({"t": "\u4f60\u597d \U0001f600 and\nmore, so that it is longer than a cut"})
    answer = stream(chunk(call(source[:20])), chunk(call(source[20:])), chunk({}, finish="x"))
    seen = await ask(STREAM, answer)
    assert seen.body.startswith(b"".join(answer.chunks[:3]))  # type: ignore[arg-type]
    assert seen.comment["verdict"] == "released"
    assert "\u4f60\u597d \U0001f600 and\nmore" in seen.recorder.outcomes[0].reply


async def test_arguments_of_a_responses_stream_are_judged_as_they_are_parsed() -> None:
    kind = "response.function_call_arguments"
    place = {"item_id": "fc", "output_index": 0}
    parts = ['{"t": "you n\\u00', '61sty"}']
    events = [{"type": f"{kind}.delta", **place, "delta": part} for part in parts]
    end = {"type": f"{kind}.done", **place, "arguments": "".join(parts)}
    body = {"model": "m", "input": "hi", "stream": True}
    seen = await ask(body, stream(*events, end, done=False), operation=Operation.RESPONSES)
    assert seen.comment["verdict"] == "blocked"
    assert b"sty" not in seen.body


@pytest.mark.parametrize(
    "tokens", [{"token_ids": [7]}, {"logprobs": {"content": [{"token_ids": [7]}]}}]
)
async def test_tokens_beside_no_text_go_with_the_text_that_is_redacted(tokens: Any) -> None:
    silent = chunk({"content": ""})
    silent["choices"][0] |= tokens
    seen = await ask(STREAM, stream(*said("A na"), silent, *said("sty one. Good.")), policy=REDACT)
    assert b"[removed]" in seen.body
    assert b"7]" not in seen.body


@pytest.mark.parametrize("spelling", ["token", "bytes"])
async def test_tokens_that_spell_something_else_are_joined_as_a_client_does(spelling: str) -> None:
    events = said("Go", "od", " day", ".")
    for event, piece in zip(events, ("So", " na", "sty", "."), strict=False):
        other = [*piece.encode()] if spelling == "bytes" else piece
        event["choices"][0]["logprobs"] = {"content": [{spelling: other, "logprob": -1}]}
    seen = await ask(STREAM, stream(*events))
    assert seen.comment["verdict"] == "blocked"
    assert b"sty" not in seen.body
    assert b"115" not in seen.body


async def test_tokens_of_nobody_wait_with_the_first_reply() -> None:
    events = [*said("A nasty one. "), {"choices": [], "token_ids": [7]}, *said("Good.", index=1)]
    seen = await ask({**STREAM, "n": 2}, stream(*events))
    assert b"Good." in seen.body
    assert b"7]" not in seen.body
