"""One run of the demo: traffic in the background, the picture in front, until it is stopped."""

from __future__ import annotations

import asyncio
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from random import Random

from guard.cli.demo.board import Board
from guard.cli.demo.model import Model
from guard.cli.demo.screen import Screen
from guard.cli.demo.traffic import THREADS, flow, happens, ways
from guard.ports import Clock
from guard.wrap.facade import Guard


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a run happens on."""

    guard: Guard
    board: Board
    screen: Screen
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What happens in a run. seconds: None runs until a signal. rate: requests a second."""

    seconds: float | None
    rate: float
    seed: int


async def perform(stage: Stage, script: Script) -> None:
    """Send traffic and show it until the time is up, or SIGINT or SIGTERM came."""
    stop = asyncio.Event()
    _stop_on_signals(stop)
    random = Random(script.seed)  # noqa: S311 - a script, no secrets
    with ThreadPoolExecutor(THREADS, thread_name_prefix="guard-demo") as threads:
        senders = ways(stage.guard, _model(script.seed, stop), threads)
        traffic = asyncio.create_task(flow(senders, random, script.rate, stop))
        traffic.add_done_callback(lambda _: stop.set())
        try:
            await _watch(stage, stop, inf if script.seconds is None else script.seconds)
        finally:
            stop.set()
            await traffic


async def _watch(stage: Stage, stop: asyncio.Event, seconds: float) -> None:
    began = stage.clock()
    passed = 0.0
    while passed < seconds:
        wait = min(stage.screen.every_seconds, seconds - passed)
        if await happens(stop, within_seconds=wait):
            return
        passed = stage.clock() - began
        stage.screen.show(stage.board.snapshot(), passed)


def _model(seed: int, stop: asyncio.Event) -> Model:
    """The scripted model; once the end has come, it does not take its time any more."""

    def pause(seconds: float) -> None:
        if not stop.is_set():
            time.sleep(seconds)

    async def pause_async(seconds: float) -> None:
        if not stop.is_set():
            await asyncio.sleep(seconds)

    return Model(seed, pause=pause, pause_async=pause_async)


def _stop_on_signals(stop: asyncio.Event) -> None:
    """The first signal ends the run well, a second one at once."""
    loop = asyncio.get_running_loop()

    def stopped() -> None:
        stop.set()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped)
