"""A Redis that is killed, or freezes, while records are spooled: puts go on, all arrive once."""

from __future__ import annotations

import random
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from guard.ports import Store
from guard.records import Job, Posting
from guard.store import open_store
from guard.store.shipper import Shipper, ShippingPace
from guard.store.spool import Spool
from tests.repeats import repeats
from tests.servers import PATIENCE_SECONDS, RedisServer

pytestmark = pytest.mark.soak

KILLS = repeats(3, soak=50)
RECOVERED_SECONDS = repeats(20, soak=6)  # the longest pause, and what is waiting


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis")
    server.start()
    yield server
    server.kill()


@pytest.fixture
def store(server: RedisServer) -> Iterator[Store]:
    opened = open_store(server.url, clock=time.time, max_jobs=10**6)
    yield opened
    opened.shut()


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "spool", max_bytes=2**28, new_id=lambda: uuid.uuid4().hex)


def shipper_of(spool: Spool, store: Store) -> Shipper:
    pace = ShippingPace(gather_seconds=0.005, batch_bytes=16 * 1024)
    return Shipper(spool, store, clock=time.monotonic, random=random.Random(), pace=pace)


class Producer:
    """Puts a job and a posting under each number, until it is told to stop."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._over = Event()
        self._thread = Thread(target=self._produce)
        self.put = 0
        self.slowest_seconds = 0.0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _produce(self) -> None:
        while not self._over.wait(0.0005):
            begun = time.perf_counter()
            assert self._spool.put(job(self.put))
            assert self._spool.put(posting(self.put))
            self.slowest_seconds = max(self.slowest_seconds, time.perf_counter() - begun)
            self.put += 1


def job(number: int) -> Job:
    return Job(
        key=f"job-{number}",
        lane="http",
        use_case="chat",
        call_id=f"call-{number}",
        payload="x" * (number % 500),
        offered_at=float(number),
    )


def posting(number: int) -> Posting:
    return Posting(use_case="chat", at_seconds=float(number % 600), sums={"n": 1.0})


def assert_all_there_once(store: Store, count: int) -> None:
    assert store.total("chat", range(10)) == {"n": float(count)}
    assert store.job_counts().ready == count
    leased = store.lease(["http"], worker="w", limit=count + 1, seconds=60.0)
    assert {lease.job.key for lease in leased} == {f"job-{number}" for number in range(count)}


def test_a_redis_that_is_killed_again_and_again(
    server: RedisServer, store: Store, spool: Spool
) -> None:
    seed = random.randrange(2**32)
    sys.stdout.write(f"seed {seed}\n")
    moments, shipper, producer = random.Random(seed), shipper_of(spool, store), Producer(spool)
    producer.start()
    for _ in range(KILLS):
        time.sleep(moments.uniform(0.02, 0.4))
        server.kill()
        time.sleep(moments.uniform(0.0, 0.2))
        server.start()
    producer.stop()
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    counts = shipper.counts()
    sys.stdout.write(f"{counts}, slowest put {producer.slowest_seconds * 1e3:.1f} ms\n")
    assert (counts.shipped, counts.dropped, counts.lag_bytes) == (2 * producer.put, 0, 0)
    assert counts.store_errors > 0
    assert_all_there_once(store, producer.put)


def test_a_redis_that_freezes_counts_nothing_twice(
    server: RedisServer, store: Store, spool: Spool
) -> None:
    """It has got the batch, and carries it out when nobody listens any more."""
    shipper = shipper_of(spool, store)
    spool.put(job(0))
    spool.put(posting(0))
    server.freeze()
    for number in range(1, 200):
        spool.put(job(number))
        spool.put(posting(number))
    await_errors(shipper, 1)
    server.thaw()
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert_all_there_once(store, 200)


def test_what_waited_arrives_soon_after_it_is_back(
    server: RedisServer, store: Store, spool: Spool
) -> None:
    shipper = shipper_of(spool, store)
    server.kill()
    for number in range(2000):
        assert spool.put(job(number))
        assert spool.put(posting(number))
    await_errors(shipper, 4)
    assert shipper.counts().shipped == 0
    server.start()
    begun = time.monotonic()
    while shipper.counts().lag_bytes:
        assert time.monotonic() - begun < RECOVERED_SECONDS
        time.sleep(0.001)
    sys.stdout.write(f"4000 records after {time.monotonic() - begun:.2f} s\n")
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert_all_there_once(store, 2000)


def await_errors(shipper: Shipper, count: int) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while shipper.counts().store_errors < count:
        assert time.monotonic() < give_up
        time.sleep(0.001)
