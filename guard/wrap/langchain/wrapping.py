"""Where a guard meets LangChain's models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.runnables import Runnable

from guard.bootstrap.runtime import Runtime
from guard.errors import SettingsError
from guard.wrap.facade import Guard
from guard.wrap.langchain.asking import AskedAgain
from guard.wrap.langchain.guarding import Way
from guard.wrap.langchain.model import GuardedChatModel
from guard.wrap.langchain.runnables import rewrapped

R = TypeVar("R", bound=Runnable[Any, Any])


def guard_model(
    model: R, guard: Guard, *, use_case: str, trusted: Iterable[BaseCallbackHandler] = ()
) -> R:
    """`model` with every reply guarded, for use in chains; it can do whatever the model can.

    model: a chat model, or one with something bound to it, with retries or with fallbacks.
    trusted: callback handlers that are told of the raw run, text that is withheld included; all
        others hear what is released.
    Raises UnknownUseCase, and SettingsError where there is no chat model in it, or where a shadowed
    use case asks another model already. The replies raise `Blocked` if `on_block: raise`, without
    the text that was withheld.
    """
    ways = Ways(guard, use_case, tuple(trusted), strict=True)
    if not isinstance(model, Runnable):
        raise SettingsError(f"guard_model(): a chat model is wanted, not {type(model).__name__}")
    return rewrapped(model, ways.guarded)


class Ways:
    """Guards models for one use case; the first one is who is asked again for shadows.

    strict: it is an error where another model was the first.
    """

    def __init__(
        self,
        guard: Guard,
        use_case: str,
        trusted: tuple[BaseCallbackHandler, ...],
        *,
        strict: bool,
    ) -> None:
        self._runtime = guard.runtime
        self._runtime.flow.policy(use_case)
        self._use_case = use_case
        self._trusted = trusted
        self._strict = strict

    def guarded(self, model: BaseChatModel) -> GuardedChatModel:
        """`model` guarded, or itself where it is so in the same way.

        Raises SettingsError where the first of them is not who is asked for shadows.
        """
        if isinstance(model, GuardedChatModel) and self._is_ours(model.guarded[1]):
            return self._trusting(model)
        way = Way(
            flow=self._runtime.flow,
            use_case=self._use_case,
            lane=self._lane(model),
            trusted=self._trusted,
        )
        return GuardedChatModel(model, way)

    def _trusting(self, model: GuardedChatModel) -> GuardedChatModel:
        """`model`, or a copy where not all of those who are trusted would hear the raw run."""
        inner, way = model.guarded
        missing = tuple(handler for handler in self._trusted if handler not in way.trusted)
        if not missing:
            return model
        return GuardedChatModel(inner, replace(way, trusted=(*way.trusted, *missing)))

    def _is_ours(self, way: Way) -> bool:
        return way.flow is self._runtime.flow and way.use_case == self._use_case

    def _lane(self, model: BaseChatModel) -> str:
        try:
            return lane(self._runtime, self._use_case, model)
        except SettingsError:
            if self._strict:
                raise
            return ""
        finally:
            self._strict = False


def lane(runtime: Runtime, use_case: str, model: BaseChatModel) -> str:
    """Who asks again about calls of this model. Raises SettingsError where it is another model."""
    while isinstance(model, GuardedChatModel):
        model = model.guarded[0]
    declared = runtime.settings.use_cases.get(use_case, runtime.settings.defaults)
    again = AskedAgain(model=model, reply_seconds=declared.shadow.reply_seconds)
    return runtime.lane(use_case, again)
