"""Transports that judge what comes back: everything that a client sends goes through one."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterator,
)
from contextlib import AsyncExitStack, ExitStack, aclosing, closing, suppress
from types import ModuleType
from typing import Any

from guard.errors import Blocked, UpstreamError
from guard.flow.blocking import run_blocking
from guard.flow.waiting import wait_blocking
from guard.replies.large import Turns, slices
from guard.wrap.guarded_pieces import AsyncPieces, BlockingPieces
from guard.wrap.openai_client.exchange import (
    AnswerError,
    ClientAnswer,
    ClientExchange,
    ClientGuard,
    is_retry,
    kept_headers,
)

KnownError = AnswerError | Blocked | UpstreamError
Chunks = Generator[bytes, None, None]
AsyncChunks = AsyncGenerator[bytes, None]
Close = Callable[[], Coroutine[Any, Any, None]]


class GuardedTransport:
    """A transport of httpx over another client, whose connections and settings are used.

    http: the module of that client, httpx or a successor.
    """

    def __init__(self, inner: Any, http: ModuleType, guard: ClientGuard) -> None:
        self._inner = inner
        self._http = http
        self._guard = guard

    def __enter__(self) -> GuardedTransport:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing: the inner client is closed by whoever made it."""

    def handle_request(self, request: Any) -> Any:
        """The answer to a request. Raises what the inner client raises."""
        try:
            exchange = self._guard.exchange(request.method, request.url, request.read())
        except AnswerError as refused:
            return _response(self._http, refused.answer)
        if exchange is None:
            return self._inner.send(request, stream=True)
        judged = is_retry(request.headers)
        unasked = None if judged else run_blocking(exchange.refused_prompt(wait_blocking))
        if unasked is not None:
            return _response(self._http, unasked)
        try:
            return self._guarded(exchange, request)
        except (AnswerError, Blocked, UpstreamError) as error:
            return _response(self._http, self._error(exchange, error))

    def _guarded(self, exchange: ClientExchange, request: Any) -> Any:
        heads: list[Any] = []
        with ExitStack() as open_answers:

            def ask() -> Any:
                answer = self._inner.send(request, stream=True)
                heads.append(open_answers.enter_context(closing(answer)))
                if exchange.is_stream(answer):
                    return _events(exchange, answer)
                return exchange.value_of(answer, answer.read())

            given = exchange.wrap(ask)()
            if isinstance(given, BlockingPieces):
                open_answers.callback(given.close)
                stream = _byte_stream(
                    self._http, self._chunks(exchange, given), open_answers.pop_all().close
                )
                return _head(self._http, heads[-1], stream=stream)
        return _head(self._http, heads[-1], content=exchange.whole(given))

    def _chunks(self, exchange: ClientExchange, given: BlockingPieces) -> Chunks:
        try:
            for one in given:
                yield exchange.event(one)
        except (AnswerError, Blocked, UpstreamError) as error:
            yield exchange.error_event(self._error(exchange, error))
        else:
            yield exchange.end

    def _error(self, exchange: ClientExchange, error: KnownError) -> ClientAnswer:
        if not isinstance(error, AnswerError):
            return exchange.refusal(error)
        flow, text = self._guard.flow, exchange.texts_to_judge(error.answer)
        passes = run_blocking(flow.passes(self._guard.use_case, text, wait_blocking))
        return error.answer if passes else exchange.withheld_error(error.answer)


class AsyncGuardedTransport:
    """The same over an asynchronous client. heard: told of the event loop of each request."""

    def __init__(
        self,
        inner: Any,
        http: ModuleType,
        guard: ClientGuard,
        heard: Callable[[asyncio.AbstractEventLoop], None],
    ) -> None:
        self._inner = inner
        self._http = http
        self._guard = guard
        self._heard = heard
        self._closing: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> AsyncGuardedTransport:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Nothing: the inner client is closed by whoever made it."""

    async def handle_async_request(self, request: Any) -> Any:
        """The answer to a request. Raises what the inner client raises."""
        self._heard(asyncio.get_running_loop())
        try:
            exchange = self._guard.exchange(request.method, request.url, await request.aread())
        except AnswerError as refused:
            return _response(self._http, refused.answer)
        if exchange is None:
            return await self._inner.send(request, stream=True)
        unasked = None if is_retry(request.headers) else await exchange.refused_prompt()
        if unasked is not None:
            return _response(self._http, unasked)
        try:
            return await self._guarded(exchange, request)
        except (AnswerError, Blocked, UpstreamError) as error:
            return _response(self._http, await self._error(exchange, error))

    async def _guarded(self, exchange: ClientExchange, request: Any) -> Any:
        heads: list[Any] = []
        async with AsyncExitStack() as open_answers:

            async def ask() -> Any:
                answer = await self._inner.send(request, stream=True)
                heads.append(await open_answers.enter_async_context(aclosing(answer)))
                if exchange.is_stream(answer):
                    return _events_async(exchange, answer)
                return exchange.value_of(answer, await answer.aread())

            given = await exchange.wrap(ask)()
            if isinstance(given, AsyncPieces):
                open_answers.push_async_callback(given.aclose)
                stream = self._stream(self._chunks(exchange, given), open_answers.pop_all().aclose)
                return _head(self._http, heads[-1], stream=stream)
        return _head(self._http, heads[-1], content=exchange.whole(given))

    def _stream(self, chunks: AsyncChunks, close: Close) -> Any:
        """A stream that is closed with its response, or once nobody has it any more.

        The response refers to itself: without a reference to `close` from elsewhere, all that a
        stream holds which was left half-way would end at once, in any order, and nobody could
        record the call.
        """

        async def close_now() -> None:
            left.detach()
            await close()

        stream = _async_byte_stream(self._http, chunks, close_now)
        left = weakref.finalize(stream, self._close_soon, asyncio.get_running_loop(), close)
        left.atexit = False
        return stream

    def _close_soon(self, loop: asyncio.AbstractEventLoop, close: Close) -> None:
        def begin() -> None:
            task = loop.create_task(close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(begin)

    async def _chunks(self, exchange: ClientExchange, given: AsyncPieces) -> AsyncChunks:
        try:
            async for one in given:
                yield exchange.event(one)
        except (AnswerError, Blocked, UpstreamError) as error:
            yield exchange.error_event(await self._error(exchange, error))
        else:
            yield exchange.end

    async def _error(self, exchange: ClientExchange, error: KnownError) -> ClientAnswer:
        if not isinstance(error, AnswerError):
            return exchange.refusal(error)
        text = exchange.texts_to_judge(error.answer)
        passes = await self._guard.flow.passes(self._guard.use_case, text)
        return error.answer if passes else exchange.withheld_error(error.answer)


def _response(http: ModuleType, answer: ClientAnswer) -> Any:
    return http.Response(answer.status, headers=answer.headers, content=answer.body)


def _head(http: ModuleType, answer: Any, **body: Any) -> Any:
    """A response like `answer` with another body."""
    return http.Response(answer.status_code, headers=kept_headers(answer), **body)


def _events(exchange: ClientExchange, answer: Any) -> Iterator[Any]:
    reader = exchange.events()
    with closing(answer):
        for chunk in answer.iter_bytes():
            yield from reader.feed(chunk)
            if reader.done:
                return
        yield from reader.rest()


async def _events_async(exchange: ClientExchange, answer: Any) -> AsyncIterator[Any]:
    reader, turns = exchange.events(), Turns()
    async with aclosing(answer):
        async for chunk in answer.aiter_bytes():
            for part in slices(chunk):
                for value in reader.feed(part):
                    yield value
                    await turns.give_way()
                if reader.done:
                    return
                await asyncio.sleep(0)
        for value in reader.rest():
            yield value


def _byte_stream(http: ModuleType, chunks: Chunks, close: Callable[[], None]) -> Any:
    """Closed with the response. close: called then, whether or not a chunk was wanted."""

    def close_all(_: object) -> None:
        chunks.close()
        close()

    members = {"__iter__": lambda _: chunks, "close": close_all}
    return type("GuardedStream", (http.SyncByteStream,), members)()


def _async_byte_stream(
    http: ModuleType, chunks: AsyncChunks, close: Callable[[], Awaitable[None]]
) -> Any:
    async def close_all(_: object) -> None:
        await chunks.aclose()
        await close()

    members = {"__aiter__": lambda _: chunks, "aclose": close_all}
    return type("AsyncGuardedStream", (http.AsyncByteStream,), members)()
