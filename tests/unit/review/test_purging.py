"""Old cases go by themselves."""

from __future__ import annotations

import logging
import threading

import pytest

from guard.bootstrap.review import purge_periodically
from guard.errors import StoreError
from guard.review.retention import ErasureResult


def test_it_purges_at_once_and_again_until_the_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="guard.review")
    third, done = threading.Event(), []

    def purge() -> ErasureResult:
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
