"""The stores that have to keep the contract. To add one, add a line to BACKENDS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

Places = Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """One kind of store.

    places: makes URLs of empty stores, a new one each time it is called. durable: what was kept
    is there when the URL is opened again, by this or another process.
    """

    name: str
    places: Callable[[pytest.FixtureRequest, Path], Places]
    durable: bool


def _memory(request: pytest.FixtureRequest, folder: Path) -> Places:
    return lambda: "memory:"


def _sqlite(request: pytest.FixtureRequest, folder: Path) -> Places:
    numbers = count()
    return lambda: f"sqlite:///{folder}/store-{next(numbers)}.db"


def _redis(request: pytest.FixtureRequest, folder: Path) -> Places:
    server = request.getfixturevalue("redis_server")
    numbers = count()
    return lambda: f"{server.url}?prefix={folder.name}-{next(numbers)}"


BACKENDS = (
    Backend(name="memory", places=_memory, durable=False),
    Backend(name="sqlite", places=_sqlite, durable=True),
    Backend(name="redis", places=_redis, durable=True),
)

durable_only = pytest.mark.parametrize(
    "backend",
    [backend for backend in BACKENDS if backend.durable],
    ids=lambda backend: backend.name,
    indirect=True,
)
"""For a test of what another opening of the same URL finds."""
