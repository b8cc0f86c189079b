"""Many at once: each job is done once, each case is in one hand, each sum is added."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from guard.ports import Store
from guard.records import Batch, CaseFilter, InboxCounts, Lease, Offered, Position, Posting
from tests.contract.clock import START, ManualClock
from tests.contract.made import NEARBY, case, job, leased, posting

WORKERS = 100
JOBS = 300
CHAT = "support-chat"
T = TypeVar("T")


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """What `work` answered to each of the numbers below `count`, all begun together."""
    barrier = threading.Barrier(count)

    def begun(number: int) -> T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begun, range(count)))


def done_by(worker: int, lease: Lease) -> Posting:
    return Posting(
        use_case=CHAT,
        at_seconds=START + worker % 7 * 60,
        sums={"n": 1.0, lease.job.key: 1.0, "x": 0.1 * worker},
        evidence={"e1": {"n": 1.0}},
    )


def fill(store: Store, count: int = JOBS) -> None:
    jobs = tuple(job(f"j{number}") for number in range(count))
    store.accept(Batch(jobs=jobs), Position(spool="s", end=1))


def each_job_counted_once(store: Store) -> bool:
    total = dict(store.total(CHAT, NEARBY))
    return total.pop("n") == JOBS and {k: v for k, v in total.items() if k != "x"} == {
        f"j{number}": 1.0 for number in range(JOBS)
    }


def test_a_hundred_workers_do_each_job_once(store: Store) -> None:
    fill(store)

    def work(worker: int) -> list[Lease]:
        done = []
        while leases := leased(store, 1 + worker % 3, worker=f"w{worker}"):
            for lease in leases:
                sums, cases = [done_by(worker, lease)], [case(f"c-{lease.job.key}")]
                assert store.finish(lease, postings=sums, cases=cases)
                done.append(lease)
        return done

    done = [lease for leases in at_once(WORKERS, work) for lease in leases]
    assert Counter(lease.job.key for lease in done) == {f"j{n}": 1 for n in range(JOBS)}
    assert len({lease.token for lease in done}) == JOBS
    assert {lease.attempt for lease in done} == {1}
    assert each_job_counted_once(store)
    assert store.evidence(CHAT, ["e1"])["e1"]["n"] == JOBS
    assert sum(store.case_counts().values()) == JOBS
    assert store.job_counts() == InboxCounts()


def test_jobs_of_workers_that_vanish_are_done_once(store: Store, clock: ManualClock) -> None:
    fill(store)
    lost = [lease for leases in at_once(10, lambda _: leased(store, 12)) for lease in leases]
    assert len({lease.job.key for lease in lost}) == len(lost) == 120
    clock.advance(60)

    def work(worker: int) -> int:
        done = 0
        while leases := leased(store, 2, worker=f"w{worker}"):
            done += sum(store.finish(one, postings=[done_by(worker, one)]) for one in leases)
        return done

    def vanished(number: int) -> int:
        ends = (store.finish(one, postings=[done_by(number, one)]) for one in lost[number::50])
        return sum(ends)

    done = at_once(100, lambda number: work(number) if number < 50 else vanished(number - 50))
    assert sum(done) == JOBS
    assert each_job_counted_once(store)


def test_one_of_many_ends_a_job(store: Store) -> None:
    fill(store, 20)
    leases = leased(store, 20)
    ends = at_once(
        80, lambda n: store.finish(leases[n % 20], postings=[done_by(n, leases[n % 20])])
    )
    assert [sum(ends[number::20]) for number in range(20)] == [1] * 20
    assert store.total(CHAT, NEARBY)["n"] == 20


def test_one_of_many_offers_of_a_key_is_taken(store: Store) -> None:
    answers = at_once(20, lambda _: store.offer(job()))
    assert Counter(answers) == {Offered.ACCEPTED: 1, Offered.DUPLICATE: 19}


def test_the_inbox_is_bounded_whoever_offers(opened: Callable[..., Store]) -> None:
    store = opened(max_jobs=10)
    answers = at_once(40, lambda number: store.offer(job(f"j{number}")))
    assert Counter(answers) == {Offered.ACCEPTED: 10, Offered.FULL: 30}
    assert store.job_counts().full == 30


def test_one_of_many_takes_in_a_batch(store: Store) -> None:
    batch = Batch(jobs=(job(),), postings=(posting(n=1.0),), cases=(case(),))

    def answers(end: int) -> list[bool]:
        return at_once(8, lambda _: store.accept(batch, Position(spool="s", end=end)))

    assert [sum(answers(end)) for end in range(1, 11)] == [1] * 10
    assert store.total(CHAT, NEARBY) == {"n": 10.0}


def test_sums_of_many_add(store: Store) -> None:
    def work(number: int) -> None:
        for turn in range(10):
            store.add([posting(START + turn * 60, n=1.0, x=number * 0.1)])

    at_once(20, work)
    total = store.total(CHAT, NEARBY)
    assert total["n"] == 200
    assert abs(total["x"] - 190.0) < 1e-9


def test_no_two_people_get_the_same_case(store: Store) -> None:
    for number in range(30):
        store.open(case(f"c{number}", opened_at=START + number))
    taken = at_once(30, lambda n: store.take(CaseFilter(), reviewer=f"r{n}", seconds=60))
    assert {one.case.id for one in taken if one} == {f"c{number}" for number in range(30)}
    assert store.take(CaseFilter(), reviewer="late", seconds=60) is None


def test_a_case_is_filed_by_one_of_many(store: Store) -> None:
    assert sum(at_once(20, lambda _: store.open(case()))) == 1
    assert rising(one.number for one in store.audit())


def test_the_audit_has_no_gaps(store: Store) -> None:
    def write(number: int) -> None:
        for _ in range(5):
            store.note(actor=str(number), event="e")

    at_once(20, write)
    assert [one.number for one in store.audit()] == list(range(1, 101))


def rising(numbers: Iterable[int]) -> bool:
    listed = list(numbers)
    return listed == sorted(set(listed))
