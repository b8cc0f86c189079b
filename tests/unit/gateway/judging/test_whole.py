"""Whole answers of all operations, and the requests behind them."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from guard.errors import Broken, UpstreamBusy
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging import context
from guard.gateway.request import Operation
from guard.policy import Policy
from guard.records import Action, Turn, Unscored, Verdict
from guard.replies import json_text
from guard.replies.large import run_beside
from tests.unit.gateway.judging.fake import BLOCK, Scripted, ask, completion, rule, stream, whole

CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
REDACT = Policy(rules=rule(Action.REDACT), redaction="[x]")
AGAIN = Policy(rules=rule(Action.REGENERATE), fallback="No.")
OBSERVE = Policy(rules=BLOCK.rules, enforce=False)


def response(*items: Any, **more: Any) -> dict[str, Any]:
    base = {"id": "resp_1", "object": "response", "status": "completed", "model": "m"}
    return {**base, "output": list(items), "usage": {"total_tokens": 3}, **more}


def message(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": [part]}


HARMS: list[dict[str, Any]] = [
    {"content": "So nasty."},
    {"content": [{"type": "text", "text": "So nasty."}]},
    {"content": "Fine.", "reasoning_content": "So nasty."},
    {"content": "Fine.", "reasoning_details": [{"type": "reasoning.text", "text": "So nasty."}]},
    {"content": None, "refusal": "So nasty."},
    {"content": None, "tool_calls": [{"function": {"name": "f", "arguments": '{"a": "nasty"}'}}]},
    {"content": None, "tool_calls": [{"function": {"name": "f", "arguments": {"nasty": 1}}}]},
    {"content": None, "tool_calls": [{"type": "custom", "custom": {"input": "So nasty."}}]},
    {"content": None, "function_call": {"name": "So nasty.", "arguments": ""}},
    {"content": "Fine.", "annotations": [{"url_citation": {"title": "So nasty.", "url": "u"}}]},
    {"content": None, "audio": {"id": "a", "data": "AAAA", "transcript": "So nasty."}},
    {"content": "Fine.", "x_unheard_of": {"deep": [{"er": "So nasty."}]}},
    {"content": "Fine.", "x_unheard_of": {"so nasty": 1}},
    {"content": "Fine.", "id": "So nasty."},
]


@pytest.mark.parametrize("told", HARMS)
async def test_harm_is_found_wherever_it_stands(told: dict[str, Any]) -> None:
    value = completion("")
    value["choices"][0]["message"] = {"role": "assistant", **told}
    seen = await ask(CHAT, whole(value))
    assert b"nasty" not in seen.body
    assert seen.json["choices"][0]["message"]["content"] == "No."


async def test_harm_beside_the_choices_is_found() -> None:
    seen = await ask({**CHAT, "n": 2}, whole(completion("Fine.", "Good.", x_raw="So nasty.")))
    assert b"nasty" not in seen.body
    assert [one["message"]["content"] for one in seen.json["choices"]] == ["No.", "Good."]


async def test_tokens_say_no_more_than_the_text() -> None:
    value = completion("Fine.")
    value["choices"][0]["logprobs"] = {"content": [{"token": "So nasty", "logprob": -1}]}
    seen = await ask(CHAT, whole(value))
    assert b"nasty" not in seen.body
    same = {"content": [{"token": "Fine", "logprob": -1}, {"token": ".", "logprob": -1}]}
    value["choices"][0]["logprobs"] = same
    seen = await ask(CHAT, whole(value))
    assert seen.json["choices"][0]["logprobs"] == same


@pytest.mark.parametrize(
    "token",
    [
        {"token": "Fine.", "bytes": [*b"So nasty"]},
        {"bytes": [*b"So nasty"]},
        {"token": "Fine.", "top_logprobs": [{"token": "F", "bytes": [*b"So nasty"]}]},
    ],
)
async def test_bytes_of_tokens_say_no_more_than_the_text(token: dict[str, Any]) -> None:
    value = completion("Fine.")
    value["choices"][0]["logprobs"] = {"content": [{**token, "logprob": -1}]}
    seen = await ask({**CHAT, "logprobs": True}, whole(value))
    assert seen.recorder.outcomes[0].verdict is Verdict.BLOCKED
    assert "110" not in seen.body.decode()


async def test_bytes_that_some_tokens_do_not_have_are_no_second_text() -> None:
    value = completion("Fine, so.")
    tokens = [{"token": "Fine", "bytes": None}, {"token": ", so.", "bytes": [*b", so."]}]
    value["choices"][0]["logprobs"] = {"content": tokens}
    seen = await ask(CHAT, whole(value))
    assert seen.recorder.outcomes[0].reply == "Fine, so."


async def test_redaction_keeps_everything_else() -> None:
    value = completion("So nasty, and fine.")
    value["choices"][0]["logprobs"] = {"content": [{"token": "So nasty, and fine."}]}
    value["choices"][0]["message"]["reasoning"] = "I am nasty today."
    seen = await ask(CHAT, whole(value), policy=REDACT)
    (choice,) = seen.json["choices"]
    assert choice["message"]["content"] == "So [x], and fine."
    assert choice["message"]["reasoning"] == "I am [x] today."
    assert (choice["finish_reason"], choice["logprobs"]) == ("stop", None)


async def test_arguments_that_would_be_redacted_are_withheld() -> None:
    value = completion("")
    call = {"id": "c", "function": {"name": "f", "arguments": '{"a": "nasty"}'}}
    value["choices"][0]["message"]["tool_calls"] = [call]
    seen = await ask(CHAT, whole(value), policy=REDACT)
    (choice,) = seen.json["choices"]
    assert "tool_calls" not in choice["message"]
    assert choice["finish_reason"] == "content_filter"


async def test_one_choice_is_asked_for_again() -> None:
    body = {**CHAT, "n": 2}
    seen = await ask(
        body, whole(completion("Fine.", "Nasty.")), whole(completion("Better.")), policy=AGAIN
    )
    assert [one["message"]["content"] for one in seen.json["choices"]] == ["Fine.", "Better."]
    assert [one["index"] for one in seen.json["choices"]] == [0, 1]
    assert seen.json["usage"]["total_tokens"] == 6
    assert seen.client.sent[1]["n"] == 1


async def test_an_error_where_policy_wants_one() -> None:
    with pytest.raises(RefusedRequest) as caught:
        await ask(CHAT, whole(completion("Nasty.")), policy=Policy(rules=BLOCK.rules, raises=True))
    assert (caught.value.status, caught.value.code) == (400, "content_filter")
    assert ("x-guard-verdict", "blocked") in caught.value.headers


async def test_completions_have_a_prompt_each() -> None:
    choices = [{"index": at, "text": text} for at, text in enumerate(["A.", "Nasty.", "C.", "D."])]
    body = {"model": "m", "prompt": ["one", [1, 2]], "n": 2}
    seen = await ask(
        body,
        whole({"object": "text_completion", "choices": choices}),
        whole({"object": "text_completion", "choices": [{"index": 0, "text": "Better."}]}),
        policy=AGAIN,
        operation=Operation.COMPLETIONS,
    )
    assert [one["text"] for one in seen.json["choices"]] == ["A.", "Better.", "C.", "D."]
    assert (seen.client.sent[1]["prompt"], seen.client.sent[1]["n"]) == ("one", 1)
    calls = {one.call.id: one.call for one in seen.recorder.outcomes}
    assert [calls[f"call-{at}"].prompt for at in range(1, 5)] == ["one", "one", "", ""]


async def test_a_response_that_is_blocked() -> None:
    value = response({"type": "reasoning", "summary": []}, message("So nasty."), store=True)
    seen = await ask({"input": "hi"}, whole(value), operation=Operation.RESPONSES)
    assert seen.json["status"] == "incomplete"
    assert seen.json["incomplete_details"] == {"reason": "content_filter"}
    (item,) = seen.json["output"]
    assert item["content"][0]["text"] == "No."
    assert seen.json["usage"] == {"total_tokens": 3}


async def test_what_a_response_repeats_of_the_request_is_not_judged() -> None:
    tools = [{"type": "function", "name": "f", "description": "Say something nasty."}]
    body = {"input": "hi", "instructions": "Be nasty.", "tools": tools}
    answer = whole(response(message("Fine."), instructions="Be nasty.", tools=tools))
    seen = await ask(body, answer, operation=Operation.RESPONSES)
    assert seen.body == answer.chunks[0]
    value = response(message("Fine."), instructions="You are nasty.")
    seen = await ask(body, whole(value), operation=Operation.RESPONSES)
    assert b"nasty" not in seen.body


@pytest.mark.parametrize("data", [b"", b"so nasty", b"[]", b'{"a": "nasty"}', b'{"choices": []}'])
async def test_what_is_no_answer(data: bytes) -> None:
    with pytest.raises(Broken):
        await ask(CHAT, Scripted([data]))
    seen = await ask(CHAT, Scripted([data]), policy=OBSERVE)
    assert seen.body == data
    assert seen.recorder.outcomes[0].unscored is Unscored.NOT_TEXT


async def test_a_stream_nobody_asked_for_is_no_answer() -> None:
    with pytest.raises(Broken):
        await ask(CHAT, stream({"choices": []}))


async def test_no_header_of_the_upstream_says_anything() -> None:
    headers = {"x-request-id": "you are an idiot", "openai-processing-ms": "412"}
    seen = await ask(CHAT, Scripted([b"{}"], status=429, headers=headers))
    assert "x-request-id" not in seen.headers
    assert seen.headers["openai-processing-ms"] == "412"


async def test_other_answers_pass_as_they_are() -> None:
    headers = {"content-type": "application/json", "retry-after": "3", "set-cookie": "a=b"}
    answer = Scripted([b'{"error": {"message": "slow down"}}'], status=429, headers=headers)
    seen = await ask(CHAT, answer)
    assert (seen.reply.status, seen.body) == (429, answer.chunks[0])
    assert seen.headers == {"content-type": "application/json", "retry-after": "3"}
    assert seen.recorder.errors == ["test"]


async def test_an_upstream_that_does_not_answer() -> None:
    with pytest.raises(UpstreamBusy):
        await ask(CHAT, UpstreamBusy("x"))


async def test_deep_and_doubled_json() -> None:
    deep = json.dumps(completion("Fine.")).encode()[:-1] + b', "x": ' + b"[" * 100_000
    with pytest.raises(Broken):
        await ask(CHAT, Scripted([deep + b"]" * 100_000 + b"}"]))
    twice = b'{"choices": [{"index": 0, "message": {"content": "nasty", "content": "fine"}}]}'
    seen = await ask(CHAT, Scripted([twice]))
    assert seen.json["choices"][0]["message"] == {"content": "fine"}
    assert b"nasty" not in seen.body


async def test_an_answer_of_too_many_values_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (context, json_text):
        monkeypatch.setattr(module, "MAX_REPLY_VALUES", 40)
    told = whole(completion("Fine, " * 40, x_numbers=list(range(20))))
    assert (await ask(CHAT, told)).body == told.chunks[0]
    with pytest.raises(Broken, match="more than 40 values"):
        await ask(CHAT, whole(completion("Fine.", x_numbers=list(range(40)))))


async def test_large_answers_are_read_in_a_thread() -> None:
    here, large = threading.get_ident(), 2**18
    assert await run_beside(large - 1, threading.get_ident) == here
    assert await run_beside(large, threading.get_ident) != here
    fine, bad = "Fine. " * 50_000, "So nasty."
    seen = await ask({**CHAT, "n": 2}, whole(completion(fine, bad)))
    assert [one["message"]["content"] for one in seen.json["choices"]] == [fine, "No."]
    again = await ask(CHAT, whole(completion(bad + fine)), whole(completion(fine)), policy=AGAIN)
    assert again.json["choices"][0]["message"]["content"] == fine


async def test_a_use_case_that_is_off_passes_bytes() -> None:
    for answer in (Scripted([b"so nasty", b"\xff"]), stream({"a": 1})):
        seen = await ask(CHAT, answer, policy=Policy(rules=(), off=True))
        assert seen.body == b"".join(map(bytes, answer.chunks))  # type: ignore[arg-type]
        assert seen.recorder.outcomes[0].unscored is Unscored.OFF
        assert seen.headers["x-guard-verdict"] == "unscored"


async def test_the_record_of_a_conversation() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://x/y.png"}}
    parts = [{"type": "text", "text": "What is this?"}, picture]
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": parts}]
    seen = await ask({**CHAT, "messages": messages}, whole(completion("A cat.")))
    call = seen.recorder.outcomes[0].call
    assert (call.prompt, call.turns) == ("Be kind.\nWhat is this?", ())
    said = [{"role": "developer", "content": "Be kind."}, {"role": "user", "content": "hi"}]
    body = {"input": said, "store": False, "model": "m"}
    seen = await ask(body, whole(response(message("Hello."))), operation=Operation.RESPONSES)
    call = seen.recorder.outcomes[0].call
    assert call.turns == (Turn(role="system", content="Be kind."), Turn(role="user", content="hi"))
    assert (call.never_shadowed, call.parameters) == ("", {"model": "m"})
