"""What is asked with a list of chat messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from guard.records import Turn
from guard.text.parts import spelt_over_parts

_MODEL = frozenset({"assistant", "model", "ai", "AIMessageChunk"})
_USER = frozenset({"user", "human", "HumanMessageChunk"})


def asked_in(messages: Iterable[object]) -> str:
    """All texts of the messages in one, those among parts of other kinds as well."""
    return "\n".join(text for message in messages for text in _texts(message))


def said_by_user(messages: Sequence[object]) -> str:
    """What the user said since the model last spoke or called a tool, in one text.

    Where the model itself comes last, it is to go on with that message: what the user said before
    has not been answered yet. A message with words that go over several of its parts comes once
    more, in one piece.
    """
    said: list[object] = []
    for at, message in enumerate(reversed(messages)):
        if _has_role(message, _USER):
            said.append(message)
        elif _is_call(message) or (at and _has_role(message, _MODEL)):
            break
    said.reverse()
    spelt = (spelt_over_parts([*_texts(message)]) for message in said)
    return "\n\n".join([asked_in(said), *filter(None, spelt)])


def turns_of(messages: Iterable[object]) -> tuple[Turn, ...]:
    """All messages, or none when one of them is more than a text."""
    turns = tuple(map(_turn, messages))
    return tuple(turn for turn in turns if turn) if all(turns) else ()


def _has_role(message: object, roles: frozenset[str]) -> bool:
    role = message.get("role") if isinstance(message, Mapping) else None
    return isinstance(role, str) and role in roles


def _is_call(message: object) -> bool:
    return isinstance(message, Mapping) and str(message.get("type", "")).endswith("_call")


def _texts(message: object) -> Iterator[str]:
    content = message.get("content") if isinstance(message, Mapping) else None
    for part in content if isinstance(content, list | tuple) else (content,):
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text


def _turn(message: object) -> Turn | None:
    if not isinstance(message, Mapping) or message.keys() - {"role", "content", "name"}:
        return None
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or not isinstance(content, str):
        return None
    return Turn(role=role, content=content)
