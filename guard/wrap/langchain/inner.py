"""The inner model with one question, asked apart from the live run as often as it takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import AbstractContextManager, aclosing, closing
from functools import partial
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.load import dumpd
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from guard.wrap.langchain.apart import (
    await_apart,
    iterate_apart,
    iterate_apart_async,
    run_apart,
)
from guard.wrap.langchain.chunks import as_chunk
from guard.wrap.langchain.trusted import RawRun, raw_run


def streams(model: BaseChatModel, *, async_api: bool) -> bool:
    """Whether the model gives its replies in chunks."""
    kind = type(model)
    sync = kind._stream is not BaseChatModel._stream
    return sync or (async_api and kind._astream is not BaseChatModel._astream)


class Inner:
    """Asks the model itself, below its callbacks and caches, and within its rate limit.

    trusted: handlers that are told of the raw run.
    """

    def __init__(
        self,
        model: BaseChatModel,
        trusted: Sequence[BaseCallbackHandler],
        messages: list[BaseMessage],
        arguments: dict[str, Any],
    ) -> None:
        self._model = model
        self._trusted = trusted
        self._messages = messages
        self._arguments = arguments

    def result(self) -> ChatResult:
        """A whole reply."""
        if self._model.rate_limiter is not None:
            self._model.rate_limiter.acquire(blocking=True)
        with self._raw_run() as heard:
            result = run_apart(partial(self._model._generate, self._messages, **self._arguments))
            heard.choices(result.generations)
        return result

    async def result_async(self) -> ChatResult:
        """The same."""
        if self._model.rate_limiter is not None:
            await self._model.rate_limiter.aacquire(blocking=True)
        with self._raw_run() as heard:
            ask = partial(self._model._agenerate, self._messages, **self._arguments)
            result = await await_apart(ask)
            heard.choices(result.generations)
        return result

    def chunks(self) -> Generator[ChatGenerationChunk]:
        """A reply as it comes, or whole as one chunk where the model gives none."""
        if not streams(self._model, async_api=False):
            yield from map(as_chunk, self.result().generations[:1])
            return
        if self._model.rate_limiter is not None:
            self._model.rate_limiter.acquire(blocking=True)
        ask = partial(self._model._stream, self._messages, **self._arguments)
        with self._raw_run() as heard, closing(iterate_apart(ask)) as chunks:
            for chunk in chunks:
                heard.chunk(chunk)
                yield chunk

    async def chunks_async(self) -> AsyncGenerator[ChatGenerationChunk]:
        """The same."""
        if not streams(self._model, async_api=True):
            for generation in (await self.result_async()).generations[:1]:
                yield as_chunk(generation)
            return
        if self._model.rate_limiter is not None:
            await self._model.rate_limiter.aacquire(blocking=True)
        ask = partial(self._model._astream, self._messages, **self._arguments)
        with self._raw_run() as heard:
            async with aclosing(iterate_apart_async(ask)) as chunks:
                async for chunk in chunks:
                    heard.chunk(chunk)
                    yield chunk

    def _raw_run(self) -> AbstractContextManager[RawRun]:
        about = dumpd(self._model) if self._trusted else {}
        return raw_run(self._trusted, about, self._messages, self._arguments)
