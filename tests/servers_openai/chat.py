"""`/v1/chat/completions` as its servers speak it, whole and as chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from tests.servers_openai.replies import (
    CREATED,
    Choice,
    Dialect,
    Saying,
    Tool,
    filtered,
    logprob,
    token_id,
    tokens,
    usage,
)

Body = Mapping[str, Any]
Object = dict[str, Any]


def whole(saying: Saying, body: Body) -> Object:
    """The answer to a request that did not ask for a stream."""
    choices = [_choice(i, one, saying, body) for i, one in enumerate(saying.choices)]
    answer = {**_top(saying, body, "chat.completion"), "choices": choices, "usage": usage(saying)}
    if saying.dialect is Dialect.AZURE:
        answer["prompt_filter_results"] = [_prompt_filtered()]
    if saying.dialect is Dialect.VLLM:
        answer |= {"prompt_logprobs": None, "kv_transfer_params": None, "prompt_token_ids": [1, 2]}
    return answer | dict(saying.extra)


def events(saying: Saying, body: Body) -> Iterator[Object]:
    """The chunks of a stream."""
    counted = (body.get("stream_options") or {}).get("include_usage")
    top = _top(saying, body, "chat.completion.chunk") | dict(saying.extra)
    if saying.dialect is Dialect.OPENAI and counted:
        top["usage"] = None
    if saying.dialect is Dialect.AZURE:
        yield _prompt_looked_at()
    parts = [list(_parts(i, one, saying, body)) for i, one in enumerate(saying.choices)]
    for together in zip_longest(*parts):
        for choice in together:
            if choice is not None:
                yield {**top, "choices": [choice], **_padding(saying)}
    if saying.dialect is Dialect.AZURE:
        yield {**top, "choices": [_looked_at_late()]}
    if counted or saying.dialect is Dialect.DEEPSEEK:
        yield {**top, "choices": [], "usage": usage(saying)}


def _top(saying: Saying, body: Body, kind: str) -> Object:
    top: Object = {
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": kind,
        "created": CREATED,
        "model": body.get("model", "scripted"),
    }
    if saying.dialect is Dialect.OPENAI:
        top["service_tier"] = "default"
    if saying.dialect is not Dialect.VLLM:
        top["system_fingerprint"] = "fp_44709d6fcb"
    return top


def _choice(index: int, choice: Choice, saying: Saying, body: Body) -> Object:
    found: Object = {
        "index": index,
        "message": _message(choice, saying),
        "logprobs": _logprobs(tokens(choice.text), body),
        "finish_reason": choice.finish_reason,
    }
    if saying.dialect is Dialect.AZURE:
        found["content_filter_results"] = filtered()
    if saying.dialect is Dialect.VLLM:
        found |= {"stop_reason": None, "token_ids": [*map(token_id, tokens(choice.text))]}
    return found


def _message(choice: Choice, saying: Saying) -> Object:
    message: Object = {"role": "assistant", "content": choice.text}
    if saying.dialect in {Dialect.OPENAI, Dialect.AZURE}:
        message |= {"refusal": choice.refusal, "annotations": []}
    if choice.reasoning:
        message["reasoning_content"] = choice.reasoning
    if choice.tools:
        message["tool_calls"] = [_call(tool) for tool in choice.tools]
    return message


def _call(tool: Tool) -> Object:
    called = {"name": tool.name, "arguments": tool.arguments}
    return {"id": tool.id, "type": "function", "function": called}


def _parts(index: int, choice: Choice, saying: Saying, body: Body) -> Iterator[Object]:
    """One choice of a stream: the role, what was thought, said and called, then how it ended."""

    def part(delta: Object, finish: str | None = None, token: str = "") -> Object:
        logprobs = _logprobs([token], body) if token else None
        found = {"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": finish}
        if saying.dialect is Dialect.AZURE:
            found["content_filter_results"] = filtered() if token else {}
        if saying.dialect is Dialect.VLLM:
            found |= {"token_ids": [token_id(token)] if token else None}
        return found

    yield part(_first(choice, saying))
    for token in tokens(choice.reasoning):
        yield part(_thought(token, saying))
    for token in tokens(choice.text):
        yield part(_said(token, saying), token=token)
    for token in tokens(choice.refusal):
        yield part({"refusal": token})
    for place, tool in enumerate(choice.tools):
        for delta in _called(place, tool):
            yield part({"tool_calls": [delta]})
    yield part({}, choice.finish_reason)


def _first(choice: Choice, saying: Saying) -> Object:
    first: Object = {"role": "assistant", "content": None if choice.tools else ""}
    if saying.dialect is Dialect.DEEPSEEK:
        return {**first, "content": None, "reasoning_content": ""}
    return first if saying.dialect is Dialect.VLLM else {**first, "refusal": None}


def _thought(token: str, saying: Saying) -> Object:
    thought: Object = {"reasoning_content": token}
    return {"content": None, **thought} if saying.dialect is Dialect.DEEPSEEK else thought


def _said(token: str, saying: Saying) -> Object:
    said: Object = {"content": token}
    return {**said, "reasoning_content": None} if saying.dialect is Dialect.DEEPSEEK else said


def _called(place: int, tool: Tool) -> Iterator[Object]:
    yield {
        "index": place,
        "id": tool.id,
        "type": "function",
        "function": {"name": tool.name, "arguments": ""},
    }
    for token in tokens(tool.arguments):
        yield {"index": place, "function": {"arguments": token}}


def _logprobs(said: list[str], body: Body) -> Object | None:
    if not body.get("logprobs"):
        return None
    top = body.get("top_logprobs") or 0
    return {"content": [logprob(token, top=top) for token in said], "refusal": None}


def _padding(saying: Saying) -> Object:
    return {"obfuscation": "aYn4Bz7"} if saying.dialect is Dialect.OPENAI else {}


def _prompt_filtered() -> Object:
    return {"prompt_index": 0, "content_filter_results": filtered()}


def _prompt_looked_at() -> Object:
    """Azure's first chunk, which is about the prompt and has no choice."""
    empty = {"id": "", "object": "", "created": 0, "model": ""}
    return {**empty, "choices": [], "prompt_filter_results": [_prompt_filtered()]}


def _looked_at_late() -> Object:
    """Azure's last chunk where its filter runs beside the stream: a choice without a word."""
    offsets = {"check_offset": 44, "start_offset": 44, "end_offset": 198}
    return {
        "index": 0,
        "delta": {},
        "finish_reason": None,
        "content_filter_results": filtered(),
        "content_filter_offsets": offsets,
    }
