"""What is asked with a list of chat messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from guard.records import Turn
from guard.text.parts import spelt_over_parts

_MODEL = frozenset({"assistant", "model", "ai", "AIMessageChunk", "bot", "chatbot"})
_OTHERS = frozenset(
    {"system", "developer", "tool", "function", "ipython"}
    | {"SystemMessageChunk", "ToolMessageChunk", "FunctionMessageChunk"}
)
"""Roles of who is neither the model nor the user. Servers that take further roles show them to the
model as they do a user's, so that every other role is one of the user."""
_TEXT_KEYS = ("text", "content", "value", "refusal", "thinking")
"""Of parts; the last two are read by servers in whoever's message they stand."""
_TOOL_PART = re.compile(
    r".*(call|call_output|tool|tools|tool_use|tool_result|tool_call_chunk|reasoning)"
)
_WORDS = re.compile(r"\w[^\w\s]*\s\W*\w")
_LONGEST_WORD = 30
"""In the mean; longer ones are bytes in base64."""
_DEEPEST = 8


def asked_in(messages: Iterable[object]) -> str:
    """All texts of the messages in one, those among parts of other kinds as well."""
    return "\n".join(text for message in messages for text in _texts(message))


def said_by_user(messages: Sequence[object], *, any_shape: bool = False) -> str:
    """What the user said since the model last spoke or called a tool, in one text.

    Where the model itself comes last, it is to go on with that message: what the user said before
    has not been answered yet. A message with words that go over several of its parts comes once
    more, in one piece. any_shape: `messages` are known to be those of a request, so that texts in
    shapes that few servers know are read as well.
    """
    said: list[object] = []
    for at, message in enumerate(reversed(messages)):
        if _is_of_user(message, any_shape=any_shape):
            said.append(message)
        elif _is_call(message) or (at and _has_role(message, _MODEL)):
            break
    said.reverse()
    texts = [_texts_of(message, any_shape=any_shape) for message in said]
    spelt = filter(None, map(spelt_over_parts, texts))
    return "\n\n".join(["\n".join(chain.from_iterable(texts)), *spelt])


def turns_of(messages: Iterable[object]) -> tuple[Turn, ...]:
    """All messages, or none when one of them is more than a text."""
    turns = tuple(map(_turn, messages))
    return tuple(turn for turn in turns if turn) if all(turns) else ()


def _is_of_user(message: object, *, any_shape: bool) -> bool:
    """By its role, in whatever case; where nobody is named, whatever is no result of a tool."""
    if isinstance(message, Mapping) and message.get("role") is None:
        return not _is_of_tool(message)
    if isinstance(message, Mapping) and (any_shape or isinstance(message.get("role"), str)):
        return not _has_role(message, _MODEL | _OTHERS)
    return isinstance(message, str) or (any_shape and isinstance(message, list))


def _has_role(message: object, roles: frozenset[str]) -> bool:
    role = message.get("role") if isinstance(message, Mapping) else None
    return isinstance(role, str) and (role in roles or role.lower() in roles)


def _is_of_tool(part: Mapping[Any, object]) -> bool:
    """Whether it is the call of a tool, or what came of one."""
    return _TOOL_PART.fullmatch(str(part.get("type", ""))) is not None


def _is_call(message: object) -> bool:
    return isinstance(message, Mapping) and str(message.get("type", "")).endswith("_call")


def _texts(message: object) -> Iterator[str]:
    content = message.get("content") if isinstance(message, Mapping) else None
    return texts_within(content)


def _texts_of(message: object, *, any_shape: bool) -> list[str]:
    """Of a message of the user."""
    if any_shape and isinstance(message, list):  # a conversation in its place
        return [said_by_user(message)]
    found = [*_texts(message)] or [*texts_within(message)]
    if any_shape and isinstance(message, Mapping):
        if isinstance(inner := message.get("messages"), list):
            found.append(said_by_user(inner))
        if "role" in message:
            known = set(found)
            found += [text for text in _words_within(message) if text not in known]
    return found


def _words_within(value: object, deepest: int = _DEEPEST) -> Iterator[str]:
    """All strings of several words, whatever they are called; none that are data in lines."""
    if isinstance(value, str):
        if _WORDS.search(value) and len(value) < _LONGEST_WORD * len(value.split()):
            yield value
    elif isinstance(value, Mapping):
        if not _is_of_tool(value) and deepest:
            for part in value.values():
                yield from _words_within(part, deepest - 1)
    elif isinstance(value, list | tuple) and deepest:
        for part in value:
            yield from _words_within(part, deepest - 1)


def texts_within(content: object, deepest: int = _DEEPEST) -> Iterator[str]:
    """The texts in a content, in the lists and parts of it, wherever servers look for them."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        if not _is_of_tool(content) and deepest:
            for key in _TEXT_KEYS:
                yield from texts_within(content.get(key), deepest - 1)
    elif isinstance(content, list | tuple) and deepest:
        for part in content:
            yield from texts_within(part, deepest - 1)


def _turn(message: object) -> Turn | None:
    if not isinstance(message, Mapping) or message.keys() - {"role", "content", "name"}:
        return None
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or not isinstance(content, str):
        return None
    return Turn(role=role, content=content)
