"""A Python function as a model that can be asked again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from typing import Any

import pytest

from guard.adapters import CallableUpstream
from guard.records import Ask, Ending, Turn

ASK = Ask(turns=(Turn(role="user", content="hello"),))
LIVE: ContextVar[str] = ContextVar("live", default="nothing")


def said(fn: Callable[[Any], Any], ask: Ask = ASK, *, seconds: float = 60) -> tuple[str, Ending]:
    upstream = CallableUpstream(fn=fn, reply_seconds=seconds)
    reply = asyncio.run(upstream.generate(ask))
    return reply.text, reply.ending


def plain(text: str) -> str:
    return f"{text} you"


async def coroutine(text: str) -> str:
    return f"{text} you"


def pieces(text: str) -> Iterator[str]:
    yield text
    yield " you"


async def async_pieces(text: str) -> AsyncIterator[str]:
    yield text
    yield " you"


async def awaited_pieces(text: str) -> AsyncIterator[str]:
    return async_pieces(text)


@pytest.mark.parametrize(
    "fn", [plain, coroutine, pieces, async_pieces, awaited_pieces, lambda text: coroutine(text)]
)
def test_every_kind_of_function_is_asked(fn: Callable[[Any], Any]) -> None:
    assert said(fn) == ("hello you", Ending.ANSWERED)


def test_messages_go_to_whoever_takes_messages() -> None:
    ask = Ask(turns=ASK.turns, parameters={"as_messages": True})
    assert said(lambda messages: messages[0]["content"], ask)[0] == "hello"


def test_what_it_raises_is_a_failed_reply() -> None:
    def fails(text: str) -> str:
        raise KeyError(text)

    assert said(fails) == ("", Ending.FAILED)


def test_what_is_no_text_is_a_failed_reply() -> None:
    assert said(lambda text: 3) == ("", Ending.FAILED)
    assert said(lambda text: iter([3])) == ("", Ending.FAILED)


def test_a_reply_that_takes_too_long_has_timed_out() -> None:
    async def never(text: str) -> str:
        await asyncio.Event().wait()
        return text

    assert said(never, seconds=0.001) == ("", Ending.TIMED_OUT)


def test_nothing_of_the_live_call_is_seen() -> None:
    LIVE.set("a trace")
    assert said(lambda text: LIVE.get()) == ("nothing", Ending.ANSWERED)
