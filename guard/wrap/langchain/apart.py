"""The inner model runs apart: in an empty context, where no callback or tracer of the live run is.

Tracers switched on by the environment and the printing handlers of `set_debug` and `set_verbose`
would be added to whatever runs inside the model even so; there they find their place taken by
handlers that hear nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from contextvars import Context
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackHandler, StdOutCallbackHandler
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tracers import context
from langchain_core.tracers.stdout import ConsoleCallbackHandler
from langchain_core.utils.env import env_var_is_set
from langsmith import tracing_context

T = TypeVar("T")


class _Deaf:
    """Ignores every kind of event."""

    ignore_llm = ignore_chat_model = ignore_chain = ignore_agent = True
    ignore_retriever = ignore_retry = ignore_custom_event = True


class _DeafConsole(_Deaf, ConsoleCallbackHandler):
    """Stands where `set_debug` would put its own."""


class _DeafStdOut(_Deaf, StdOutCallbackHandler):
    """Stands where `set_verbose` would put its own."""


def _deaf() -> list[BaseCallbackHandler]:
    """One in the place of each handler that would add itself."""
    hooks = getattr(context, "_configure_hooks", ())
    added = {kind for _, _, kind, switch in hooks if kind and switch and env_var_is_set(switch)}
    return [_DeafConsole(), _DeafStdOut(), *map(_deafened, added)]


def _deafened(kind: type[BaseCallbackHandler]) -> BaseCallbackHandler:
    """Passes for a handler of this kind; nothing of it ever runs."""
    deaf: type[BaseCallbackHandler] = type(kind.__name__, (_Deaf, kind), {})
    return deaf.__new__(deaf)


@contextmanager
def _unheard() -> Iterator[None]:
    var_child_runnable_config.set({"callbacks": _deaf()})
    with tracing_context(enabled=False):
        yield


def run_apart(function: Callable[[], T]) -> T:
    """The result of `function`."""
    return Context().run(_quietly, function)


def _quietly(function: Callable[[], T]) -> T:
    with _unheard():
        return function()


def iterate_apart(begin: Callable[[], Iterator[T]]) -> Generator[T, None, None]:
    """What the iterator gives, each step of it taken apart; closed with this one."""
    own = Context()
    replies = own.run(_quietly, begin)
    try:
        while True:
            try:
                reply = own.run(_quietly, lambda: next(replies))
            except StopIteration:
                return
            yield reply
    finally:
        if callable(close := getattr(replies, "close", None)):
            own.run(_quietly, close)


async def await_apart(begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of the coroutine, which is cancelled with this one."""

    async def result() -> T:
        with _unheard():
            return await begin()

    return await asyncio.get_running_loop().create_task(result(), context=Context())


async def iterate_apart_async(begin: Callable[[], AsyncIterator[T]]) -> AsyncGenerator[T, None]:
    """What the iterator gives. All its steps are taken by one task, which ends with this one."""
    wanted, given = asyncio.Semaphore(0), asyncio.Queue[tuple[T] | None]()

    async def give() -> None:
        replies = begin()
        try:
            with _unheard():
                await wanted.acquire()
                async for reply in replies:
                    given.put_nowait((reply,))
                    await wanted.acquire()
        finally:
            await _closed(replies)
            given.put_nowait(None)

    task = asyncio.get_running_loop().create_task(give(), context=Context())
    try:
        while True:
            wanted.release()
            if (found := await given.get()) is None:
                break
            yield found[0]
        await task
    finally:
        await _ended(task)


async def _closed(replies: AsyncIterator[Any]) -> None:
    if callable(close := getattr(replies, "aclose", None)):
        await close()


async def _ended(task: asyncio.Task[None]) -> None:
    if not task.done():
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        task.exception()  # it was raised to the caller, or came of being closed
