from __future__ import annotations

import pytest

from guard.ports import Store
from guard.review.service import ReviewService
from tests.unit.review.made import ManualClock, desk_of, empty_store


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store(clock: ManualClock) -> Store:
    return empty_store(clock)


@pytest.fixture
def desk(store: Store, clock: ManualClock) -> ReviewService:
    return desk_of(store, clock)
