"""A load for a store that is killed meanwhile, and what must be in it in the end.

Producers hand over batches by position and say them again until the store has them; workers lease,
finish, retry, give up, and do again what was not answered. All of it follows from the names of the
jobs, so that the same work, done without interruption in a store in memory, tells what is right.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn, TypeVar
from zlib import crc32

from guard.errors import StoreError
from guard.ports import Store
from guard.records import (
    Batch,
    Case,
    CaseFilter,
    CaseKind,
    CaseRecord,
    Job,
    Lease,
    Offered,
    Position,
    Posting,
)
from guard.store import open_store

T = TypeVar("T")

USE_CASE = "chat"
LANES = ("http", "python")
LEASE_SECONDS = 1.0
PAUSE_SECONDS = 0.005
BUCKETS = range(1_000_000)


def jobs_of(producer: str, number: int) -> list[Job]:
    """The jobs of one batch."""
    return [
        Job(
            key=f"{producer}-{number}-{i}",
            lane=LANES[i % 2],
            use_case=USE_CASE,
            call_id=f"call-{producer}-{number}",
            payload='{"prompt": "Where is she?"}',
            offered_at=float(number),
        )
        for i in range(4)
    ]


def batch_of(producer: str, number: int) -> Batch:
    """What one producer hands over at once: all its jobs but one, a sum and a case."""
    name = f"{producer}-{number}"
    sums = {"calls": 1.0, "length": crc32(name.encode()) / 7e9}
    return Batch(
        jobs=tuple(jobs_of(producer, number)[1:]),
        postings=(Posting(use_case=USE_CASE, at_seconds=number * 3.0, sums=sums),),
        cases=(_case(f"reply-{name}", f"call-{name}", CaseKind.RESPONSE),),
    )


def effects_of(job: Job) -> tuple[list[Posting], list[Case]]:
    """What finishing a job adds: its own key once, sums, evidence, and a case for one in five."""
    number = crc32(job.key.encode())
    sums = {f"job {job.key}": 1.0, "pairs": 1.0, "gap": number / 7e9}
    evidence = {"epoch-1": {"gap": number / 7e9, "squares": (number / 7e9) ** 2}}
    posting = Posting(
        use_case=USE_CASE, at_seconds=job.offered_at * 3.0, sums=sums, evidence=evidence
    )
    flagged = number % 5 == 0
    return [posting], [_case(f"pair-{job.key}", job.call_id, CaseKind.PAIR)] if flagged else []


def is_buried(job: Job) -> bool:
    return crc32(job.key.encode()) % 11 == 0


class Load:
    """Keeps a store busy from threads until told to stop, whatever happens to the store."""

    def __init__(self, store: Store, *, producers: int = 2, workers: int = 4) -> None:
        self._store = store
        self._full = threading.Event()
        self._done = threading.Event()
        self.produced: dict[str, int] = {}
        self.failures = 0
        self._threads = [
            *(threading.Thread(target=self._produce, args=(f"p{i}",)) for i in range(producers)),
            *(threading.Thread(target=self._work, args=(f"w{i}",)) for i in range(workers)),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def settle(self, *, seconds: float = 60.0) -> None:
        """Produce no more, and work until nothing is left."""
        self._full.set()
        give_up = time.monotonic() + seconds
        while self._left() and time.monotonic() < give_up:
            time.sleep(PAUSE_SECONDS)
        self._done.set()
        for thread in self._threads:
            thread.join(seconds)
        assert not any(thread.is_alive() for thread in self._threads)
        assert self._left() == 0

    def _left(self) -> int:
        counts = self._until_answered(self._store.job_counts)
        return counts.ready + counts.delayed + counts.leased

    def _produce(self, name: str) -> None:
        number = 0
        while not self._full.is_set():
            batch, position = batch_of(name, number), Position(spool=name, end=number + 1)
            self._until_answered(lambda: self._store.accept(batch, position))  # noqa: B023
            alone = jobs_of(name, number)[0]
            offered = self._until_answered(lambda: self._store.offer(alone))  # noqa: B023
            assert offered is not Offered.FULL
            number += 1
            self.produced[name] = number

    def _work(self, name: str) -> None:
        while not self._done.is_set():
            work_some(self._store, name, self._until_answered)

    def _until_answered(self, ask: Callable[[], T]) -> T:
        while True:
            try:
                return ask()
            except StoreError:
                self.failures += 1
                time.sleep(PAUSE_SECONDS)


def work_some(
    store: Store, name: str, until_answered: Callable[[Callable[[], None]], None]
) -> None:
    """Lease a few jobs and do them; rest when there are none."""
    leases: Sequence[Lease] = ()
    with suppress(StoreError):
        leases = store.lease(LANES, worker=name, limit=4, seconds=LEASE_SECONDS)
    for lease in leases:
        until_answered(lambda: do(store, lease))  # noqa: B023
    if not leases:
        time.sleep(PAUSE_SECONDS)


def work_until_killed(url: str, name: str) -> NoReturn:
    """A process that does nothing else. What fails it leaves to whoever leases the job next."""
    store = open_store(url, clock=time.time)

    def once(ask: Callable[[], None]) -> None:
        with suppress(StoreError):
            ask()

    while True:
        work_some(store, name, once)


def do(store: Store, lease: Lease) -> None:
    """One attempt at a job: some come back once, some are buried, the others are finished."""
    if lease.attempt == 1 and crc32(lease.job.key.encode()) % 7 == 0:
        store.retry(lease, after_seconds=0.01, error="429")
    elif is_buried(lease.job):
        store.dead_letter(lease, error="400")
    elif store.renew(lease, seconds=LEASE_SECONDS):
        postings, cases = effects_of(lease.job)
        store.finish(lease, postings=postings, cases=cases)


def uninterrupted(produced: Mapping[str, int]) -> Store:
    """A store in memory after the same work."""
    store = open_store("memory:", clock=lambda: 0.0, max_jobs=10_000_000)
    for producer, batches in produced.items():
        for number in range(batches):
            store.accept(batch_of(producer, number), Position(spool=producer, end=number + 1))
            store.offer(jobs_of(producer, number)[0])
    while leases := store.lease(LANES, worker="w", limit=1000, seconds=60):
        for lease in leases:
            if is_buried(lease.job):
                store.dead_letter(lease, error="400")
            else:
                postings, cases = effects_of(lease.job)
                store.finish(lease, postings=postings, cases=cases)
    return store


def assert_same(store: Store, right: Store) -> None:
    """Sums to 1e-9 and counts exactly; the same cases, each opened once; the same jobs buried."""
    assert_same_sums(store.total(USE_CASE, BUCKETS), right.total(USE_CASE, BUCKETS))
    epochs = ["epoch-1"]
    ours, theirs = store.evidence(USE_CASE, epochs), right.evidence(USE_CASE, epochs)
    assert_same_sums(ours["epoch-1"], theirs["epoch-1"])
    cases = sorted(one.case.id for one in every_case(right))
    assert sorted(one.case.id for one in every_case(store)) == cases
    opened = [entry.case_id for entry in store.audit(limit=10_000_000) if entry.event == "opened"]
    assert sorted(opened) == cases
    keys = sorted(one.job.key for one in right.dead_letters(limit=10_000_000))
    assert sorted(one.job.key for one in store.dead_letters(limit=10_000_000)) == keys


def assert_same_sums(sums: Mapping[str, float], right: Mapping[str, float]) -> None:
    """No key more or less; whole numbers exactly, others to 1e-9 of their size."""
    assert sums.keys() == right.keys()
    wrong = {
        key: (sums[key], value)
        for key, value in right.items()
        if abs(sums[key] - value) > (0.0 if value.is_integer() else 1e-9 * abs(value))
    }
    assert wrong == {}


def every_case(store: Store) -> Sequence[CaseRecord]:
    found = list(store.query(CaseFilter(), limit=1000))
    while page := store.query(CaseFilter(), after=found[-1].case.id, limit=1000) if found else []:
        found += page
    return found


def _case(case_id: str, call_id: str, kind: CaseKind) -> Case:
    return Case(
        id=case_id,
        kind=kind,
        use_case=USE_CASE,
        call_id=call_id,
        reasons=("toxicity",),
        opened_at=float(crc32(case_id.encode()) % 1000),
        body='{"left": "He is", "right": "She is"}',
    )
