"""Work whose result is known beforehand: `python -m tests.contract.laborer URL BATCHES`.

A feeder takes in batches from a spool while workers finish and retry jobs and give some up. However
often laborers are killed and however many there are, when all is done the store holds the same.
A character is written for every job that ended.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from guard.ports import Store
from guard.records import Batch, Case, Job, Lease, Position, Posting
from guard.store import open_store
from tests.contract.made import case, job

SPOOL = "spool-1"
PER_BATCH = 4
WORKERS = 3
AHEAD = 40
LEASE_SECONDS = 0.4
START = 1_000_000_000.0
CHAT = "support-chat"
EPOCH = "e1"


def batch(number: int) -> Batch:
    """What position `number + 1` of the spool ends."""
    numbers = range(number * PER_BATCH, (number + 1) * PER_BATCH)
    posting = Posting(
        use_case=CHAT,
        at_seconds=START + number * 7,
        sums={"accepted": 1.0, "x": number / 7},
        evidence={EPOCH: {"accepted": 1.0}},
    )
    return Batch(jobs=tuple(map(made, numbers)), postings=(posting,), cases=(seen(number),))


def made(number: int) -> Job:
    return job(f"j{number}", payload=f'"{number} {"text " * 50}"')


def seen(number: int) -> Case:
    return case(f"seen-{number}", opened_at=START + number)


def found(number: int) -> Case:
    return case(f"found-{number}", opened_at=START + number)


def result(number: int) -> Posting:
    return Posting(
        use_case=CHAT,
        at_seconds=START + number * 3,
        sums={"done": 1.0, "y": number / 3, f"key-{number % 20}": 1.0},
        evidence={EPOCH: {"done": 1.0}},
    )


def fails(number: int) -> bool:
    return number % 50 == 7


def feed(store: Store, batches: int) -> None:
    """Go on from where whoever came before was, a little ahead of the workers."""
    pause = threading.Event()
    while (number := store.position(SPOOL)) < batches:
        if _unfinished(store) > AHEAD:
            pause.wait(0.002)
        else:
            store.accept(batch(number), Position(spool=SPOOL, end=number + 1))


def work(store: Store, batches: int, tell: Callable[[], object]) -> None:
    """Until there is nothing left and nothing to come."""
    pause = threading.Event()
    while store.position(SPOOL) < batches or _unfinished(store):
        leases = store.lease(["http"], worker="w", limit=2, seconds=LEASE_SECONDS)
        for lease in leases:
            _carry_out(store, lease, tell)
        if not leases:
            pause.wait(0.005)


def _carry_out(store: Store, lease: Lease, tell: Callable[[], object]) -> None:
    number = int(lease.job.key.removeprefix("j"))
    store.renew(lease, seconds=LEASE_SECONDS)
    if fails(number):
        store.dead_letter(lease, error="400")
    elif number % 11 == 3 and lease.attempt == 1:
        store.retry(lease, after_seconds=0.01, error="429")
    else:
        cases = [found(number)] if number % 5 == 0 else []
        if store.finish(lease, postings=[result(number)], cases=cases):
            tell()


def _unfinished(store: Store) -> int:
    counts = store.job_counts()
    return counts.ready + counts.delayed + counts.leased


def labor(store: Store, batches: int, tell: Callable[[], object] = lambda: None) -> None:
    """All of it. tell: called for every job that ended."""
    with ThreadPoolExecutor(WORKERS + 1) as pool:
        parts = [pool.submit(feed, store, batches)]
        parts += [pool.submit(work, store, batches, tell) for _ in range(WORKERS)]
        for part in parts:
            part.result()


if __name__ == "__main__":
    labor(
        open_store(sys.argv[1], clock=time.time),
        int(sys.argv[2]),
        lambda: (sys.stdout.write("."), sys.stdout.flush()),
    )
