"""What the gateway withholds, and that no byte of it arrives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.gateway_cases import (
    AFTER,
    BEFORE,
    CHAT,
    COMPLETIONS,
    FALLBACK,
    KIND,
    OPERATIONS,
    RESPONSES,
    SECRET,
    Answered,
    Pair,
    leaks,
)
from tests.servers_openai import Choice, Dialect, Tool, Wire, bytewise, says, spoken

BOTH = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
EACH = pytest.mark.parametrize("operation", OPERATIONS)
MIXED = f"{BEFORE} {SECRET} {AFTER}"
TOKENS = {
    CHAT: {"logprobs": True, "top_logprobs": 2, "stream_options": {"include_usage": True}},
    COMPLETIONS: {"logprobs": 1, "stream_options": {"include_usage": True}},
    RESPONSES: {"include": ["message.output_text.logprobs"], "top_logprobs": 2},
}


def text_of(found: Answered, *, index: int = 0) -> str:
    """What a client takes for the reply."""
    if found.headers["content-type"].startswith("text/event-stream"):
        text = spoken(found.objects, index=index)
        assert not (final := found.objects[-1].get("response")) or output_of(final) == text
        return text
    answer = found.json
    if "output" in answer:
        return output_of(answer)
    choice = answer["choices"][index]
    return str(choice["text"] if "text" in choice else choice["message"]["content"])


def output_of(response: Any) -> str:
    """The text of a response."""
    parts = [part for item in response["output"] for part in item.get("content", ())]
    return "".join(part["text"] for part in parts if part["type"] == "output_text")


def end_of(found: Answered, *, index: int = 0) -> str:
    """Why the reply ended, in the words of the interface."""
    last: Any = None
    for answer in found.objects or [found.json]:
        for choice in answer.get("choices", ()):
            if choice["index"] == index:
                last = choice["finish_reason"] or last
        response = answer.get("response", answer)
        if response.get("object") == "response":
            last = (response["incomplete_details"] or {}).get("reason") or response["status"]
    return str(last)


def verdict_of(found: Answered) -> str:
    """Of the header, or of the last comment of a stream."""
    return str(found.headers.get("x-guard-verdict") or found.verdict["verdict"])


@BOTH
@EACH
@pytest.mark.parametrize("dialect", [Dialect.OPENAI, Dialect.VLLM, Dialect.AZURE])
def test_a_blocked_reply_is_a_normal_one(
    pair: Pair, operation: str, streamed: bool, dialect: Dialect
) -> None:
    said = says(SECRET, dialect=dialect)
    found = pair.ask(operation, said, stream=streamed, **TOKENS[operation])
    assert (found.status, found.complete) == (200, True)
    assert text_of(found) == FALLBACK
    assert end_of(found) == "content_filter"
    assert verdict_of(found) == "blocked"
    assert not leaks(found)


@EACH
@pytest.mark.parametrize("wire", [Wire(), Wire(chop=bytewise, newline="\r\n", comments=True)])
def test_a_stream_stops_before_what_is_blocked(pair: Pair, operation: str, wire: Wire) -> None:
    found = pair.ask(operation, says(MIXED, wire=wire), stream=True, **TOKENS[operation])
    assert text_of(found).startswith(BEFORE)
    assert text_of(found).endswith(FALLBACK)
    assert AFTER not in text_of(found)
    assert end_of(found) == "content_filter"
    assert verdict_of(found) == "blocked"
    assert not leaks(found)


@EACH
def test_held_in_full_nothing_of_a_blocked_reply_leaves(pair: Pair, operation: str) -> None:
    found = pair.ask(operation, says(MIXED), at="full", stream=True, **TOKENS[operation])
    assert text_of(found) == FALLBACK
    assert end_of(found) == "content_filter"
    assert not leaks(found)


@EACH
def test_not_held_at_all_it_is_judged_afterwards(pair: Pair, operation: str) -> None:
    found = pair.ask(operation, says(MIXED), at="none", stream=True)
    assert text_of(found).startswith(MIXED)


@BOTH
@EACH
def test_redaction(pair: Pair, operation: str, streamed: bool) -> None:
    said = says(MIXED, dialect=Dialect.VLLM)
    found = pair.ask(operation, said, at="redact", stream=streamed, **TOKENS[operation])
    assert not leaks(found)
    assert text_of(found) == f"{BEFORE} [removed] {AFTER}"
    assert end_of(found) in {"stop", "completed"}
    assert verdict_of(found) == "flagged"


@BOTH
@EACH
def test_regeneration(pair: Pair, operation: str, streamed: bool) -> None:
    prompt_of = pair.upstream.requests
    before = len(prompt_of)
    found = pair.ask(operation, says(SECRET), says(KIND), at="again", stream=streamed)
    assert text_of(found) == KIND
    assert end_of(found) in {"stop", "completed"}
    assert not leaks(found)
    first, second = prompt_of[before:]
    assert first.body == second.body


@BOTH
@EACH
def test_regeneration_that_does_not_help(pair: Pair, operation: str, streamed: bool) -> None:
    before = len(pair.upstream.requests)
    found = pair.ask(operation, says(SECRET), at="again", stream=streamed)
    assert text_of(found) == FALLBACK
    assert end_of(found) == "content_filter"
    assert verdict_of(found) == "blocked"
    assert not leaks(found)
    assert len(pair.upstream.requests) == before + 2


@EACH
def test_blocks_that_are_errors(pair: Pair, operation: str) -> None:
    found = pair.ask(operation, says(SECRET), at="raise")
    assert found.status == 400
    assert found.json["error"]["code"] == "content_filter"
    assert found.headers["x-guard-verdict"] == "blocked"
    assert not leaks(found)


@EACH
@pytest.mark.parametrize("use_case", ["raise", "raise-full"])
def test_blocks_that_are_errors_of_a_stream(pair: Pair, operation: str, use_case: str) -> None:
    found = pair.ask(operation, says(MIXED), at=use_case, stream=True)
    assert not leaks(found)
    assert text_of(found) in {"", BEFORE, BEFORE + " "}
    (error,) = [one for one in found.objects if one.get("error") or one.get("type") == "error"]
    assert (error.get("error") or error)["code"] == "content_filter"


@BOTH
@pytest.mark.parametrize("operation", [CHAT, COMPLETIONS])
def test_each_choice_is_judged_for_itself(pair: Pair, operation: str, streamed: bool) -> None:
    found = pair.ask(operation, says(KIND, SECRET, BEFORE), stream=streamed, n=3)
    assert [text_of(found, index=index) for index in range(3)] == [KIND, FALLBACK, BEFORE]
    ends = [end_of(found, index=index) for index in range(3)]
    assert ends == ["stop", "content_filter", "stop"]
    assert not leaks(found)


TALKING = Tool(name="send", arguments=json.dumps({"to": "Ann", "text": SECRET}))
ELSEWHERE = {
    "reasoning": Choice(text=KIND, reasoning=f"They are rude. {SECRET} I will be polite."),
    "arguments": Choice(tools=(TALKING,)),
    "arguments beside a text": Choice(text=KIND, tools=(TALKING,)),
    "broken arguments": Choice(tools=(Tool(name="send", arguments=TALKING.arguments[:-2]),)),
    "a refusal": Choice(refusal=f"No. {SECRET}"),
}


@BOTH
@pytest.mark.parametrize("use_case", ["firm", "firm-full"])
@pytest.mark.parametrize("choice", ELSEWHERE.values(), ids=ELSEWHERE)
@pytest.mark.parametrize("operation", [CHAT, RESPONSES])
def test_not_only_the_text_is_judged(
    pair: Pair, operation: str, choice: Choice, use_case: str, streamed: bool
) -> None:
    found = pair.ask(operation, says(choice), at=use_case, stream=streamed)
    assert found.complete
    assert not leaks(found)
    assert verdict_of(found) == "blocked"
    assert end_of(found) == "content_filter"
    assert text_of(found).endswith(FALLBACK)


@BOTH
@pytest.mark.parametrize("choice", ["reasoning", "arguments"])
@pytest.mark.parametrize("operation", [CHAT, RESPONSES])
def test_what_may_pass_unread_passes(
    pair: Pair, operation: str, choice: str, streamed: bool
) -> None:
    pair.compare(operation, says(ELSEWHERE[choice]), "passing", stream=streamed)


@BOTH
@EACH
def test_observing_changes_nothing(pair: Pair, operation: str, streamed: bool) -> None:
    pair.compare(operation, says(MIXED), "watch", stream=streamed)


@BOTH
@pytest.mark.parametrize("dialect", [Dialect.DEEPSEEK, Dialect.VLLM])
def test_fields_of_other_servers_leak_nothing(pair: Pair, dialect: Dialect, streamed: bool) -> None:
    extra = {"raw_output": SECRET, "debug": {"tokens": [SECRET]}}
    found = pair.ask(CHAT, says(KIND, dialect=dialect, extra=extra), stream=streamed)
    assert not leaks(found)
