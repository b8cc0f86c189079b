"""What does a store take in and give out? Jobs a second, the cost of an event, the size of many.

An event is a call as the guard records it: 20 sums and two of evidence; every tenth has a shadow
job with a prompt of 600 characters, every hundredth a case with texts of 4,000. Ten come in a
second of the store's clock, so a million take 28 hours; buckets are kept for 25. Jobs a second
counts lease and finish (with 20 sums of its own) of jobs that were taken in before.

    python tests/benchmarks/bench_stores.py --events 1000000 --redis redis://localhost:6379/9
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from guard.ports import Store
from guard.records import Batch, Case, CaseKind, Job, Position, Posting
from guard.store import open_store
from guard.store.batches import make_batch

START = 1_000_000_000.0
PER_SECOND, PER_BATCH = 10, 100
KEPT_BUCKETS = 25 * 60
CHAT = "support-chat"
KEYS = [f"toxicity.gap|gender|female,male|{number}" for number in range(20)]
PROMPT = '{"turns":[{"role":"user","content":"' + "She asks. " * 60 + '"}]}'
TEXTS = '{"left":"' + "She said so. " * 160 + '","right":"' + "He said so. " * 160 + '"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A kind of store. size: bytes it takes up, None where that cannot be told."""

    name: str
    new_url: Callable[[], str]
    size: Callable[[str], int | None]


class Clock:
    """Passes as events come in."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def posting(number: int) -> Posting:
    return Posting(
        use_case=CHAT,
        at_seconds=START + number / PER_SECOND,
        sums=dict.fromkeys(KEYS, 0.5),
        evidence={"e1": {"log": 0.01, "n": 1.0}},
    )


def job(number: int) -> Job:
    return Job(
        key=f"{number:032x}",
        lane="http",
        use_case=CHAT,
        call_id=f"{number:032x}",
        payload=PROMPT,
        offered_at=START,
    )


def case(number: int) -> Case:
    return Case(
        id=f"{number:032x}",
        kind=CaseKind.PAIR,
        use_case=CHAT,
        call_id=f"{number:032x}",
        reasons=("toxicity",),
        opened_at=START + number / PER_SECOND,
        body=TEXTS,
        attribute="gender",
        groups=("female", "male"),
    )


def event(number: int) -> Iterator[Posting | Job | Case]:
    yield posting(number)
    if number % 10 == 0:
        yield job(number)
    if number % 100 == 0:
        yield case(number)


def jobs_per_second(store: Store, jobs: int, workers: int) -> float:
    """By so many threads, each of which leases one job at a time."""
    for start in range(0, jobs, 1000):
        batch = Batch(jobs=tuple(job(number) for number in range(start, min(start + 1000, jobs))))
        store.accept(batch, Position(spool="jobs", end=start + 1000))

    def work(_: int) -> int:
        done = 0
        while leases := store.lease(["http"], worker="w", limit=1, seconds=60):
            done += sum(store.finish(one, postings=[posting(0)]) for one in leases)
        return done

    begun = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        done = sum(pool.map(work, range(workers)))
    assert done == jobs
    return jobs / (time.perf_counter() - begun)


def accept_seconds(store: Store, batches: int, per_batch: int) -> list[float]:
    """Of each batch of so many events."""
    took = []
    for number in range(batches):
        events = range(number * per_batch, (number + 1) * per_batch)
        records = itertools.chain.from_iterable(event(one) for one in events)
        batch = make_batch(records, bucket_seconds=store.bucket_seconds)
        begun = time.perf_counter()
        store.accept(batch, Position(spool="events", end=events.stop))
        took.append(time.perf_counter() - begun)
    return took


def grow(store: Store, clock: Clock, events: int) -> float:
    """Take in so many events, do their jobs and let old buckets go; seconds."""
    begun = time.perf_counter()
    for start in range(0, events, PER_BATCH):
        numbers = range(start, min(start + PER_BATCH, events))
        records = itertools.chain.from_iterable(event(one) for one in numbers)
        batch = make_batch(records, bucket_seconds=store.bucket_seconds)
        store.accept(batch, Position(spool="growing", end=numbers.stop))
        clock.now = START + numbers.stop / PER_SECOND
        for lease in store.lease(["http"], worker="w", limit=PER_BATCH, seconds=60):
            store.finish(lease, postings=[posting(numbers.start)])
        if start % (600 * PER_BATCH) == 0:
            store.expire(before_bucket=int(clock.now // store.bucket_seconds) - KEPT_BUCKETS)
    return time.perf_counter() - begun


def report(place: Place, *, jobs: int, accepts: int, events: int) -> str:
    """One row of the table."""

    def opened() -> tuple[str, Clock, Store]:
        url, clock = place.new_url(), Clock()
        return url, clock, open_store(url, clock=clock)

    cells = [f"{jobs_per_second(opened()[2], jobs, workers):,.0f}" for workers in (1, 8)]
    for per_batch in (1, PER_BATCH):
        took = accept_seconds(opened()[2], max(accepts // per_batch, 20), per_batch)
        p99 = statistics.quantiles(took, n=100)[98]
        cells.append(f"{statistics.median(took) * 1e3:.2f} ({p99 * 1e3:.2f})")
    url, clock, store = opened()
    seconds = grow(store, clock, events)
    store.shut()
    size = place.size(url)
    cells += [f"{events / seconds:,.0f}", "-" if size is None else f"{size / 1e6:,.1f}"]
    return row(place.name, cells)


def row(name: str, cells: list[str]) -> str:
    return f"{name:8}" + "".join(f"{cell:>16}" for cell in cells)


def sqlite_place(folder: Path) -> Place:
    numbers = itertools.count()

    def size(url: str) -> int:
        return sum(file.stat().st_size for file in folder.glob(f"{Path(url).name}*"))

    return Place(name="sqlite", new_url=lambda: f"sqlite:///{folder}/{next(numbers)}.db", size=size)


def redis_place(url: str) -> Place:
    from redis import Redis

    numbers, connection = itertools.count(), Redis.from_url(url)
    before = connection.info("memory")["used_memory"]

    def grown(_: str) -> int:
        return int(connection.info("memory")["used_memory"]) - int(before)

    def new_url() -> str:
        connection.flushdb()
        return f"{url}?prefix=bench-{next(numbers)}"

    return Place(name="redis", new_url=new_url, size=grown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--accepts", type=int, default=2000)
    parser.add_argument("--redis", help="URL of a Redis database that may be emptied")
    options = parser.parse_args()
    names = ["jobs/s, 1", "jobs/s, 8", "1 event ms", f"{PER_BATCH} events ms", "events/s", "MB"]
    print(f"{options.events:,} events, {options.jobs:,} jobs; median (p99) of an accept")
    print(row("", names))
    with TemporaryDirectory() as folder:
        places = [Place(name="memory", new_url=lambda: "memory:", size=lambda _: None)]
        places.append(sqlite_place(Path(folder)))
        places += [redis_place(options.redis)] if options.redis else []
        for place in places:
            sizes = {name: getattr(options, name) for name in ("jobs", "accepts", "events")}
            print(report(place, **sizes), flush=True)


if __name__ == "__main__":
    main()
