"""Chat completions, whole and streamed."""

from __future__ import annotations

from guard.records import Action, Verdict
from tests.unit.gateway.judging.fake import ask, completion, data_of, said, stream, told, whole

ASK = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
STREAM = {**ASK, "stream": True}


async def test_a_whole_answer_that_passes_is_the_very_one() -> None:
    answer = whole(completion("All is well — really."))
    seen = await ask(ASK, answer)
    assert seen.body == answer.chunks[0]
    assert seen.reply.length == len(seen.body)
    assert seen.headers["x-guard-verdict"] == "released"
    assert seen.headers["x-guard-call-id"] == "call-1"
    assert seen.headers["content-type"] == "application/json"
    assert "upstream;dur=" in seen.headers["server-timing"]
    (outcome,) = seen.recorder.outcomes
    assert outcome.reply == "All is well — really."


async def test_a_whole_answer_that_is_blocked_says_the_fallback() -> None:
    seen = await ask(ASK, whole(completion("A nasty one.")))
    (choice,) = seen.json["choices"]
    assert choice["message"] == {"role": "assistant", "content": "No.", "refusal": None}
    assert choice["finish_reason"] == "content_filter"
    assert b"nasty" not in seen.body
    assert seen.headers["x-guard-verdict"] == "blocked"
    assert seen.json["usage"]["total_tokens"] == 3
    assert seen.recorder.outcomes[0].verdict is Verdict.BLOCKED


async def test_each_choice_is_judged_for_itself() -> None:
    seen = await ask({**ASK, "n": 3}, whole(completion("Fine.", "A nasty one.", "Good.")))
    texts = [one["message"]["content"] for one in seen.json["choices"]]
    assert texts == ["Fine.", "No.", "Good."]
    assert [one["index"] for one in seen.json["choices"]] == [0, 1, 2]
    assert seen.headers["x-guard-verdict"] == "blocked"
    assert seen.headers["x-guard-call-id"] == "call-1, call-2, call-3"
    assert len(seen.recorder.outcomes) == 3


async def test_a_stream_that_passes_is_the_very_one() -> None:
    answer = stream(*said("All ", "is well. ", "Real", "ly."))
    seen = await ask(STREAM, answer)
    sent = b"".join(one for one in answer.chunks if isinstance(one, bytes))
    assert seen.body.replace(seen.body.split(b"\n\n")[-3] + b"\n\n", b"") == sent
    assert seen.comment == {"call_id": "call-1", "verdict": "released"}
    assert seen.headers["content-type"] == "text/event-stream; charset=utf-8"


async def test_a_stream_that_is_blocked_ends_with_the_fallback() -> None:
    seen = await ask(STREAM, stream(*said("All is well. ", "Some na", "sty words. ", "More.")))
    assert told(seen.events) == "All is well. No."
    assert seen.events[-1]["choices"][0]["finish_reason"] == "content_filter"
    assert data_of(seen.body)[-1] == "[DONE]"
    assert seen.comment["verdict"] == "blocked"
    (outcome,) = seen.recorder.outcomes
    assert (outcome.text, outcome.partial) == ("All is well. No.", True)


async def test_choices_of_a_stream_do_not_mix() -> None:
    one, two = said("All ", "is well. ", "Yes."), said("A na", "sty one. ", "No more.", index=1)
    events = [event for pair in zip(one, two, strict=True) for event in pair]
    seen = await ask({**STREAM, "n": 2}, stream(*events, cut=7))
    assert told(seen.events) == "All is well. Yes."
    assert told(seen.events, 1) == "No."
    assert seen.comment == {"call_id": "call-1, call-2", "verdict": "blocked"}
    assert {one.action for one in seen.recorder.outcomes} == {Action.RELEASE, Action.BLOCK}
