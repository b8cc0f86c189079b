"""One run of the demo: traffic in the background, the picture in front, until it is stopped."""

from __future__ import annotations

import asyncio
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from random import Random

from guard.cli.demo.board import Board
from guard.cli.demo.findings import Findings
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
    findings: Findings
    screen: Screen
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What happens in a run. seconds: None runs until a signal. rate: requests a second."""

    seconds: float | None
    rate: float
    seed: int


class _End:
    """The end of a run, for the event loop and for threads."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self._for_threads = threading.Event()

    def come(self) -> None:
        """Let it be over."""
        self.event.set()
        self._for_threads.set()

    def model(self, seed: int) -> Model:
        """The scripted model; once the end has come, it does not take its time any more."""
        return Model(seed, pause=self._for_threads.wait, pause_async=self._pause)

    async def _pause(self, seconds: float) -> None:
        await happens(self.event, within_seconds=seconds)


async def perform(stage: Stage, script: Script) -> None:
    """Send traffic and show it until the time is up, or SIGINT or SIGTERM came."""
    end = _End()
    _end_on_signals(end)
    random = Random(script.seed)  # noqa: S311 - a script, no secrets
    with ThreadPoolExecutor(THREADS, thread_name_prefix="guard-demo") as threads:
        senders = ways(stage.guard, end.model(script.seed), threads)
        traffic = asyncio.create_task(flow(senders, random, script.rate, end.event))
        traffic.add_done_callback(lambda _: end.come())
        try:
            await _watch(stage, end.event, inf if script.seconds is None else script.seconds)
        finally:
            end.come()
            await traffic


async def _watch(stage: Stage, stop: asyncio.Event, seconds: float) -> None:
    began = stage.clock()
    passed = 0.0
    while passed < seconds:
        wait = min(stage.screen.every_seconds, seconds - passed)
        if await happens(stop, within_seconds=wait):
            return
        passed = stage.clock() - began
        findings = await asyncio.to_thread(stage.findings.latest)
        stage.screen.show(stage.board.snapshot(findings), passed)


def _end_on_signals(end: _End) -> None:
    """The first signal ends the run well, a second one at once."""
    loop = asyncio.get_running_loop()

    def came() -> None:
        end.come()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, came)
