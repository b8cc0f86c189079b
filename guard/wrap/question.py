"""What a call of a function asks, read from its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from guard.errors import may_be_signal
from guard.records import Call, Lane, Turn, Unread
from guard.text import asked_in, said_by_user, turns_of

PromptOf = Callable[..., str]
_ASKED_BY = ("messages", "input", "contents", "prompt")
_NOT_READ = frozenset({Unread.NOT_TEXT})
_DEEPEST = 16
_ROLE_AND_TEXT = 2
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_KINDS = frozenset({"role", "type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """prompt: all texts in one. turns: the conversation, empty where it is not one of texts.
    user_text: what the user said last. unread: why what is asked could not be read.

    listed: it was a list of messages, not one text.
    """

    prompt: str = field(default="", repr=False)
    turns: tuple[Turn, ...] = field(default=(), repr=False)
    user_text: str = field(default="", repr=False)
    unread: frozenset[Unread] = frozenset()
    listed: bool = False

    def call(self, use_case: str, lane: Lane | None, *, opted_out: bool) -> Call:
        """The call that asks this, without an id. opted_out: it must not be shadowed."""
        return Call(
            id="",
            use_case=use_case,
            prompt=self.prompt,
            turns=self.turns,
            user_text=self.user_text,
            user_unread=self.unread,
            lane=lane,
            as_messages=self.listed and lane is not None and lane.is_local,
            never_shadowed="opted_out" if opted_out else "",
        )


def parameter_names(fn: Callable[..., object]) -> tuple[str, ...]:
    """Of the arguments by position; none where nobody can tell."""
    try:
        found = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(one.name for one in found if one.kind in _BY_POSITION)


def question(
    args: Sequence[object],
    kwargs: Mapping[str, object],
    prompt_of: PromptOf | None = None,
    names: Sequence[str] = (),
) -> Question:
    """The first argument that is a text or a list of chat messages, or what `prompt_of` says.

    Among those with a name `messages`, `input`, `contents` and `prompt` come first, and `model` is
    none. names: of the arguments by position.

    What the user said is also read where nothing is known as the prompt: in texts, pairs of a role
    and a text, and objects of a library in the place of messages, in a mapping with one of those
    names, and where there is nothing of the kind, in all lists and mappings.

    One that is unread where nothing can be read or `prompt_of` fails: a call is never lost for it.
    """
    if prompt_of is not None:
        return _from_caller(prompt_of, args, kwargs)
    values = list(_in_order(dict(zip(names, args, strict=False)), args[len(names) :], kwargs))
    found = next((one for value in values if (one := _asked(value)) is not None), None)
    if found is not None:
        return found
    texts = [text for value in values for text in _texts_in(value)]
    is_silent = bool(texts) or all(map(_says_nothing, values))
    return Question(user_text="\n".join(texts), unread=frozenset() if is_silent else _NOT_READ)


def _asked(value: object, deepest: int = _DEEPEST) -> Question | None:
    if isinstance(value, str):
        return _one_text(value)
    if isinstance(value, Mapping):
        named = [value[name] for name in _ASKED_BY if deepest and name in value]
        inner = (_asked(each, deepest - 1) for each in named)
        found = next((one for one in inner if one is not None), None)
        return found and Question(user_text=found.user_text)
    if not isinstance(value, list | tuple):
        return None
    text, said = asked_in(value), said_by_user([_message(one) for one in value])
    if not (text or said):
        return None
    return Question(prompt=text, turns=turns_of(value), user_text=said, listed=bool(text))


def _message(one: object) -> object:
    """As a mapping: a text, a pair of a role and a content, or an object of a library."""
    if isinstance(one, Mapping):
        return {**one, "content": one["parts"]} if _is_in_parts(one) else one
    if isinstance(one, str):
        return {"role": "user", "content": one}
    if isinstance(one, list | tuple):
        is_pair = len(one) == _ROLE_AND_TEXT and isinstance(one[0], str)
        return {"role": one[0], "content": one[1]} if is_pair else one
    role = _attribute(one, "role") or _attribute(one, "type")
    content = _attribute(one, "content") or _attribute(one, "parts") or _attribute(one, "text")
    parts = [_part(part) for part in content] if isinstance(content, list | tuple) else content
    return {"role": role, "content": parts} if parts else one


def _is_in_parts(message: Mapping[object, object]) -> bool:
    return message.get("content") is None and isinstance(message.get("parts"), list | tuple)


def _part(part: object) -> object:
    return part if isinstance(part, str | Mapping) else _attribute(part, "text")


def _attribute(one: object, name: str) -> object:
    """A text, or a list of parts; None for anything else."""
    try:
        found = getattr(one, name, None)
    except Exception as error:  # of the user's own property
        if may_be_signal(error):
            raise
        return None
    return found if isinstance(found, str | list | tuple) else None


def _in_order(
    named: Mapping[str, object], unnamed: Sequence[object], by_name: Mapping[str, object]
) -> Iterator[object]:
    """The values, those first whose names say that they are asked; a model's name never is.

    named, unnamed: given by position, with a name in the signature or without one.
    """
    known, others = {**named, **by_name}, {*_ASKED_BY, "model"}
    yield from (known[name] for name in _ASKED_BY if name in known)
    yield from (value for name, value in named.items() if name not in others)
    yield from unnamed
    yield from (value for name, value in by_name.items() if name not in others)


def _from_caller(
    prompt_of: PromptOf, args: Sequence[object], kwargs: Mapping[str, object]
) -> Question:
    try:
        text: object = prompt_of(*args, **kwargs)
    except Exception as error:
        if may_be_signal(error):
            raise
        return Question(unread=_NOT_READ)
    return _one_text(text) if isinstance(text, str) else Question(unread=_NOT_READ)


def _one_text(text: str) -> Question:
    return Question(prompt=text, turns=(Turn(role="user", content=text),), user_text=text)


def _texts_in(value: object, deepest: int = _DEEPEST) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif deepest and isinstance(value, Mapping | list | tuple):
        for part in _contents(value) if isinstance(value, Mapping) else value:
            yield from _texts_in(part, deepest - 1)


def _contents(value: Mapping[object, object]) -> Iterator[object]:
    return (part for key, part in value.items() if key not in _KINDS)


def _says_nothing(value: object) -> bool:
    """Whether nobody could ask anything with it: a setting, or what is empty."""
    if isinstance(value, list | tuple | Mapping):
        return not value
    return value is None or isinstance(value, int | float)
