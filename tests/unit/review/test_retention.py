"""Old cases go; what was decided on them stays in the figures and the audit."""

from __future__ import annotations

import pytest

from guard.ports import Store
from guard.records import CaseFilter, Job
from guard.review.retention import Retention
from guard.review.service import ReviewService
from tests.unit.review.made import START, ManualClock, decided, pair, response

DAY = 86_400.0


def of(store: Store, clock: ManualClock, days: float | None = 90) -> Retention:
    kept = None if days is None else days * DAY
    return Retention(store=store, clock=clock, kept_seconds=kept)


def test_what_is_older_goes_and_nothing_else(store: Store, clock: ManualClock) -> None:
    for number in range(250):
        store.open(pair(f"p{number}", opened_at=START - (number + 0.5) * DAY))
    gone = of(store, clock).purge(by="eve")
    assert (gone.records, gone.settled) == (160, True)
    assert store.count(_any(), most=1000) == 90
    assert of(store, clock).purge(by="eve").records == 0


@pytest.mark.parametrize("steps", [0, 1, 2, 4])
def test_a_purge_stops_between_two_steps(store: Store, clock: ManualClock, steps: int) -> None:
    for number in range(250):
        store.open(pair(f"p{number}", call_id=f"c{number}", opened_at=1.0))
    asked = iter([False] * steps)
    gone = of(store, clock).purge(by="eve", is_ending=lambda: next(asked, True))
    erased = max(steps - 1, 0)
    assert (gone.records, gone.settled) == (erased, True)
    assert store.count(_any(), most=1000) == 250 - erased
    assert of(store, clock).purge(by="eve").records == 250 - erased


def test_decisions_are_counted_before_they_go(
    desk: ReviewService, store: Store, clock: ManualClock
) -> None:
    store.open(pair(opened_at=START - 91 * DAY))
    decided(desk, "p1", ("ann", "biased"))
    of(store, clock).purge(by="eve")
    assert desk.statistics("chat").flags[0].confirmed == 1
    assert [(entry.event, entry.actor) for entry in desk.audit("p1")][-1] == ("erased", "eve")


def test_a_case_of_nobodys_call_stays_and_stops_nothing(store: Store, clock: ManualClock) -> None:
    for number in range(300):
        of_nobody = number in {3, 150, 299}
        store.open(pair(f"p{number:03}", call_id="" if of_nobody else f"c{number}", opened_at=1.0))
    assert of(store, clock).purge(by="eve").records == 297
    assert store.count(_any(), most=1000) == 3


def test_without_an_age_everything_is_kept(store: Store, clock: ManualClock) -> None:
    store.open(pair(opened_at=0.0))
    assert of(store, clock, None).purge(by="eve").records == 0
    assert store.case("p1") is not None


def test_failed_jobs_go_with_their_prompts(store: Store, clock: ManualClock) -> None:
    job = Job(key="j", lane="l", use_case="chat", call_id="call", payload="{}", offered_at=START)
    store.offer(job)
    [lease] = store.lease(["l"], worker="w", limit=1, seconds=60)
    store.dead_letter(lease, error="no")
    clock.now += 91 * DAY
    assert of(store, clock).purge(by="eve").records == 1
    assert store.dead_letters(limit=9) == []


def test_a_call_is_erased_with_what_comes_later(store: Store, clock: ManualClock) -> None:
    store.open(pair(call_id="c"))
    store.open(response(call_id="c"))
    assert of(store, clock).erase("c", by="eve").records == 2
    assert not store.open(pair("p2", call_id="c"))


def test_files_that_are_busy_are_seen_to_the_next_time(
    store: Store, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def settle(_: Store) -> bool:
        asked.append(1)
        return len(asked) > 1

    monkeypatch.setattr(type(store), "settle", settle)
    store.open(pair(opened_at=1.0))
    retention = of(store, clock)
    assert [retention.purge(by="eve").settled for _ in range(3)] == [False, True, True]
    assert len(asked) == 2


def _any() -> CaseFilter:
    return CaseFilter()
