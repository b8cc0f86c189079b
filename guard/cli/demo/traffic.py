"""Requests that arrive at random, through the guarded functions, as an application makes them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Final

from guard.cli.demo import chat, dialogues
from guard.cli.demo.model import Model
from guard.wrap.facade import Guard

CHAT: Final = "support-chat"
SUMMARIES: Final = "dialogue-summaries"
USE_CASES: Final = (CHAT, SUMMARIES)
THREADS: Final = 16
MOST_UNDERWAY: Final = 32
FIRST_SHADOW_DRAW: Final = 1_000

Send = Callable[[str], Awaitable[object]]
"""Asks one prompt and takes the whole reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to send requests: where prompts come from and who answers them."""

    some_prompt: Callable[[Random], str]
    send: Send
    weight: int


def ways(guard: Guard, model: Model, threads: ThreadPoolExecutor) -> tuple[Way, ...]:
    """All four kinds of functions, guarded."""
    others = count(FIRST_SHADOW_DRAW)  # none of those that callers get

    def chat_again(prompt: str) -> str:
        return model.chat_again(prompt, others)

    def summarize_again(prompt: str) -> str:
        return model.summarize_again(prompt, others)

    ask = guard.wrap(model.chat, use_case=CHAT, shadow=chat_again)
    ask_async = guard.wrap(model.chat_async, use_case=CHAT, shadow=chat_again)
    summarize = guard.wrap(model.summarize, use_case=SUMMARIES, shadow=summarize_again)
    summarize_async = guard.wrap(model.summarize_async, use_case=SUMMARIES, shadow=summarize_again)

    def in_thread(work: Callable[[str], object]) -> Send:
        return lambda prompt: asyncio.get_running_loop().run_in_executor(threads, work, prompt)

    chats = [
        in_thread(lambda prompt: _take(ask(prompt, count()))),
        lambda prompt: _take_async(ask_async(prompt, count())),
    ]
    summaries = [
        in_thread(lambda prompt: summarize(prompt, count())),
        lambda prompt: summarize_async(prompt, count()),
    ]
    return (
        *(Way(some_prompt=chat.some_prompt, send=send, weight=2) for send in chats),
        *(Way(some_prompt=dialogues.some_prompt, send=send, weight=1) for send in summaries),
    )


async def flow(ways: Sequence[Way], random: Random, rate: float, stop: asyncio.Event) -> None:
    """Send about `rate` requests a second until `stop`, then wait for those under way."""
    free = asyncio.Semaphore(MOST_UNDERWAY)
    async with asyncio.TaskGroup() as requests:
        while not await happens(stop, within_seconds=random.expovariate(rate)):
            (way,) = random.choices(ways, [way.weight for way in ways])
            prompt = way.some_prompt(random)
            await free.acquire()
            requests.create_task(_sent(way.send, prompt, free))


async def happens(event: asyncio.Event, *, within_seconds: float | None) -> bool:
    """Wait for `event`, at most so long; whether it came."""
    try:
        async with asyncio.timeout(within_seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def _sent(send: Send, prompt: str, free: asyncio.Semaphore) -> None:
    try:
        await send(prompt)
    finally:
        free.release()


def _take(pieces: Iterator[str]) -> None:
    deque(pieces, maxlen=0)


async def _take_async(pieces: AsyncIterator[str]) -> None:
    async for _ in pieces:
        pass
