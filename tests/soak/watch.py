"""Memory and descriptors of everything that runs, again and again."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak.ledger import Finding
from tests.soak.scene import Scene

EVERY_SECONDS = 2.0
MEMORY_GROWTH = 1.10
MEMORY_MB = 15.0
DESCRIPTORS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One look at one service: its memory, shared pages in parts, and its open descriptors."""

    at_seconds: float
    service: str
    megabytes: float
    descriptors: int


@dataclass(slots=True)
class Watch:
    """Samples of all services, and of Redis."""

    scene: Scene
    began: float = field(default_factory=time.monotonic)
    samples: list[Sample] = field(default_factory=list)

    @property
    def now(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    async def look_on(self, over: asyncio.Event) -> None:
        """Until told to stop."""
        while not over.is_set():
            with suppress(OSError, AssertionError):
                self.samples += await asyncio.to_thread(lambda: list(self._look()))
            await asyncio.sleep(EVERY_SECONDS)

    def findings(self, since: float) -> list[Finding]:
        """Whether lines are flat: from the first to the last third of what was seen since then."""
        return [
            finding
            for service in self.scene.services
            for finding in flatness(
                service.name,
                [
                    one
                    for one in self.samples
                    if one.service == service.name and one.at_seconds >= since
                ],
            )
        ]

    def _look(self) -> Iterator[Sample]:
        families = {one.name: one.family() for one in self.scene.services}
        for name, family in [*families.items(), ("redis", [self.scene.redis.pid])]:
            yield Sample(
                at_seconds=self.now,
                service=name,
                megabytes=sum(map(megabytes_of, family)),
                descriptors=sum(map(descriptors_of, family)),
            )


def flatness(name: str, samples: Sequence[Sample]) -> list[Finding]:
    """Of one service: the median of the first third beside that of the last."""
    third = len(samples) // 3
    if not third:
        return [Finding(what=f"{name}: samples", found="0", wanted="some", holds=False)]
    first, last = samples[:third], samples[-third:]
    memory = [statistics.median(one.megabytes for one in part) for part in (first, last)]
    files = [statistics.median(one.descriptors for one in part) for part in (first, last)]
    bound = memory[0] * MEMORY_GROWTH + MEMORY_MB
    return [
        Finding(
            what=f"{name}: memory, first and last third of the calm part",
            found=f"{memory[0]:.0f} and {memory[1]:.0f} MB",
            wanted=f"at most {bound:.0f} MB",
            holds=memory[1] <= bound,
        ),
        Finding(
            what=f"{name}: descriptors, likewise",
            found=f"{files[0]:.0f} and {files[1]:.0f}",
            wanted=f"at most {files[0] + DESCRIPTORS:.0f}",
            holds=files[1] <= files[0] + DESCRIPTORS,
        ),
    ]


def megabytes_of(pid: int) -> float:
    """Its memory; pages that several processes share count in parts."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def descriptors_of(pid: int) -> int:
    """Its open files and sockets."""
    with suppress(OSError):
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    return 0
