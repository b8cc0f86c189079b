"""A Python function as a model that can be asked again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
    ask = Ask(turns=ASK.turns, as_messages=True)
    assert said(lambda messages: messages[0]["content"], ask)[0] == "hello"


def test_what_it_raises_is_a_failed_reply() -> None:
    def fails(text: str) -> str:
        raise KeyError(text)

    assert said(fails) == ("", Ending.FAILED)


@pytest.mark.parametrize(("tells_why", "told"), [(False, "ValueError"), (True, "ValueError: down")])
def test_what_was_raised_is_told_only_where_that_is_wanted(tells_why: bool, told: str) -> None:
    def fails(text: str) -> str:
        raise ValueError("down")

    reply = asyncio.run(CallableUpstream(fn=fails, tells_why=tells_why).generate(ASK))
    assert reply.detail == told


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


@pytest.mark.parametrize("error", [asyncio.CancelledError, SystemExit, KeyboardInterrupt])
def test_a_function_ends_its_own_call_alone(error: type[BaseException]) -> None:
    async def ends(text: str) -> str:
        raise error

    def ends_in_a_thread(text: str) -> str:
        raise error

    with ThreadPoolExecutor(1) as beside:
        assert beside.submit(said, ends).result(60) == ("", Ending.FAILED)
    assert said(ends_in_a_thread) == ("", Ending.FAILED)


def test_ctrl_c_on_the_main_thread_is_not_the_function_s() -> None:
    async def interrupted(text: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        said(interrupted)


def test_a_call_that_is_cancelled_ends() -> None:
    async def cancelled() -> None:
        began = asyncio.Event()

        async def waits(text: str) -> str:
            began.set()
            await asyncio.Event().wait()
            return text

        call = asyncio.create_task(CallableUpstream(fn=waits).generate(ASK))
        await began.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(cancelled())


def test_functions_that_never_return_take_no_thread_from_others() -> None:
    released = threading.Event()

    def hangs(text: str) -> str:
        released.wait()
        return text

    async def asked() -> list[Ending]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=1))
        upstream = CallableUpstream(fn=hangs, reply_seconds=0.001)
        try:
            endings = [(await upstream.generate(ASK)).ending for _ in range(3)]
            await asyncio.wait_for(asyncio.to_thread(released.is_set), timeout=5)
            hanging = [one for one in threading.enumerate() if one.name == "guard-shadow-ask"]
            assert all(one.daemon for one in hanging)
        finally:
            released.set()
        return endings

    assert asyncio.run(asked()) == [Ending.TIMED_OUT] * 3
