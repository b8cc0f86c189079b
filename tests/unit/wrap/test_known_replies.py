"""Objects of client libraries are judged without `read` and `write`, and keep their types."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from openai.types import Completion
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.responses import Response, ResponseTextDeltaEvent
from pydantic import BaseModel

from guard.policy import Hold, OnUnscored, Policy, Rule
from guard.records import Action, Unread, Unscored, Verdict
from guard.testing import Recorder, WordScorer, wrap_with
from guard.wrap.reply_objects import edited, plain_value

BLOCK = Policy(
    rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.5),),
    fallback="No.",
    hold=Hold.SENTENCE,
)
REDACT = replace(BLOCK, rules=(replace(BLOCK.rules[0], action=Action.REDACT),), redaction="[x]")
SCORER = WordScorer({"toxicity": {"nasty": 0.9}})
ABOUT = {"id": "c", "created": 1, "model": "m"}


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def wrapped(fn: Callable[..., Any], recorder: Recorder, policy: Policy = BLOCK) -> Any:
    return wrap_with(fn, policy=policy, scorer=SCORER, observer=recorder)


def chat(text: str, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, **more}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {**ABOUT, "object": "chat.completion", "choices": [choice]}


def chunk(text: str, index: int = 0) -> dict[str, Any]:
    choice = {"index": index, "delta": {"content": text}}
    return {**ABOUT, "object": "chat.completion.chunk", "choices": [choice]}


def completion(text: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "text": text}
    return {**ABOUT, "object": "text_completion", "choices": [choice]}


def response(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"id": "i", "type": "message", "role": "assistant", "status": "completed"}
    return {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "tools": [],
        "instructions": "Never be nasty.",
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "status": "completed",
        "output": [{**item, "content": [part]}],
    }


def anthropic(text: str) -> dict[str, Any]:
    about = {"id": "m", "type": "message", "role": "assistant", "model": "m"}
    usage = {"input_tokens": 1, "output_tokens": 2}
    content = [{"type": "text", "text": text}]
    return {**about, "content": content, "stop_reason": "end_turn", "usage": usage}


def gemini(text: str) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}]}
    rating = {"category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE"}
    candidate = {"content": content, "finishReason": "STOP", "safetyRatings": [rating]}
    return {"candidates": [candidate], "modelVersion": "g", "usageMetadata": {"totalTokenCount": 3}}


class LiteLlmMessage(BaseModel, extra="allow"):
    """As LiteLLM's: more fields than it declares."""

    content: str | None
    role: str


class LiteLlmChoice(BaseModel):
    finish_reason: str
    index: int
    message: LiteLlmMessage


class ModelResponse(BaseModel):
    id: str
    created: int
    model: str
    object: str
    choices: list[LiteLlmChoice]


WHOLE: dict[str, tuple[Callable[[str], Any], Callable[[Any], str | None]]] = {
    "chat": (
        lambda text: ChatCompletion.model_validate(chat(text)),
        lambda reply: reply.choices[0].message.content,
    ),
    "message": (
        lambda text: ChatCompletionMessage(role="assistant", content=text),
        lambda reply: reply.content,
    ),
    "completion": (
        lambda text: Completion.model_validate(completion(text)),
        lambda reply: reply.choices[0].text,
    ),
    "response": (
        lambda text: Response.model_validate(response(text)),
        lambda reply: reply.output_text,
    ),
    "litellm": (
        lambda text: ModelResponse.model_validate(chat(text)),
        lambda reply: reply.choices[0].message.content,
    ),
    "langchain": (lambda text: AIMessage(text), lambda reply: reply.content),
    "chat dict": (chat, lambda reply: reply["choices"][0]["message"]["content"]),
    "response dict": (response, lambda reply: reply["output"][0]["content"][0]["text"]),
    "anthropic dict": (anthropic, lambda reply: reply["content"][0]["text"]),
    "gemini dict": (
        gemini,
        lambda reply: reply["candidates"][0]["content"]["parts"][0]["text"],
    ),
}
EVERY_WHOLE = pytest.mark.parametrize("name", list(WHOLE))


@EVERY_WHOLE
def test_a_harmless_reply_is_the_same_object(name: str, recorder: Recorder) -> None:
    reply = WHOLE[name][0]("All is well.")
    assert wrapped(lambda: reply, recorder)() is reply
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.reply) == (Verdict.RELEASED, "All is well.")
    assert not outcome.unread


@EVERY_WHOLE
def test_a_withheld_reply_says_the_fallback_in_its_own_type(name: str, recorder: Recorder) -> None:
    build, text_of = WHOLE[name]
    reply = build("You nasty thing.")
    given = wrapped(lambda: reply, recorder)()
    assert type(given) is type(reply)
    assert text_of(given) == "No."
    assert "nasty thing" not in repr(given)
    assert text_of(reply) == "You nasty thing."
    assert recorder.outcomes[0].verdict is Verdict.BLOCKED


@EVERY_WHOLE
def test_a_redacted_reply_keeps_its_type_and_the_rest(name: str, recorder: Recorder) -> None:
    build, text_of = WHOLE[name]
    reply = build("Fine. You nasty thing. Fine.")
    given = wrapped(lambda: reply, recorder, REDACT)()
    assert type(given) is type(reply)
    assert "nasty" not in (text_of(given) or "nasty")
    assert "[x]" in (text_of(given) or "")
    assert recorder.outcomes[0].action is Action.REDACT


def test_all_choices_are_judged_and_withheld(recorder: Recorder) -> None:
    both = chat("Fine.")
    both["choices"].append({**chat("You nasty thing.")["choices"][0], "index": 1})
    given = wrapped(lambda: ChatCompletion.model_validate(both), recorder)()
    assert [one.message.content for one in given.choices] == ["No.", "No."]
    assert {one.finish_reason for one in given.choices} == {"content_filter"}


def test_arguments_of_tools_are_judged(recorder: Recorder) -> None:
    function = {"name": "send", "arguments": json.dumps({"body": "n\u0061sty"})}
    call = {"id": "1", "type": "function", "function": function}
    reply = ChatCompletion.model_validate(chat("", content=None, tool_calls=[call]))
    given = wrapped(lambda: reply, recorder)()
    assert given.choices[0].message.tool_calls is None
    assert recorder.outcomes[0].structured


def test_bytes_beside_a_text_are_unread(recorder: Recorder) -> None:
    reply = gemini("All is well.")
    part = {"inline_data": {"mime_type": "image/png", "data": b"nasty"}}
    reply["candidates"][0]["content"]["parts"].append(part)
    assert wrapped(lambda: reply, recorder)() is reply
    assert recorder.outcomes[0].unread == {Unread.FILE}
    assert recorder.outcomes[0].reply == "All is well."


def test_what_a_request_said_is_not_the_reply(recorder: Recorder) -> None:
    reply = Response.model_validate(response("All is well."))
    wrapped(lambda: reply, recorder)()
    assert "Never be" not in recorder.outcomes[0].reply


def words(text: str) -> list[str]:
    return [f"{word} " for word in text.split()]


def response_events(text: str) -> list[dict[str, Any]]:
    item = {"id": "i", "type": "message", "role": "assistant", "status": "in_progress"}
    place = {"item_id": "i", "output_index": 0, "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": []}
    bare = {**response(text), "status": "in_progress", "output": []}
    events = [
        {"type": "response.created", "response": bare},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **place, "part": empty},
        *(
            {"type": "response.output_text.delta", **place, "delta": word, "logprobs": []}
            for word in words(text)
        ),
        {"type": "response.completed", "response": response("".join(words(text)))},
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def openai_events(text: str) -> list[Any]:
    import openai.types.responses as types

    classes = {
        "response.created": types.ResponseCreatedEvent,
        "response.output_item.added": types.ResponseOutputItemAddedEvent,
        "response.content_part.added": types.ResponseContentPartAddedEvent,
        "response.output_text.delta": types.ResponseTextDeltaEvent,
        "response.completed": types.ResponseCompletedEvent,
    }
    return [classes[one["type"]].model_validate(one) for one in response_events(text)]


def anthropic_events(text: str) -> list[dict[str, Any]]:
    start = {**anthropic(""), "content": [], "stop_reason": None}
    block = {"type": "text", "text": ""}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": w}}
            for w in words(text)
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
        {"type": "message_stop"},
    ]


STREAMS: dict[str, tuple[Callable[[str], list[Any]], Callable[[Any], str | None]]] = {
    "chat": (
        lambda text: [ChatCompletionChunk.model_validate(chunk(word)) for word in words(text)],
        lambda piece: piece.choices[0].delta.content,
    ),
    "chat dict": (
        lambda text: [chunk(word) for word in words(text)],
        lambda piece: piece["choices"][0]["delta"].get("content"),
    ),
    "completion": (
        lambda text: [Completion.model_validate(completion(word)) for word in words(text)],
        lambda piece: piece.choices[0].text,
    ),
    "response": (
        openai_events,
        lambda piece: piece.delta if isinstance(piece, ResponseTextDeltaEvent) else "",
    ),
    "response dict": (
        response_events,
        lambda piece: piece["delta"] if piece["type"] == "response.output_text.delta" else "",
    ),
    "anthropic dict": (
        anthropic_events,
        lambda piece: piece.get("delta", {}).get("text"),
    ),
    "gemini dict": (
        lambda text: [gemini(word) for word in words(text)],
        lambda piece: piece["candidates"][0]["content"]["parts"][0]["text"],
    ),
    "langchain": (
        lambda text: [AIMessageChunk(word) for word in words(text)],
        lambda piece: piece.content,
    ),
}
EVERY_STREAM = pytest.mark.parametrize("name", list(STREAMS))


def said_in(name: str, pieces: list[Any]) -> str:
    return "".join(STREAMS[name][1](piece) or "" for piece in pieces)


@EVERY_STREAM
def test_a_harmless_stream_arrives_as_it_came(name: str, recorder: Recorder) -> None:
    pieces = STREAMS[name][0]("All is well. So it is.")
    assert list(wrapped(lambda: iter(pieces), recorder)()) == pieces
    (outcome,) = recorder.outcomes
    assert outcome.verdict is Verdict.RELEASED
    assert outcome.reply.strip() == "All is well. So it is."


@EVERY_STREAM
def test_a_stream_ends_in_the_fallback_before_what_is_withheld(
    name: str, recorder: Recorder
) -> None:
    pieces = STREAMS[name][0]("All is well. You nasty thing.")
    given = list(wrapped(lambda: iter(pieces), recorder)())
    assert said_in(name, given).split() == ["All", "is", "well.", "No."]
    assert {type(one) for one in given} <= {type(one) for one in pieces} or name == "response"
    assert "nasty thing" not in repr(given)
    assert recorder.outcomes[0].verdict is Verdict.BLOCKED


def test_events_that_the_guard_adds_are_of_the_library(recorder: Recorder) -> None:
    given = list(wrapped(lambda: iter(openai_events("You nasty thing.")), recorder)())
    kinds = [(type(one).__name__, one.type) for one in given[-3:]]
    assert kinds == [
        ("ResponseContentPartDoneEvent", "response.content_part.done"),
        ("ResponseOutputItemDoneEvent", "response.output_item.done"),
        ("ResponseIncompleteEvent", "response.incomplete"),
    ]
    assert given[-1].response.output_text == "No."
    numbers = [one.sequence_number for one in given]
    assert numbers == sorted(set(numbers))


def test_each_choice_of_a_stream_ends(recorder: Recorder) -> None:
    pieces = [chunk("Fine. ", 0), chunk("You nasty thing.", 1)]
    given = list(wrapped(lambda: iter(pieces), recorder)())
    ends = [one["choices"][0] for one in given if one["choices"][0].get("finish_reason")]
    assert [(one["index"], one["finish_reason"]) for one in ends] == [
        (0, "content_filter"),
        (1, "content_filter"),
    ]
    assert "nasty" not in str(given)


def test_the_words_of_a_choice_are_judged_together(recorder: Recorder) -> None:
    pieces = [chunk("You nas", 1), chunk("Fine. ", 0), chunk("ty thing.", 1), chunk("Good. ", 0)]
    given = list(wrapped(lambda: iter(pieces), recorder)())
    assert "ty thing" not in str(given)
    assert recorder.outcomes[0].verdict is Verdict.BLOCKED


def test_chunks_of_several_choices_are_parted(recorder: Recorder) -> None:
    both = chunk("Fine.", 0)
    both["choices"] += chunk("Good.", 1)["choices"]
    both["usage"] = {"total_tokens": 3, "prompt_tokens": 1, "completion_tokens": 2}
    pieces = [ChatCompletionChunk.model_validate(both)]
    first, second = list(wrapped(lambda: iter(pieces), recorder)())
    assert [*first.choices, *second.choices] == pieces[0].choices
    assert (first.usage, second.usage) == (None, pieces[0].usage)
    assert type(second) is ChatCompletionChunk


def test_asynchronous_streams_and_functions_are_read_too(recorder: Recorder) -> None:
    async def stream() -> AsyncIterator[Any]:
        for piece in STREAMS["chat"][0]("You nasty thing."):
            yield piece

    async def whole() -> ChatCompletion:
        return ChatCompletion.model_validate(chat("You nasty thing."))

    async def both() -> tuple[list[Any], Any]:
        pieces = [piece async for piece in wrapped(stream, recorder)()]
        return pieces, await wrapped(whole, recorder)()

    pieces, reply = asyncio.run(both())
    assert said_in("chat", pieces) == "No."
    assert reply.choices[0].message.content == "No."


@dataclass(frozen=True)
class Answer:
    text: str


class Opaque:
    """Of which nobody knows what it says."""

    def __repr__(self) -> str:
        return "nasty"


@pytest.mark.parametrize("reply", [Answer("nasty"), {"answer": "nasty"}, bytes(range(128, 256))])
def test_other_objects_are_unscored_and_a_warning_says_so_once(
    reply: object, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    ask = wrapped(lambda: reply, recorder)
    with caplog.at_level(logging.WARNING, logger="guard.wrap"):
        assert ask() is reply
        assert ask() is reply
    (line,) = caplog.messages
    assert type(reply).__name__ in line
    assert "read=" in line
    assert {one.unscored for one in recorder.outcomes} == {Unscored.NOT_TEXT}


def test_what_is_not_read_among_known_pieces_is_withheld_where_policy_says_so(
    recorder: Recorder,
) -> None:
    closed = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
    stream = wrapped(lambda: iter([chunk("Fine. "), Opaque()]), recorder, closed)()
    assert "nasty" not in repr(list_until_blocked(stream))


def list_until_blocked(stream: Iterator[Any]) -> list[Any]:
    from guard.errors import Blocked

    given: list[Any] = []
    with pytest.raises(Blocked):
        given.extend(stream)
    return given


def test_edited_copies_share_what_did_not_change() -> None:
    reply = ChatCompletion.model_validate(chat("one", refusal=None))
    before = plain_value(reply)
    after = {**before, "model": "other"}
    made = edited(reply, before, after)
    assert (made.model, reply.model) == ("other", "m")
    assert made.choices is reply.choices


@pytest.mark.parametrize("hold", Hold)
@pytest.mark.parametrize("made", [chat, completion, response, anthropic])
def test_a_whole_reply_is_redacted_however_streams_are_held(
    recorder: Recorder, made: Callable[[str], Any], hold: Hold
) -> None:
    policy = replace(REDACT, hold=hold)
    reply = wrapped(lambda: made("Fine. You are nasty. Fine."), recorder, policy)()
    assert "You are nasty" not in json.dumps(reply)
    assert "[x]" in json.dumps(reply)
