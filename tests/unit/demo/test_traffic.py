import asyncio
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from random import Random

import pytest

from guard.bootstrap import open_runtime
from guard.demo import traffic
from guard.demo.board import Board, Findings
from guard.demo.traffic import (
    USE_CASES,
    Schedule,
    ScriptedModel,
    Sender,
    Stage,
    occurs,
    run_demo,
    send_requests,
    senders,
)
from guard.records import Snapshot, Verdict
from guard.settings import parse_settings
from guard.wrap.facade import Guard

SETTINGS = files("guard.demo").joinpath("guard.yaml").read_text("utf-8")
UNSHADOWED = SETTINGS.replace("share: 1.0", "share: 0.0")


class Shown:
    every_seconds = 0.001

    def __init__(self):
        self.calls = []

    def show(self, snapshot, seconds):
        self.calls.append(snapshot.total.calls)


@pytest.fixture
def stage(monkeypatch, engine):
    monkeypatch.setattr("guard.bootstrap.runtime.open_scorer", lambda settings: engine)
    board = Board(USE_CASES)
    runtime = open_runtime(parse_settings(UNSHADOWED), observers=[board])
    with Guard(runtime) as guard:
        ticks = iter(range(10_000))
        clock = lambda: next(ticks) / 10  # noqa: E731
        findings = Findings(Snapshot, clock=clock)
        yield Stage(guard=guard, board=board, findings=findings, screen=Shown(), clock=clock)


def instantly(_seconds):
    return None


async def instantly_async(_seconds):
    await asyncio.sleep(0)


def quick_model(seed):
    return ScriptedModel(seed, pause=instantly, pause_async=instantly_async)


async def test_requests_arrive_until_stopped_and_all_are_finished():
    stop, sent, finished = asyncio.Event(), [], []

    async def send(prompt):
        sent.append(prompt)
        if len(sent) == 20:
            stop.set()
        await asyncio.sleep(0)
        finished.append(prompt)

    way = Sender(some_prompt=lambda random: str(random.random()), send=send, weight=1)
    await send_requests([way], Random(1), 1e6, stop)
    assert len(sent) >= 20
    assert sorted(sent) == sorted(finished)


async def test_no_more_than_so_many_are_under_way():
    stop, underway, most = asyncio.Event(), 0, 0

    async def send(_prompt):
        nonlocal underway, most
        underway += 1
        most = max(most, underway)
        if most == traffic.MOST_UNDERWAY:
            asyncio.get_running_loop().call_later(0.01, stop.set)
        await stop.wait()
        underway -= 1

    await send_requests([Sender(some_prompt=str, send=send, weight=1)], Random(1), 1e6, stop)
    assert (most, underway) == (traffic.MOST_UNDERWAY, 0)


async def test_an_event_happens_or_not():
    event = asyncio.Event()
    assert not await occurs(event, within_seconds=0.001)
    event.set()
    assert await occurs(event, within_seconds=None)


async def test_all_four_ways_go_through_the_guard(stage):
    with ThreadPoolExecutor(2) as threads:
        for way in senders(stage.guard, quick_model(7), threads):
            await way.send(way.some_prompt(Random(1)))
    stage.guard.close()
    chat, summaries = stage.board.snapshot().rows
    assert (chat.calls, summaries.calls) == (2, 2)


async def test_a_run_ends_when_its_time_is_up_and_the_metrics_agree(stage, monkeypatch):
    monkeypatch.setattr(traffic.EndOfRun, "model", lambda _, seed: quick_model(seed))
    await run_demo(stage, Schedule(seconds=3.0, rate=500, seed=7))
    stage.guard.close()
    assert stage.screen.calls
    for row in stage.board.snapshot().rows:
        for verdict in Verdict:
            counted = stage.guard.metrics.registry.get_sample_value(
                "guard_calls_total", {"use_case": row.name, "verdict": verdict.value}
            )
            assert counted == row.verdicts[verdict]


async def test_the_picture_failing_ends_the_run(stage, monkeypatch):
    monkeypatch.setattr(traffic.EndOfRun, "model", lambda _, seed: quick_model(seed))
    monkeypatch.setattr(stage.screen, "show", lambda *_: (_ for _ in ()).throw(BrokenPipeError()))
    with pytest.raises(BrokenPipeError):
        await run_demo(stage, Schedule(seconds=None, rate=100, seed=7))
