"""LangChain's own client for the OpenAI API, guarded in the process that it runs in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from guard.records import Action
from guard.testing import Recorder
from guard.wrap.langchain import guard_model
from tests.langchain_scripted import BAD, FALLBACK, everything, policy, scripted_guard

KIND = "All is well today. The sun is out."
LATE = f"All is well today. You are a {BAD} and no more. So long."
USAGE = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}
ABOUT = {"id": "chatcmpl-1", "created": 1, "model": "gpt-4o-mini", "system_fingerprint": "fp"}


class Answer(BaseModel):
    """What is wanted."""

    text: str


def choice(key: str, said: dict[str, Any], ended: str | None) -> dict[str, Any]:
    words = [{"token": word, "logprob": -0.1, "top_logprobs": [], "bytes": None}
             for word in str(said.get("content") or "").split()]  # fmt: skip
    probabilities = {"content": words, "refusal": None} if words else None
    return {"index": 0, key: said, "finish_reason": ended, "logprobs": probabilities}


def whole(said: dict[str, Any]) -> httpx.Response:
    made = choice("message", {"role": "assistant", "content": None, **said}, "stop")
    body = {**ABOUT, "object": "chat.completion", "choices": [made], "usage": USAGE}
    return httpx.Response(200, json=body)


def streamed(deltas: list[dict[str, Any]]) -> httpx.Response:
    chunks = [{**ABOUT, "choices": [choice("delta", delta, None)]} for delta in deltas]
    chunks.append({**ABOUT, "choices": [choice("delta", {}, "stop")]})
    chunks.append({**ABOUT, "choices": [], "usage": USAGE})
    lines = [json.dumps({**chunk, "object": "chat.completion.chunk"}) for chunk in chunks]
    body = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
    return httpx.Response(200, text=body, headers={"content-type": "text/event-stream"})


def calls(arguments: str, *, index: int | None = None) -> dict[str, Any]:
    made = {"id": "call-1", "type": "function",
            "function": {"name": "Answer", "arguments": arguments}}  # fmt: skip
    return {"tool_calls": [made if index is None else {**made, "index": index}]}


def answering(text: str, *, calling: bool = False) -> ChatOpenAI:
    """A client whose server says `text`, by calling the tool `Answer` with it or plainly."""
    arguments = json.dumps({"text": text})

    def answer(request: httpx.Request) -> httpx.Response:
        if not json.loads(request.content).get("stream"):
            return whole(calls(arguments) if calling else {"content": text})
        if not calling:
            return streamed([{"content": f"{word} "} for word in text.split(" ")])
        begun = calls("", index=0)
        pieces = [arguments[at : at + 5] for at in range(0, len(arguments), 5)]
        rest = [{"tool_calls": [{"index": 0, "function": {"arguments": one}}]} for one in pieces]
        return streamed([begun, *rest])

    transport = httpx.MockTransport(answer)
    return ChatOpenAI(
        model="gpt-4o-mini",
        api_key=SecretStr("sk-very-private"),
        http_client=httpx.Client(transport=transport),
        http_async_client=httpx.AsyncClient(transport=transport),
        stream_usage=True,
    )


def guarded(inner: ChatOpenAI, action: Action = Action.BLOCK, seen: Recorder | None = None) -> Any:
    return guard_model(inner, scripted_guard(policy(action), seen), use_case="chat")


def merged(chunks: Iterator[Any]) -> Any:
    first, *others = list(chunks)
    return first + others


@pytest.mark.parametrize("calling", [False, True])
async def test_what_passes_is_what_the_client_gives(calling: bool) -> None:
    plain, checked = answering(KIND, calling=calling), guarded(answering(KIND, calling=calling))
    ignored = {"id"}

    def same(one: Any, other: Any) -> bool:
        return one.model_dump(exclude=ignored) == other.model_dump(exclude=ignored)

    assert same(plain.invoke("?"), checked.invoke("?"))
    assert same(await plain.ainvoke("?"), await checked.ainvoke("?"))
    without_logprobs = merged(plain.stream("?")), merged(checked.stream("?"))
    assert same(*without_logprobs)
    assert (
        merged(iter([one async for one in checked.astream("?")])).text
        == merged(plain.stream("?")).text
    )


async def test_what_is_withheld_is_withheld_with_its_log_probabilities() -> None:
    checked = guarded(answering(LATE))
    found = [checked.invoke("?"), await checked.ainvoke("?"), *checked.stream("?")]
    found += [one async for one in checked.astream("?")]
    assert FALLBACK in found[0].text
    assert BAD not in everything(found)
    assert found[0].response_metadata["finish_reason"] == "content_filter"
    assert found[0].response_metadata["model_name"] == "gpt-4o-mini"
    assert found[0].usage_metadata["total_tokens"] == 8


@pytest.mark.parametrize("method", ["function_calling", "json_schema"])
def test_structured_output_in_both_ways(method: Any) -> None:
    calling = method == "function_calling"
    said = KIND if calling else json.dumps({"text": KIND})
    made = guarded(answering(said, calling=calling))
    assert made.with_structured_output(Answer, method=method).invoke("?") == Answer(text=KIND)
    bad = guarded(answering(LATE if calling else json.dumps({"text": LATE}), calling=calling))
    found = bad.with_structured_output(Answer, method=method, include_raw=True).invoke("?")
    assert BAD not in everything(found)
    assert found["parsed"] is None


@pytest.mark.parametrize("strict", [None, True])
def test_tools_are_bound_as_the_client_binds_them(strict: bool | None) -> None:
    seen = Recorder()
    made = guarded(answering(LATE, calling=True), seen=seen).bind_tools([Answer], strict=strict)
    assert made.invoke("?").tool_calls == []
    assert merged(made.stream("?")).tool_calls == []
    assert [outcome.structured for outcome in seen.outcomes] == [True, True]
    assert [outcome.call.never_shadowed for outcome in seen.outcomes] == ["", ""]


def test_no_key_shows_and_the_name_of_the_model_does() -> None:
    made = guarded(answering(KIND))
    assert made.model_name == "gpt-4o-mini"
    assert made._llm_type == "openai-chat"
    with pytest.raises(AttributeError):
        _ = made.openai_api_key
    with pytest.raises(AttributeError):
        _ = made.root_client
    assert "sk-" not in f"{made!r} {made.model_dump()} {made._identifying_params}"
