"""Redis, or its workers, killed with -9 at random moments under load: nothing lost or doubled."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from guard.errors import StoreError
from guard.ports import Store
from guard.store import open_store
from tests.load import Load, assert_same, uninterrupted
from tests.repeats import repeats
from tests.servers import RedisServer

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.soak

KILLS = repeats(3, soak=50)
RECOVERED_SECONDS = repeats(20, soak=5)


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


class Workers:
    """Processes that work until they are killed."""

    def __init__(self, url: str, count: int) -> None:
        self._url = url
        self._started = 0
        self._processes = [self._start() for _ in range(count)]

    def kill_one(self, moments: random.Random) -> None:
        """And start another one."""
        victim = moments.randrange(len(self._processes))
        self._kill(victim)
        self._processes[victim] = self._start()

    def kill_all(self) -> None:
        for victim in range(len(self._processes)):
            self._kill(victim)

    def _kill(self, victim: int) -> None:
        process = self._processes[victim]
        assert process.poll() is None, "a worker ended by itself"
        process.kill()
        process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        self._started += 1
        arguments = f"{self._url!r}, 'process-{self._started}'"
        code = f"from tests.load import work_until_killed; work_until_killed({arguments})"
        return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)


def test_workers_that_are_killed_lose_and_double_nothing(server: RedisServer) -> None:
    store = open_store(server.url, clock=time.time, max_jobs=10_000_000)
    load, workers = Load(store, producers=1, workers=1), Workers(server.url, 3)
    moments = random.Random()
    load.start()
    for _ in range(KILLS):
        time.sleep(moments.uniform(0.1, 1.0))
        workers.kill_one(moments)
    load.settle()
    workers.kill_all()
    assert any(name.startswith("process-") for name in workers_seen(server))
    assert_same(store, uninterrupted(load.produced))
    say(f"{KILLS} workers killed, {sum(load.produced.values())} batches")
    store.shut()


def workers_seen(server: RedisServer) -> list[str]:
    """Who has had a job, as the server tells it."""
    client = Redis(port=server.port, decode_responses=True)
    return [one["name"] for one in client.xinfo_consumers("{guard}:lane:http", "workers")]
