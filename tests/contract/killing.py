"""Laborers killed at random moments: `python -m tests.contract.killing --kills 50 --seed 1`.

After every kill nothing that was accepted may be missing; in the end the store must hold what an
uninterrupted run leaves.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guard.ports import Store
from guard.records import CaseFilter, Offered
from guard.store import open_store
from tests.contract.laborer import (
    CHAT,
    EPOCH,
    PER_BATCH,
    SPOOL,
    START,
    batch,
    labor,
    made,
)

ROOT = Path(__file__).parents[2]
BATCHES_PER_KILL = 40
BUCKETS = range(int(START // 60), int(START // 60) + 10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """kills: of processes that had work left. accepted: jobs. ended: by those that were killed."""

    kills: int
    accepted: int
    ended: int


def kill(url: str, *, kills: int, seed: int) -> Report:
    """Kill two laborers at a time, `kills` in all, then let two finish. Raises AssertionError."""
    draw = random.Random(seed)
    batches = kills * BATCHES_PER_KILL
    store = open_store(url, clock=time.time)
    ended = 0
    for _ in range(kills // 2):
        ended += _killed(url, batches, draw)
        _nothing_lost(store, batches)
    last = [_begun(url, batches) for _ in range(2)]
    for laborer in last:
        laborer.communicate(timeout=300)
    assert [laborer.returncode for laborer in last] == [0, 0]
    expected = open_store("memory:", clock=time.time)
    labor(expected, batches)
    found, wanted = contents(store), contents(expected)
    for part, value in wanted.items():
        assert found[part] == value, f"{part} differs"
    assert _sums_agree(store, expected)
    store.shut()
    return Report(kills=kills // 2 * 2, accepted=batches * PER_BATCH, ended=ended)


def contents(store: Store) -> dict[str, Any]:
    """All that does not depend on the order of events, but for sums that rounding may touch."""
    cases = store.query(CaseFilter(), limit=10**6)
    counts = store.job_counts()
    return {
        "cases": sorted(filed.case.id for filed in cases),
        "counted cases": dict(store.case_counts()),
        "opened": sorted(one.case_id for one in store.audit(limit=10**6)),
        "buried": sorted(one.job.key for one in store.dead_letters(limit=10**6)),
        "open jobs": (counts.ready, counts.delayed, counts.leased, counts.full),
        "buckets": sorted(store.series(CHAT, BUCKETS)),
        "evidence": dict(store.evidence(CHAT, [EPOCH])),
        "position": store.position(SPOOL),
    }


def _killed(url: str, batches: int, draw: random.Random) -> int:
    laborers = [_begun(url, batches) for _ in range(2)]
    ended = 0
    for laborer in laborers:
        assert laborer.stdout is not None
        ended += len(laborer.stdout.read(draw.randint(1, 40)))
        threading.Event().wait(draw.random() * 0.02)
        assert laborer.poll() is None, "there was no work left to be killed at"
        laborer.kill()
    for laborer in laborers:
        laborer.communicate(timeout=60)
    return ended


def _begun(url: str, batches: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.contract.laborer", url, str(batches)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def _nothing_lost(store: Store, batches: int) -> None:
    """Every job and case up to the position is there; none after it."""
    position = store.position(SPOOL)
    assert position < batches
    for number in range(position):
        assert all(store.case(case.id) for case in batch(number).cases)
    for number in range(max(position - 30, 0) * PER_BATCH, position * PER_BATCH):
        assert store.offer(made(number)) is Offered.DUPLICATE
    assert store.case(batch(position).cases[0].id) is None
    assert store.total(CHAT, BUCKETS).get("accepted", 0) == position


def _sums_agree(store: Store, expected: Store) -> bool:
    found, wanted = store.total(CHAT, BUCKETS), expected.total(CHAT, BUCKETS)
    assert found.keys() == wanted.keys()
    differences = {key: abs(found[key] - value) for key, value in wanted.items()}
    assert max(differences.values()) <= 1e-9 * max(map(abs, wanted.values())), differences
    return found["done"] == wanted["done"] and found["accepted"] == wanted["accepted"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--url", help="of an empty store; a new SQLite file by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = options.url or f"sqlite:///{folder}/killed.db"
        sys.stdout.write(f"{kill(url, kills=options.kills, seed=options.seed)}\n")


if __name__ == "__main__":
    main()
