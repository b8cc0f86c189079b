"""Every query of every dashboard, asked of a real Prometheus that scrapes the demo.

One run of the demo serves all tests here. People judge some of its cases, so that there is
something to say about their verdicts.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from guard.bootstrap.findings import open_findings
from guard.bootstrap.review import open_review_service
from guard.ports import Store
from guard.records import CaseFilter, CaseKind
from guard.settings import Settings
from guard.store import open_store
from tests.dashboards import Target, annotations, load, parse, targets, without_fallbacks
from tests.servers import PATIENCE_SECONDS
from tests.servers_prometheus import Prometheus, shipped_configuration
from tests.waiting import wait_until as wait_for

GUARD = str(Path(sys.executable).with_name("guard"))
USE_CASE, FAIR = "support-chat", "dialogue-summaries"
WATCHED_SECONDS = 120
RATE = 14
JUDGED_TWICE = 12
COMPARED = 30
TARGETS = [one for name, board in load().items() for one in targets(name, board)]
MARKS = [one for name, board in load().items() for one in annotations(name, board)]
STANDS = f'sum(guard_alarm_stands{{use_case="{USE_CASE}",groups=""}})'
QUIET = {
    "guard_unscored_total": "the demo leaves nothing unscored",
    "guard_unread_total": "its replies are text alone",
    "guard_refused_total": "it has no gateway",
    "guard_open_requests": "it has no gateway",
    "guard_worker_restarts_total": "it has no gateway",
    "guard_observer_errors_total": "no observer fails",
    "guard_second_look_seconds": "no second classifier is installed",
    'result=~"over_cap"': "there are fewer cases than a day may have",
    'result=~"confirmed|unconfirmed"': "pairs that persist are few in a minute",
}
"""What the demo has nothing of, and something else stands in for in a panel; and why."""


@dataclass(frozen=True)
class Scene:
    """The demo under watch. store: the one it keeps."""

    prometheus: Prometheus
    store: Store


@contextmanager
def demo(folder: Path) -> Iterator[str]:
    """The address of its metrics. What it keeps lies in `folder`."""
    options = ("--port", "0", "--review-port", "0", "--rate", str(RATE))
    command = (GUARD, "demo", "--seconds", str(WATCHED_SECONDS), *options)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)}
    )
    try:
        yield process.stdout.readline().removeprefix("metrics: ").strip()
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("dashboards")
    with demo(folder) as url:
        running = Prometheus(folder, shipped_configuration([url], [url]))
        (kept,) = folder.glob("evenguard-demo-*/demo.db")
        store = open_store(f"sqlite:///{kept}", clock=time.time)
        with ExitStack() as stack:
            stack.callback(running.stop)
            stack.callback(store.shut)
            wait_until(running, f"{STANDS} > 0")
            wait_until(running, "sum(guard_cases) > 2")
            judge(store)
            wait_until(running, "count(guard_review_agreement) > 0")
            results = f'guard_shadow_total{{use_case="{USE_CASE}",'
            wait_until(running, f'{results}result="flagged"}} > 0')
            wait_until(running, f'{results}result="compared"}} > {COMPARED}')
            wait_until(running, "guard_fairness_needed")
            yield Scene(running, store)


def wait_until(prometheus: Prometheus, expression: str) -> None:
    """Until an expression has a value."""
    prometheus.wait_until(expression, WATCHED_SECONDS - PATIENCE_SECONDS)


def judge(store: Store) -> None:
    """Two people decide cases, and disagree on one."""
    service = open_review_service(store, Settings())
    like = store.query(CaseFilter(kind=CaseKind.RESPONSE), limit=1)[0].case
    for number in range(JUDGED_TWICE):
        store.open(replace(like, id=f"twice{number}", reviewers=2))
    for number in range(JUDGED_TWICE):
        for name in ("ann", "bob"):
            assert store.hold(f"twice{number}", reviewer=name, seconds=60.0)
            harmful = number % 2 or (name, number) == ("bob", 0)
            verdict = "harmful" if harmful else "acceptable"
            service.decide(f"twice{number}", name, verdict, seconds_taken=4.5)
    while not service.count_new():
        pass


def called(target: Target) -> str:
    """What a test of it is called."""
    return f"{target.dashboard}-{target.panel}-{target.named}"


def ask(scene: Scene, expression: str) -> list[float]:
    """The numbers that come back."""
    found = scene.prometheus.ask(expression).values()
    return [value for value in found if not math.isnan(value)]


def ask_again(scene: Scene, expression: str) -> list[float]:
    """`ask` until there are some: a scrape that a busy machine was too slow for leaves a gap."""
    return wait_for(lambda: ask(scene, expression), bool)


@pytest.mark.parametrize("target", TARGETS, ids=called)
def test_every_query_has_an_answer(scene: Scene, target: Target) -> None:
    assert ask_again(scene, target.filled), target.filled


@pytest.mark.parametrize("target", [one for one in TARGETS if " or " in one.expr], ids=called)
def test_what_something_else_stands_in_for_has_an_answer_too(scene: Scene, target: Target) -> None:
    for expression in without_fallbacks(parse(target.filled)):
        if not any(quiet in expression for quiet in QUIET):
            assert ask_again(scene, expression), expression


def of_chat(target: Target) -> str:
    """The query with the biased use case chosen."""
    return replace(target, expr=target.expr.replace("$use_case", USE_CASE)).filled


def test_the_planted_bias_is_seen(scene: Scene) -> None:
    columns = {one.named: one for one in TARGETS if one.panel.startswith("Does it")}
    answer, needed = columns["difference"], columns["about n more"]
    found = {dict(labels)["use_case"]: labels for labels in scene.prometheus.ask(answer.filled)}
    assert len(found) == 2
    about = dict(found[USE_CASE])
    assert (about["attribute"], about["groups"]) == ("gender", "female")
    gaps = [one for one in TARGETS if one.panel.startswith("Difference over the epoch")]
    shown = {one.named: ask(scene, of_chat(one))[0] for one in gaps}
    assert shown["low"] < shown["value"] < min(0.0, shown["high"])
    assert shown["n"] > 10
    wait_until(scene.prometheus, f"max({of_chat(needed)}) == 0")
    assert ask(scene, above_the_line(USE_CASE))[0] > 0


def test_nothing_is_seen_where_nothing_is_planted(scene: Scene) -> None:
    assert ask(scene, f'guard_shadow_total{{use_case="{FAIR}",result="compared"}}')[0] > 0
    assert ask(scene, above_the_line(FAIR))[0] < 0
    assert not ask(scene, f'guard_alarm_stands{{use_case="{FAIR}",groups=""}} > 0')


def above_the_line(use_case: str) -> str:
    """How far the strongest evidence is above that of an alarm."""
    return f'max(guard_fairness_evidence{{use_case="{use_case}"}}) - max(guard_alarm_line)'


def test_an_acknowledged_alarm_is_marked_and_its_evidence_begins_again(scene: Scene) -> None:
    alarm, epoch = MARKS
    assert ask(scene, alarm.filled)
    assert not ask(scene, epoch.filled)
    open_findings(scene.store, Settings()).acknowledge(USE_CASE, by="ann")
    wait_until(scene.prometheus, epoch.filled)
