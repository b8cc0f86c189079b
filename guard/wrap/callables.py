"""Guarded versions of plain Python functions: sync, async, generator, async generator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from guard.adapters.callables import AS_MESSAGES
from guard.flow import Codec, Exchange, Flow, Pieces, drive, drive_async
from guard.records import Call
from guard.wrap.asked import Asked, ModelRaisedError
from guard.wrap.prompts import PromptOf, question

F = TypeVar("F", bound=Callable[..., Any])
Async = Callable[[], AsyncIterator[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapping:
    """How one function is guarded.

    lane: who can ask the like again; empty is nobody. answers_here: it is a callable of this
    process. prompt_of: None reads the arguments.
    may_shadow: called with the arguments; False leaves this call without a shadow.
    """

    flow: Flow
    use_case: str
    codec: Codec[Any]
    prompt_of: PromptOf | None = None
    lane: str = ""
    answers_here: bool = False
    may_shadow: Callable[..., bool] | None = None


def guarded(fn: F, wrapping: Wrapping) -> F:
    """`fn` with every reply guarded: the same signature, the same kind of callable.

    A function that is not declared as a coroutine or a generator but returns an awaitable or an
    iterator is treated as what it returns.
    """
    target = _declared(fn)
    if inspect.isasyncgenfunction(target):
        wrapper = _async_generator(fn, wrapping)
    elif inspect.iscoroutinefunction(target):
        wrapper = _coroutine(fn, wrapping)
    elif inspect.isgeneratorfunction(target):
        wrapper = _generator(fn, wrapping)
    else:
        wrapper = _plain(fn, wrapping)
    return cast("F", functools.wraps(fn, updated=())(wrapper))


def _declared(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function that tells what kind `fn` is: behind partials, or the call of an object."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    if inspect.isroutine(fn) or inspect.isclass(fn):
        return fn
    return type(fn).__call__


def _generator(fn: Callable[..., Any], wrapping: Wrapping) -> Callable[..., Any]:
    def stream(*args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
        return (yield from _Guarding(fn, args, kwargs, wrapping).stream())

    return stream


def _async_generator(fn: Callable[..., Any], wrapping: Wrapping) -> Callable[..., Any]:
    async def stream(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        guarding = _Guarding(fn, args, kwargs, wrapping)
        driven = guarding.stream_async(guarding.asked.many_async)
        try:
            async for piece in driven:
                yield piece
        finally:
            await driven.aclose()

    return stream


def _coroutine(fn: Callable[..., Any], wrapping: Wrapping) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        return await _Guarding(fn, args, kwargs, wrapping).awaited()

    return call


def _plain(fn: Callable[..., Any], wrapping: Wrapping) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        guarding = _Guarding(fn, args, kwargs, wrapping)
        reply = guarding.look()
        if inspect.isawaitable(reply):
            return guarding.awaited()
        if isinstance(reply, AsyncIterator):
            return guarding.stream_async(guarding.asked.many_async)
        if isinstance(reply, Iterator):
            return guarding.stream()
        return guarding.called()

    return call


class _Guarding:
    """One call of a guarded function."""

    def __init__(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        wrapping: Wrapping,
    ) -> None:
        self.asked = Asked(functools.partial(fn, *args, **kwargs))
        self._args, self._kwargs = args, kwargs
        self._wrapping = wrapping

    def look(self) -> Any:
        """The first reply of a function about which nothing is known yet."""
        try:
            return self.asked.look()
        except Exception:
            self._wrapping.flow.upstream_failed(self._wrapping.use_case)
            raise

    def called(self) -> Any:
        """The guarded reply of a plain function."""
        try:
            return list(drive(self._begin(), self._pieces(), self.asked.one))[-1]
        except ModelRaisedError:
            pass
        raise self.asked.error

    async def awaited(self) -> Any:
        """The guarded reply of a coroutine function, or of one that returns an awaitable."""
        try:
            reply = await self.asked.look_async()
        except Exception:
            self._wrapping.flow.upstream_failed(self._wrapping.use_case)
            raise
        if isinstance(reply, AsyncIterator):
            return self.stream_async(self.asked.awaited_many)
        driven = drive_async(self._begin(), self._pieces(), self.asked.one_async)
        try:
            return [piece async for piece in driven][-1]
        except ModelRaisedError:
            pass
        raise self.asked.error

    def stream(self) -> Generator[Any, None, Any]:
        """The guarded pieces of a generator or an iterator."""
        pieces = self._pieces()
        return (yield from drive(self._begin(streamed=True), pieces, self.asked.many))

    def stream_async(self, ask: Async) -> AsyncGenerator[Any, None]:
        """The guarded pieces of an asynchronous generator or iterator."""
        return drive_async(self._begin(streamed=True), self._pieces(), ask)

    def _begin(self, *, streamed: bool = False) -> Exchange:
        return self._wrapping.flow.begin(self._call(), streamed=streamed)

    def _call(self) -> Call:
        wrapping = self._wrapping
        asked = question(self._args, self._kwargs, wrapping.prompt_of)
        return Call(
            id="",
            use_case=wrapping.use_case,
            prompt=asked.prompt,
            turns=asked.turns,
            lane=wrapping.lane,
            parameters={AS_MESSAGES: True} if asked.listed and wrapping.answers_here else {},
            never_shadowed="" if self._may_be_shadowed() else "opted_out",
        )

    def _may_be_shadowed(self) -> bool:
        """Whoever cannot say it does not want it."""
        may = self._wrapping.may_shadow
        try:
            return may is None or bool(may(*self._args, **self._kwargs))
        except Exception:
            return False

    def _pieces(self) -> Pieces[Any]:
        return Pieces(self._wrapping.codec)
