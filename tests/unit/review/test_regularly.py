"""Work that is done now and then."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from guard.bootstrap.storage import (
    KEPT_SECONDS,
    PeriodicTask,
    StepDetector,
    expire_buckets,
    open_storage,
)
from guard.errors import StoreError
from guard.records import Posting
from guard.settings import StoreSettings
from guard.store import open_store


def test_it_goes_on_after_faults_and_ends_when_closed(caplog: pytest.LogCaptureFixture) -> None:
    done, enough = [0], threading.Event()

    def work() -> None:
        done[0] += 1
        if done[0] == 1:
            raise StoreError("away; see store.url")
        if done[0] == 2:
            raise KeyError("no such thing")
        enough.set()

    regularly = PeriodicTask(work, name="guard-work", every_seconds=0.001)
    assert enough.wait(30)
    regularly.close()
    seen = done[0]
    assert "guard-work: away; see store.url" in caplog.text
    assert "no such thing" in caplog.text
    assert done[0] == seen


def test_a_clock_that_is_set_is_told_from_one_that_goes_on() -> None:
    wall, monotonic = [1e9], [5.0]
    steps = StepDetector(lambda: wall[0], lambda: monotonic[0])
    found = []
    for by_wall, passed in ((3600, 3600), (3600, 3601), (1e8, 3600), (3600, 3600), (-1e8, 3600)):
        wall[0] += by_wall
        monotonic[0] += passed
        found.append(steps.has_stepped())
    assert found == [False, False, True, False, True]


def test_nothing_is_deleted_by_a_clock_that_was_just_set(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wall, ran = iter([0.0]), threading.Event()
    steps = StepDetector(lambda: next(wall, 1e8), lambda: 0.0)
    regularly = PeriodicTask(ran.set, name="guard-work", every_seconds=0.001, steps=steps)
    assert ran.wait(30)
    regularly.close()
    assert caplog.messages == ["guard-work: waits once more, since the clock was set"]


def test_buckets_that_no_window_reaches_are_forgotten() -> None:
    store = open_store("memory:", clock=lambda: 0.0)
    now = 10 * KEPT_SECONDS
    for age in (0.0, KEPT_SECONDS / 2, KEPT_SECONDS + 120.0, 3 * KEPT_SECONDS):
        store.add([Posting(use_case="chat", at_seconds=now - age, sums={"n": 1.0})])
    assert expire_buckets(store, now) == 2
    assert store.total("chat", range(10**9)) == {"n": 2.0}


def test_the_first_run_waits_unless_the_clock_is_known_to_be_right() -> None:
    """A machine that has just been started may not have asked for the time yet."""
    asked, ran = threading.Event(), threading.Event()
    for is_right in (False, True):
        asked.clear()
        ran.clear()

        def is_clock_right(is_right: bool = is_right) -> bool:
            asked.set()
            return is_right

        regularly = PeriodicTask(ran.set, name="guard-work", is_clock_right=is_clock_right)
        assert asked.wait(30)
        regularly.close()
        assert ran.is_set() == is_right
        assert regularly.has_succeeded


@pytest.mark.parametrize("ahead", [0.0, 100 * 86_400.0])
def test_a_process_that_starts_with_a_wrong_clock_forgets_no_bucket(
    ahead: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where calls were counted lately the clock is right, and old buckets go at once."""
    url, now = f"sqlite:///{tmp_path}/s.db", time.time()
    store = open_store(url, clock=time.time)
    for age in (60.0, KEPT_SECONDS + 120.0):
        store.add([Posting(use_case="chat", at_seconds=now - age, sums={"n": 1.0})])
    monkeypatch.setattr("guard.bootstrap.storage.time.time", lambda: now + ahead)
    storage = open_storage(StoreSettings(url=url, spool=str(tmp_path / "spool")))
    storage.close(drain_seconds=30.0)
    left = store.total("chat", range(10**9))
    store.shut()
    assert left == {"n": 2.0 if ahead else 1.0}
