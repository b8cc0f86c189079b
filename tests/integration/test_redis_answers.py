"""A Redis that answers and takes no writes: memory, replicas, a long script. Nothing is lost."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from redis import Redis

from guard.errors import StoreError
from guard.records import Posting
from guard.store import open_store
from guard.store.shipper import Shipper, ShippingPace
from guard.store.spool import Spool
from tests.servers import PATIENCE_SECONDS, RedisServer, free_port
from tests.waiting import wait_until


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What makes the server refuse writes, what ends that, and what is said meanwhile."""

    begin: Callable[[Redis], object]
    end: Callable[[Redis], object]
    said: str


FAULTS = {
    "out of memory": Fault(
        begin=lambda redis: redis.config_set("maxmemory", "1mb"),
        end=lambda redis: redis.config_set("maxmemory", "0"),
        said="is out of memory",
    ),
    "a replica": Fault(
        begin=lambda redis: redis.replicaof("127.0.0.1", free_port()),
        end=lambda redis: redis.replicaof("NO", "ONE"),
        said="is a read-only replica",
    ),
    "without replicas": Fault(
        begin=lambda redis: redis.config_set("min-replicas-to-write", 1),
        end=lambda redis: redis.config_set("min-replicas-to-write", 0),
        said="cannot answer at this moment",
    ),
    "no rights": Fault(
        begin=lambda redis: redis.acl_setuser("default", enabled=True, commands=["-evalsha"]),
        end=lambda redis: redis.acl_setuser("default", enabled=True, commands=["+evalsha"]),
        said="does not allow this user",
    ),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


def posting() -> Posting:
    return Posting(use_case="chat", at_seconds=1.0, sums={"n": 1.0})


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_what_cannot_be_written_now_arrives_once_when_it_can(
    server: RedisServer, fault: Fault, tmp_path: Path
) -> None:
    store = open_store(f"{server.url}?prefix={tmp_path.name}", clock=time.time)
    spool = Spool(tmp_path / "spool", max_bytes=2**20, new_id=lambda: uuid.uuid4().hex)
    pace = ShippingPace(gather_seconds=0.001, first_pause_seconds=0.01, longest_pause_seconds=0.01)
    shipper = Shipper(spool, store, clock=time.monotonic, random=Random(1), pace=pace)
    redis = Redis(port=server.port)
    store.add([posting()])
    fault.begin(redis)
    with pytest.raises(StoreError, match=rf"{fault.said}.*store\.url"):
        store.add([posting()])
    assert all(spool.put(posting()) for _ in range(10))
    wait_until(lambda: shipper.counts().store_errors, lambda errors: errors >= 3)
    fault.end(redis)
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert store.total("chat", range(10)) == {"n": 11.0}
    assert (shipper.counts().shipped, shipper.counts().dropped) == (10, 0)
    redis.close()
    store.shut()


def test_a_position_that_is_none_is_said_and_ends_no_thread(server: RedisServer) -> None:
    store = open_store(f"{server.url}?prefix=positions", clock=time.time)
    with Redis(port=server.port) as redis:
        redis.hset("{positions}:spools", "s", "far")
    with pytest.raises(StoreError, match=r"position 'far' of the spool s; .*store\.url"):
        store.position("s")
    store.shut()
