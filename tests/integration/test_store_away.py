"""Redis comes, goes and comes back; callers do not notice, and nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from guard import Guard
from guard.fairness import key
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.ports import Store
from guard.settings import parse_settings
from guard.store import open_store
from tests.servers import RedisServer
from tests.waiting import wait_until

CALLS = 8


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis")
    yield server
    server.kill()


def test_calls_go_on_without_the_store_and_are_counted_when_it_is_there(
    tmp_path: Path, server: RedisServer
) -> None:
    settings = parse_settings(
        f"""
store: {{url: "{server.url}", spool: "{tmp_path / "spool"}", readings: embedded}}
use_cases:
  chat:
    shadow: {{share: 1.0, attributes: [gender], budget: {{calls_per_minute: 1000}}}}
"""
    )
    with Guard.open(settings) as guard:  # nobody listens yet
        answer = guard.wrap(lambda _: "Fine.", use_case="chat", shadow=lambda _: "Fine.")
        for number in range(CALLS):
            assert answer(f"My sister lost her keys number {number}.") == "Fine."
        assert b"guard_store_up 0.0" in guard.metrics.expose()[0]
        server.start()
        store = open_store(server.url, clock=time.time)
        counted = key("toxic_fraction", "n")
        wait_until(lambda: _total(store, counted), lambda seen: seen == CALLS)
        server.kill()
        for number in range(CALLS):
            assert answer(f"My sister lost her books number {number}.") == "Fine."
        server.start()
        wait_until(lambda: _total(store, counted), lambda seen: seen == 2 * CALLS)
        wait_until(lambda: _compared(store), lambda seen: seen == 2 * CALLS, patience=60)
        assert b"guard_store_up 1.0" in guard.metrics.expose()[0]
        store.shut()


def _total(store: Store, name: str) -> float:
    return store.total("chat", range(2**40)).get(name, 0.0)


def _compared(store: Store) -> float:
    sums = store.evidence("chat", [SHADOW_RESULTS])[SHADOW_RESULTS]
    return results_of(sums).get(("gender", "compared"), 0.0)
