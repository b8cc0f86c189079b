"""A Redis server that is killed with -9 at random moments under load loses and doubles nothing.

FAIRGUARD_KILLS sets how often it is killed, 10 unless told otherwise.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from guard.errors import StoreError
from guard.ports import Store
from guard.store import open_store
from tests.load import Load, assert_same, uninterrupted
from tests.servers import RedisServer

KILLS = int(os.environ.get("FAIRGUARD_KILLS", "10"))
RECOVERED_SECONDS = 5.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis")
    server.start()
    yield server
    server.kill()


def seconds_until_answered(store: Store) -> float:
    """How long it takes a store that was open all the time to be of use again."""
    begun = time.monotonic()
    while True:
        try:
            store.job_counts()
            return time.monotonic() - begun
        except StoreError:
            assert time.monotonic() - begun < RECOVERED_SECONDS
            time.sleep(0.001)


def say(line: str) -> None:
    """Seen when the test fails, and with `pytest -rP`."""
    sys.stdout.write(f"{line}\n")


def kill_again_and_again(server: RedisServer, store: Store) -> list[float]:
    """Recovery times, in seconds from when the server answers again."""
    seed = random.randrange(2**32)
    say(f"seed {seed}")
    moments = random.Random(seed)
    recoveries = []
    for _ in range(KILLS):
        time.sleep(moments.uniform(0.02, 0.4))
        server.kill()
        time.sleep(moments.uniform(0.0, 0.1))
        server.start()
        recoveries.append(seconds_until_answered(store))
    return recoveries


def test_no_job_or_case_is_lost_or_doubled(server: RedisServer) -> None:
    store = open_store(server.url, clock=time.time, max_jobs=10_000_000)
    load = Load(store)
    load.start()
    recoveries = kill_again_and_again(server, store)
    load.settle()
    assert load.failures > 0, "the load noticed none of the kills"
    assert_same(store, uninterrupted(load.produced))
    batches = sum(load.produced.values())
    say(f"{KILLS} kills, {batches} batches, {load.failures} failed calls")
    say(f"of use again {max(recoveries) * 1000:.0f} ms after the server, at most")
    store.shut()
