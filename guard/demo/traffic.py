"""Requests that arrive at random, through guarded functions, as an application makes them."""

from __future__ import annotations

import asyncio
import re
import signal
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from math import inf
from random import Random
from typing import Final

from guard.demo import chat, dialogues
from guard.demo.board import Board, Findings
from guard.demo.screen import Screen
from guard.ports import Clock
from guard.wrap.facade import Guard

TOKEN_SECONDS: Final = 0.012
SUMMARY_SECONDS: Final = 0.3
_TOKEN: Final = re.compile(r"\s*\S+")
CHAT: Final = "support-chat"
SUMMARIES: Final = "dialogue-summaries"
USE_CASES: Final = (CHAT, SUMMARIES)
THREADS: Final = 16
MOST_UNDERWAY: Final = 32
FIRST_SHADOW_DRAW: Final = 1_000

Send = Callable[[str], Awaitable[object]]
"""Asks one prompt and takes the whole reply."""


class ScriptedModel:
    """The scripted model as an application calls it: four kinds of functions that take time.

    draws: which of its many answers a prompt gets, so that a prompt asked again is answered
    differently, and every run is the same. pause, pause_async: wait.
    """

    def __init__(
        self,
        seed: int,
        *,
        pause: Callable[[float], object],
        pause_async: Callable[[float], Awaitable[object]],
    ) -> None:
        self.seed = seed
        self._pause = pause
        self._pause_async = pause_async

    def chat(self, prompt: str, draws: Iterator[int]) -> Iterator[str]:
        """Tokens of a reply, one by one."""
        for token in tokens(chat.reply(prompt, seed=self.seed, draw=next(draws))):
            self._pause(TOKEN_SECONDS)
            yield token

    async def chat_async(self, prompt: str, draws: Iterator[int]) -> AsyncIterator[str]:
        """The same without blocking."""
        for token in tokens(chat.reply(prompt, seed=self.seed, draw=next(draws))):
            await self._pause_async(TOKEN_SECONDS)
            yield token

    def summarize(self, prompt: str, draws: Iterator[int]) -> str:
        """A summary of the dialogue in the prompt."""
        self._pause(SUMMARY_SECONDS)
        return dialogues.summary(prompt, seed=self.seed, draw=next(draws))

    async def summarize_async(self, prompt: str, draws: Iterator[int]) -> str:
        """The same without blocking."""
        await self._pause_async(SUMMARY_SECONDS)
        return dialogues.summary(prompt, seed=self.seed, draw=next(draws))


def tokens(text: str) -> list[str]:
    """Words with the space before them, as models stream them."""
    return _TOKEN.findall(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """One kind of request: where prompts come from and who answers them."""

    some_prompt: Callable[[Random], str]
    send: Send
    weight: int


def senders(guard: Guard, model: ScriptedModel, threads: ThreadPoolExecutor) -> tuple[Sender, ...]:
    """The four kinds of functions, guarded."""
    others = count(FIRST_SHADOW_DRAW)  # none of those that callers get

    def chat_again(prompt: str) -> str:
        return chat.reply(prompt, seed=model.seed, draw=next(others))

    def summarize_again(prompt: str) -> str:
        return dialogues.summary(prompt, seed=model.seed, draw=next(others))

    ask = guard.wrap(model.chat, use_case=CHAT, shadow=chat_again)
    ask_async = guard.wrap(model.chat_async, use_case=CHAT, shadow=chat_again)
    summarize = guard.wrap(model.summarize, use_case=SUMMARIES, shadow=summarize_again)
    summarize_async = guard.wrap(model.summarize_async, use_case=SUMMARIES, shadow=summarize_again)

    def in_thread(work: Callable[[str], object]) -> Send:
        return lambda prompt: asyncio.get_running_loop().run_in_executor(threads, work, prompt)

    chats = [
        in_thread(lambda prompt: _drain(ask(prompt, count()))),
        lambda prompt: _drain_async(ask_async(prompt, count())),
    ]
    summaries = [
        in_thread(lambda prompt: summarize(prompt, count())),
        lambda prompt: summarize_async(prompt, count()),
    ]
    return (
        *(Sender(some_prompt=chat.some_prompt, send=send, weight=2) for send in chats),
        *(Sender(some_prompt=dialogues.some_prompt, send=send, weight=1) for send in summaries),
    )


async def send_requests(
    senders: Sequence[Sender], random: Random, rate: float, stop: asyncio.Event
) -> None:
    """Send about `rate` requests a second until `stop`, then wait for those under way."""
    free = asyncio.Semaphore(MOST_UNDERWAY)
    async with asyncio.TaskGroup() as requests:
        while not await occurs(stop, within_seconds=random.expovariate(rate)):
            (sender,) = random.choices(senders, [one.weight for one in senders])
            prompt = sender.some_prompt(random)
            await free.acquire()
            requests.create_task(_send_one(sender.send, prompt, free))


async def occurs(event: asyncio.Event, *, within_seconds: float | None) -> bool:
    """Wait for `event`, at most so long; whether it was set."""
    try:
        async with asyncio.timeout(within_seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def _send_one(send: Send, prompt: str, free: asyncio.Semaphore) -> None:
    try:
        await send(prompt)
    finally:
        free.release()


def _drain(pieces: Iterator[str]) -> None:
    deque(pieces, maxlen=0)


async def _drain_async(pieces: AsyncIterator[str]) -> None:
    async for _ in pieces:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a run needs."""

    guard: Guard
    board: Board
    findings: Findings
    screen: Screen
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """seconds: None runs until a signal. rate: requests a second. seed: of the conversations."""

    seconds: float | None
    rate: float
    seed: int


class EndOfRun:
    """The end of a run, for the event loop and for threads."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self._for_threads = threading.Event()

    def set(self) -> None:
        """End the run."""
        self.event.set()
        self._for_threads.set()

    def model(self, seed: int) -> ScriptedModel:
        """A scripted model that does not wait any more once the run has ended."""
        return ScriptedModel(seed, pause=self._for_threads.wait, pause_async=self._pause)

    async def _pause(self, seconds: float) -> None:
        await occurs(self.event, within_seconds=seconds)


async def run_demo(stage: Stage, schedule: Schedule) -> None:
    """Send traffic and show it until the time is up, or SIGINT or SIGTERM came."""
    end = EndOfRun()
    _end_on_signals(end)
    random = Random(schedule.seed)  # noqa: S311 - a script, no secrets
    with ThreadPoolExecutor(THREADS, thread_name_prefix="guard-demo") as threads:
        requests = senders(stage.guard, end.model(schedule.seed), threads)
        traffic = asyncio.create_task(send_requests(requests, random, schedule.rate, end.event))
        traffic.add_done_callback(lambda _: end.set())
        try:
            await _watch(stage, end.event, inf if schedule.seconds is None else schedule.seconds)
        finally:
            end.set()
            await traffic


async def _watch(stage: Stage, stop: asyncio.Event, seconds: float) -> None:
    began = stage.clock()
    passed = 0.0
    while passed < seconds:
        wait = min(stage.screen.every_seconds, seconds - passed)
        if await occurs(stop, within_seconds=wait):
            return
        passed = stage.clock() - began
        findings = await asyncio.to_thread(stage.findings.latest)
        stage.screen.show(stage.board.snapshot(findings), passed)


def _end_on_signals(end: EndOfRun) -> None:
    """The first signal ends the run, a second one the process."""
    loop = asyncio.get_running_loop()

    def signalled() -> None:
        end.set()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, signalled)
