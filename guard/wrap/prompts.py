"""The prompt of a call, read from its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from guard.records import Turn
from guard.text import asked_in, turns_of

PromptOf = Callable[..., str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """prompt: all texts in one. turns: the conversation, empty where it is not one of texts.

    listed: it was a list of messages, not one text.
    """

    prompt: str = ""
    turns: tuple[Turn, ...] = ()
    listed: bool = False


def question(
    args: Sequence[object], kwargs: Mapping[str, object], prompt_of: PromptOf | None = None
) -> Question:
    """The first argument that is a text or a list of chat messages, or what `prompt_of` says.

    An empty one when there is none or `prompt_of` fails: a call is never lost for it.
    """
    if prompt_of is not None:
        return _from_caller(prompt_of, args, kwargs)
    for value in (*args, *kwargs.values()):
        if isinstance(value, str):
            return _one_text(value)
        if isinstance(value, list | tuple) and (text := asked_in(value)):
            return Question(prompt=text, turns=turns_of(value), listed=True)
    return Question()


def _from_caller(
    prompt_of: PromptOf, args: Sequence[object], kwargs: Mapping[str, object]
) -> Question:
    try:
        return _one_text(str(prompt_of(*args, **kwargs)))
    except Exception:
        return Question()


def _one_text(text: str) -> Question:
    return Question(prompt=text, turns=(Turn(role="user", content=text),))
