"""`guard shadow` is killed at random moments under load: nothing is lost, nothing counts twice."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from guard.ports import Store
from guard.records import CaseFilter, Turn
from guard.shadow.job_payload import ShadowJob, job_of
from guard.shadow.monitor import epoch_name, epochs_of
from guard.store import open_store
from tests.repeats import repeats
from tests.servers_upstream import ScriptedUpstream

GUARD = str(Path(sys.executable).with_name("guard"))
pytestmark = pytest.mark.soak

KILLS = repeats(1, soak=50)
JOBS = repeats(4, soak=60) + repeats(10, soak=12) * KILLS
PATIENCE_SECONDS = 120
"""For the next job to end: a worker loads its models first."""
EVERYTHING = range(2**40)
ROUNDING = 1e-6  # a score depends in its last bits on what it is batched with; counts are exact


def prepared(folder: Path, upstream: ScriptedUpstream) -> Path:
    """A store full of jobs, always the same, and the settings to work them off."""
    folder.mkdir()
    file = folder / "guard.yaml"
    file.write_text(
        f"""
store: {{url: "sqlite:///{folder / "store.db"}", spool: "{folder / "spool"}"}}
sampling_key_env: EVENGUARD_TEST_KEY
upstreams:
  scripted: {{base_url: "{upstream.base_url}"}}
use_cases:
  chat:
    shadow:
      share: 1.0
      attributes: [gender]
      control: false
      upstream: scripted
      parameters: {{model: scripted}}
      attempts: 100
      cases_per_day: 1000000
      budget: {{calls_per_minute: 1000000, tokens_per_day: 1000000000, concurrency: 8}}
"""
    )
    store = opened(folder)
    for number in range(JOBS):
        asked = f"My sister Emma lost her keys number {number}. What should she do?"
        shadow = ShadowJob(
            call_id=f"call-{number}",
            use_case="chat",
            lane="http/scripted",
            turns=(Turn(role="user", content=asked),),
            reply="She should ask her neighbour.",
        )
        store.offer(job_of(shadow, offered_at=time.time() // 60 * 60))
    store.shut()
    return file


def opened(folder: Path) -> Store:
    return open_store(f"sqlite:///{folder / 'store.db'}", clock=time.time)


def started(file: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [GUARD, "shadow", "--settings", str(file), "--nice", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"EVENGUARD_TEST_KEY": "the same in both runs"},
    )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What is in a store in the end."""

    sums: Mapping[str, float]
    evidence: Mapping[str, Mapping[str, float]]
    cases: frozenset[str]
    dead_letters: int


def outcome_of(folder: Path) -> Outcome:
    store = opened(folder)
    try:
        epochs = epochs_of(store, "chat")
        names = {test: epoch_name(test, epoch) for test, epoch in epochs.items()}
        sums = store.evidence("chat", ["results", *names.values()])
        filed = store.query(CaseFilter(use_case="chat"), limit=10_000)
        return Outcome(
            sums=store.total("chat", EVERYTHING),
            evidence=sums,
            cases=frozenset(one.case.id for one in filed),
            dead_letters=store.job_counts().dead_letters,
        )
    finally:
        store.shut()


def counts(sums: Mapping[str, float]) -> dict[str, int]:
    """Those that are whole: counts, and sums that happen to be, up to their last bits."""
    whole = {name: round(value) for name, value in sums.items()}
    return {
        name: whole[name] for name, value in sums.items() if abs(value - whole[name]) < ROUNDING
    }


def left(folder: Path) -> int:
    store = opened(folder)
    try:
        counts = store.job_counts()
        return counts.ready + counts.delayed + counts.leased
    finally:
        store.shut()


def worked_off(file: Path, *, kills: int, random: Random) -> int:
    """Run workers until nothing is left; how often one was killed with work under way."""
    folder, killed = file.parent, 0
    least, moved_at = JOBS + 1, time.monotonic()
    process = started(file)
    try:
        while waiting := left(folder):
            if waiting < least:
                least, moved_at = waiting, time.monotonic()
            assert time.monotonic() - moved_at < PATIENCE_SECONDS, f"{waiting} jobs left"
            assert process.poll() is None, "the worker ended by itself"
            time.sleep(random.uniform(0.2, 0.5))
            if killed < kills and left(folder) < JOBS - killed * (JOBS // (kills + 1)):
                process.kill()
                process.wait()
                killed += 1
                process = started(file)
    finally:
        process.kill()
        process.wait()
    return killed


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    with ScriptedUpstream(latency_seconds=0.01) as upstream:
        quiet, stormy = (
            prepared(tmp_path / "quiet", upstream),
            prepared(tmp_path / "stormy", upstream),
        )
        worked_off(quiet, kills=0, random=Random(1))
        killed = worked_off(stormy, kills=KILLS, random=Random(2))
    assert killed == KILLS
    wanted, found = outcome_of(quiet.parent), outcome_of(stormy.parent)
    assert found.cases == wanted.cases
    assert found.dead_letters == wanted.dead_letters == 0
    assert counts(found.sums) == counts(wanted.sums)
    assert found.sums == pytest.approx(wanted.sums, rel=ROUNDING, abs=ROUNDING)
    assert found.evidence.keys() == wanted.evidence.keys()
    for name, sums in wanted.evidence.items():
        assert found.evidence[name] == pytest.approx(sums, rel=ROUNDING, abs=ROUNDING)
