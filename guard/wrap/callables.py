"""Guarded versions of plain Python functions: sync, async, generator, async generator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Generator,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from guard.flow import Codec, Exchange, Flow, Pieces, drive, drive_async
from guard.records import Call, Lane, Turn
from guard.text import asked_in, turns_of

F = TypeVar("F", bound=Callable[..., Any])
PromptOf = Callable[..., str]
Async = Callable[[], AsyncIterator[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapOptions:
    """How one function is guarded.

    lane: who can ask again for a shadow request; None is nobody.
    prompt_of: None reads the arguments.
    may_shadow: called with the arguments; False leaves this call without a shadow.
    """

    flow: Flow
    use_case: str
    codec: Codec[Any]
    prompt_of: PromptOf | None = None
    lane: Lane | None = None
    may_shadow: Callable[..., bool] | None = None


def wrap_function(fn: F, options: WrapOptions) -> F:
    """`fn` with every reply guarded: the same signature, the same kind of callable.

    A function that is not declared as a coroutine or a generator but returns an awaitable or an
    iterator is treated as what it returns.
    """
    target = _defining_function(fn)
    if inspect.isasyncgenfunction(target):
        wrapper = _async_generator(fn, options)
    elif inspect.iscoroutinefunction(target):
        wrapper = _coroutine(fn, options)
    elif inspect.isgeneratorfunction(target):
        wrapper = _generator(fn, options)
    else:
        wrapper = _plain(fn, options)
    return cast("F", functools.wraps(fn, updated=())(wrapper))


def _defining_function(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function that tells what kind `fn` is: behind partials, or the call of an object."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    if inspect.isroutine(fn) or inspect.isclass(fn):
        return fn
    return type(fn).__call__


def _generator(fn: Callable[..., Any], options: WrapOptions) -> Callable[..., Any]:
    def stream(*args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
        return (yield from _GuardedCall(fn, args, kwargs, options).stream())

    return stream


def _async_generator(fn: Callable[..., Any], options: WrapOptions) -> Callable[..., Any]:
    async def stream(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        call = _GuardedCall(fn, args, kwargs, options)
        driven = call.stream_async(call.model_call.stream_async)
        try:
            async for piece in driven:
                yield piece
        finally:
            await driven.aclose()

    return stream


def _coroutine(fn: Callable[..., Any], options: WrapOptions) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        return await _GuardedCall(fn, args, kwargs, options).reply_async()

    return call


def _plain(fn: Callable[..., Any], options: WrapOptions) -> Callable[..., Any]:
    def answer(*args: Any, **kwargs: Any) -> Any:
        call = _GuardedCall(fn, args, kwargs, options)
        reply = call.look()
        if inspect.isawaitable(reply):
            return call.reply_async()
        if isinstance(reply, AsyncIterator):
            return call.stream_async(call.model_call.stream_async)
        if isinstance(reply, Iterator):
            return call.stream()
        return call.reply()

    return answer


class ModelRaisedError(Exception):
    """The function raised. Takes the place of its error, which is in `ModelCall.error`.

    A `StopIteration` of the function would otherwise read as the end of its reply.
    """


class ModelCall:
    """Calls `fn`, once or, to regenerate, again; the reply of `look` answers the first call.

    error: what `fn` raised, unchanged, once `ModelRaisedError` was seen.
    """

    def __init__(self, fn: Callable[[], Any]) -> None:
        self._fn = fn
        self._kept: list[Any] = []
        self.error: Exception = ModelRaisedError()

    def look(self) -> Any:
        """Call the function now, to see what kind of reply it gives."""
        self._kept = [self._fn()]
        return self._kept[0]

    async def look_async(self) -> Any:
        """The same for a function whose reply is awaited, called by `look` before or not."""
        self._kept = [await (self._kept.pop() if self._kept else self._fn())]
        return self._kept[0]

    def reply(self) -> Iterator[Any]:
        """The reply as a stream of one piece."""
        yield self._call()

    async def reply_async(self) -> AsyncIterator[Any]:
        """The awaited reply as a stream of one piece."""
        yield await self._call_async()

    def stream(self) -> Iterator[Any]:
        """The iterator that the function returns."""
        return iter(self._kept.pop() if self._kept else self._fn())

    def stream_async(self) -> AsyncIterator[Any]:
        """The asynchronous iterator that the function returns."""
        return aiter(self._kept.pop() if self._kept else self._fn())

    async def awaited_stream(self) -> AsyncIterator[Any]:
        """The asynchronous iterator that the function's coroutine returns."""
        async for piece in await self._call_async():
            yield piece

    def _call(self) -> Any:
        try:
            return self._kept.pop() if self._kept else self._fn()
        except Exception as error:
            self.error = error
        raise ModelRaisedError

    async def _call_async(self) -> Any:
        try:
            return self._kept.pop() if self._kept else await self._fn()
        except Exception as error:
            self.error = error
        raise ModelRaisedError


class _GuardedCall:
    """One call of a guarded function."""

    def __init__(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        options: WrapOptions,
    ) -> None:
        self.model_call = ModelCall(functools.partial(fn, *args, **kwargs))
        self._args, self._kwargs = args, kwargs
        self._options = options

    def look(self) -> Any:
        """The first reply of a function about which nothing is known yet."""
        try:
            return self.model_call.look()
        except Exception:
            self._options.flow.upstream_failed(self._options.use_case)
            raise

    def reply(self) -> Any:
        """The guarded reply of a plain function."""
        try:
            return list(drive(self._begin(), self._pieces(), self.model_call.reply))[-1]
        except ModelRaisedError:
            pass
        raise self.model_call.error

    async def reply_async(self) -> Any:
        """The guarded reply of a coroutine function, or of one that returns an awaitable."""
        try:
            reply = await self.model_call.look_async()
        except Exception:
            self._options.flow.upstream_failed(self._options.use_case)
            raise
        if isinstance(reply, AsyncIterator):
            return self.stream_async(self.model_call.awaited_stream)
        driven = drive_async(self._begin(), self._pieces(), self.model_call.reply_async)
        try:
            return [piece async for piece in driven][-1]
        except ModelRaisedError:
            pass
        raise self.model_call.error

    def stream(self) -> Generator[Any, None, Any]:
        """The guarded pieces of a generator or an iterator."""
        pieces = self._pieces()
        return (yield from drive(self._begin(streamed=True), pieces, self.model_call.stream))

    def stream_async(self, ask: Async) -> AsyncGenerator[Any, None]:
        """The guarded pieces of an asynchronous generator or iterator."""
        return drive_async(self._begin(streamed=True), self._pieces(), ask)

    def _begin(self, *, streamed: bool = False) -> Exchange:
        return self._options.flow.begin(self._call(), streamed=streamed)

    def _call(self) -> Call:
        options = self._options
        lane, found = options.lane, question(self._args, self._kwargs, options.prompt_of)
        return Call(
            id="",
            use_case=options.use_case,
            prompt=found.prompt,
            turns=found.turns,
            lane=lane,
            as_messages=found.listed and lane is not None and lane.is_local,
            never_shadowed="" if self._may_be_shadowed() else "opted_out",
        )

    def _may_be_shadowed(self) -> bool:
        """False where `may_shadow` fails."""
        may = self._options.may_shadow
        try:
            return may is None or bool(may(*self._args, **self._kwargs))
        except Exception:
            return False

    def _pieces(self) -> Pieces[Any]:
        return Pieces(self._options.codec)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """prompt: all texts in one. turns: the conversation, empty where it is not one of texts.

    listed: it was a list of messages, not one text.
    """

    prompt: str = ""
    turns: tuple[Turn, ...] = ()
    listed: bool = False


def question(
    args: Sequence[object], kwargs: Mapping[str, object], prompt_of: PromptOf | None = None
) -> Question:
    """The first argument that is a text or a list of chat messages, or what `prompt_of` says.

    An empty one when there is none or `prompt_of` fails: a call is never lost for it.
    """
    if prompt_of is not None:
        return _from_caller(prompt_of, args, kwargs)
    for value in (*args, *kwargs.values()):
        if isinstance(value, str):
            return _one_text(value)
        if isinstance(value, list | tuple) and (text := asked_in(value)):
            return Question(prompt=text, turns=turns_of(value), listed=True)
    return Question()


def _from_caller(
    prompt_of: PromptOf, args: Sequence[object], kwargs: Mapping[str, object]
) -> Question:
    try:
        return _one_text(str(prompt_of(*args, **kwargs)))
    except Exception:
        return Question()


def _one_text(text: str) -> Question:
    return Question(prompt=text, turns=(Turn(role="user", content=text),))
