"""What is asked with a list of chat messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from guard.records import Turn


def asked_in(messages: Iterable[object]) -> str:
    """All texts of the messages in one, those among parts of other kinds as well."""
    return "\n".join(text for message in messages for text in _texts(message))


def turns_of(messages: Iterable[object]) -> tuple[Turn, ...]:
    """All messages, or none when one of them is more than a text."""
    turns = tuple(map(_turn, messages))
    return tuple(turn for turn in turns if turn) if all(turns) else ()


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
