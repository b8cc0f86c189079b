"""Jobs: what becomes of them, one worker at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from guard.ports import Store
from guard.records import CaseState, DeadLetter, InboxCounts, Job, Offered, Posting
from tests.contract.clock import START, ManualClock
from tests.contract.made import NEARBY, case, job, keys, leased, posting

DAY = 86_400.0


def test_a_new_store_is_empty(store: Store) -> None:
    assert store.job_counts() == InboxCounts()
    assert leased(store) == []
    assert store.dead_letters(limit=10) == []


def test_a_job_comes_out_as_it_went_in(store: Store) -> None:
    texts = job(payload='{"a": "\x00 \U0001f600 \u202e שלום"}', lane="python", call_id="c-9")
    assert store.offer(texts) is Offered.ACCEPTED
    [lease] = leased(store, seconds=30, worker="w7")
    assert lease.job == texts
    assert (lease.worker, lease.attempt, lease.expires_at) == ("w7", 1, START + 30)
    assert lease.token


def test_jobs_come_in_the_order_they_were_offered(store: Store, clock: ManualClock) -> None:
    for number in range(20):
        store.offer(job(f"j{number}", offered_at=clock()))
        clock.advance(number % 2)
    assert keys(leased(store, 7)) == [f"j{number}" for number in range(7)]
    assert keys(leased(store, 50)) == [f"j{number}" for number in range(7, 20)]


def test_only_the_lanes_asked_for(store: Store) -> None:
    store.offer(job("web", lane="http"))
    store.offer(job("fun", lane="python"))
    assert leased(store, lanes=()) == []
    assert leased(store, lanes=("neither",)) == []
    assert keys(leased(store, 5, lanes=("python",))) == ["fun"]
    assert keys(leased(store, 5)) == ["web"]


def test_lanes_with_jobs_are_named(store: Store) -> None:
    assert list(store.lanes()) == []
    for number, lane in enumerate(("http/a/chat", "http/a", "local/b", "http/a/chat")):
        store.offer(job(str(number), lane=lane))
    assert sorted(store.lanes()) == ["http/a", "http/a/chat", "local/b"]
    for lease in store.lease(["http/a/chat", "local/b"], worker="w", limit=9, seconds=60.0):
        assert lease.job.lane in store.lanes()
        assert store.finish(lease)
    assert list(store.lanes()) == ["http/a"]


def test_nothing_is_leased_with_limit_0(store: Store) -> None:
    store.offer(job())
    assert leased(store, 0) == []


def test_the_limit_holds_over_all_lanes(store: Store) -> None:
    for number in range(4):
        store.offer(job(f"j{number}", lane="http" if number % 2 else "python"))
    assert len(leased(store, 3)) == 3
    assert len(leased(store, 3)) == 1


@pytest.mark.parametrize("stage", ["ready", "leased", "delayed", "buried", "finished", "revived"])
def test_a_key_makes_one_job(store: Store, clock: ManualClock, stage: str) -> None:
    store.offer(job())
    _bring(store, stage)
    again = job(payload="{}", offered_at=clock())
    assert store.offer(again) is Offered.DUPLICATE
    clock.advance(1000)
    assert [lease.job for lease in leased(store, 5)] == (
        [] if stage in {"buried", "finished"} else [job()]
    )


def _bring(store: Store, stage: str) -> None:
    if stage == "ready":
        return
    [lease] = leased(store)
    if stage == "delayed":
        assert store.retry(lease, after_seconds=100, error="429")
    elif stage == "finished":
        assert store.finish(lease)
    elif stage in {"buried", "revived"}:
        assert store.dead_letter(lease, error="400")
        assert stage == "buried" or store.requeue("j1")


def test_the_key_of_a_finished_job_is_remembered_for_days(store: Store, clock: ManualClock) -> None:
    store.offer(job())
    assert store.finish(leased(store)[0])
    clock.advance(6.9 * DAY)
    assert store.offer(job()) is Offered.DUPLICATE


def test_the_key_of_a_finished_job_is_forgotten_in_the_end(
    store: Store, clock: ManualClock
) -> None:
    store.offer(job())
    assert store.finish(leased(store)[0])
    clock.advance(7.1 * DAY)
    store.offer(job("other"))
    assert store.finish(leased(store)[0])
    assert store.offer(job()) is Offered.ACCEPTED
    assert keys(leased(store, 2)) == ["j1"]


def test_a_full_inbox_refuses_and_counts(opened: Callable[..., Store]) -> None:
    store = opened(max_jobs=2)
    assert [store.offer(job(f"j{n}")) for n in range(3)] == [
        Offered.ACCEPTED,
        Offered.ACCEPTED,
        Offered.FULL,
    ]
    assert store.offer(job("j0")) is Offered.DUPLICATE
    assert (store.job_counts().ready, store.job_counts().full) == (2, 1)
    first, second = leased(store, 5)
    assert store.offer(job("j3")) is Offered.FULL
    assert store.finish(first)
    assert store.offer(job("j2")) is Offered.ACCEPTED
    assert store.dead_letter(second, error="400")
    assert store.offer(job("j3")) is Offered.ACCEPTED
    assert store.job_counts().full == 2


def test_a_leased_job_is_nobody_elses(store: Store, clock: ManualClock) -> None:
    store.offer(job())
    leased(store, seconds=60)
    clock.advance(59.9)
    assert leased(store) == []


def test_a_lost_lease_is_handed_out_again(store: Store, clock: ManualClock) -> None:
    store.offer(job())
    [first] = leased(store, seconds=60, worker="w1")
    clock.advance(60)
    [second] = leased(store, seconds=60, worker="w2")
    assert (second.job, second.attempt, second.worker) == (first.job, 2, "w2")
    assert second.token != first.token
    assert leased(store) == []


def test_who_lost_the_lease_can_do_nothing(store: Store, clock: ManualClock) -> None:
    store.offer(job())
    [first] = leased(store, seconds=60)
    clock.advance(60)
    [second] = leased(store, seconds=60)
    assert store.renew(first, seconds=60) is None
    assert not store.retry(first, after_seconds=0, error="late")
    assert not store.dead_letter(first, error="late")
    assert not store.finish(first, postings=[posting()], cases=[case()])
    assert store.total("support-chat", NEARBY) == {}
    assert store.case("c1") is None
    assert store.finish(second)


def test_what_a_clock_that_is_set_back_took_is_free_at_once(
    store: Store, clock: ManualClock
) -> None:
    for name in ("held", "delayed", "new"):
        store.offer(job(name))
    clock.advance(400 * DAY)
    first, second = leased(store, 2, seconds=15)
    assert store.retry(second, after_seconds=15, error="busy")
    clock.advance(-400 * DAY)
    assert store.job_counts() == InboxCounts(ready=3, oldest_at=START)
    again = leased(store, 3, seconds=15)
    assert sorted(keys(again)) == ["delayed", "held", "new"]
    assert store.renew(first, seconds=15) is None
    assert store.job_counts() == InboxCounts(leased=3, oldest_at=START)


def test_a_lease_that_ran_out_counts_until_somebody_takes_the_job(
    store: Store, clock: ManualClock
) -> None:
    for number in range(4):
        store.offer(job(f"j{number}"))
    renewed, retried, buried, finished = leased(store, 4, seconds=60)
    clock.advance(61)
    assert store.renew(renewed, seconds=60) == replace(renewed, expires_at=START + 121)
    assert store.retry(retried, after_seconds=5, error="429")
    assert store.dead_letter(buried, error="400")
    assert store.finish(finished)
    assert leased(store) == []


def test_a_lease_without_a_token_is_nobodys(store: Store) -> None:
    store.offer(job())
    [lease] = leased(store)
    store.retry(lease, after_seconds=0, error="429")
    forged = replace(lease, token="")
    assert store.renew(forged, seconds=60) is None
    assert not store.retry(forged, after_seconds=9, error="e")
    assert not store.dead_letter(forged, error="e")
    assert not store.finish(forged, postings=[posting()])
    assert store.job_counts().ready == 1


def test_a_renewed_lease_lasts(store: Store, clock: ManualClock) -> None:
    store.offer(job())
    [lease] = leased(store, seconds=60)
    clock.advance(50)
    renewed = store.renew(lease, seconds=60)
    assert renewed == replace(lease, expires_at=START + 110)
    clock.advance(59)
    assert leased(store) == []
    assert renewed is not None
    assert store.finish(renewed)


def test_a_lease_may_be_renewed_to_end_sooner(store: Store, clock: ManualClock) -> None:
    store.offer(job())
    [lease] = leased(store, seconds=60)
    store.renew(lease, seconds=5)
    clock.advance(5)
    assert keys(leased(store)) == ["j1"]


def test_a_retried_job_waits(store: Store, clock: ManualClock) -> None:
    store.offer(job())
    [lease] = leased(store)
    assert store.retry(lease, after_seconds=10, error="429")
    clock.advance(9.9)
    assert leased(store) == []
    clock.advance(0.1)
    [again] = leased(store)
    assert (again.job, again.attempt) == (job(), 2)


def test_a_job_retried_at_once_is_due(store: Store) -> None:
    store.offer(job())
    assert store.retry(leased(store)[0], after_seconds=0, error="429")
    assert leased(store)[0].attempt == 2


def test_a_retried_job_does_not_hold_up_others(store: Store, clock: ManualClock) -> None:
    store.offer(job("j1"))
    store.retry(leased(store)[0], after_seconds=10, error="429")
    store.offer(job("j2"))
    assert keys(leased(store, 5)) == ["j2"]
    clock.advance(10)
    assert keys(leased(store, 5)) == ["j1"]


@pytest.mark.parametrize("how", ["retry", "dead_letter", "finish"])
def test_a_lease_ends_once(store: Store, how: str) -> None:
    store.offer(job())
    [lease] = leased(store)

    def end() -> bool:
        if how == "finish":
            return store.finish(lease, postings=[posting(n=1.0)], cases=[case()])
        if how == "dead_letter":
            return store.dead_letter(lease, error="e")
        return store.retry(lease, after_seconds=1, error="e")

    assert end()
    assert not end()
    assert not store.retry(lease, after_seconds=1, error="e")
    assert not store.dead_letter(lease, error="e")
    assert not store.finish(lease, postings=[posting(n=1.0)])
    assert store.renew(lease, seconds=5) is None
    assert store.total("support-chat", NEARBY).get("n", 0) == (how == "finish")


def test_a_buried_job_waits_for_somebody(store: Store, clock: ManualClock) -> None:
    for number in range(3):
        store.offer(job(f"j{number}"))
    for lease in leased(store, 3):
        clock.advance(1)
        assert store.dead_letter(lease, error=f"400 for {lease.job.key}")
    assert store.dead_letters(limit=2) == [
        DeadLetter(job=job("j2"), attempts=1, error="400 for j2", failed_at=START + 3),
        DeadLetter(job=job("j1"), attempts=1, error="400 for j1", failed_at=START + 2),
    ]
    assert len(store.dead_letters(limit=10)) == 3
    clock.advance(10**6)
    assert leased(store) == []


def test_an_error_message_may_hold_anything(store: Store) -> None:
    store.offer(job())
    [lease] = leased(store)
    store.retry(lease, after_seconds=0, error="\ud800 \x00")
    store.dead_letter(leased(store)[0], error="\ud800 \x00 \U0001f600")
    assert store.dead_letters(limit=1)[0].error == "\\ud800 \x00 \U0001f600"


def test_a_revived_job_starts_afresh(store: Store, clock: ManualClock) -> None:
    store.offer(job())
    store.retry(leased(store)[0], after_seconds=0, error="e")
    [second] = leased(store)
    store.dead_letter(second, error="e")
    assert store.dead_letters(limit=1)[0].attempts == 2
    clock.advance(5)
    assert store.requeue("j1")
    assert not store.requeue("j1")
    assert store.dead_letters(limit=1) == []
    assert not store.finish(second)
    [lease] = leased(store)
    assert (lease.job, lease.attempt) == (job(), 1)


def test_a_revived_job_comes_before_those_offered_later(store: Store, clock: ManualClock) -> None:
    store.offer(job("j1", offered_at=START))
    store.dead_letter(leased(store)[0], error="e")
    clock.advance(5)
    assert store.requeue("j1")
    store.offer(job("j0", offered_at=START))
    assert keys(leased(store, 2)) == ["j1", "j0"]


def test_only_what_is_buried_can_be_revived(store: Store) -> None:
    assert not store.requeue("j1")
    store.offer(job())
    assert not store.requeue("j1")
    store.finish(leased(store)[0])
    assert not store.requeue("j1")


def test_a_full_inbox_takes_back_what_is_revived(opened: Callable[..., Store]) -> None:
    store = opened(max_jobs=1)
    store.offer(job("j1"))
    store.dead_letter(leased(store)[0], error="e")
    store.offer(job("j2"))
    assert store.requeue("j1")
    assert store.job_counts().ready == 2
    assert store.offer(job("j3")) is Offered.FULL


def test_jobs_are_counted_by_where_they_are(store: Store, clock: ManualClock) -> None:
    for number in range(6):
        store.offer(job(f"j{number}", offered_at=START - 10 + number))
    first, second, third, _, _ = leased(store, 5, seconds=60)
    store.retry(first, after_seconds=30, error="e")
    store.dead_letter(second, error="e")
    store.finish(third)
    assert store.job_counts() == InboxCounts(
        ready=1, delayed=1, leased=2, dead_letters=1, oldest_at=START - 10
    )
    clock.advance(30)
    assert store.job_counts() == InboxCounts(
        ready=2, leased=2, dead_letters=1, oldest_at=START - 10
    )
    clock.advance(30)
    assert store.job_counts() == InboxCounts(ready=4, dead_letters=1, oldest_at=START - 10)
    for lease in leased(store, 9):
        store.finish(lease)
    assert store.job_counts() == InboxCounts(dead_letters=1)


def test_the_oldest_job_is_one_that_is_not_ended(store: Store) -> None:
    store.offer(job("j1", offered_at=START - 5))
    store.offer(job("j2", offered_at=START - 3))
    store.finish(leased(store)[0])
    assert store.job_counts().oldest_at == START - 3


def test_a_finished_job_leaves_its_sums_and_cases(store: Store) -> None:
    store.offer(job())
    [lease] = leased(store)
    paid = Posting(
        use_case="support-chat",
        at_seconds=START,
        sums={"n": 1.0, "x": 0.25},
        evidence={"epoch-1": {"log": 0.5}},
    )
    assert store.finish(lease, postings=[paid, paid], cases=[case("c1"), case("c2")])
    assert store.total("support-chat", NEARBY) == {"n": 2.0, "x": 0.5}
    assert store.evidence("support-chat", ["epoch-1"]) == {"epoch-1": {"log": 1.0}}
    assert store.case_counts() == {("support-chat", CaseState.OPEN): 2}
    assert store.job_counts() == InboxCounts()


def test_a_finished_job_puts_in_those_that_follow_from_it(
    opened: Callable[..., Store],
) -> None:
    store = opened(max_jobs=1)
    store.offer(job("first"))
    [lease] = leased(store)
    assert store.finish(lease, jobs=[job("next", payload='{"more": 1}'), job("full")])
    assert store.job_counts() == InboxCounts(ready=1, full=1, oldest_at=START)
    [following] = leased(store)
    assert following.job == job("next", payload='{"more": 1}')
    assert not store.finish(lease, jobs=[job("again")])
    assert store.finish(following, jobs=[job("first")])
    assert store.job_counts() == InboxCounts(full=1)


def test_a_finished_job_does_not_file_a_case_twice(store: Store) -> None:
    store.open(case("c1", body='"first"'))
    store.offer(job())
    assert store.finish(leased(store)[0], cases=[case("c1", body='"second"'), case("c2")])
    filed = store.case("c1")
    assert filed is not None
    assert filed.case.body == '"first"'
    assert len(store.audit()) == 2


@pytest.mark.parametrize("field", ["key", "lane", "use_case", "call_id", "payload"])
def test_a_job_that_cannot_be_kept_is_refused(store: Store, field: str) -> None:
    broken: Job = job(**{field: "\ud800"})
    with pytest.raises(ValueError, match="surrogate"):
        store.offer(broken)
    assert store.job_counts() == InboxCounts()
