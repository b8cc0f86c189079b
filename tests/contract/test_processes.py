"""Several processes on one store, and what is left when they are killed."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from guard.records import Batch, InboxCounts, Position
from guard.store import open_store
from tests.contract.backends import Places, durable_only
from tests.contract.killing import ROOT, kill
from tests.contract.made import NEARBY, job
from tests.repeats import repeats

JOBS, KILLS = repeats(300, soak=600), repeats(4, soak=10)
PROCESSES, THREADS = 5, 20

CREW = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from guard.store import open_store
from tests.contract.made import posting

store = open_store(sys.argv[1], clock=time.time)

def work(number):
    done = 0
    while leases := store.lease(["http"], worker=str(number), limit=1, seconds=300):
        for lease in leases:
            done += store.finish(lease, postings=[posting(**{"n": 1.0, lease.job.key: 1.0})])
    return done

print("ready", flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(int(sys.argv[2])) as pool:
    print(sum(pool.map(work, range(int(sys.argv[2])))))
store.shut()
"""


@durable_only
def test_a_hundred_workers_in_five_processes_do_each_job_once(places: Places) -> None:
    url = places()
    store = open_store(url, clock=time.time)
    jobs = tuple(job(f"j{number}") for number in range(JOBS))
    store.accept(Batch(jobs=jobs), Position(spool="s", end=1))
    crews = [begun(url) for _ in range(PROCESSES)]
    for crew in crews:
        assert crew.stdout is not None
        assert crew.stdout.readline() == "ready\n"
    done = [int(crew.communicate(timeout=120)[0]) for crew in together(crews)]
    assert sum(done) == JOBS
    total = dict(store.total("support-chat", NEARBY))
    assert total.pop("n") == JOBS
    assert total == {f"j{number}": 1.0 for number in range(JOBS)}
    assert store.job_counts() == InboxCounts()
    store.shut()


def begun(url: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CREW, url, str(THREADS)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


def together(crews: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    """All of them, let go at once."""
    for crew in crews:
        assert crew.stdin is not None
        crew.stdin.write("go\n")
        crew.stdin.flush()
    return crews


@durable_only
@pytest.mark.slow
def test_processes_that_are_killed_lose_and_double_nothing(places: Places) -> None:
    report = kill(places(), kills=KILLS, seed=20_261_120)
    assert report.kills == KILLS
    assert report.ended > KILLS
