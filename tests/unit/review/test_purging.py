"""Old cases go by themselves."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import pytest

from guard.bootstrap.clock_doubts import PatientPurge, all_would_go, has_sums
from guard.bootstrap.review import purge_periodically
from guard.errors import StoreError
from guard.ports import Store
from guard.records import CaseFilter, Posting
from guard.review.retention import ErasureResult, Retention
from tests.unit.review.made import START, ManualClock, pair

DAY = 86_400.0


def test_it_purges_again_and_again_until_the_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="guard.review")
    third, done = threading.Event(), []

    def purge(_: Callable[[], bool]) -> ErasureResult:
        done.append(1)
        if len(done) == 1:
            raise StoreError("away")
        if len(done) == 3:
            third.set()
        return ErasureResult(records=len(done), settled=True)

    with purge_periodically(purge, every_seconds=0.001):
        assert third.wait(30)
    before = len(done)
    assert [record.message for record in caplog.records[:2]] == [
        "guard-purge: away",
        "erased 2 old cases and jobs",
    ]
    assert len(done) == before


def test_the_end_of_the_block_ends_the_purge_that_is_under_way() -> None:
    begun, told = threading.Event(), threading.Event()

    def purge(is_ending: Callable[[], bool]) -> ErasureResult:
        begun.set()
        while not is_ending():
            pass
        told.set()
        return ErasureResult(records=0, settled=True)

    with purge_periodically(purge, every_seconds=0.001):
        assert begun.wait(30)
        assert not told.is_set()
    assert told.is_set()


def test_a_start_with_a_clock_that_is_ahead_erases_nothing(
    store: Store, clock: ManualClock
) -> None:
    store.open(pair(opened_at=START))
    clock.now += 100 * DAY
    retention = Retention(store=store, clock=clock, kept_seconds=90 * DAY)
    with purge_periodically(lambda ending: retention.purge(by="guard", is_ending=ending)):
        pass
    assert store.case("p1") is not None


def test_where_everything_is_old_a_day_passes_before_it_goes(
    store: Store, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    passed = ManualClock()
    retention = Retention(store=store, clock=clock, kept_seconds=90 * DAY)
    purge = PatientPurge(retention, by="guard", monotonic=passed)
    store.open(pair(opened_at=START))
    found = []
    for hours in (0.0, 23.0, 1.0):
        passed.now += hours * 3600.0
        clock.now = START + 100 * DAY
        found.append(purge().records)
    assert found == [0, 0, 1]
    assert "review.retention_days" in caplog.text
    assert len(caplog.records) == 1


def test_a_clock_that_is_right_again_ends_the_waiting(store: Store, clock: ManualClock) -> None:
    passed = ManualClock()
    retention = Retention(store=store, clock=clock, kept_seconds=90 * DAY)
    purge = PatientPurge(retention, by="guard", monotonic=passed)
    store.open(pair(opened_at=START))
    for ahead in (100 * DAY, 0.0, 100 * DAY):
        clock.now = START + ahead
        assert purge().records == 0
        passed.now += 23 * 3600.0
    assert store.count(CaseFilter(), most=9) == 1


def test_what_is_newer_or_was_counted_lately_vouches_for_the_clock(store: Store) -> None:
    now, before = START + 100 * DAY, START + 10 * DAY
    assert not all_would_go(store, before, now)
    store.open(pair("old", call_id="old", opened_at=START))
    assert all_would_go(store, before, now)
    store.add([Posting(use_case="chat", at_seconds=now - 0.9 * DAY, sums={"n": 1.0})])
    assert not all_would_go(store, before, now)
    assert all_would_go(store, before, now + 0.2 * DAY)
    store.open(pair("ahead", call_id="ahead", opened_at=now + 9 * DAY))
    assert all_would_go(store, before, now + 0.2 * DAY)
    store.open(pair("new", call_id="new", opened_at=before + 1.0))
    assert not all_would_go(store, before, now + 0.2 * DAY)


@pytest.mark.parametrize("at", [0.0, 1.0, 3599.0, 3600.0, 5000.0, 7199.0])
def test_sums_are_found_wherever_they_are(store: Store, at: float) -> None:
    assert not has_sums(store, START, START + 7200.0)
    store.add([Posting(use_case="chat", at_seconds=START + at, sums={"n": 1.0})])
    assert has_sums(store, START, START + 7200.0)
    assert not has_sums(store, START + 7260.0, START + 9000.0)
