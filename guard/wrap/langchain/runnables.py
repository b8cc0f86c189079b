"""The chat models inside a runnable, replaced by others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.runnables import (
    Runnable,
    RunnableAssign,
    RunnableParallel,
    RunnableSequence,
    RunnableWithFallbacks,
)
from langchain_core.runnables.base import RunnableBindingBase

from guard.errors import SettingsError

R = TypeVar("R", bound=Runnable[Any, Any])
Replace = Callable[[BaseChatModel], BaseChatModel]


def rewrapped(runnable: R, replace: Replace) -> R:
    """A copy of `runnable` with each chat model in it replaced; see there for what is looked into.

    Bindings (`bind`, `bind_tools`, `with_config`, `with_retry`), fallbacks, sequences, parallel
    steps and `assign`. Raises SettingsError where none is found: it would run unguarded.
    """
    replaced: list[BaseChatModel] = []

    def noted(model: BaseChatModel) -> BaseChatModel:
        replaced.append(model)
        return replace(model)

    made = _walk(runnable, noted)
    if not replaced:
        raise SettingsError(
            f"guard_model(): there is no chat model in {type(runnable).__name__} that could be"
            " guarded; give the chat model itself, before it is made a part of something else"
        )
    return cast("R", made)


def _walk(runnable: Any, replace: Replace) -> Any:
    match runnable:
        case BaseChatModel():
            return replace(runnable)
        case RunnableBindingBase():
            return _copy(runnable, {"bound": _walk(runnable.bound, replace)})
        case RunnableWithFallbacks():
            others = [_walk(one, replace) for one in runnable.fallbacks]
            first = _walk(runnable.runnable, replace)
            return _copy(runnable, {"runnable": first, "fallbacks": others})
        case RunnableSequence():
            middle = [_walk(one, replace) for one in runnable.middle]
            first, last = _walk(runnable.first, replace), _walk(runnable.last, replace)
            return _copy(runnable, {"first": first, "middle": middle, "last": last})
        case RunnableParallel():
            steps = {name: _walk(one, replace) for name, one in runnable.steps__.items()}
            return _copy(runnable, {"steps__": steps})
        case RunnableAssign():
            return _copy(runnable, {"mapper": _walk(runnable.mapper, replace)})
    return runnable


def _copy(runnable: Any, parts: dict[str, Any]) -> Any:
    return runnable.model_copy(update=parts)
