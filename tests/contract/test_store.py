"""What changes together: batches from a spool, and the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from guard.errors import SettingsError, StoreError
from guard.ports import Store
from guard.records import Batch, CaseFilter, CaseState, InboxCounts, Position
from guard.store import open_store
from tests.contract.backends import Places, durable_only
from tests.contract.clock import START, ManualClock
from tests.contract.made import NEARBY, case, job, keys, leased, posting

BATCH = Batch(
    jobs=(job("j1"), job("j2")),
    postings=(posting(n=1.0), posting(n=2.0)),
    cases=(case("c1"), case("c2")),
)


def nothing_is_there(store: Store) -> bool:
    return (
        store.job_counts() == InboxCounts()
        and store.use_cases() == []
        and store.query(CaseFilter()) == []
        and store.audit() == []
        and store.position("s1") == 0
    )


def test_a_batch_is_taken_in(store: Store) -> None:
    assert store.position("s1") == 0
    assert store.accept(BATCH, Position(spool="s1", end=100))
    assert store.position("s1") == 100
    assert keys(leased(store, 5)) == ["j1", "j2"]
    assert store.total("support-chat", NEARBY) == {"n": 3.0}
    assert store.case_counts() == {("support-chat", CaseState.OPEN): 2}


@pytest.mark.parametrize("end", [100, 99, 0])
def test_a_position_is_taken_once(store: Store, end: int) -> None:
    store.accept(BATCH, Position(spool="s1", end=100))
    assert not store.accept(Batch(jobs=(job("j3"),)), Position(spool="s1", end=end))
    assert not store.accept(BATCH, Position(spool="s1", end=end))
    assert store.position("s1") == 100
    assert store.job_counts().ready == 2
    assert store.total("support-chat", NEARBY) == {"n": 3.0}


def test_spools_are_apart(store: Store) -> None:
    assert store.accept(BATCH, Position(spool="s1", end=100))
    assert store.accept(Batch(postings=(posting(n=4.0),)), Position(spool="s2", end=1))
    assert store.accept(Batch(postings=(posting(n=8.0),)), Position(spool="s1", end=2**53))
    assert (store.position("s1"), store.position("s2")) == (2**53, 1)
    assert store.total("support-chat", NEARBY) == {"n": 15.0}


def test_an_empty_batch_moves_the_position(store: Store) -> None:
    assert store.accept(Batch(), Position(spool="s1", end=7))
    assert store.position("s1") == 7


def test_what_a_store_knows_is_left_out_of_a_batch(store: Store) -> None:
    store.offer(job("j1"))
    store.finish(leased(store)[0])
    store.open(case("c1", body='"first"'))
    twice = Batch(jobs=(*BATCH.jobs, *BATCH.jobs), postings=BATCH.postings, cases=BATCH.cases * 2)
    assert store.accept(twice, Position(spool="s1", end=100))
    assert keys(leased(store, 5)) == ["j2"]
    assert len(store.query(CaseFilter())) == 2
    assert store.total("support-chat", NEARBY) == {"n": 3.0}
    assert store.job_counts().full == 0


def test_jobs_without_room_are_counted(opened: Callable[..., Store]) -> None:
    store = opened(max_jobs=3)
    jobs = tuple(job(f"j{number}") for number in range(5))
    assert store.accept(
        Batch(jobs=jobs, postings=(posting(n=1.0),), cases=(case(),)), Position(spool="s", end=1)
    )
    assert keys(leased(store, 9)) == ["j0", "j1", "j2"]
    assert store.job_counts().full == 2
    assert store.case("c1") is not None


@pytest.mark.parametrize(
    "broken",
    [
        Batch(jobs=(job("j1"), job("j2", payload="\ud800"))),
        Batch(jobs=BATCH.jobs, postings=(posting(n=1.0), posting(n=float("nan")))),
        Batch(
            jobs=BATCH.jobs, postings=BATCH.postings, cases=(case("c1"), case("c2", body="\ud800"))
        ),
    ],
    ids=["job", "sum", "case"],
)
def test_a_batch_with_a_fault_leaves_nothing(store: Store, broken: Batch) -> None:
    with pytest.raises(ValueError, match=r"nan|surrogate"):
        store.accept(broken, Position(spool="s1", end=100))
    assert nothing_is_there(store)
    assert store.accept(BATCH, Position(spool="s1", end=100))


def test_an_end_with_a_fault_leaves_the_job(store: Store) -> None:
    store.offer(job())
    [lease] = leased(store)
    with pytest.raises(ValueError, match="surrogate"):
        store.finish(lease, postings=BATCH.postings, cases=(case("c1"), case("c2", body="\ud800")))
    assert store.use_cases() == []
    assert store.query(CaseFilter()) == []
    assert store.job_counts().leased == 1
    assert store.finish(lease)


def test_nothing_works_after_the_end(opened: Callable[..., Store]) -> None:
    store = opened()
    store.offer(job())
    [lease] = leased(store)
    store.shut()
    store.shut()
    for later in (
        lambda: store.offer(job("j2")),
        lambda: store.finish(lease),
        lambda: store.total("support-chat", NEARBY),
        lambda: store.case("c1"),
        lambda: store.accept(BATCH, Position(spool="s1", end=100)),
    ):
        with pytest.raises(StoreError, match=r"store\.url"):
            later()


@durable_only
def test_everything_is_there_when_opened_again(
    opened: Callable[..., Store], places: Places, clock: ManualClock
) -> None:
    place = places()
    first = opened(place, max_jobs=2)
    first.accept(BATCH, Position(spool="s1", end=100))
    first.offer(job("j3"))
    [lease, other] = leased(first, 2, seconds=60)
    first.dead_letter(other, error="400")
    first.hold("c1", reviewer="ann", seconds=60)
    first.update_fact("epoch", lambda _: "e1")
    log = first.audit()
    first.shut()
    clock.advance(30)
    second = opened(place)
    assert second.position("s1") == 100
    assert second.job_counts() == InboxCounts(leased=1, dead_letters=1, full=1, oldest_at=START)
    assert second.total("support-chat", NEARBY) == {"n": 3.0}
    assert second.fact("epoch") == "e1"
    assert second.audit() == log
    assert not second.hold("c1", reviewer="bob", seconds=60)
    assert second.finish(lease)


@durable_only
def test_two_openings_are_one_store(opened: Callable[..., Store], places: Places) -> None:
    place = places()
    one, other = opened(place), opened(place)
    one.offer(job("j1"))
    assert keys(leased(other)) == ["j1"]
    assert leased(one) == []
    one.open(case())
    assert other.hold("c1", reviewer="ann", seconds=60)
    assert not one.hold("c1", reviewer="bob", seconds=60)


def test_places_are_apart(opened: Callable[..., Store]) -> None:
    opened().accept(BATCH, Position(spool="s1", end=100))
    assert nothing_is_there(opened())


@pytest.mark.parametrize("url", ["", "store.db", "mysql://host", "memory:x", "memory://", "SQLITE"])
def test_a_url_that_names_no_store_is_refused(url: str, clock: ManualClock) -> None:
    with pytest.raises(SettingsError, match=r"store\.url"):
        open_store(url, clock=clock)


@pytest.mark.parametrize("width", [0.0, -1.0, float("nan"), float("inf")])
def test_a_width_that_cannot_be_is_refused(width: float, clock: ManualClock) -> None:
    with pytest.raises(SettingsError, match=r"store\.bucket_seconds"):
        open_store("memory:", clock=clock, bucket_seconds=width)


def test_an_inbox_for_nothing_is_refused(clock: ManualClock) -> None:
    with pytest.raises(SettingsError, match=r"store\.max_jobs"):
        open_store("memory:", clock=clock, max_jobs=0)
