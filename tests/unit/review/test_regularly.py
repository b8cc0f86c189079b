"""Work that is done now and then."""

from __future__ import annotations

import threading

import pytest

from guard.bootstrap.storage import KEPT_SECONDS, PeriodicTask, expire_buckets
from guard.errors import StoreError
from guard.records import Posting
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


def test_buckets_that_no_window_reaches_are_forgotten() -> None:
    store = open_store("memory:", clock=lambda: 0.0)
    now = 10 * KEPT_SECONDS
    for age in (0.0, KEPT_SECONDS / 2, KEPT_SECONDS + 120.0, 3 * KEPT_SECONDS):
        store.add([Posting(use_case="chat", at_seconds=now - age, sums={"n": 1.0})])
    assert expire_buckets(store, now) == 2
    assert store.total("chat", range(10**9)) == {"n": 2.0}
