"""What was erased is in no file of a SQLite store any more."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from guard.errors import StoreError
from guard.ports import Store
from guard.store import open_store
from tests.contract.clock import START, ManualClock
from tests.contract.made import case, job, leased, vote


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    store = open_store(f"sqlite:///{file}", clock=ManualClock())
    yield store
    store.shut()


def bytes_of(file: Path) -> bytes:
    return b"".join(path.read_bytes() for path in file.parent.glob("store.db*"))


def test_an_erased_text_is_in_no_file(file: Path, store: Store) -> None:
    draw = random.Random(11)
    sizes = [10, 100, 900, 3000, 5000, 20_000]
    for number in range(300):
        text = f"text-of-{number:03d}-" * (draw.choice(sizes) // 12)
        call = f"call-{number % 100}"
        store.open(case(f"c{number}", call_id=call, body=text, opened_at=START + number))
        store.hold(f"c{number}", reviewer="ann", seconds=60)
        store.vote(vote(f"c{number}", note=f"note-of-{number:03d}-"))
        store.offer(job(f"j{number}", call_id=call, payload=f"job-of-{number:03d}-" * 90))
    for lease in leased(store, 50):
        store.dead_letter(lease, error="400")
    assert b"text-of-150-" in bytes_of(file)
    for erased in draw.sample(range(100), 60):
        numbers = (erased, erased + 100, erased + 200)
        assert store.erase(f"call-{erased}", by="eve") == 6
        left = bytes_of(file)
        for number in numbers:
            for kind in ("text", "note", "job"):
                assert f"{kind}-of-{number:03d}-".encode() not in left


def test_a_finished_jobs_prompt_is_gone_with_the_log(file: Path, store: Store) -> None:
    store.offer(job(payload="a secret prompt"))
    assert b"a secret prompt" in bytes_of(file)
    store.finish(leased(store)[0])
    store.erase("any call", by="eve")
    assert b"a secret prompt" not in bytes_of(file)


def test_erasing_says_when_somebody_reads_for_too_long(
    file: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guard.store.sqlite.connections.BUSY_SECONDS", 0.05)
    store.open(case(body="a secret text"))
    reader = sqlite3.connect(file, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM cases").fetchone()
    store = open_store(f"sqlite:///{file}", clock=ManualClock())
    with pytest.raises(StoreError, match=r"write-ahead log.*erase again"):
        store.erase("call-of-c1", by="eve")
    reader.close()
    assert store.erase("call-of-c1", by="eve") == 0
    assert b"a secret text" not in bytes_of(file)
    store.shut()
