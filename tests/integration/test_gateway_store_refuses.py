"""Workers of the gateway that are replaced while the store refuses what it took before."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from redis import Redis

from guard.fairness import key
from guard.store import open_store
from tests.integration.gateway_cases import CHAT, KIND, asking, post
from tests.integration.test_gateway_serving import scraped, until, workers
from tests.servers import RedisServer
from tests.servers_gateway import Gateway
from tests.servers_openai import Upstream, says

CALLS = 3
SETTINGS = """
upstreams: {{main: {{base_url: "{upstream}"}}}}
gateway: {{port: 0, metrics: {{port: 0}}}}
store: {{url: "{store}", spool: spool, readings: exporter}}
use_cases:
  chat: {{shadow: {{share: 0.5, attributes: [gender], budget: {{calls_per_minute: 1}}}}}}
"""
Fault = Callable[[], object]


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis")
    server.start()
    yield server
    server.kill()


def asked(gateway: Gateway, upstream: Upstream, text: str) -> int:
    """How many of some calls are answered."""
    prompts = [upstream.plan(says(f"{KIND} {text} {number}.")) for number in range(CALLS)]
    statuses = [post(gateway.base_url("chat") + CHAT, asking(CHAT, one)).status for one in prompts]
    return statuses.count(200)


def store_state(gateway: Gateway) -> str:
    with urllib.request.urlopen(f"{gateway.origin}/readyz", timeout=60) as answer:
        return str(json.load(answer)["store"])


def replies_kept(url: str) -> float:
    store = open_store(url, clock=time.time)
    try:
        return store.total("chat", range(2**40)).get(key("toxic_fraction", "n"), 0.0)
    finally:
        store.shut()


def check_replaced_worker(
    gateway: Gateway, upstream: Upstream, url: str, *, refuses: Fault, is_right: Fault, by: int
) -> None:
    """Its calls are answered, and kept once the store is right."""
    assert asked(gateway, upstream, "before") == CALLS
    until(lambda: replies_kept(url) == CALLS)
    refuses()
    [first] = workers(gateway.pid)
    os.kill(first, by)
    until(lambda: workers(gateway.pid) not in ([], [first]))
    assert asked(gateway, upstream, "meanwhile") == CALLS
    until(lambda: store_state(gateway) == "spooling")
    assert scraped(gateway)["guard_spool_bytes"] > 0
    assert scraped(gateway)["guard_worker_restarts_total"] == 1
    assert "records wait in the spool until the store can be used" in gateway.log
    is_right()
    until(lambda: store_state(gateway) == "reachable")
    assert asked(gateway, upstream, "after") == CALLS
    until(lambda: replies_kept(url) == 3 * CALLS)


def test_a_worker_begins_though_redis_refuses_its_password(
    upstream: Upstream, server: RedisServer, tmp_path: Path
) -> None:
    settings = SETTINGS.format(upstream=upstream.base_url, store=server.url)
    known = Redis.from_url(server.url)
    with closing(known), Gateway(tmp_path, settings) as gateway:
        known.ping()
        check_replaced_worker(
            gateway,
            upstream,
            server.url,
            refuses=lambda: known.config_set("requirepass", "another"),
            is_right=lambda: known.config_set("requirepass", ""),
            by=signal.SIGKILL,
        )


def test_a_worker_begins_though_redis_may_drop_keys(
    upstream: Upstream, server: RedisServer, tmp_path: Path
) -> None:
    settings = SETTINGS.format(upstream=upstream.base_url, store=server.url)
    known = Redis.from_url(server.url)

    def drop_keys() -> None:
        known.config_set("maxmemory", "100mb")
        known.config_set("maxmemory-policy", "allkeys-lru")

    with closing(known), Gateway(tmp_path, settings) as gateway:
        check_replaced_worker(
            gateway,
            upstream,
            server.url,
            refuses=drop_keys,
            is_right=lambda: known.config_set("maxmemory-policy", "noeviction"),
            by=signal.SIGTERM,
        )


def test_a_worker_begins_though_a_later_version_has_the_file(
    upstream: Upstream, tmp_path: Path
) -> None:
    file = tmp_path / "guard.db"
    url = f"sqlite:///{file}"
    versions: list[int] = []

    def set_version(number: int) -> None:
        with closing(sqlite3.connect(file)) as connection:
            versions.extend(connection.execute("PRAGMA user_version").fetchone())
            connection.execute(f"PRAGMA user_version = {number}")

    with Gateway(tmp_path, SETTINGS.format(upstream=upstream.base_url, store=url)) as gateway:
        check_replaced_worker(
            gateway,
            upstream,
            url,
            refuses=lambda: set_version(99),
            is_right=lambda: set_version(versions[0]),
            by=signal.SIGKILL,
        )
