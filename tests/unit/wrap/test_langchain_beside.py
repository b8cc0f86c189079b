"""What stands beside the text of a message is judged too, and goes with what is withheld."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import BaseModel

from guard.records import Action, Verdict
from guard.testing import Recorder
from guard.wrap.langchain import guard_model
from guard.wrap.langchain.wrappers import ModelWrapper
from tests.langchain_scripted import (
    BAD,
    SECRET,
    ScriptedModel,
    StreamingModel,
    everything,
    model,
    policy,
    scripted_guard,
)

SAYS = f"A {BAD}."
CALLED: Any = {"name": None, "args": "{}", "index": 0, "type": "tool_call_chunk"}
INVALID: Any = {"name": "f", "args": "{", "id": "1", "error": SAYS, "type": "invalid_tool_call"}


class Answer(BaseModel):
    text: str


class Asking(ScriptedModel):
    """Asks another model."""

    other: Any


def guarded(script: list[AIMessageChunk], seen: Recorder, action: Action = Action.BLOCK) -> Any:
    return guard_model(model(script), scripted_guard(policy(action), seen), use_case="chat")


def received(script: list[AIMessageChunk], action: Action = Action.BLOCK) -> list[Any]:
    """What callers get of it, in chunks and whole."""
    asked = guarded(script, Recorder(), action)
    return [*asked.stream("?"), asked.invoke("?")]


BESIDE: dict[str, dict[str, Any]] = {
    "name": {"name": SAYS},
    "id": {"id": SAYS},
    "metadata": {"response_metadata": {"note": SAYS}},
    "model": {"response_metadata": {"model_name": SAYS}},
    "parsed": {"additional_kwargs": {"parsed": Answer(text=SAYS)}},
    "alt": {"content": [{"type": "image", "base64": "AAAA", "alt": SAYS}]},
    "error": {"invalid_tool_calls": [INVALID]},
    "tuple": {"additional_kwargs": {"x": (SAYS,)}},
    "set": {"additional_kwargs": {"x": [{"y": {SAYS}}]}},
    "bytes": {"additional_kwargs": {"x": SAYS.encode()}},
    "bytes of metadata": {"response_metadata": {"x": SAYS.encode()}},
    "tuple of content": {"content": [{"type": "text", "text": "So.", "alt": (SAYS,)}]},
    "tuple of arguments": {"tool_calls": [{"name": "f", "args": {"x": (SAYS,)}, "id": "1"}]},
    "key": {"additional_kwargs": {(1, SAYS): "So."}},
}


@pytest.mark.parametrize("action", [Action.BLOCK, Action.REDACT])
@pytest.mark.parametrize("where", BESIDE)
def test_what_stands_beside_the_text_is_judged(where: str, action: Action) -> None:
    script = [AIMessageChunk(**{"content": "Fine. ", **BESIDE[where]})]
    assert BAD not in everything(received(script, action))


class Provided(ScriptedModel):
    """Says more about a reply than is in its messages."""

    said: dict[str, Any]

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        result = super()._generate(*args, **kwargs)
        return ChatResult(generations=result.generations, llm_output=self.said)


@pytest.mark.parametrize("action", [Action.BLOCK, Action.REDACT])
@pytest.mark.parametrize("choices", [1, 2])
def test_what_a_provider_says_about_a_reply_is_judged_where_it_reaches_the_message(
    choices: int, action: Action
) -> None:
    asked = Provided(
        [[AIMessageChunk(content="Fine.")]], choices=choices, said={"id": "7", "raw": {"x": SAYS}}
    )
    guard = scripted_guard(policy(action), Recorder())
    result = guard_model(asked, guard, use_case="chat").generate([[HumanMessage("?")]])
    assert BAD not in everything([result.llm_output, *result.generations[0]])
    assert len(result.generations[0]) == choices


class Refilling(StreamingModel):
    """Fills one chunk again and again."""

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        message = AIMessageChunk(content="")
        for chunk in super()._stream(*args, **kwargs):
            message.content = chunk.message.content
            yield ChatGenerationChunk(message=message)


def test_a_chunk_of_a_model_says_what_was_judged() -> None:
    asked = Refilling([[AIMessageChunk(content=text) for text in ("Fine. ", f"A {BAD}.", " Bye.")]])
    guard = scripted_guard(policy(Action.BLOCK), Recorder())
    given = list(guard_model(asked, guard, use_case="chat").stream("?"))
    assert BAD not in everything(given)
    assert given[0].text == "Fine. "


class Counting(Provided):
    """Adds up what only it knows of."""

    def _combine_llm_outputs(self, llm_outputs: list[dict[str, Any] | None], /) -> dict[str, Any]:
        return {"calls": sum(one["calls"] for one in llm_outputs if one is not None)}


@pytest.mark.parametrize(("action", "kept"), [(Action.FLAG, {"calls": 3}), (Action.BLOCK, {})])
def test_a_model_that_misses_what_was_left_out_of_it_fails_nobody(
    action: Action, kept: dict[str, Any]
) -> None:
    asked = Counting([[AIMessageChunk(content="Fine.")]], choices=2, said={"calls": 3})
    guard = scripted_guard(policy(action), Recorder())
    result = guard_model(asked, guard, use_case="chat").generate([[HumanMessage("?")]])
    assert [one.text for one in result.generations[0]] == ["Fine.", "Fine."]
    assert result.llm_output == kept


def test_what_is_harmless_in_what_a_provider_says_stays() -> None:
    said = {"id": "7", "raw": {"x": "Well."}}
    asked = Provided([[AIMessageChunk(content="Fine.")]], said=said)
    guard = scripted_guard(policy(Action.BLOCK), Recorder())
    whole = guard_model(asked, guard, use_case="chat").invoke("?")
    assert (whole.content, whole.response_metadata) == ("Fine.", said)


class Foreign:
    """Nobody knows what it says."""

    def __repr__(self) -> str:
        return SAYS


def test_what_is_harmless_in_other_containers_keeps_its_type() -> None:
    beside = {"t": ("So.",), "s": {"Well."}, "b": b"Fine.", "n": (1, 2), "o": Foreign()}
    seen = Recorder()
    whole = guarded([AIMessageChunk(content="Yes.", additional_kwargs=beside)], seen).invoke("?")
    assert {**whole.additional_kwargs, "o": None} == {**beside, "o": None}
    assert seen.outcomes[0].unread == {"not_text"}


def redacted_beside(beside: dict[str, Any]) -> list[dict[str, Any]]:
    given = received([AIMessageChunk(content="Yes.", additional_kwargs=beside)], Action.REDACT)
    assert BAD not in everything(given)
    return [one.additional_kwargs for one in given if one.additional_kwargs]


def test_a_redaction_keeps_the_types_and_drops_what_nobody_knows() -> None:
    known = {"t": (SAYS, 1.5), "b": SAYS.encode()}
    assert redacted_beside(known) == [{"t": ("A [removed].", 1.5), "b": b"A [removed]."}] * 2
    unknown = {"t": SAYS, "o": Foreign(), "data": b"\xff\x00"}
    assert redacted_beside(unknown) == [{"t": "A [removed].", "o": None, "data": None}] * 2


def test_texts_in_tuples_are_not_cut_in_two() -> None:
    beside = {"x": ("A long text in a tuple of a message. It has two sentences in it, " * 3,)}
    script = [AIMessageChunk(content="Yes.", additional_kwargs=beside)]
    first, *others = guarded(script, Recorder()).stream("?")
    assert sum(others, first).additional_kwargs == beside


LONG = "A long text is here. Another one stands behind it, so long that it is cut."
PLACED: dict[str, dict[str, Any]] = {
    "index": {"additional_kwargs": {"index": "odd", "reasoning_content": LONG}},
    "number": {"additional_kwargs": {"n": 3, "x": {"model": "m", "text": LONG}}},
    "list": {"additional_kwargs": {"x": [LONG, {"index": "odd", "text": LONG}]}},
    "block": {"content": [{"type": "text", "text": LONG, "index": 0, "phase": "last"}]},
    "odd block": {"content": [{"type": "text", "text": LONG, "index": "odd"}]},
}


@pytest.mark.parametrize("where", PLACED)
def test_harmless_content_comes_out_as_it_went_in(where: str) -> None:
    chunk = AIMessageChunk(**{"content": "", **PLACED[where]})
    first, *others = guarded([chunk], Recorder()).stream("?")
    joined = sum(others, first)
    assert joined.additional_kwargs == chunk.additional_kwargs
    assert joined.content == chunk.content


def test_long_reasoning_is_released_sentence_by_sentence() -> None:
    script = [AIMessageChunk(content="", additional_kwargs={"reasoning_content": LONG})]
    given = [one.additional_kwargs for one in guarded(script, Recorder()).stream("?")]
    pieces = [one["reasoning_content"] for one in given if "reasoning_content" in one]
    assert len(pieces) > 1
    assert "".join(pieces) == LONG


IN_HALVES: dict[str, list[dict[str, Any]]] = {
    "metadata": [{"response_metadata": {"model_name": half}} for half in SECRET],
    "alt": [{"content": [{"type": "image", "alt": half, "index": 0}]} for half in SECRET],
    "call": [{"tool_call_chunks": [{**CALLED, "id": half}]} for half in SECRET],
}


@pytest.mark.parametrize("where", IN_HALVES)
def test_names_that_come_in_pieces_are_judged(where: str) -> None:
    script = [AIMessageChunk(**{"content": [], **one}) for one in IN_HALVES[where]]
    seen = Recorder()
    chunks = list(guarded(script, seen).stream("?"))
    assert SECRET[1] not in everything(chunks)
    assert seen.outcomes[0].verdict is Verdict.BLOCKED


def test_what_a_client_parsed_of_the_text_is_no_second_text() -> None:
    seen, parsed = Recorder(), {"text": "Fine."}
    script = [AIMessageChunk(content=json.dumps(parsed), additional_kwargs={"parsed": parsed})]
    asked = model(script, quotes=False)
    guard = scripted_guard(policy(Action.BLOCK), seen)
    reply = guard_model(asked, guard, use_case="chat").invoke("?")
    assert reply.additional_kwargs["parsed"] == parsed
    assert seen.outcomes[0].reply == '{"text": "Fine."}'


def test_numbers_go_with_what_they_may_spell() -> None:
    block = {"type": "text", "text": f"A {BAD}. Well.", "tokens": [1, 2]}
    script = [AIMessageChunk(content=[block], response_metadata={"usage": [1, 2]})]
    given = received(script, Action.REDACT)
    assert "[removed]" in everything(given)
    assert "[1, 2]" not in everything(given)


def test_a_model_that_holds_another_one_is_warned_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    guard = scripted_guard(policy(Action.BLOCK))
    wrapper = ModelWrapper(runtime=guard.runtime, use_case="chat", trusted=(), strict=False)
    with caplog.at_level(logging.WARNING, logger="guard.wrap"):
        for inner in (model("So."), *(Asking([], other=model("So.")) for _ in range(2))):
            wrapper.wrap(inner)
    (line,) = caplog.messages
    assert "Asking holds the chat model StreamingModel" in line
