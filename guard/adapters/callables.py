"""A model behind a Python function, asked again off the request path."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import Any

from guard.errors import may_be_signal
from guard.records import Ask, Ending, Generated

_TOLD_CHARACTERS = 500
"""Of what was raised."""


class _RaisedInThreadError(Exception):
    """A function raised `error`, which is no `Exception`, in a thread of its own."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


@dataclass(frozen=True, slots=True, kw_only=True)
class CallableUpstream:
    """Asks `fn`, see `ports.Upstream`; what it raises is a failed reply, never an exception.

    fn: sync, async, generator or async generator function of one argument: the text that was
    asked, or a list of messages where `Ask.as_messages` is set. Sync ones run each in
    a thread and a context of its own, so that nothing of the live call is seen.
    reply_seconds: how long one reply may take. A thread cannot be stopped: a sync function that
    takes longer goes on unheard, but takes no thread from others and keeps no process alive.
    tells_why: the detail of a failure says what was raised, in its own words; they may quote the
    prompt, so that nothing of a live call is told.
    """

    fn: Callable[[Any], Any]
    reply_seconds: float = 120.0
    tells_why: bool = False

    async def generate(self, ask: Ask) -> Generated:
        """One reply."""
        try:
            async with asyncio.timeout(self.reply_seconds):
                text = await self._text(_argument(ask))
        except TimeoutError:
            detail = f"no reply within {self.reply_seconds:g} s"
            return Generated(text="", ending=Ending.TIMED_OUT, detail=detail)
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            return _failure(self._told(error))
        except _RaisedInThreadError as raised:
            return _failure(self._told(raised.error))
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # an outcome of the call
            if isinstance(error, KeyboardInterrupt) and may_be_signal(error):
                raise
            return _failure(self._told(error))
        if not isinstance(text, str):
            return _failure(f"{type(text).__name__}, no text")
        return Generated(text=text, ending=Ending.ANSWERED)

    def _told(self, error: BaseException) -> str:
        name = type(error).__name__
        return f"{name}: {_words_of(error)}".rstrip(": ") if self.tells_why else name

    async def _text(self, argument: str | list[dict[str, str]]) -> object:
        if inspect.iscoroutinefunction(self.fn) or inspect.isasyncgenfunction(self.fn):
            return await _await_reply(self.fn(argument))
        reply = _beside(partial(Context().run, _call, self.fn, argument))
        return await _await_reply(await asyncio.wrap_future(reply))


def _words_of(error: BaseException) -> str:
    try:
        return str(error)[:_TOLD_CHARACTERS]
    except Exception:  # anybody's exception may have no text that can be made
        return ""


def _failure(detail: str) -> Generated:
    return Generated(text="", ending=Ending.FAILED, detail=detail)


def _is_cancelled() -> bool:
    """Whether this task is, and not just something that the function waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _beside(function: Callable[[], object]) -> Future[object]:
    """The result of a function in a daemon thread: those of a pool are waited for at exit."""
    future: Future[object] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(function())
        except Exception as error:
            future.set_exception(error)
        except BaseException as error:  # itself, it would end the event loop that waits for it
            future.set_exception(_RaisedInThreadError(error))

    threading.Thread(target=run, name="guard-shadow-ask", daemon=True).start()
    return future


def _call(fn: Callable[[Any], Any], argument: object) -> object:
    """The reply, an iterator's pieces taken on this thread."""
    reply = fn(argument)
    return "".join(reply) if isinstance(reply, Iterator) else reply


async def _await_reply(reply: object) -> object:
    if inspect.isawaitable(reply):
        reply = await reply
    if isinstance(reply, AsyncIterator):
        return "".join([piece async for piece in reply])
    return reply


def _argument(ask: Ask) -> str | list[dict[str, str]]:
    if not ask.as_messages:
        return "\n".join(turn.content for turn in ask.turns)
    return [{"role": turn.role, "content": turn.content} for turn in ask.turns]
