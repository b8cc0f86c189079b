"""Transports that judge what comes back: everything that a client sends goes through one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import aclosing, closing
from types import ModuleType
from typing import Any

from guard.errors import Blocked, UpstreamError
from guard.flow.blocking import run_blocking, wait_blocking
from guard.wrap.openai_client.exchange import (
    AnswerError,
    ClientAnswer,
    ClientExchange,
    ClientGuard,
    kept_headers,
)


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
        try:
            return self._guarded(exchange, request)
        except AnswerError as error:
            return _response(self._http, self._shown(exchange, error.answer))
        except (Blocked, UpstreamError) as error:
            return _response(self._http, exchange.refusal(error))

    def _guarded(self, exchange: ClientExchange, request: Any) -> Any:
        heads: list[Any] = []

        def ask() -> Any:
            answer = self._inner.send(request, stream=True)
            heads.append(answer)
            if exchange.is_stream(answer.headers.get("content-type", "")) and answer.is_success:
                return _events(exchange, answer)
            return exchange.value_of(_whole(answer, answer.read()))

        given = exchange.wrap(ask)()
        status, headers = heads[-1].status_code, kept_headers(heads[-1].headers)
        if isinstance(given, Generator):
            stream = _byte_stream(self._http, _chunks(exchange, given))
            return self._http.Response(status, headers=headers, stream=stream)
        answer = ClientAnswer(status=status, headers=headers, body=exchange.whole(given))
        return _response(self._http, answer)

    def _shown(self, exchange: ClientExchange, answer: ClientAnswer) -> ClientAnswer:
        flow, text = self._guard.flow, exchange.texts_to_judge(answer)
        passes = run_blocking(flow.passes(self._guard.use_case, text, wait_blocking))
        return answer if passes else exchange.withheld_error(answer)


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
        try:
            return await self._guarded(exchange, request)
        except AnswerError as error:
            return _response(self._http, await self._shown(exchange, error.answer))
        except (Blocked, UpstreamError) as error:
            return _response(self._http, exchange.refusal(error))

    async def _guarded(self, exchange: ClientExchange, request: Any) -> Any:
        heads: list[Any] = []

        async def ask() -> Any:
            answer = await self._inner.send(request, stream=True)
            heads.append(answer)
            if exchange.is_stream(answer.headers.get("content-type", "")) and answer.is_success:
                return _events_async(exchange, answer)
            return exchange.value_of(_whole(answer, await answer.aread()))

        given = await exchange.wrap(ask)()
        status, headers = heads[-1].status_code, kept_headers(heads[-1].headers)
        if isinstance(given, AsyncGenerator):
            stream = _async_byte_stream(self._http, _chunks_async(exchange, given))
            return self._http.Response(status, headers=headers, stream=stream)
        answer = ClientAnswer(status=status, headers=headers, body=exchange.whole(given))
        return _response(self._http, answer)

    async def _shown(self, exchange: ClientExchange, answer: ClientAnswer) -> ClientAnswer:
        text = exchange.texts_to_judge(answer)
        passes = await self._guard.flow.passes(self._guard.use_case, text)
        return answer if passes else exchange.withheld_error(answer)


def _whole(answer: Any, content: bytes) -> bytes:
    """The body of a successful answer. Raises AnswerError for another one."""
    if not answer.is_success:
        headers = kept_headers(answer.headers)
        raise AnswerError(ClientAnswer(status=answer.status_code, headers=headers, body=content))
    return content


def _response(http: ModuleType, answer: ClientAnswer) -> Any:
    return http.Response(answer.status, headers=answer.headers, content=answer.body)


def _events(exchange: ClientExchange, answer: Any) -> Iterator[Any]:
    reader = exchange.events()
    try:
        for chunk in answer.iter_bytes():
            yield from reader.feed(chunk)
            if reader.done:
                return
        yield from reader.rest()
    finally:
        answer.close()


async def _events_async(exchange: ClientExchange, answer: Any) -> AsyncIterator[Any]:
    reader = exchange.events()
    try:
        async for chunk in answer.aiter_bytes():
            for value in reader.feed(chunk):
                yield value
            if reader.done:
                return
        for value in reader.rest():
            yield value
    finally:
        await answer.aclose()


def _chunks(exchange: ClientExchange, given: Generator[Any, None, None]) -> Iterator[bytes]:
    try:
        with closing(given):
            for one in given:
                yield exchange.event(one)
    except (Blocked, UpstreamError) as error:
        yield exchange.error_event(error)
    else:
        yield exchange.end


async def _chunks_async(
    exchange: ClientExchange, given: AsyncGenerator[Any, None]
) -> AsyncIterator[bytes]:
    try:
        async with aclosing(given):
            async for one in given:
                yield exchange.event(one)
    except (Blocked, UpstreamError) as error:
        yield exchange.error_event(error)
    else:
        yield exchange.end


def _byte_stream(http: ModuleType, chunks: Any) -> Any:
    """Closed with the response."""
    members = {"__iter__": lambda _: chunks, "close": lambda _: chunks.close()}
    return type("GuardedStream", (http.SyncByteStream,), members)()


def _async_byte_stream(http: ModuleType, chunks: Any) -> Any:
    members = {"__aiter__": lambda _: chunks, "aclose": lambda _: chunks.aclose()}
    return type("AsyncGuardedStream", (http.AsyncByteStream,), members)()
