"""What a request of the OpenAI API asks, and how its reply is to be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guard.records import Turn, Unread
from guard.replies.fields import ReadOptions
from guard.text import said_by_user, texts_within, turns_of

_OF_MESSAGE = {"role", "content", "type"}


def chat_messages(body: Mapping[str, Any]) -> list[Any]:
    """The conversation of a chat completion. Some servers take a text, or one message, for it."""
    return _messages_in(body.get("messages"))


def strings_in(prompt: object) -> list[str]:
    """The texts among the prompts of a completion, which may be one, lists of them, or tokens; in
    an object, whatever they are called."""
    found, left = list[str](), [prompt]
    while left:
        one = left.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, list | dict):
            left += reversed(one if isinstance(one, list) else list(one.values()))
    return found


def response_messages(body: Mapping[str, Any]) -> list[Any]:
    """What a response is asked for, as messages of chat completions."""
    said, instructions = body.get("input"), body.get("instructions")
    first = [{"role": "system", "content": instructions}] if instructions else []
    return [*first, *_messages_in(said)]


def _messages_in(said: object) -> list[Any]:
    if isinstance(said, str):
        return [{"role": "user", "content": said}]
    if isinstance(said, list):
        return said
    if isinstance(said, dict):
        return [said] if said.keys() & _OF_MESSAGE else list(said.values())
    return []


def prompt_text(body: Mapping[str, Any]) -> str:
    """What is asked for in the request of a completion, and what is to follow it."""
    return "\n".join([*strings_in(body.get("prompt")), *strings_in(body.get("suffix"))])


def unread_prompt(body: Mapping[str, Any]) -> frozenset[Unread]:
    """What in the request of a completion is asked for in no text: ids of tokens, embeddings."""
    is_read = body.get("prompt_embeds") is None and not _has_numbers(body.get("prompt"))
    return frozenset() if is_read else frozenset({Unread.NOT_TEXT})


def _has_numbers(prompt: object) -> bool:
    left = [prompt]
    while left:
        one = left.pop()
        if isinstance(one, list):
            left += one
        elif isinstance(one, int | float):
            return True
    return False


def user_text(body: Mapping[str, Any], messages: list[Any]) -> str:
    """What the user says in a request of messages: last of them, and in the variables of a prompt
    that its server keeps (Responses API). messages: of the request."""
    return "\n\n".join(
        filter(None, [said_by_user(messages, any_shape=True), *_variables(body.get("prompt"))])
    )


def _variables(prompt: object) -> list[str]:
    """The texts among the variables of a stored prompt."""
    variables = prompt.get("variables") if isinstance(prompt, Mapping) else None
    values = variables.values() if isinstance(variables, Mapping) else ()
    return [text for one in values for text in texts_within(one)]


def conversation_turns(messages: list[Any]) -> tuple[Turn, ...]:
    """The conversation as turns; empty if a message is more than a text.

    The `developer` role becomes `system`; items of the Responses API may have `type: message`."""
    return turns_of([_message(one) for one in messages])


def _message(one: Any) -> Any:
    if not isinstance(one, dict) or not isinstance(content := one.get("content"), str | list):
        return one
    kept = {key: value for key, value in one.items() if (key, value) != ("type", "message")}
    role = "system" if one.get("role") == "developer" else one.get("role")
    return {**kept, "role": role, "content": _only_text(content)}


def _only_text(content: Any) -> Any:
    """The text of a content that has a single text part; any other content unchanged."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        part = content[0]
        if part.keys() == {"type", "text"} and part["type"] in ("text", "input_text"):
            return part["text"]
    return content


def read_options(
    body: Mapping[str, Any], *, reads_reasoning: bool, reads_tool_calls: bool
) -> ReadOptions:
    """How the reply to this request is read."""
    return ReadOptions(
        reads_reasoning=reads_reasoning,
        reads_tool_calls=reads_tool_calls,
        streamed=bool(body.get("stream")),
        alternatives=bool(body.get("logprobs") or body.get("top_logprobs")),
        prompt_tokens=body.get("prompt_logprobs") is not None,
    )
