"""What LiteLLM's proxy asked about is recorded once, whichever process is killed meanwhile."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from guard.ports import Store
from guard.records import CaseFilter, decode_response
from guard.store import open_store
from tests.integration.gateway_cases import BEFORE, SECRET, post
from tests.integration.test_gateway_serving import running, workers
from tests.integration.test_litellm_guardrail import HELD, PATH, RECORDED
from tests.servers_gateway import Gateway
from tests.waiting import wait_until

SETTINGS = """
upstreams: {{main: {{base_url: "http://127.0.0.1:1/v1"}}}}
store: {{url: "sqlite:///{folder}/store.db", spool: "{folder}/spool"}}
gateway: {{port: 0}}
use_cases:
  blocked: {{deadline_ms: 60000, policy: {{toxicity: {{block: 0.5}}}}}}
  flagged: {{deadline_ms: 60000, policy: {{toxicity: {{flag: 0.5}}}}}}
"""
REPLIES = 5


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path}/store.db", clock=time.time)
    yield opened
    opened.shut()


def started(folder: Path) -> Gateway:
    return Gateway(folder, SETTINGS.format(folder=folder))


def ask(gateway: Gateway, use_case: str, call: str, text: str) -> str:
    """Have a reply judged; the id of the call."""
    (recorded,) = RECORDED["a reply"]
    body = {**recorded, "litellm_call_id": call, "texts": [text], **HELD}
    answer = post(f"{gateway.origin}/{use_case}{PATH}", body)
    assert answer.status == 200, answer.body
    return answer.headers["x-guard-call-id"]


def ask_about_all(gateway: Gateway) -> list[str]:
    return sorted(ask(gateway, "blocked", f"call-{one}", SECRET) for one in range(REPLIES))


def kill_worker(gateway: Gateway) -> None:
    (worker,) = workers(gateway.pid)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: running(worker), lambda is_running: not is_running)


def recorded(store: Store) -> list[str]:
    return sorted(one.case.call_id for one in store.query(CaseFilter()))


def counted(store: Store, use_case: str) -> float:
    """Replies in the sums."""
    sums = store.total(use_case, range(2**40))
    return sums.get("toxic_fraction|n", 0.0)


def arrived(store: Store) -> tuple[list[str], float, float]:
    """Calls with cases, and how many replies of each use case are in the sums."""
    return recorded(store), counted(store, "blocked"), counted(store, "flagged")


def test_replies_of_a_killed_worker_are_recorded_once(tmp_path: Path, store: Store) -> None:
    """A stream that goes on in the next one is one reply."""
    longer = f"{SECRET} {BEFORE}"
    with started(tmp_path) as gateway:
        asked = ask_about_all(gateway)
        ask(gateway, "flagged", "stream", SECRET)
        ask(gateway, "flagged", "stream", longer)
        kill_worker(gateway)
        last = ask(gateway, "flagged", "stream", f"{longer} {BEFORE}")
        wanted = sorted([*asked, last]), REPLIES, 1.0
        wait_until(lambda: arrived(store), lambda seen: seen == wanted)
    assert arrived(store) == wanted
    (case,) = store.query(CaseFilter(use_case="flagged"))
    body = decode_response(case.case.body)
    assert body is not None
    assert body.reply == f"{longer} {BEFORE}"


def test_replies_of_a_gateway_that_is_killed_are_recorded_once_it_is_started_again(
    tmp_path: Path, store: Store
) -> None:
    gateway = started(tmp_path)
    gateway.__enter__()
    asked = ask_about_all(gateway)
    (worker,) = workers(gateway.pid)
    os.kill(gateway.pid, signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    assert gateway.stop() == -signal.SIGKILL
    assert arrived(store) == ([], 0.0, 0.0)
    with started(tmp_path):
        wait_until(lambda: arrived(store), lambda seen: seen == (asked, REPLIES, 0.0))
    assert arrived(store) == (asked, REPLIES, 0.0)
