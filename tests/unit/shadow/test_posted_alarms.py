"""Every alarm that stands is sent by somebody, and by one process at a time."""

from __future__ import annotations

from dataclasses import dataclass

from guard.shadow.alarm_message import alarm_message, alarm_of
from guard.shadow.posted_alarms import HELD_SECONDS, PostedAlarms, PostState
from guard.store.memory import MemoryStore
from tests.unit.shadow.test_monitor import ALL, PLACE, observed, post, store, watch


@dataclass
class Hours:
    """A clock."""

    now: float = 1e9

    def __call__(self) -> float:
        return self.now


def process(facts: MemoryStore, clock: Hours) -> PostedAlarms:
    """One of several that share a store."""
    return PostedAlarms(facts, ("chat",), clock)


def test_an_alarm_is_taken_by_one_process_until_it_is_sent() -> None:
    facts, clock = store(), Hours()
    one, other = process(facts, clock), process(facts, clock)
    assert one.take(ALL, 1) is PostState.TAKEN
    assert other.take(ALL, 1) is PostState.HELD
    assert other.take(PLACE, 1) is PostState.TAKEN
    one.tick_off(ALL)
    clock.now += 2 * HELD_SECONDS
    assert other.take(ALL, 1) is one.take(ALL, 1) is PostState.SENT


def test_an_alarm_that_its_process_did_not_send_is_taken_by_another() -> None:
    facts, clock = store(), Hours()
    process(facts, clock).take(ALL, 1)
    other = process(facts, clock)
    clock.now += HELD_SECONDS - 1
    assert other.take(ALL, 1) is PostState.HELD
    clock.now += 1
    assert other.take(ALL, 1) is PostState.TAKEN


def test_the_next_alarm_of_a_test_is_another_one() -> None:
    facts, clock = store(), Hours()
    posts = process(facts, clock)
    posts.take(ALL, 1)
    posts.tick_off(ALL)
    assert posts.take(ALL, 2) is PostState.TAKEN


def test_what_stood_before_this_was_kept_counts_as_sent() -> None:
    facts, clock = store(), Hours()
    watching = watch(facts)
    post(facts, watching, observed(50, 0.3))
    watching.check()
    posts = process(facts, clock)
    posts.begin()
    assert posts.take(ALL, 1) is PostState.SENT


def test_what_is_raised_after_that_is_not() -> None:
    facts, clock = store(), Hours()
    process(facts, clock).begin()
    watching = watch(facts)
    post(facts, watching, observed(50, 0.3))
    watching.check()
    posts = process(facts, clock)
    posts.begin()
    assert posts.take(ALL, 1) is PostState.TAKEN


def test_ticking_off_what_nobody_took_changes_nothing() -> None:
    facts, clock = store(), Hours()
    posts = process(facts, clock)
    posts.tick_off(ALL)
    assert posts.take(ALL, 1) is PostState.TAKEN


def test_a_message_tells_which_alarm_it_is_about() -> None:
    facts = store()
    watching = watch(facts)
    post(facts, watching, observed(50, 0.3))
    found = watching.check()
    assert {alarm_of(alarm_message(found, alarm)) for alarm in (ALL, PLACE)} == {ALL, PLACE}
