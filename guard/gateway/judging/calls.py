"""What the record says of a request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from guard.counterfactual import never_shadowed, shadow_parameters
from guard.gateway.judging.choices import per_prompt, prompts_of
from guard.gateway.records import Asked, Operation
from guard.records import Call, Turn
from guard.text import asked_in, turns_of


def calls_of(asked: Asked) -> Iterator[Call]:
    """The calls as they are recorded, one for each reply and without end; ids are given later."""
    never = asked.never_shadowed or never_shadowed(asked.body) or ""
    call = Call(
        id="",
        use_case=asked.use_case,
        lane=asked.lane,
        parameters={} if never else shadow_parameters(asked.body),
        never_shadowed=never,
    )
    if asked.operation is Operation.COMPLETIONS:
        prompts = [one if isinstance(one, str) else "" for one in prompts_of(asked.body)]
        calls = [replace(call, prompt=one) for one in prompts for _ in range(_count(asked))]
    else:
        messages = _messages(asked)
        calls = [replace(call, prompt=asked_in(messages), turns=_turns(messages))]
    yield from calls
    while True:
        yield calls[-1]


def _count(asked: Asked) -> int:
    return per_prompt(asked.body)


def _turns(messages: list[Any]) -> tuple[Turn, ...]:
    """What nobody has to ask again has no turns; the instructions of a developer are the system's.

    An item of the Responses API is a message by its type as well."""
    return turns_of([_message(one) for one in messages])


def _message(one: Any) -> Any:
    if not isinstance(one, dict) or not isinstance(content := one.get("content"), str | list):
        return one
    kept = {key: value for key, value in one.items() if (key, value) != ("type", "message")}
    role = "system" if one.get("role") == "developer" else one.get("role")
    return {**kept, "role": role, "content": _only_text(content)}


def _only_text(content: Any) -> Any:
    """The text of a content that is one part of text; anything else as it is."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        part = content[0]
        if part.keys() == {"type", "text"} and part["type"] in {"text", "input_text"}:
            return part["text"]
    return content


def _messages(asked: Asked) -> list[Any]:
    """The conversation, in the words of chat completions."""
    if asked.operation is Operation.CHAT:
        found = asked.body.get("messages")
        return found if isinstance(found, list) else []
    said, told = asked.body.get("input"), asked.body.get("instructions")
    items = [{"role": "user", "content": said}] if isinstance(said, str) else said
    first = [{"role": "system", "content": told}] if told else []
    return [*first, *(items if isinstance(items, list) else [])]
