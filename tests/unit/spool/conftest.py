"""A store that keeps what it was given, and a spool in a folder of the test."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from guard.records import Batch, Job, Position
from guard.store.spool import Spool


class Ledger:
    """Accepts batches as stores do, once. `failures` are raised first, one per call.

    A failure of `late_failures` is raised after the batch was kept: the answer got lost. `before`
    is called first of all. `arrived`: something was kept.
    """

    bucket_seconds = 60.0

    def __init__(self) -> None:
        self.batches: list[tuple[Batch, Position]] = []
        self.positions: dict[str, int] = {}
        self.left_out = 0
        self.arrived = Event()
        self.failures: list[BaseException] = []
        self.late_failures: list[BaseException] = []
        self.refuses: Callable[[Batch], bool] = lambda batch: False
        self.before: Callable[[], object] = lambda: None

    def position(self, spool: str) -> int:
        if self.failures:
            raise self.failures.pop(0)
        return self.positions.get(spool, 0)

    def accept(self, batch: Batch, position: Position) -> bool:
        self.before()
        if self.failures:
            raise self.failures.pop(0)
        if self.refuses(batch):
            raise OverflowError("too big for a column")
        new = position.end > self.positions.get(position.spool, 0)
        if new:
            self.batches.append((batch, position))
            self.positions[position.spool] = position.end
            self.arrived.set()
        if self.late_failures:
            raise self.late_failures.pop(0)
        return new

    @property
    def keys(self) -> list[str]:
        return [job.key for batch, _ in self.batches for job in batch.jobs]


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def open_spool(tmp_path: Path) -> Callable[..., Spool]:
    """Opens the spool in `tmp_path / "spool"`; its ids are s0, s1, ..."""
    numbers = itertools.count()

    def opened(max_bytes: int = 2**20) -> Spool:
        return Spool(tmp_path / "spool", max_bytes=max_bytes, new_id=lambda: f"s{next(numbers)}")

    return opened


@pytest.fixture
def make_job() -> Callable[..., Job]:
    def made(key: object, payload: str = "{}") -> Job:
        return Job(
            key=str(key),
            lane="http",
            use_case="chat",
            call_id=f"call-{key}",
            payload=payload,
            offered_at=1.5,
        )

    return made
