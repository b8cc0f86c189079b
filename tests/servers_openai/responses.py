"""`/v1/responses`, whole and as its events, each with its name and its number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from tests.servers_openai.replies import CREATED, Choice, Dialect, Saying, Tool, logprob, tokens

Body = Mapping[str, Any]
Object = dict[str, Any]

_ID = "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b"
_ECHOED: Object = {
    "background": False,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "model": "scripted",
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "service_tier": "default",
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}, "verbosity": "medium"},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
    "metadata": {},
}


def whole(saying: Saying, body: Body) -> Object:
    """The answer to a request that did not ask for a stream."""
    (choice,) = saying.choices
    return _response(saying, body, _ended(choice), _items(choice, saying, body))


def events(saying: Saying, body: Body) -> Iterator[Object]:
    """The events of a stream, numbered from 0."""
    numbers = count()
    for event in _events(saying, body):
        yield {**event, "sequence_number": next(numbers)}


def _events(saying: Saying, body: Body) -> Iterator[Object]:
    (choice,) = saying.choices
    begun = _response(saying, body, "in_progress", [])
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    items = _items(choice, saying, body)
    for place, item in enumerate(items):
        bare = {"output_index": place, "item": {**item, **_BARE[item["type"]]}}
        yield {"type": "response.output_item.added", **bare}
        for event in _INSIDE[item["type"]](item, body):
            yield {**event, "item_id": item["id"], "output_index": place}
        yield {"type": "response.output_item.done", "output_index": place, "item": item}
    ended = _ended(choice)
    yield {"type": f"response.{ended}", "response": _response(saying, body, ended, items)}


def _ended(choice: Choice) -> str:
    return "completed" if choice.finish == "stop" else "incomplete"


def _response(saying: Saying, body: Body, status: str, output: list[Object]) -> Object:
    """The object; what it echoes of the request is echoed."""
    short = {"reason": "max_output_tokens"} if status == "incomplete" else None
    echoed = {name: body.get(name, default) for name, default in _ECHOED.items()}
    return {
        "id": _ID,
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "completed_at": CREATED + 2 if status == "completed" else None,
        "error": None,
        "incomplete_details": short,
        **echoed,
        "output": output,
        "usage": _usage(saying) if status in {"completed", "incomplete"} else None,
        **saying.extra,
    }


def _usage(saying: Saying) -> Object:
    said = sum(len(tokens(choice.text or choice.refusal)) for choice in saying.choices)
    thought = sum(len(tokens(choice.reasoning)) for choice in saying.choices)
    return {
        "input_tokens": 36,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": said + thought,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": 36 + said + thought,
    }


def _items(choice: Choice, saying: Saying, body: Body) -> list[Object]:
    thought = [_reasoning(choice, saying)] if choice.reasoning else []
    said = [_message(choice, body)] if choice.text is not None or choice.refusal else []
    return [*thought, *said, *map(_called, choice.tools)]


def _reasoning(choice: Choice, saying: Saying) -> Object:
    """OpenAI gives a summary alone, vLLM the text itself."""
    item: Object = {"id": "rs_68af4030baa48193b0b43b4c2a176a1a", "type": "reasoning", "summary": []}
    if saying.dialect is Dialect.VLLM:
        return {**item, "content": [{"type": "reasoning_text", "text": choice.reasoning}]}
    return {**item, "summary": [{"type": "summary_text", "text": choice.reasoning}]}


def _message(choice: Choice, body: Body) -> Object:
    part: Object = {"type": "refusal", "refusal": choice.refusal}
    if choice.text is not None:
        part = {
            "type": "output_text",
            "annotations": [],
            "logprobs": _logprobs(tokens(choice.text), body),
            "text": choice.text,
        }
    return {
        "id": "msg_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d3795b",
        "type": "message",
        "status": "completed" if choice.finish == "stop" else "incomplete",
        "role": "assistant",
        "content": [part],
    }


def _called(tool: Tool) -> Object:
    return {
        "id": f"fc_{tool.id}",
        "type": "function_call",
        "status": "completed",
        "arguments": tool.arguments,
        "call_id": tool.id,
        "name": tool.name,
    }


_BARE: dict[str, Object] = {
    "message": {"content": [], "status": "in_progress"},
    "reasoning": {"summary": []},
    "function_call": {"arguments": "", "status": "in_progress"},
}


def _in_message(item: Object, body: Body) -> Iterator[Object]:
    (part,) = item["content"]
    at: Object = {"content_index": 0}
    said = part["type"] == "output_text"
    field = "text" if said else "refusal"
    name = "response.output_text" if said else "response.refusal"
    empty = {**part, field: "", **({"logprobs": []} if said else {})}
    yield {"type": "response.content_part.added", **at, "part": empty}
    for token in tokens(part[field]):
        more = {"logprobs": _logprobs([token], body), "obfuscation": "Vb1Kj0"} if said else {}
        yield {"type": f"{name}.delta", **at, "delta": token, **more}
    logprobs = {"logprobs": part["logprobs"]} if said else {}
    yield {"type": f"{name}.done", **at, field: part[field], **logprobs}
    yield {"type": "response.content_part.done", **at, "part": part}


def _in_reasoning(item: Object, body: Body) -> Iterator[Object]:
    if "content" in item:
        text = item["content"][0]["text"]
        for token in tokens(text):
            yield {"type": "response.reasoning_text.delta", "content_index": 0, "delta": token}
        yield {"type": "response.reasoning_text.done", "content_index": 0, "text": text}
        return
    for place, part in enumerate(item["summary"]):
        at = {"summary_index": place}
        name = "response.reasoning_summary"
        yield {"type": f"{name}_part.added", **at, "part": {**part, "text": ""}}
        for token in tokens(part["text"]):
            yield {"type": f"{name}_text.delta", **at, "delta": token, "obfuscation": "q8"}
        yield {"type": f"{name}_text.done", **at, "text": part["text"]}
        yield {"type": f"{name}_part.done", **at, "part": part}


def _in_call(item: Object, body: Body) -> Iterator[Object]:
    name = "response.function_call_arguments"
    for token in tokens(item["arguments"]):
        yield {"type": f"{name}.delta", "delta": token, "obfuscation": "Zu4"}
    yield {"type": f"{name}.done", "arguments": item["arguments"], "name": item["name"]}


_INSIDE = {"message": _in_message, "reasoning": _in_reasoning, "function_call": _in_call}


def _logprobs(said: list[str], body: Body) -> list[Object]:
    wanted = "message.output_text.logprobs" in (body.get("include") or ())
    top = body.get("top_logprobs") or 0
    return [logprob(token, top=top) for token in said] if wanted else []
