"""`guard_model` for chains and `GuardMiddleware` for agents."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable

from guard.bootstrap import Runtime
from guard.errors import SettingsError
from guard.records import Lane
from guard.wrap.langchain.exchange import GuardOptions
from guard.wrap.langchain.inner_model import ChatModelUpstream
from guard.wrap.langchain.messages import FILTERED
from guard.wrap.langchain.model import GuardedChatModel
from guard.wrap.langchain.runnables import replace_models

if TYPE_CHECKING:
    from guard.wrap.facade import Guard

R = TypeVar("R", bound=Runnable[Any, Any])
_log = logging.getLogger("guard.wrap")


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
    wrapper = ModelWrapper(
        runtime=guard.runtime, use_case=use_case, trusted=tuple(trusted), strict=True
    )
    if not isinstance(model, Runnable):
        raise SettingsError(f"guard_model(): a chat model is wanted, not {type(model).__name__}")
    return replace_models(model, wrapper.wrap)


class GuardMiddleware(AgentMiddleware):
    """Guards every reply of an agent's model: `create_agent(..., middleware=[..., this])`.

    It stands last in the list, next to the model: what a later one puts in the model's place would
    not be guarded, which raises SettingsError when it is seen.
    """

    def __init__(
        self, guard: Guard, *, use_case: str, trusted: Iterable[BaseCallbackHandler] = ()
    ) -> None:
        """trusted: handlers that are told of the raw run, see `guard_model`.

        Raises UnknownUseCase. Where the use case is shadowed, the first model that an agent with
        this middleware uses is the one that is asked again.
        """
        super().__init__()
        self._wrapper = ModelWrapper(
            runtime=guard.runtime, use_case=use_case, trusted=tuple(trusted), strict=False
        )

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Ask the guarded model."""
        with self._guard_request(request) as guarded:
            return handler(guarded)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """The same."""
        with self._guard_request(request) as guarded:
            return await handler(guarded)

    @hook_config(can_jump_to=["end"])
    def after_model(self, state: AgentState[Any], runtime: Any) -> dict[str, Any] | None:
        """End the run after a withheld reply.

        Where a structured answer is wanted through a tool, the agent would ask without end.
        """
        del runtime
        messages = state["messages"]
        last = messages[-1] if messages else None
        withheld = isinstance(last, AIMessage) and not last.tool_calls and _is_filtered(last)
        return {"jump_to": "end"} if withheld else None

    @contextmanager
    def _guard_request(self, request: ModelRequest[Any]) -> Iterator[ModelRequest[Any]]:
        """The request to the guarded model, which has to be asked by it."""
        model = self._wrapper.wrap(request.model).counting()
        yield request.override(model=model)
        if not model.asked:
            raise SettingsError(
                "GuardMiddleware: a middleware that comes after it answered without the guarded"
                " model; put GuardMiddleware last in `middleware`"
            )


def _is_filtered(message: AIMessage) -> bool:
    return message.response_metadata.get("finish_reason") == FILTERED


@dataclasses.dataclass(kw_only=True, eq=False)
class ModelWrapper:
    """Guards models for one use case; the first one is asked again for shadow requests.

    strict: it is an error where another model was the first. told: types that were warned of.
    """

    runtime: Runtime
    use_case: str
    trusted: tuple[BaseCallbackHandler, ...]
    strict: bool
    told: set[type] = dataclasses.field(default_factory=set)

    def __post_init__(self) -> None:
        self.runtime.flow.policy(self.use_case)

    def wrap(self, model: BaseChatModel) -> GuardedChatModel:
        """`model` guarded, or itself where it is guarded in the same way already.

        Raises SettingsError where another model is asked for the shadow requests already.
        """
        if isinstance(model, GuardedChatModel) and self._is_ours(model.guarded[1]):
            return self._trusting(model)
        options = GuardOptions(
            flow=self.runtime.flow,
            use_case=self.use_case,
            lane=self._lane(model),
            trusted=self.trusted,
        )
        self._warn_of_inner(model)
        return GuardedChatModel(model, options)

    def _warn_of_inner(self, model: BaseChatModel) -> None:
        """Say once of a type of models that another one is asked by it, which is not isolated
        where that happens in a thread of its own."""
        held = {**vars(model), **(model.__pydantic_private__ or {})}.values()
        names = [type(one).__name__ for one in held if isinstance(one, BaseChatModel)]
        if names and type(model) not in self.told:
            self.told.add(type(model))
            _log.warning(
                "guard_model(): %s holds the chat model %s. Where it asks that one in a thread that"
                " it starts itself, callbacks, tracers and set_debug() hear what is said before it"
                " is judged; guard that model, or run the thread in contextvars.copy_context()",
                type(model).__name__,
                names[0],
            )

    def _trusting(self, model: GuardedChatModel) -> GuardedChatModel:
        """`model`, or a copy where not all of those who are trusted would hear the raw run."""
        inner, options = model.guarded
        missing = tuple(handler for handler in self.trusted if handler not in options.trusted)
        if not missing:
            return model
        return GuardedChatModel(
            inner, dataclasses.replace(options, trusted=(*options.trusted, *missing))
        )

    def _is_ours(self, options: GuardOptions) -> bool:
        return options.flow is self.runtime.flow and options.use_case == self.use_case

    def _lane(self, model: BaseChatModel) -> Lane | None:
        """Who asks again about calls of this model; nobody where it is another model."""
        while isinstance(model, GuardedChatModel):
            model = model.guarded[0]
        settings = self.runtime.settings
        declared = settings.use_cases.get(self.use_case, settings.defaults)
        upstream = ChatModelUpstream(model=model, reply_seconds=declared.shadow.reply_seconds)
        try:
            return self.runtime.lane(self.use_case, upstream)
        except SettingsError:
            if self.strict:
                raise
            return None
        finally:
            self.strict = False
