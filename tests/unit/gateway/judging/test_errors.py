"""Errors of the model's server pass as they are, unless they quote what a policy withholds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from guard.gateway.request import Operation
from guard.policy import Policy
from guard.records import Action
from tests.unit.gateway.judging.fake import Scripted, ask, rule, said, stream, whole

ASK = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
STREAM = {**ASK, "stream": True}
PLAIN = {"error": {"message": "Too long.", "type": "invalid_request_error", "code": "length"}}
QUOTES = {"error": {**PLAIN["error"], "failed_generation": "A nasty one."}}
RAW = {"error": {"message": "cannot parse: raw='a nasty one'", "type": "server_error"}}


@pytest.mark.parametrize("body", [ASK, STREAM])
@pytest.mark.parametrize("answer", [whole(QUOTES, status=400), whole(RAW, status=500)])
async def test_an_error_that_quotes_is_withheld_and_keeps_its_status(
    body: dict[str, Any], answer: Scripted
) -> None:
    seen = await ask(body, answer)
    assert seen.reply.status == answer.status
    assert seen.json["error"]["code"] == "upstream_error_withheld"
    assert seen.headers["content-type"] == "application/json"
    assert seen.reply.length == len(seen.body)
    assert seen.recorder.outcomes == []


async def test_an_error_that_is_no_json_is_read_too() -> None:
    seen = await ask(ASK, Scripted([b"cannot parse \xff: nasty"], status=500))
    assert b"nasty" not in seen.body


@pytest.mark.parametrize("status", [400, 429, 500])
@pytest.mark.parametrize(
    "events",
    [
        ['{"error": {"message": "na\\u0073ty"}}'],
        said("A na", "sty one."),
        [{"choices": [{"text": "A na"}]}, {"choices": [{"text": "sty one."}]}],
    ],
)
async def test_an_error_that_is_a_stream_of_events_is_read_as_clients_join_it(
    events: list[Any], status: int
) -> None:
    answer = replace(stream(*events), status=status)
    for body in (ASK, STREAM):
        seen = await ask(body, answer)
        assert seen.reply.status == status
        assert seen.json["error"]["code"] == "upstream_error_withheld"
    harmless = replace(stream(*said("Too ", "long.")), status=status)
    assert (await ask(STREAM, harmless)).body == b"".join(map(bytes, harmless.chunks))  # type: ignore[arg-type]


@pytest.mark.parametrize("status", [400, 429, 500, 503])
async def test_other_errors_pass_as_they_are(status: int) -> None:
    answer = whole(PLAIN, status=status)
    seen = await ask(ASK, answer)
    assert (seen.reply.status, seen.body) == (status, answer.chunks[0])


async def test_all_errors_pass_where_nothing_is_withheld() -> None:
    answer = whole(QUOTES, status=400)
    assert (await ask(ASK, answer, policy=Policy(rules=rule(Action.FLAG)))).body == answer.chunks[0]


async def test_an_error_in_mid_stream_that_quotes_is_withheld() -> None:
    seen = await ask(STREAM, stream(*said("All is well. ")[:2], RAW, done=False))
    assert b"nasty" not in seen.body
    assert seen.events[-1]["error"]["code"] == "upstream_error_withheld"
    assert b"[DONE]" not in seen.body


async def test_an_error_of_a_responses_stream_that_quotes_is_withheld() -> None:
    failed = {"type": "response.failed", "response": RAW, "sequence_number": 1}
    body = {"model": "m", "input": "hi", "stream": True}
    seen = await ask(body, stream(failed, done=False), operation=Operation.RESPONSES)
    assert b"nasty" not in seen.body
    assert seen.events[-1]["code"] == "upstream_error_withheld"
