"""What was asked, read from the arguments of a call, as far as it can be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

PromptOf = Callable[..., str]


def first_text(*args: object, **kwargs: object) -> str:
    """The first argument that is a text, or a list of chat messages; empty when there is none."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, str):
            return value
        if text := _messages(value):
            return text
    return ""


def safely(prompt_of: PromptOf, args: Sequence[object], kwargs: Mapping[str, object]) -> str:
    """`prompt_of(*args, **kwargs)`, or an empty text when it fails: a call is never lost for it."""
    try:
        return str(prompt_of(*args, **kwargs))
    except Exception:
        return ""


def _messages(value: object) -> str:
    if not isinstance(value, list | tuple):
        return ""
    return "\n".join(_contents(value))


def _contents(messages: Iterable[object]) -> Iterable[str]:
    for message in messages:
        content = message.get("content") if isinstance(message, Mapping) else None
        if isinstance(content, str):
            yield content
