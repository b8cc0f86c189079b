"""A worker in a thread: it is nudged, stopped, and survives what it cannot do."""

from __future__ import annotations

import asyncio
import threading
from typing import cast

import pytest

from guard.shadow.worker import Worker
from guard.shadow.worker_thread import WorkerThread


class Idle:
    """A worker that only waits."""

    def __init__(self) -> None:
        self.nudged = threading.Event()
        self.ended = threading.Event()

    def nudge(self) -> None:
        self.nudged.set()

    async def run(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self.ended.set()


def test_it_is_nudged_and_stopped() -> None:
    idle = Idle()
    running = WorkerThread(lambda: cast("Worker", idle))
    running.nudge()
    assert idle.nudged.wait(30)
    running.close(timeout_seconds=30)
    assert idle.ended.is_set()
    running.nudge()  # nobody is there any more
    running.close(timeout_seconds=0)


class CutOff(Idle):
    """What the application gave raises what ends an event loop."""

    def __init__(self, error: type[BaseException]) -> None:
        super().__init__()
        self._error = error

    async def run(self, stop: asyncio.Event) -> None:
        raise self._error


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_a_worker_that_is_cut_off_begins_anew(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    second = Idle()
    workers: list[Idle] = [second, CutOff(error), CutOff(error)]
    begun = threading.Event()

    def make() -> Worker:
        worker = workers.pop()
        if worker is second:
            begun.set()
        return cast("Worker", worker)

    running = WorkerThread(make)
    assert begun.wait(30)
    running.close(timeout_seconds=30)
    assert second.ended.is_set()
    assert "begins anew" in caplog.text


def test_what_cannot_be_made_is_logged_and_holds_nobody_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails() -> Worker:
        raise ValueError("no such worker")

    running = WorkerThread(fails)
    running.nudge()
    running.close(timeout_seconds=30)
    assert "no such worker" in caplog.text
