"""Shadow requests by the client that was wrapped."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from guard.adapters.callables import CallableUpstream
from guard.errors import UpstreamError
from guard.records import Ask, Generated

_NOT_PASSED = {"model", "messages", "stream", "stream_options", "n"}


class ClientUpstream:
    """Asks the client itself for chat completions; see `ports.Upstream`.

    An asynchronous client is asked on the event loop of the last live request, because its
    connections belong to that loop. Two are equal where they ask the same client.
    """

    def __init__(self, client: Any, *, is_async: bool, reply_seconds: float) -> None:
        self._client = client.with_options(max_retries=0)
        self._wrapped = client
        self._reply_seconds = reply_seconds
        self._ask = self._ask_on_loop if is_async else self._ask_blocking
        self._loop: asyncio.AbstractEventLoop | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClientUpstream) and other._wrapped is self._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def hear(self, loop: asyncio.AbstractEventLoop) -> None:
        """The event loop on which the client is used."""
        self._loop = loop

    async def generate(self, ask: Ask) -> Generated:
        """One reply."""
        parameters = _parameters(ask)
        fn = partial(self._ask, parameters)
        answer = CallableUpstream(fn=fn, reply_seconds=self._reply_seconds)
        return await answer.generate(replace(ask, as_messages=True))

    def _ask_blocking(self, parameters: Mapping[str, Any], messages: Any) -> object:
        return _text(self._client.chat.completions.create(messages=messages, **parameters))

    async def _ask_on_loop(self, parameters: Mapping[str, Any], messages: Any) -> object:
        if self._loop is None or self._loop.is_closed():
            raise UpstreamError("wrap_openai(): the event loop of the client has ended")
        reply = self._client.chat.completions.create(messages=messages, **parameters)
        return _text(await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(reply, self._loop)))


def _parameters(ask: Ask) -> dict[str, Any]:
    """Arguments of the client; what it may not know goes into the body as it is."""
    others = {name: one for name, one in ask.parameters.items() if name not in _NOT_PASSED}
    seed = {} if ask.seed is None else {"seed": ask.seed}
    return {"model": ask.parameters.get("model", ""), "extra_body": {**others, **seed}}


def _text(completion: Any) -> object:
    message = completion.choices[0].message
    return message.content or message.refusal
