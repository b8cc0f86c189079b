"""A model behind a Python function, asked again off the request path."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import Any

from guard.records import Ask, Ending, Generated, Turn

AS_MESSAGES = "as_messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallableUpstream:
    """Asks `fn`, see `ports.Upstream`; what it raises is a failed reply, never an exception.

    fn: sync, async, generator or async generator function of one argument: the text that was
    asked, or a list of messages where `Ask.parameters` holds `as_messages`. Sync ones run in
    threads, in a context of their own, so that nothing of the live call is seen.
    reply_seconds: how long one reply may take. A thread cannot be stopped: a sync function that
    takes longer goes on unheard.
    """

    fn: Callable[[Any], Any]
    reply_seconds: float = 120.0

    async def generate(self, ask: Ask) -> Generated:
        """One reply."""
        try:
            async with asyncio.timeout(self.reply_seconds):
                text = await self._text(_argument(ask))
        except TimeoutError:
            detail = f"no reply within {self.reply_seconds:g} s"
            return Generated(text="", ending=Ending.TIMED_OUT, detail=detail)
        except Exception as error:  # whatever the function raises is an outcome of the call
            return Generated(text="", ending=Ending.FAILED, detail=type(error).__name__)
        if not isinstance(text, str):
            detail = f"{type(text).__name__}, no text"
            return Generated(text="", ending=Ending.FAILED, detail=detail)
        return Generated(text=text, ending=Ending.ANSWERED)

    async def _text(self, argument: str | list[dict[str, str]]) -> object:
        if inspect.iscoroutinefunction(self.fn) or inspect.isasyncgenfunction(self.fn):
            return await _settled(self.fn(argument))
        reply = await asyncio.to_thread(Context().run, partial(_called, self.fn, argument))
        return await _settled(reply)


def _called(fn: Callable[[Any], Any], argument: object) -> object:
    """The reply, an iterator's pieces taken on this thread."""
    reply = fn(argument)
    return "".join(reply) if isinstance(reply, Iterator) else reply


async def _settled(reply: object) -> object:
    if inspect.isawaitable(reply):
        reply = await reply
    if isinstance(reply, AsyncIterator):
        return "".join([piece async for piece in reply])
    return reply


def _argument(ask: Ask) -> str | list[dict[str, str]]:
    if not ask.parameters.get(AS_MESSAGES):
        return "\n".join(turn.content for turn in ask.turns)
    return [_message(turn) for turn in ask.turns]


def _message(turn: Turn) -> dict[str, str]:
    return {"role": turn.role, "content": turn.content}
