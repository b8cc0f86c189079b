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
    Sequence,
)
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from guard.errors import Blocked, may_be_signal
from guard.flow import (
    Codec,
    Exchange,
    Flow,
    ModelRaisedError,
    Refusal,
    Say,
    drive,
    drive_async,
)
from guard.flow.blocking import run_blocking
from guard.flow.steps import ReplyBuffer
from guard.flow.waiting import Wait, wait_blocking, wait_on_loop
from guard.ports import CallSpan
from guard.records import Call, Lane
from guard.replies.known import KnownReply
from guard.wrap.guarded_pieces import AsyncPieces, guarded_pieces
from guard.wrap.iterated_pieces import until_end, until_end_async
from guard.wrap.known_replies import (
    END,
    AnyReplyBuffer,
    EndedPieces,
    ObjectBuffer,
    UnreadNotice,
)
from guard.wrap.question import PromptOf, parameter_names, question
from guard.wrap.returned_value import shown_value
from guard.wrap.withheld_prompt import given_as_declared

F = TypeVar("F", bound=Callable[..., Any])
_REMEDY = "say with `read=` and `write=` where their text is"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapOptions:
    """How one function is guarded.

    lane: who can ask again for a shadow request; None is nobody.
    codec: None reads texts and the objects of known libraries.
    prompt_of: None reads the arguments.
    may_shadow: called with the arguments; False leaves this call without a shadow.
    notice: told of replies that are not read.
    call: called with the arguments; what is asked, without an id. None finds it in the arguments.
    judges_prompts: False where whoever calls the function has done so.
    known: how a reply, or the pieces of one, are read; None finds it at the first piece.
    names: of the arguments by position.
    """

    flow: Flow
    use_case: str
    codec: Codec[Any] | None = None
    prompt_of: PromptOf | None = None
    lane: Lane | None = None
    may_shadow: Callable[..., bool] | None = None
    notice: UnreadNotice = field(default_factory=lambda: UnreadNotice("wrap()", _REMEDY))
    call: Callable[..., Call] | None = None
    judges_prompts: bool = True
    known: Callable[[bool], KnownReply] | None = None
    names: tuple[str, ...] = ()


def wrap_function(fn: F, options: WrapOptions) -> F:
    """`fn` with every reply guarded: the same signature, the same kind of callable.

    A function that is not declared as a coroutine or a generator but returns an awaitable or an
    iterator is treated as what it returns.
    """
    target = _defining_function(fn)
    options = replace(options, names=parameter_names(fn))
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
    """The function that tells what kind `fn` is: behind partials and decorators that keep its
    signature, or the call of an object."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    fn = _behind_decorators(fn)
    if inspect.isroutine(fn) or inspect.isclass(fn):
        return fn
    return type(fn).__call__


def _behind_decorators(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The coroutine function that a plain one stands for, as clients of APIs have them; else it."""
    inner = inspect.unwrap(fn)
    return inner if inspect.iscoroutinefunction(inner) else fn


def _generator(fn: Callable[..., Any], options: WrapOptions) -> Callable[..., Any]:
    def stream(*args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
        return (yield from _GuardedCall(fn, args, kwargs, options).stream())

    return stream


def _async_generator(fn: Callable[..., Any], options: WrapOptions) -> Callable[..., Any]:
    async def stream(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async with aclosing(_GuardedCall(fn, args, kwargs, options).stream_async()) as driven:
            async for piece in driven:
                yield piece

    return stream


def _coroutine(fn: Callable[..., Any], options: WrapOptions) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        return await _GuardedCall(fn, args, kwargs, options).reply_async()

    return call


def _plain(fn: Callable[..., Any], options: WrapOptions) -> Callable[..., Any]:
    def answer(*args: Any, **kwargs: Any) -> Any:
        call = _GuardedCall(fn, args, kwargs, options)
        if (refusal := run_blocking(call.refusal(wait_blocking))) is not None:
            return call.instead(refusal)
        return _later(call, call.look()) or call.reply()

    return answer


def _later(call: _GuardedCall, reply: Any) -> Any:
    """What is given of a reply that is still to come; None for one that is there. The frame that
    raises `Blocked` must not hold the reply: error reports show the variables of frames."""
    if inspect.isawaitable(reply) and not isinstance(reply, str):
        return call.reply_async()
    return guarded_pieces(call, reply)


@dataclass(eq=False)
class _GuardedCall:
    """One call of a guarded function, which is called again to regenerate its reply.

    What was looked at before the exchange began is the reply to the first call.
    """

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    options: WrapOptions

    def __post_init__(self) -> None:
        self._ask = functools.partial(self.fn, *self.args, **self.kwargs)
        self._seen: list[Any] = []
        self._span: CallSpan | None = None
        self._is_judged = not self.options.judges_prompts

    async def refusal(self, wait: Wait) -> Refusal | None:
        """Why the function must not be called; None where it may, and when asked again."""
        flow, is_judged = self.options.flow, self._is_judged
        self._is_judged = True
        if is_judged or not flow.judges_prompts(self.options.use_case):
            return None
        return await flow.refuses(self._call(), wait)

    def withheld(self, refusal: Refusal, *, streamed: bool = False) -> Sequence[Any]:
        """What is said in place of a reply. Raises Blocked where that is the policy, and where
        `write` needs a reply to make another one from."""
        said = Say(refusal.text)
        try:
            return self._buffer(streamed=streamed).take(said)
        except Exception as error:  # of the user's own function
            if may_be_signal(error):
                raise
            raise Blocked(refusal.outcome) from None

    def instead(self, refusal: Refusal) -> Any:
        """The same as the function gives its replies."""
        return given_as_declared(_defining_function(self.fn), self.withheld(refusal))

    def look(self) -> Any:
        """The first reply of a function about which nothing is known yet."""
        with self._before_exchange():
            self._seen = [self._ask()]
        return self._seen[0]

    def reply(self) -> Any:
        """The guarded reply of a plain function."""
        try:
            return list(drive(self._begin(), self._buffer(), self._whole))[-1]
        except ModelRaisedError as raised:
            error = raised.error
        raise error

    async def reply_async(self) -> Any:
        """The guarded reply of a coroutine function, or of one that returns an awaitable."""
        if (refusal := await self.refusal(wait_on_loop)) is not None:
            return self.instead(refusal)
        with self._before_exchange():
            self._seen = [await self._next()]
        if self._comes_as(AsyncIterator):
            return AsyncPieces(self, self._seen[0])
        if self._comes_as(Iterator):
            return iter([piece async for piece in self.stream_async()])
        driven = drive_async(self._begin(), self._buffer(), self._awaited)
        try:
            return [piece async for piece in driven][-1]
        except ModelRaisedError as raised:
            error = raised.error
        raise error

    def _comes_as(self, kind: type) -> bool:
        """Whether the first reply is of this kind. A text is none, whatever it can do."""
        return isinstance(self._seen[0], kind) and not isinstance(self._seen[0], str)

    def stream(self) -> Generator[Any, None, Any]:
        """The guarded pieces of a generator or an iterator."""
        if (refusal := run_blocking(self.refusal(wait_blocking))) is not None:
            yield from self.withheld(refusal, streamed=True)
            return None
        exchange = self._begin(streamed=True)
        buffer = self._buffer(streamed=True)
        returned = yield from drive(exchange, buffer, lambda: until_end(iter(self._next())))
        options = self.options
        return shown_value(returned, exchange, options.flow, options.use_case, options.notice)

    async def stream_async(self) -> AsyncGenerator[Any, None]:
        """The guarded pieces of an asynchronous generator or iterator."""
        if (refusal := await self.refusal(wait_on_loop)) is not None:
            for piece in self.withheld(refusal, streamed=True):
                yield piece
            return
        exchange, buffer = self._begin(streamed=True), self._buffer(streamed=True)
        driven = drive_async(exchange, buffer, lambda: until_end_async(self._next()))
        async with aclosing(driven):
            async for piece in driven:
                yield piece

    def abandon(self) -> None:
        """Record that nobody wanted the pieces of the reply."""
        self._begin(streamed=True).discard()

    def _buffer(self, *, streamed: bool = False) -> ReplyBuffer[Any, Any]:
        options = self.options
        if options.codec is not None:
            return EndedPieces(options.codec, options.notice)
        policy = options.flow.policy(options.use_case, streamed=streamed)
        if options.known is not None:
            return ObjectBuffer(options.known(streamed), policy, options.notice, streamed=streamed)
        return AnyReplyBuffer(policy, options.notice, streamed=streamed)

    def _next(self) -> Any:
        return self._seen.pop() if self._seen else self._ask()

    def _whole(self) -> Iterator[Any]:
        """The reply as a stream of one piece."""
        try:
            reply = self._next()
        except Exception as error:
            raise ModelRaisedError(error) from error
        yield reply
        yield END

    async def _next_awaited(self) -> Any:
        return self._seen.pop() if self._seen else await self._ask()

    async def _awaited(self) -> AsyncIterator[Any]:
        """The awaited reply as a stream of one piece."""
        try:
            reply = await self._next_awaited()
        except Exception as error:
            raise ModelRaisedError(error) from error
        yield reply
        yield END

    @contextmanager
    def _before_exchange(self) -> Iterator[None]:
        """Within the span of the call, which begins with the first call of the function; record
        that the function raised."""
        flow, use_case = self.options.flow, self.options.use_case
        span = self._span = self._span or flow.tracer.begin(Call(id="", use_case=use_case))
        try:
            with span.current():
                yield
        except BaseException as error:
            span.end(None, error=type(error).__name__)
            if isinstance(error, Exception):
                flow.upstream_failed(use_case)
            raise

    def _begin(self, *, streamed: bool = False) -> Exchange:
        return self.options.flow.begin(self._call(), streamed=streamed, span=self._span)

    def _call(self) -> Call:
        options = self.options
        if options.call is not None:
            return options.call(*self.args, **self.kwargs)
        asked = question(self.args, self.kwargs, options.prompt_of, options.names)
        opted_out = not self._may_be_shadowed()
        return asked.call(options.use_case, options.lane, opted_out=opted_out)

    def _may_be_shadowed(self) -> bool:
        """False where `may_shadow` fails."""
        may = self.options.may_shadow
        try:
            return may is None or bool(may(*self.args, **self.kwargs))
        except Exception as error:
            if may_be_signal(error):
                raise
            return False
