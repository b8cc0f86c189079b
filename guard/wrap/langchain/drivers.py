"""What differs between a blocking call of a chat model and one on an event loop.

Everything else is written once, as coroutines that take one of the two drivers. With
`BlockingDriver` no coroutine ever suspends, so `run_blocking` and `iterate_blocking` bring it to
its end without an event loop.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from langchain_core.caches import BaseCache
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult, Generation
from langchain_core.rate_limiters import BaseRateLimiter

from guard.flow import Exchange, drive, drive_async
from guard.wrap.langchain.isolation import (
    await_isolated,
    iterate_isolated,
    iterate_isolated_async,
    run_isolated,
)
from guard.wrap.langchain.reply_buffer import ChatReplyBuffer

T = TypeVar("T")
Generations = AsyncGenerator[ChatGeneration, None]
Reply = AsyncGenerator[ChatGeneration | None, None]
_END = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What is asked of a chat model. arguments: `stop` included."""

    model: BaseChatModel
    messages: list[BaseMessage]
    arguments: dict[str, Any]


class Driver(Protocol):
    """The operations that wait for something."""

    def can_stream(self, model: BaseChatModel) -> bool:
        """Whether the model gives its replies in chunks."""
        ...

    async def acquire(self, limiter: BaseRateLimiter) -> None:
        """Wait until the model may be asked."""
        ...

    async def reply(self, request: ChatRequest) -> ChatResult:
        """A whole reply of the model, below its callbacks and caches."""
        ...

    def chunks(self, request: ChatRequest) -> AsyncGenerator[ChatGenerationChunk, None]:
        """A streamed reply of the model, below its callbacks and caches."""
        ...

    async def look_up(self, cache: BaseCache, prompt: str, model: str) -> Any:
        """What is in the cache; None where that is nothing."""
        ...

    async def store(
        self, cache: BaseCache, prompt: str, model: str, replies: Sequence[Generation]
    ) -> None:
        """Put replies into the cache."""
        ...

    def judge(
        self, exchange: Exchange, buffer: ChatReplyBuffer, ask: Callable[[], Reply]
    ) -> Generations:
        """What the response path releases. Raises as `guard.flow.drive` does.

        ask: gives the chunks of a reply, then None.
        """
        ...


class BlockingDriver:
    """In the thread of the caller."""

    def can_stream(self, model: BaseChatModel) -> bool:
        return type(model)._stream is not BaseChatModel._stream

    async def acquire(self, limiter: BaseRateLimiter) -> None:
        limiter.acquire(blocking=True)

    async def reply(self, request: ChatRequest) -> ChatResult:
        ask = partial(request.model._generate, request.messages, **request.arguments)
        return run_isolated(ask)

    async def chunks(self, request: ChatRequest) -> AsyncGenerator[ChatGenerationChunk, None]:
        ask = partial(request.model._stream, request.messages, **request.arguments)
        with closing(iterate_isolated(ask)) as chunks:
            for chunk in chunks:
                yield chunk

    async def look_up(self, cache: BaseCache, prompt: str, model: str) -> Any:
        return cache.lookup(prompt, model)

    async def store(
        self, cache: BaseCache, prompt: str, model: str, replies: Sequence[Generation]
    ) -> None:
        cache.update(prompt, model, list(replies))

    async def judge(
        self, exchange: Exchange, buffer: ChatReplyBuffer, ask: Callable[[], Reply]
    ) -> Generations:
        released = drive(exchange, buffer, lambda: iterate_blocking(ask()))
        with closing(released):
            for chunk in released:
                yield chunk


class AsyncDriver:
    """On the event loop of the caller."""

    def can_stream(self, model: BaseChatModel) -> bool:
        own = type(model)
        streams = own._stream is not BaseChatModel._stream
        return streams or own._astream is not BaseChatModel._astream

    async def acquire(self, limiter: BaseRateLimiter) -> None:
        await limiter.aacquire(blocking=True)

    async def reply(self, request: ChatRequest) -> ChatResult:
        ask = partial(request.model._agenerate, request.messages, **request.arguments)
        return await await_isolated(ask)

    def chunks(self, request: ChatRequest) -> AsyncGenerator[ChatGenerationChunk, None]:
        ask = partial(request.model._astream, request.messages, **request.arguments)
        return iterate_isolated_async(ask)

    async def look_up(self, cache: BaseCache, prompt: str, model: str) -> Any:
        return await cache.alookup(prompt, model)

    async def store(
        self, cache: BaseCache, prompt: str, model: str, replies: Sequence[Generation]
    ) -> None:
        await cache.aupdate(prompt, model, list(replies))

    def judge(
        self, exchange: Exchange, buffer: ChatReplyBuffer, ask: Callable[[], Reply]
    ) -> Generations:
        return drive_async(exchange, buffer, ask)


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    coroutine.close()
    raise RuntimeError("a blocking call of a chat model suspended, which is a defect of the guard")


def iterate_blocking(items: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """The items of an asynchronous generator that never suspends; it is closed with this one."""

    async def following() -> Any:
        return await anext(items, _END)

    try:
        while (item := run_blocking(following())) is not _END:
            yield item
    finally:
        run_blocking(items.aclose())
