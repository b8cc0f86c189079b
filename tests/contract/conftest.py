"""Every test of the contract runs once per store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from guard.ports import Store
from guard.store import open_store
from tests.contract.backends import BACKENDS, Backend, Places
from tests.contract.clock import ManualClock

Opened = Callable[..., Store]


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest) -> Backend:
    chosen: Backend = request.param
    return chosen


@pytest.fixture
def places(backend: Backend, request: pytest.FixtureRequest, tmp_path: Path) -> Places:
    return backend.places(request, tmp_path)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def opened(places: Places, clock: ManualClock) -> Iterator[Opened]:
    """Opens stores, at a new place unless told which, and shuts them in the end."""
    stores: list[Store] = []

    def opening(url: str | None = None, **options: Any) -> Store:
        stores.append(open_store(url or places(), **{"clock": clock, **options}))
        return stores[-1]

    yield opening
    for store in stores:
        store.shut()


@pytest.fixture
def store(opened: Opened) -> Store:
    return opened()
