"""Calls of the inner model, in isolation, by a blocking or by an asynchronous driver.

Everything else is written once, as coroutines that take one of the two drivers. With
`BlockingDriver` no coroutine ever suspends, so `run_blocking` and `iterate_blocking` bring it to
its end without an event loop.

The inner model runs in an empty context, where no callback or tracer of the live run is. Tracers
that the environment switches on and the printing handlers of `set_debug` and `set_verbose` would be
added to whatever runs inside the model. They are not, because handlers of the same types that
ignore every event are there already.
"""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterator,
)
from contextlib import closing, contextmanager
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackHandler, StdOutCallbackHandler
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tracers import context
from langchain_core.tracers.stdout import ConsoleCallbackHandler
from langchain_core.utils.env import env_var_is_set
from langsmith import tracing_context

from guard.flow.waiting import wait_blocking, wait_on_loop

T = TypeVar("T")
Generations = AsyncGenerator[ChatGeneration, None]
Reply = AsyncGenerator[ChatGeneration | None, None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What is asked of a chat model. arguments: `stop` included."""

    model: BaseChatModel
    messages: list[BaseMessage]
    arguments: dict[str, Any]


class BlockingDriver:
    """In the thread of the caller. wait: as `guard.flow.drive_async` takes it."""

    wait = staticmethod(wait_blocking)

    def can_stream(self, model: BaseChatModel) -> bool:
        """Whether the model gives its replies in chunks."""
        return type(model)._stream is not BaseChatModel._stream

    async def call(self, blocking: Callable[[], T], _: Callable[[], Awaitable[T]]) -> T:
        """The result of one of two functions that do the same: the first blocks, the second is
        awaited."""
        return blocking()

    async def reply(self, request: ChatRequest) -> ChatResult:
        """A whole reply of the model, below its callbacks and caches."""
        ask = partial(request.model._generate, request.messages, **request.arguments)
        return run_isolated(ask)

    async def chunks(self, request: ChatRequest) -> AsyncGenerator[ChatGenerationChunk, None]:
        """A streamed reply of the model, below its callbacks and caches."""
        ask = partial(request.model._stream, request.messages, **request.arguments)
        with closing(iterate_isolated(ask)) as chunks:
            for chunk in chunks:
                yield chunk


class AsyncDriver:
    """On the event loop of the caller."""

    wait = staticmethod(wait_on_loop)

    def can_stream(self, model: BaseChatModel) -> bool:
        own = type(model)
        streams = own._stream is not BaseChatModel._stream
        return streams or own._astream is not BaseChatModel._astream

    async def call(self, _: Callable[[], T], awaited: Callable[[], Awaitable[T]]) -> T:
        return await awaited()

    async def reply(self, request: ChatRequest) -> ChatResult:
        ask = partial(request.model._agenerate, request.messages, **request.arguments)
        return await await_isolated(ask)

    def chunks(self, request: ChatRequest) -> AsyncGenerator[ChatGenerationChunk, None]:
        ask = partial(request.model._astream, request.messages, **request.arguments)
        return iterate_isolated_async(ask)


Driver = BlockingDriver | AsyncDriver


class _IgnoresEvents:
    """Ignores every kind of event."""

    ignore_llm = ignore_chat_model = ignore_chain = ignore_agent = True
    ignore_retriever = ignore_retry = ignore_custom_event = True


class _SilentConsole(_IgnoresEvents, ConsoleCallbackHandler):
    """In place of the handler that `set_debug` would add."""


class _SilentStdOut(_IgnoresEvents, StdOutCallbackHandler):
    """In place of the handler that `set_verbose` would add."""


def _silent_handlers() -> list[BaseCallbackHandler]:
    """One in place of each handler that LangChain would add by itself."""
    hooks = getattr(context, "_configure_hooks", ())
    added = {kind for _, _, kind, switch in hooks if kind and switch and env_var_is_set(switch)}
    return [_SilentConsole(), _SilentStdOut(), *map(_silence, added)]


def _silence(kind: type[BaseCallbackHandler]) -> BaseCallbackHandler:
    """Passes for a handler of this type; its constructor and its methods never run."""
    silent: type[BaseCallbackHandler] = type(kind.__name__, (_IgnoresEvents, kind), {})
    return silent.__new__(silent)


@contextmanager
def _without_callbacks() -> Iterator[None]:
    var_child_runnable_config.set({"callbacks": _silent_handlers()})
    with tracing_context(enabled=False):
        yield


def run_isolated(function: Callable[[], T]) -> T:
    """The result of `function`."""
    return Context().run(_call, function)


def _call(function: Callable[[], T]) -> T:
    with _without_callbacks():
        return function()


def iterate_isolated(begin: Callable[[], Iterator[T]]) -> Generator[T, None, None]:
    """The items of the iterator, each step of it isolated; it is closed with this one."""
    own = Context()
    replies = own.run(_call, begin)
    try:
        while True:
            try:
                reply = own.run(_call, lambda: next(replies))
            except StopIteration:
                return
            yield reply
    finally:
        if callable(close := getattr(replies, "close", None)):
            own.run(_call, close)


async def await_isolated(begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of the coroutine, which is cancelled with this one."""

    async def result() -> T:
        with _without_callbacks():
            return await begin()

    return await asyncio.get_running_loop().create_task(result(), context=Context())


async def iterate_isolated_async(begin: Callable[[], AsyncIterator[T]]) -> AsyncGenerator[T, None]:
    """The items of the iterator. All its steps are taken by one task, which ends with this one."""
    wanted, items = asyncio.Semaphore(0), asyncio.Queue[tuple[T] | None]()

    async def produce() -> None:
        replies: AsyncIterator[T] | None = None
        try:
            replies = begin()
            with _without_callbacks():
                await wanted.acquire()
                async for reply in replies:
                    items.put_nowait((reply,))
                    await wanted.acquire()
        finally:
            try:
                await _close(replies)
            finally:
                items.put_nowait(None)

    task = asyncio.get_running_loop().create_task(produce(), context=Context())
    try:
        while True:
            wanted.release()
            if (found := await items.get()) is None:
                break
            yield found[0]
        await task
    finally:
        await _end(task)


async def _close(replies: AsyncIterator[Any] | None) -> None:
    if callable(close := getattr(replies, "aclose", None)):
        await close()


async def _end(task: asyncio.Task[None]) -> None:
    if not task.done():
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        task.exception()  # it was raised to the caller, or came of being closed
