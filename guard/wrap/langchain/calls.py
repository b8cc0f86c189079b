"""What was asked of a chat model, and the shadow requests that ask it again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import BaseMessage, convert_to_messages

from guard.adapters.callables import CallableUpstream
from guard.counterfactual.eligible import NeverShadowed, never_shadowed, shadow_parameters
from guard.records import Ask, Call, Generated, Turn
from guard.wrap.langchain.drivers import ChatRequest, run_isolated

_ROLES = {"human": "user", "ai": "assistant", "system": "system"}
_MODEL_FIELDS = (
    "store", "background", "previous_response_id", "conversation", "web_search_options",
    "plugins", "mcp_servers", "container",
)  # fmt: skip


def call_of(call: Call, request: ChatRequest) -> Call:
    """`call` with what is asked of the model, and whether it may be asked again."""
    given = {name: value for name, value in request.arguments.items() if value is not None}
    why_not = _never_shadowed(request.model, given)
    return replace(
        call,
        prompt="\n".join(text for message in request.messages if (text := _text(message))),
        turns=_turns(request.messages),
        parameters={} if why_not or not call.lane else shadow_parameters(given),
        never_shadowed=why_not,
    )


@dataclass(frozen=True, slots=True, eq=False)
class ChatModelUpstream:
    """Asks a chat model again, for shadow requests (`ports.Upstream`). No callback hears of it.

    Two are equal when they ask the same model.
    """

    model: BaseChatModel
    reply_seconds: float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChatModelUpstream) and other.model is self.model

    def __hash__(self) -> int:
        return id(self.model)

    async def generate(self, ask: Ask) -> Generated:
        """One reply."""
        answer = CallableUpstream(
            fn=partial(self._answer, dict(ask.parameters)), reply_seconds=self.reply_seconds
        )
        return await answer.generate(replace(ask, as_messages=True))

    def _answer(self, kwargs: dict[str, Any], messages: list[dict[str, str]]) -> str:
        converted = convert_to_messages(messages)
        reply = run_isolated(partial(self.model._generate, converted, **kwargs))
        return str(reply.generations[0].message.text)


def _text(message: BaseMessage) -> str:
    return str(message.text)


def _turns(messages: Sequence[BaseMessage]) -> tuple[Turn, ...]:
    """All messages, or none when one of them is more than a text."""
    turns = [_turn(message) for message in messages]
    return tuple(turn for turn in turns if turn) if all(turns) else ()


def _turn(message: BaseMessage) -> Turn | None:
    role = _ROLES.get(message.type)
    plain = isinstance(message.content, str) or all(map(_is_text, message.content))
    if role is None or not plain or getattr(message, "tool_calls", None):
        return None
    return Turn(role=role, content=_text(message))


def _is_text(block: object) -> bool:
    return isinstance(block, str) or (isinstance(block, Mapping) and block.get("type") == "text")


def _never_shadowed(model: BaseChatModel, given: Mapping[str, Any]) -> str:
    own = {name: getattr(model, name, None) for name in _MODEL_FIELDS}
    if getattr(model, "use_previous_response_id", False):
        own["previous_response_id"] = True
    own |= getattr(model, "model_kwargs", None) or {}
    body = {**own, **given}
    if isinstance(tools := body.get("tools"), list):
        body["tools"] = [_typed(tool) for tool in tools]
    why_not = never_shadowed(body)
    if why_not is None and not _is_json(given):
        why_not = NeverShadowed.UNKNOWN_PARAMETER
    return why_not or ""


def _typed(tool: object) -> object:
    """Anthropic leaves the type out where the caller runs the tool."""
    ours = isinstance(tool, Mapping) and "input_schema" in tool and "type" not in tool
    return {"type": "custom"} if ours else tool


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
