"""The inner chat model: asked in isolation, from its cache, and again for shadow requests."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from langchain_core.caches import BaseCache
from langchain_core.callbacks import BaseCallbackHandler, CallbackManager, CallbackManagerForLLMRun
from langchain_core.globals import get_llm_cache
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.load import dumpd, dumps
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.outputs import (
    ChatGeneration,
    ChatGenerationChunk,
    ChatResult,
    Generation,
    LLMResult,
)

from guard.adapters.callables import CallableUpstream
from guard.counterfactual.eligible import NeverShadowed, never_shadowed, shadow_parameters
from guard.records import Ask, Call, Generated
from guard.replies.schema import CONVERSATION_PARAMETERS, SERVER_TOOL_PARAMETERS
from guard.text import said_by_user, turns_of
from guard.wrap.langchain.drivers import ChatRequest, Driver, run_isolated
from guard.wrap.langchain.messages import as_chunk, merged, with_output_in_message
from guard.wrap.reply_objects import own_copy

_ROLES = {"human": "user", "ai": "assistant", "system": "system"}
_MODEL_FIELDS = {"store", "background"} | CONVERSATION_PARAMETERS | SERVER_TOOL_PARAMETERS


@dataclass(frozen=True, slots=True)
class InnerModel:
    """Asks the model itself, below its callbacks and caches, and within its rate limit.

    trusted: handlers that are told of the raw run.
    """

    request: ChatRequest
    trusted: Sequence[BaseCallbackHandler]
    driver: Driver

    async def reply(self) -> ChatResult:
        """A whole reply."""
        await self._acquire()
        with self._raw_run() as run:
            result = await self.driver.reply(self.request)
            run.replies = result.generations
        return with_output_in_message(result)

    async def chunks(self) -> AsyncGenerator[ChatGenerationChunk, None]:
        """A reply as it comes, or whole as one chunk where the model gives none."""
        if not self.driver.can_stream(self.request.model):
            for generation in (await self.reply()).generations[:1]:
                yield as_chunk(generation)
            return
        await self._acquire()
        with self._raw_run() as run:
            async with aclosing(self.driver.chunks(self.request)) as chunks:
                async for chunk in chunks:
                    run.chunk(chunk)
                    yield own_copy(chunk)

    async def _acquire(self) -> None:
        if (limiter := self.request.model.rate_limiter) is not None:
            await self.driver.call(
                partial(limiter.acquire, blocking=True), partial(limiter.aacquire, blocking=True)
            )

    @contextmanager
    def _raw_run(self) -> Iterator[RawRun]:
        """A run that only the trusted handlers are told of."""
        if not self.trusted:
            yield RawRun(None)
            return
        request = self.request
        manager = CallbackManager(handlers=list(self.trusted), metadata={"guard.raw": True})
        (told, *_) = manager.on_chat_model_start(
            dumpd(request.model),
            [list(request.messages)],
            invocation_params=dict(request.arguments),
        )
        run = RawRun(told)
        try:
            yield run
        except BaseException as error:
            told.on_llm_error(error, response=run.result())
            raise
        told.on_llm_end(run.result())


class RawRun:
    """What comes from the model in one run. run: who is told; None is nobody."""

    def __init__(self, run: CallbackManagerForLLMRun | None) -> None:
        self._run = run
        self.replies: Sequence[ChatGeneration] = []
        self._chunks: list[ChatGenerationChunk] = []

    def chunk(self, chunk: ChatGenerationChunk) -> None:
        """A chunk of a stream."""
        if self._run is not None:
            self._run.on_llm_new_token(chunk.text, chunk=chunk)
            self._chunks.append(chunk)

    def result(self) -> LLMResult:
        """All that came: chunks as one reply, or whole replies."""
        replies = [merged(self._chunks)] if self._chunks else list(self.replies)
        return LLMResult(generations=[cast("list[Any]", replies)])


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """The place of one request in LangChain's cache: the one that the model itself would use.

    What is found there is judged like a reply of the model, each time. Only replies that were
    released unchanged are stored, so that the text of a blocked reply is in no cache.

    place: the prompt, and the model with its parameters.
    """

    cache: BaseCache
    place: tuple[str, str]
    driver: Driver

    async def reply(self) -> ChatResult | None:
        """What is stored there."""
        lookup, alookup = self.cache.lookup, self.cache.alookup
        found = await self.driver.call(partial(lookup, *self.place), partial(alookup, *self.place))
        if found is None:
            return None
        return ChatResult(generations=[_generation(one) for one in copy.deepcopy(list(found))])

    async def store(self, generations: Sequence[ChatGeneration]) -> None:
        """Put these there."""
        entry = (*self.place, copy.deepcopy(list(generations)))
        await self.driver.call(
            partial(self.cache.update, *entry), partial(self.cache.aupdate, *entry)
        )


def cache_entry(request: ChatRequest, driver: Driver) -> CacheEntry | None:
    """Where a reply to this may be stored; None where the model is not cached."""
    model = request.model
    if model.cache is False:
        return None
    cache = model.cache if isinstance(model.cache, BaseCache) else get_llm_cache()
    if cache is None:
        return None
    asked = [message.model_copy(update={"id": None}) for message in request.messages]
    key = model._get_llm_string(**request.arguments)
    return CacheEntry(cache=cache, place=(dumps(asked), key), driver=driver)


def _generation(found: Generation) -> ChatGeneration:
    if isinstance(found, ChatGeneration):
        return found
    message = AIMessage(content=found.text)
    return ChatGeneration(message=message, generation_info=found.generation_info)


def call_of(call: Call, request: ChatRequest) -> Call:
    """`call` with what is asked of the model, and whether it may be asked again."""
    given = {name: value for name, value in request.arguments.items() if value is not None}
    why_not = _never_shadowed(request.model, given)
    return replace(
        call,
        prompt="\n".join(text for message in request.messages if (text := _text(message))),
        turns=turns_of(map(_plain_message, request.messages)),
        user_text=said_by_user([_with_role(message) for message in request.messages]),
        parameters={} if why_not or not call.lane else shadow_parameters(given),
        never_shadowed=why_not,
    )


def _with_role(message: BaseMessage) -> Mapping[str, object]:
    return {"role": getattr(message, "role", message.type), "content": message.content}


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


def _plain_message(message: BaseMessage) -> dict[str, str] | None:
    """None for one that is more than a text."""
    role = _ROLES.get(message.type)
    plain = isinstance(message.content, str) or all(map(_is_text, message.content))
    if role is None or not plain or getattr(message, "tool_calls", None):
        return None
    return {"role": role, "content": _text(message)}


def _is_text(block: object) -> bool:
    return isinstance(block, str) or (isinstance(block, Mapping) and block.get("type") == "text")


def _never_shadowed(model: BaseChatModel, given: Mapping[str, Any]) -> str:
    own = {name: getattr(model, name, None) for name in _MODEL_FIELDS}
    if getattr(model, "use_previous_response_id", False):
        own["previous_response_id"] = True
    own |= getattr(model, "model_kwargs", None) or {}
    body = {**own, **given}
    if isinstance(tools := body.get("tools"), list):
        body["tools"] = [_with_type(tool) for tool in tools]
    why_not = never_shadowed(body)
    if why_not is None and not _is_json(given):
        why_not = NeverShadowed.UNKNOWN_PARAMETER
    return why_not or ""


def _with_type(tool: object) -> object:
    """Anthropic leaves the type out where the caller runs the tool."""
    ours = isinstance(tool, Mapping) and "input_schema" in tool and "type" not in tool
    return {"type": "custom"} if ours else tool


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
