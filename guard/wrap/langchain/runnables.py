"""The chat models inside a runnable, replaced by others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.runnables import (
    RouterRunnable,
    Runnable,
    RunnableAssign,
    RunnableBranch,
    RunnableLambda,
    RunnableParallel,
    RunnableSequence,
    RunnableWithFallbacks,
)
from langchain_core.runnables.base import RunnableBindingBase, RunnableEachBase
from langchain_core.runnables.configurable import DynamicRunnable

from guard.errors import SettingsError

R = TypeVar("R", bound=Runnable[Any, Any])
ReplaceModel = Callable[[BaseChatModel], BaseChatModel]

_FIELDS: Mapping[type[Any], tuple[str, ...]] = {
    RunnableBindingBase: ("bound",),
    RunnableEachBase: ("bound",),
    RunnableWithFallbacks: ("runnable", "fallbacks"),
    RunnableSequence: ("first", "middle", "last"),
    RunnableParallel: ("steps__",),
    RunnableAssign: ("mapper",),
    RunnableBranch: ("branches", "default"),
    RouterRunnable: ("runnables",),
}
"""Where others stand in a runnable that can be copied with others there."""


def replace_models(runnable: R, replace: ReplaceModel) -> R:
    """A copy of `runnable` with each chat model in it replaced.

    Looks into bindings (`bind`, `bind_tools`, `with_config`, `with_retry`), fallbacks, sequences,
    branches, parallel steps, `assign` and `map`. Raises SettingsError where no chat model is found,
    and where one cannot be replaced (in a function, or with fields set per run) and so would run
    unguarded.
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


def _walk(value: Any, replace: ReplaceModel) -> Any:
    match value:
        case BaseChatModel():
            return replace(value)
        case list() | tuple():
            return type(value)(_walk(one, replace) for one in value)
        case dict():
            return {name: _walk(one, replace) for name, one in value.items()}
        case RunnableLambda():
            _require_guarded(value, value.deps, replace)
        case DynamicRunnable():
            _require_guarded(value, value.default, replace)
        case Runnable():
            fields = next((names for kind, names in _FIELDS.items() if isinstance(value, kind)), ())
            made = {name: _walk(getattr(value, name), replace) for name in fields}
            return cast("Any", value).model_copy(update=made) if made else value
    return value


def _require_guarded(place: Any, inner: Any, replace: ReplaceModel) -> None:
    """Nothing in `inner` can be replaced, so each chat model there has to be guarded already."""

    def require(model: BaseChatModel) -> BaseChatModel:
        if replace(model) is not model:
            raise SettingsError(
                f"guard_model(): there is a chat model in {type(place).__name__} that cannot be"
                " guarded from outside; guard the models one by one, and this one there"
            )
        return model

    _walk(inner, require)
