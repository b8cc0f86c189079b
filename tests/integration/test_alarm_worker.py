"""Alarms of a whole `guard shadow`: posted once, again where the address fails, never repeated."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prometheus_client import generate_latest

from guard.bootstrap.readings import open_readings
from guard.fairness.catalogue import ALARM_POSTS, results_of
from guard.ports import Store
from guard.records import Turn
from guard.settings import load_settings
from guard.shadow.job_payload import ShadowJob, job_of
from guard.shadow.monitor import epochs_of
from guard.store import open_store
from guard.telemetry import CollectedMetrics, FairnessCollector
from tests.servers import PATIENCE_SECONDS
from tests.servers_upstream import ScriptedUpstream
from tests.servers_webhook import Receiver, receiving
from tests.waiting import wait_until

START_SECONDS = 4 * PATIENCE_SECONDS
"""A worker loads its models before its first job."""
TONE = "sentiment_gap_grounded"
SETTINGS = """
deployment: release-7
store: {{url: "sqlite:///{folder}/store.db", spool: "{folder}/spool"}}
upstreams: {{scripted: {{base_url: "{base_url}"}}}}
alarm_webhook: {{url: "{url}", findings_url: "https://review.example.org/findings"}}
use_cases:
  chat:
    shadow:
      share: 1.0
      attributes: [gender]
      upstream: scripted
      parameters: {{model: scripted}}
      confirmations: 0
      budget: {{calls_per_minute: 10000, concurrency: 8}}
"""


def test_an_alarm_is_posted_once_whatever_the_address_and_the_worker_do(tmp_path: Path) -> None:
    with ScriptedUpstream(bias=1.0) as upstream, receiving(500, 204) as receiver:
        file = tmp_path / "guard.yaml"
        text = SETTINGS.format(folder=tmp_path, base_url=upstream.base_url, url=receiver.url)
        file.write_text(text)
        with kept_in(tmp_path) as store:
            offer(store, range(16))
            with worker(file) as running:
                await_posts(store, running)
                running.kill()
            first = told(receiver)
            offer(store, range(16, 20))
            with worker(file) as running:
                await_posts(store, running)
                running.terminate()
            every, posts = told(receiver), posted(store)
            scraped = scrape(store, file)
    assert receiver.bodies[0] == receiver.bodies[1]
    assert max(Counter(every).values()) == max(Counter(first).values()) == 1
    assert posts == {("gender", "sent"): len(every)}
    assert f'result="sent",use_case="chat"}} {len(every)}.0' in scraped
    assert_tells_of_the_bias(receiver.bodies)


def offer(store: Store, numbers: range) -> None:
    for number in numbers:
        asked = f"My sister Emma lost her keys number {number}. What should she do?"
        shadow = ShadowJob(
            call_id=f"call-{number}",
            use_case="chat",
            lane="http/scripted",
            turns=(Turn(role="user", content=asked),),
            reply="She should ask her neighbour.",
        )
        store.offer(job_of(shadow, offered_at=time.time()))


@contextmanager
def kept_in(folder: Path) -> Iterator[Store]:
    store = open_store(f"sqlite:///{folder}/store.db", clock=time.time)
    yield store
    store.shut()


@contextmanager
def worker(file: Path) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-m", "guard", "shadow", "--settings", str(file), "--nice", "0"],
        stdout=subprocess.DEVNULL,
        cwd=file.parent,
        env={**os.environ},
    ) as process:
        try:
            yield process
            process.wait(PATIENCE_SECONDS)
        finally:
            process.kill()


def await_posts(store: Store, running: subprocess.Popen[bytes]) -> None:
    """Until no job is left, and every alarm that stands was posted."""

    def look() -> tuple[float, float, float]:
        """Jobs that wait, alarms that stand, and posts."""
        assert running.poll() is None, "the worker ended by itself"
        jobs = store.job_counts()
        standing = sum(epoch.alarmed for epoch in epochs_of(store, "chat").values())
        return jobs.ready + jobs.delayed + jobs.leased, standing, sum(posted(store).values())

    wait_until(look, lambda seen: not seen[0] and 0 < seen[1] == seen[2], patience=START_SECONDS)


def posted(store: Store) -> dict[tuple[str, str], float]:
    return results_of(store.evidence("chat", [ALARM_POSTS])[ALARM_POSTS])


def told(receiver: Receiver) -> list[tuple[str, str, str]]:
    """What the posts were about, but for the first, which was answered with a failure."""
    return [(one["metric"], one["attribute"], one["group"]) for one in receiver.bodies[1:]]


def scrape(store: Store, file: Path) -> str:
    readings = open_readings(store, load_settings(file))
    text = generate_latest(CollectedMetrics(FairnessCollector(readings)).registry).decode()
    return "\n".join(line for line in text.splitlines() if line.startswith("guard_alarm_posts"))


def assert_tells_of_the_bias(bodies: list[Any]) -> None:
    by_test = {(one["metric"], one["group"]): one for one in bodies}
    one = by_test[TONE, ""]
    assert {name: one[name] for name in ("event", "use_case", "attribute", "deployment")} == {
        "event": "alarm",
        "use_case": "chat",
        "attribute": "gender",
        "deployment": "release-7",
    }
    direction = {"female": -1, "male": 1}[one["strongest_group"]]
    estimate = one["estimate"]
    assert 0.1 < direction * estimate["value"] <= 1.0
    assert estimate["low"] < estimate["value"] < estimate["high"]
    assert (estimate["n"] >= 8, one["log10_e"] > 2, one["material"] > 0) == (True, True, True)
    assert one["findings"] == "https://review.example.org/findings?use_case=chat"
