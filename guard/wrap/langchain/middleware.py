"""The guard as a middleware of `create_agent`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage

from guard.errors import SettingsError
from guard.wrap.facade import Guard
from guard.wrap.langchain.chunks import FILTERED
from guard.wrap.langchain.model import GuardedChatModel
from guard.wrap.langchain.wrapping import Ways


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
        self._ways = Ways(guard, use_case, tuple(trusted), strict=False)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Ask the guarded model."""
        model = self._guarded(request)
        response = handler(request.override(model=model))
        _require_asked(model)
        return response

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """The same."""
        model = self._guarded(request)
        response = await handler(request.override(model=model))
        _require_asked(model)
        return response

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

    def _guarded(self, request: ModelRequest[Any]) -> GuardedChatModel:
        return self._ways.guarded(request.model).counting()


def _is_filtered(message: AIMessage) -> bool:
    return message.response_metadata.get("finish_reason") == FILTERED


def _require_asked(model: GuardedChatModel) -> None:
    if not model.asked:
        raise SettingsError(
            "GuardMiddleware: a middleware that comes after it answered without the guarded model;"
            " put GuardMiddleware last in `middleware`"
        )
