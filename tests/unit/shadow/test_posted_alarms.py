"""Every alarm that stands is sent by somebody, and by one process at a time."""

from __future__ import annotations

from dataclasses import dataclass

from annotated_types import Le

from guard.settings.sections import AlarmWebhook
from guard.shadow.alarm_message import alarm_message, alarm_of
from guard.shadow.posted_alarms import HELD_SECONDS, PostedAlarms, PostState
from guard.store.memory import MemoryStore
from guard.telemetry.webhook import WebhookTarget
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
    one.tick_off(ALL, 1)
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


def test_an_alarm_that_its_process_releases_is_taken_at_once() -> None:
    facts, clock = store(), Hours()
    one, other = process(facts, clock), process(facts, clock)
    one.take(ALL, 1)
    other.release(ALL, 1)
    assert other.take(ALL, 1) is PostState.HELD
    one.release(ALL, 1)
    assert other.take(ALL, 1) is PostState.TAKEN


def test_a_delivery_that_begins_late_holds_its_alarm_anew() -> None:
    facts, clock = store(), Hours()
    one, other = process(facts, clock), process(facts, clock)
    one.take(ALL, 1)
    clock.now += HELD_SECONDS - 1
    assert one.renew(ALL, 1)
    clock.now += HELD_SECONDS - 1
    assert other.take(ALL, 1) is PostState.HELD


def test_a_delivery_that_begins_too_late_is_none() -> None:
    facts, clock = store(), Hours()
    one, other = process(facts, clock), process(facts, clock)
    one.take(ALL, 1)
    clock.now += HELD_SECONDS
    other.take(ALL, 1)
    assert not one.renew(ALL, 1)
    one.release(ALL, 1)
    assert one.take(ALL, 1) is PostState.HELD
    other.tick_off(ALL, 1)
    assert not other.renew(ALL, 1)


def test_an_alarm_is_held_for_longer_than_its_delivery_can_take() -> None:
    bound = AlarmWebhook.model_fields["timeout_seconds"].metadata
    (longest,) = [one.le for one in bound if isinstance(one, Le)]
    pauses = WebhookTarget(url="").pauses_seconds
    for_each = 2 * float(str(longest))  # to connect, and for the answer
    assert sum(pauses) + (1 + len(pauses)) * for_each < HELD_SECONDS


def test_a_hold_by_a_clock_that_was_ahead_holds_up_nothing() -> None:
    facts, clock = store(), Hours()
    process(facts, Hours(clock.now + 86_400.0)).take(ALL, 1)
    assert process(facts, clock).take(ALL, 1) is PostState.TAKEN


def test_the_end_of_an_earlier_alarm_is_not_that_of_a_later_one() -> None:
    facts, clock = store(), Hours()
    one, other = process(facts, clock), process(facts, clock)
    one.take(ALL, 1)
    other.take(ALL, 2)
    one.tick_off(ALL, 1)
    clock.now += HELD_SECONDS
    assert one.take(ALL, 2) is PostState.TAKEN


def test_the_next_alarm_of_a_test_is_another_one() -> None:
    facts, clock = store(), Hours()
    posts = process(facts, clock)
    posts.take(ALL, 1)
    posts.tick_off(ALL, 1)
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
    posts.tick_off(ALL, 1)
    assert posts.take(ALL, 1) is PostState.TAKEN


def test_a_message_tells_which_alarm_it_is_about() -> None:
    facts = store()
    watching = watch(facts)
    post(facts, watching, observed(50, 0.3))
    found = watching.check()
    told = {alarm_of(alarm_message(found, alarm)) for alarm in (ALL, PLACE)}
    assert told == {(ALL, 1), (PLACE, 1)}
