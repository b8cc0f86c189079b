"""What readiness says of the store."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from guard.bootstrap.storage import PeriodicTask, connected_store, open_storage
from guard.errors import StoreError
from guard.records import Posting
from guard.settings import StoreSettings
from guard.store.memory import MemoryStore


def test_a_store_that_never_answered_is_not_called_reachable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def away(*_: object, **__: object) -> int:
        raise StoreError("the store is away")

    for asked in ("expire", "use_cases"):
        monkeypatch.setattr(MemoryStore, asked, away)
    storage = open_storage(StoreSettings(url="memory:", spool=str(tmp_path)))
    try:
        assert storage.state() == "unknown"
        storage.spool.put(Posting(use_case="chat", at_seconds=0.0, sums={"n": 1.0}))
    finally:
        storage.close(drain_seconds=30.0)
    assert storage.state() == "reachable"


@pytest.mark.slow
def test_what_waits_for_a_store_that_refuses_is_shipped_once_it_is_right(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "guard.db"
    file.write_bytes(b"something else" * 512)
    settings = StoreSettings(url=f"sqlite:///{file}", spool=str(tmp_path / "spool"))
    with pytest.raises(StoreError, match="something else is in this file"):
        open_storage(settings)
    storage = open_storage(settings, needs_store=False)
    assert "records wait in the spool until the store can be used" in caplog.text
    try:
        assert storage.state() == "unknown"
        assert storage.spool.put(Posting(use_case="chat", at_seconds=0.0, sums={"n": 1.0}))
        assert storage.spool_counts().bytes
        file.unlink()
    finally:
        storage.close(drain_seconds=30.0)
    assert storage.state() == "reachable"
    with connected_store(settings) as store:
        assert store.total("chat", range(9)) == {"n": 1.0}


def test_a_task_knows_whether_it_ever_came_to_its_end() -> None:
    failed, done, may_succeed = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        if not failed.is_set():
            failed.set()
            raise StoreError("the store is away")
        may_succeed.wait(30)
        done.set()

    task = PeriodicTask(work, name="guard-work", every_seconds=0.001)
    assert failed.wait(30)
    assert not task.has_succeeded
    may_succeed.set()
    assert done.wait(30)
    task.close()
    assert task.has_succeeded
