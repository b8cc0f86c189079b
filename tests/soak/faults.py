"""What goes wrong, at random moments: processes, the store, the disk, the clock."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf
from typing import Final, TypeAlias

from tests.soak.scene import Scene, Service, children_of

PAUSE_SECONDS: Final = (2.0, 6.0)
AWAY_SECONDS: Final = (1.0, 5.0)
SETTLE_SECONDS: Final = 3.0
STEPS_SECONDS: Final = (-40, -5, 0, 5, 40)

Fault: TypeAlias = Callable[[], Awaitable[None]]


class Faults:
    """Draws one fault after the other. counts: how often each happened."""

    def __init__(self, scene: Scene, draw: random.Random) -> None:
        self._scene = scene
        self._draw = draw
        self._full_until = -inf
        self._starting = asyncio.Lock()
        self.counts: Counter[str] = Counter()

    def disk_was_full_since(self, began: float) -> bool:
        """Whether what was recorded since then may be dropped. began: of the monotonic clock."""
        return began < self._full_until

    async def trouble(self, over: asyncio.Event) -> None:
        """Around the guard, one thing after the other, until told to stop."""
        await self._go_on(self._around(), over)

    async def kill(self, over: asyncio.Event) -> None:
        """Processes of the guard, one after the other, until told to stop."""
        await self._go_on(self._killing(), over)

    async def revive(self, over: asyncio.Event) -> None:
        """Start again whatever has ended by itself."""
        while not over.is_set():
            for service in self._scene.services:
                async with self._starting:
                    if service.has_ended:
                        service.gave_up += 1
                        await asyncio.to_thread(self._scene.start, service)
            await asyncio.sleep(PAUSE_SECONDS[0])

    async def _go_on(self, faults: list[tuple[str, Fault]], over: asyncio.Event) -> None:
        while not over.is_set():
            await asyncio.sleep(self._draw.uniform(*PAUSE_SECONDS))
            name, fault = self._draw.choice(faults)
            self.counts[name] += 1
            await fault()

    async def heal(self) -> None:
        """Everything as it should be."""
        self._scene.disk.free()
        self._scene.set_clock(0)

    def _around(self) -> list[tuple[str, Fault]]:
        faults: list[tuple[str, Fault]] = [
            ("Redis killed and started again", self._restart_redis),
            ("Redis frozen", self._freeze_redis),
        ]
        if self._scene.disk.mounted:
            faults.append(("disk of the spools full", self._fill_disk))
        if self._scene.can_set_clock:
            faults.append(("clock set", self._set_clock))
        return faults

    def _killing(self) -> list[tuple[str, Fault]]:
        return [
            ("worker of the gateway killed", self._kill_worker),
            ("worker of the gateway stopped", self._stop_worker),
            ("gateway killed", lambda: self._restart(self._scene.gateway)),
            ("shadow worker killed", lambda: self._restart(self._scene.shadow)),
            ("application killed", lambda: self._restart(self._scene.embedded)),
        ]

    async def _restart(self, service: Service) -> None:
        async with self._starting:
            await asyncio.to_thread(service.kill)
            await asyncio.to_thread(self._scene.start, service)

    async def _kill_worker(self) -> None:
        self._signal_worker(signal.SIGKILL)

    async def _stop_worker(self) -> None:
        self._signal_worker(signal.SIGSTOP)

    def _signal_worker(self, number: signal.Signals) -> None:
        if workers := children_of(self._scene.gateway.pid):
            with suppress(ProcessLookupError):
                os.kill(self._draw.choice(workers), number)

    async def _restart_redis(self) -> None:
        redis = self._scene.redis
        await asyncio.to_thread(redis.kill)
        await asyncio.sleep(self._draw.uniform(*AWAY_SECONDS))
        await asyncio.to_thread(redis.start)

    async def _freeze_redis(self) -> None:
        redis = self._scene.redis
        redis.freeze()
        await asyncio.sleep(self._draw.uniform(*AWAY_SECONDS))
        redis.thaw()

    async def _fill_disk(self) -> None:
        self._full_until = inf
        await asyncio.to_thread(self._scene.disk.fill)
        await asyncio.sleep(self._draw.uniform(*AWAY_SECONDS))
        self._scene.disk.free()
        self._full_until = time.monotonic() + SETTLE_SECONDS

    async def _set_clock(self) -> None:
        self._scene.set_clock(self._draw.choice(STEPS_SECONDS))
