"""When evidence is looked at: after jobs, not too often, and never left without a look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from guard.bootstrap.alarms import LOOK_SECONDS, AlarmWatch, count_posts
from guard.errors import StoreError
from guard.fairness.catalogue import ALARM_POSTS, results_of
from guard.shadow.monitor import AlarmCheck
from guard.store.common import StoreOptions
from guard.store.memory import MemoryStore
from guard.telemetry.webhook import AlarmEnd

ALARM = {"use_case": "chat", "attribute": "gender"}


@dataclass
class Looks:
    """Counts looks. now: of the clock. away: whether the store is."""

    now: float = 100.0
    count: int = 0
    away: bool = False
    watch: AlarmWatch = field(init=False)

    def __post_init__(self) -> None:
        self.watch = AlarmWatch(self, clock=lambda: self.now)

    def check(self) -> AlarmCheck:
        self.count += 1
        if self.away:
            raise StoreError("away; see store.url")
        return AlarmCheck()

    def after(self, seconds: float, step: Callable[[], None]) -> int:
        self.now += seconds
        step()
        return self.count


def test_what_an_earlier_worker_left_is_looked_at_without_a_job() -> None:
    looks = Looks()
    assert looks.after(0, looks.watch.look) == 1
    assert looks.after(LOOK_SECONDS, looks.watch.look) == 1


def test_evidence_that_came_soon_after_a_look_is_looked_at_when_nothing_follows() -> None:
    looks = Looks()
    assert looks.after(0, looks.watch.evidence_added) == 1
    assert looks.after(LOOK_SECONDS / 2, looks.watch.evidence_added) == 1
    assert looks.after(LOOK_SECONDS, looks.watch.look) == 2
    assert looks.after(LOOK_SECONDS, looks.watch.look) == 2


def test_a_store_that_is_away_is_looked_at_again() -> None:
    looks = Looks(away=True)
    assert looks.after(0, looks.watch.evidence_added) == 1
    looks.away = False
    assert looks.after(LOOK_SECONDS, looks.watch.look) == 2
    assert looks.after(LOOK_SECONDS, looks.watch.look) == 2


def test_what_became_of_alarms_is_counted_in_the_store() -> None:
    store = MemoryStore(
        StoreOptions(clock=lambda: 0.0, bucket_seconds=60.0, max_jobs=1, new_token=lambda: "t")
    )
    posted = count_posts(store, lambda: 7.0)
    for end in (AlarmEnd.SENT, AlarmEnd.FAILED, AlarmEnd.SENT):
        posted(ALARM, end)
    counts = results_of(store.evidence("chat", [ALARM_POSTS])[ALARM_POSTS])
    assert counts == {("gender", "sent"): 2.0, ("gender", "failed"): 1.0}


def test_counting_never_fails_where_the_store_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore(
        StoreOptions(clock=lambda: 0.0, bucket_seconds=60.0, max_jobs=1, new_token=lambda: "t")
    )

    def away(_: object) -> None:
        raise StoreError("away; see store.url")

    monkeypatch.setattr(store, "add", away)
    count_posts(store, lambda: 7.0)(ALARM, AlarmEnd.SENT)
