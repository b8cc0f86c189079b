"""What becomes of streams: cut, blocked, redacted, asked again, broken off, left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from guard.errors import Broken, TimedOut, UpstreamError
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging import reply_to
from guard.policy import Hold, OnUnscored, Policy
from guard.records import Action, Assessment, Unscored, Verdict
from guard.testing import HeldScorer, Recorder
from tests.unit.gateway.judging.fake import (
    BLOCK,
    Scripted,
    ScriptedClient,
    ask,
    asked,
    chunk,
    completion,
    data_of,
    flow_of,
    rule,
    said,
    stream,
    told,
    whole,
)

ASK = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
ACCOUNT = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": USAGE}
OBSERVE = Policy(rules=BLOCK.rules, enforce=False)
FULL = Policy(rules=BLOCK.rules, fallback="No.", hold=Hold.FULL)


def reason(events: list[Any], index: int = 0) -> Any:
    choices = [one for event in events for one in event["choices"] if one["index"] == index]
    return choices[-1]["finish_reason"]


async def test_a_long_event_is_cut_where_a_sentence_ends() -> None:
    long = chunk({"role": "assistant", "content": "This first sentence is fine. A nasty one."})
    long["choices"][0]["logprobs"] = {"content": [{"token": "nasty", "logprob": -1}]}
    long["choices"][0]["token_ids"] = [7, 8]
    seen = await ask(ASK, stream(long))
    assert told(seen.events) == "This first sentence is fine. No."
    assert b"token_ids" not in seen.body
    assert b"nasty" not in seen.body


async def test_tokens_that_come_before_their_text_wait_for_it() -> None:
    early = chunk({"content": ""})
    early["choices"][0]["token_ids"] = [666]
    events = [chunk({"content": "Fine. "}), early, chunk({"content": "So nasty."})]
    seen = await ask(ASK, stream(*events))
    assert told(seen.events) == "Fine. No."
    assert b"666" not in seen.body


async def test_the_account_of_tokens_is_given_of_a_blocked_stream() -> None:
    more = {**ASK, "stream_options": {"include_usage": True}}
    seen = await ask(more, stream(*said("So nasty."), ACCOUNT), policy=FULL)
    assert told(seen.events) == "No."
    assert seen.events[-1]["usage"] == USAGE
    assert reason(seen.events[:-1]) == "content_filter"
    assert data_of(seen.body)[-1] == "[DONE]"


async def test_a_stream_that_is_held_in_full_can_be_redacted() -> None:
    policy = Policy(rules=rule(Action.REDACT), redaction="[x]", hold=Hold.FULL)
    first = said("So na", "sty, ", "and fine.")
    first[1]["choices"][0]["logprobs"] = {"content": [{"token": "So na"}]}
    seen = await ask(ASK, stream(*first), policy=policy)
    assert told(seen.events) == "So [x], and fine."
    assert reason(seen.events) == "stop"
    assert seen.events[1]["choices"][0]["logprobs"] is None
    assert seen.comment["verdict"] == "flagged"


async def test_a_redacted_sentence_is_replaced_and_the_stream_goes_on() -> None:
    policy = Policy(rules=rule(Action.REDACT), redaction="[x]")
    first = said("Fine. So na", "sty. ", "And kind.")
    for event in first:
        choice = event["choices"][0]
        choice["logprobs"] = {"content": [{"token": choice["delta"].get("content", "")}]}
    more = {**ASK, "n": 2, "stream_options": {"include_usage": True}}
    events = [*first, *said("All well.", index=1), ACCOUNT]
    seen = await ask(more, stream(*events), policy=policy)
    assert (told(seen.events), told(seen.events, 1)) == ("Fine. So [x]. And kind.", "All well.")
    assert (reason(seen.events), reason(seen.events, 1)) == ("stop", "stop")
    assert [one["usage"] for one in seen.events if one.get("usage")] == [USAGE]
    assert seen.comment["verdict"] == "flagged"
    assert data_of(seen.body)[-1] == "[DONE]"
    by_action = {one.action: one for one in seen.recorder.outcomes}
    redacted = by_action[Action.REDACT]
    assert redacted.text == "Fine. So [x]. And kind."
    assert by_action[Action.RELEASE].withheld == ()


async def test_a_choice_is_asked_for_again_alone() -> None:
    policy = Policy(rules=rule(Action.REGENERATE), fallback="No.")
    events = [*said("Fine.", index=0), *said("So nasty.", index=1)]
    again = stream(*said("Better."))
    body = {**ASK, "n": 2, "seed": 5}
    seen = await ask(body, stream(*events), again, policy=policy)
    assert (told(seen.events), told(seen.events, 1)) == ("Fine.", "Better.")
    assert reason(seen.events, 1) == "stop"
    assert (seen.client.sent[1]["n"], seen.client.sent[1]["seed"]) == (1, 6)
    assert sorted(one.attempts for one in seen.recorder.outcomes) == [1, 2]


async def test_accounts_of_all_attempts_are_added() -> None:
    policy = Policy(rules=rule(Action.REGENERATE), hold=Hold.FULL)
    seen = await ask(
        ASK, stream(*said("Nasty."), ACCOUNT), stream(*said("Fine."), ACCOUNT), policy=policy
    )
    assert told(seen.events) == "Fine."
    assert seen.events[-1]["usage"]["total_tokens"] == 6


async def test_an_error_instead_of_the_fallback() -> None:
    policy = Policy(rules=BLOCK.rules, raises=True)
    seen = await ask(ASK, stream(*said("All is well. ", "So nasty.")), policy=policy)
    assert told(seen.events) == "All is well. "
    assert seen.events[-1]["error"]["code"] == "content_filter"
    assert "[DONE]" not in data_of(seen.body)


@pytest.mark.parametrize(
    ("error", "code"),
    [(Broken("x"), "upstream_broken"), (TimedOut("x"), "upstream_timeout")],
)
async def test_a_stream_that_breaks_off(error: UpstreamError, code: str) -> None:
    answer = stream(*said("All is well. ", "And the"), done=False)
    answer = Scripted([*answer.chunks[:-1], error], headers=answer.headers)
    seen = await ask(ASK, answer)
    assert told(seen.events[:-1]) == "All is well. "
    assert seen.events[-1]["error"]["code"] == code
    assert "[DONE]" not in data_of(seen.body)
    assert seen.recorder.errors == ["test"]
    assert seen.recorder.outcomes[0].text.rstrip() == "All is well."


async def test_an_error_in_mid_stream_is_passed_on() -> None:
    error = {"message": "no more", "type": "server_error", "code": 500, "hidden": "So nasty."}
    seen = await ask(ASK, stream(*said("All is well. ", "And"), {"error": error}))
    assert seen.events[-1] == {"error": {"message": "no more", "type": "server_error", "code": 500}}
    assert b"hidden" not in seen.body
    assert seen.recorder.errors == ["test"]


async def test_what_is_no_json_ends_the_stream() -> None:
    seen = await ask(ASK, stream(*said("All is well. ", "And")[:2], "so nasty", "{}"))
    assert b"so nasty" not in seen.body
    assert seen.events[-1]["error"]["code"] == "upstream_broken"


async def test_what_is_no_json_passes_where_nothing_is_withheld() -> None:
    answer = stream("so nasty", done=True)
    seen = await ask(ASK, answer, policy=OBSERVE)
    assert data_of(seen.body) == ["so nasty", "[DONE]"]
    assert seen.recorder.outcomes[0].unscored is Unscored.NOT_TEXT


EMPTY = [stream(done=False), stream(), Scripted([b": ping\n\n"])]


@pytest.mark.parametrize("empty", EMPTY)
async def test_a_stream_without_an_event_is_a_failure_as_an_empty_answer_is(
    empty: Scripted,
) -> None:
    seen = await ask(ASK, empty)
    assert [one["error"]["code"] for one in seen.events] == ["upstream_broken"]
    assert (seen.recorder.outcomes, seen.recorder.errors) == ([], ["test"])
    with pytest.raises(Broken):
        await ask({**ASK, "stream": False}, Scripted([]))


@pytest.mark.parametrize("empty", EMPTY)
async def test_a_stream_without_an_event_is_unscored_where_nothing_is_withheld(
    empty: Scripted,
) -> None:
    seen = await ask({**ASK, "n": 2}, empty, policy=OBSERVE)
    assert [one.unscored for one in seen.recorder.outcomes] == [Unscored.NOT_TEXT] * 2
    assert seen.events == []
    whole_seen = await ask({**ASK, "stream": False}, Scripted([]), policy=OBSERVE)
    assert whole_seen.recorder.outcomes[0].unscored is Unscored.NOT_TEXT


async def test_observing_gives_every_event_at_once() -> None:
    answer = stream(*said("So nasty. ", "And more"))
    seen = await ask(ASK, answer, policy=OBSERVE)
    assert told(seen.events) == "So nasty. And more"
    assert seen.recorder.outcomes[0].verdict is Verdict.FLAGGED


async def test_what_follows_the_end_is_dropped() -> None:
    seen = await ask(ASK, stream(*said("Fine."), "[DONE]", chunk({"content": "So nasty."})))
    assert told(seen.events) == "Fine."


async def test_a_key_that_stands_twice_is_given_once() -> None:
    data = '{"choices": [{"index": 0, "delta": {"content": "nasty", "content": "fine."}}]}'
    seen = await ask(ASK, stream(data))
    assert b"nasty" not in seen.body
    assert told(seen.events) == "fine."


async def test_a_whole_answer_to_a_stream_is_refused() -> None:
    with pytest.raises(Broken):
        await ask(ASK, whole(completion("So nasty.")))
    seen = await ask(ASK, whole(completion("So nasty.")), policy=OBSERVE)
    assert seen.json["choices"][0]["message"]["content"] == "So nasty."


async def test_a_sentence_is_judged_whole_though_another_field_comes_between() -> None:
    events = [
        chunk({"content": "So na"}),
        chunk({"content": "", "annotations": [{"title": "A title"}]}),
        chunk({"content": "sty. "}),
        chunk({"content": "Fine."}),
    ]
    seen = await ask(ASK, stream(*events))
    assert told(seen.events) == "No."


async def test_reasoning_and_tools_pass_unread_where_policy_says_so() -> None:
    policy = Policy(rules=BLOCK.rules, reads_reasoning=False, reads_tool_calls=False)
    call = {"index": 0, "function": {"name": "nasty", "arguments": '{"a": "nasty"}'}}
    answer = stream(chunk({"reasoning": "So nasty."}), chunk({"tool_calls": [call]}))
    seen = await ask(ASK, answer, policy=policy)
    assert data_of(seen.body) == data_of(b"".join(map(bytes, answer.chunks)))  # type: ignore[arg-type]
    assert seen.recorder.outcomes[0].unread == {"reasoning", "tool_calls"}


async def test_a_client_that_leaves_ends_everything() -> None:
    scorer, recorder = HeldScorer(), Recorder()
    answer = stream(*said("All is well. ", "More to come. ", "And more."))
    client, flow = ScriptedClient([answer]), flow_of(BLOCK, recorder, scorer)
    reply = await reply_to(asked({**ASK, "n": 2}, client), flow)
    waiting = asyncio.ensure_future(anext(reply.chunks))
    while not scorer.waiting:
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await reply.chunks.aclose()
    for _, _, score in scorer.waiting:
        if not score.done():
            score.set_result(Assessment())
    assert (client.open, flow.drain(0)) == (0, True)
    assert len(asyncio.all_tasks()) == 1


async def test_a_reply_that_is_never_read_leaves_nothing() -> None:
    client, flow = ScriptedClient([stream(*said("Fine."))]), flow_of(BLOCK, Recorder())
    reply = await reply_to(asked(ASK, client), flow)
    await reply.chunks.aclose()
    assert (client.open, flow.drain(0)) == (0, True)


@pytest.mark.parametrize("events", [said("word " * 50_000), [chunk({})] * 2000])
async def test_a_reply_longer_than_an_answer_may_be_ends(events: list[Any]) -> None:
    client, flow = ScriptedClient([stream(*events)]), flow_of(FULL, Recorder())
    client.limits = type(client.limits)(body_bytes=100_000)
    reply = await reply_to(asked(ASK, client), flow)
    read = b"".join([one async for one in reply.chunks])
    assert b"upstream_answer_too_large" in read


async def test_text_without_a_score_is_withheld_where_policy_says_so() -> None:
    class Away(HeldScorer):
        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Any:
            raise RuntimeError

    policy = Policy(rules=BLOCK.rules, fallback="No.", on_unscored=OnUnscored.WITHHOLD)
    seen = await ask(ASK, stream(*said("Fine.")), policy=policy, scorer=Away())
    assert told(seen.events) == "No."


@pytest.mark.parametrize(("name", "value"), [("stream", "yes"), ("n", 0), ("n", 1000), ("n", "2")])
async def test_a_request_that_cannot_be_judged_is_refused(name: str, value: object) -> None:
    with pytest.raises(RefusedRequest) as caught:
        await ask({**ASK, name: value})
    assert (caught.value.status, caught.value.param) == (400, name)


async def test_a_status_without_a_body_is_a_failure_and_no_stream() -> None:
    for status in (204, 205):
        with pytest.raises(Broken):
            await ask(ASK, Scripted([], status=status))
