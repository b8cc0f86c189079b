"""Texts that somebody waits for are not held up by those that nobody does."""

from __future__ import annotations

from guard.records import Unscored
from guard.scoring.priorities import PATIENT_SECONDS

LATER = 1e6
BACKLOG = 40


def test_a_text_that_somebody_waits_for_goes_before_all_that_nobody_does(hand) -> None:
    behind = [hand.submit(f"w{n} " + "word " * 100) for n in range(BACKLOG)]
    for _ in range(5):
        hand.batch()
    awaited = hand.submit("one two three", due_at=LATER)
    hand.batch()
    hand.batch()
    assert awaited.done()
    assert not any(future.done() for future in behind)


def test_texts_that_nobody_waits_for_are_scored_beside_a_steady_flow_of_others(hand) -> None:
    behind = hand.submit("word " * 40)
    for n in range(400):
        if behind.done():
            break
        hand.submit(f"w{n} two three four five six seven eight", due_at=LATER)
        hand.batch()
    assert behind.done()
    assert behind.result(0).reason is None


def test_they_do_not_take_the_room_of_the_others(by_hand) -> None:
    hand = by_hand(max_open_tokens=10_000)
    text, taken = "word " * 100, 0
    assert hand.score("one two three")
    assert hand.submit("one two", due_at=LATER)
    while (reason := hand.queue.admit(hand.request(text))) is None:
        taken += 1
    assert reason is Unscored.OVERLOAD
    due_at = hand.clock.now + LATER
    beside = sum(hand.queue.admit(hand.request(text, due_at)) is None for _ in range(taken))
    assert beside >= taken - 1


def test_they_are_not_counted_as_work_ahead_of_a_deadline(by_hand) -> None:
    hand = by_hand(max_open_tokens=10_000_000)
    for n in range(BACKLOG):
        hand.submit(f"w{n} " + "word " * 3000)
    for _ in range(100):
        hand.batch()
        hand.clock.now += 0.05
    assert hand.queue.admit(hand.request("word " * 1000, hand.clock.now + 30)) is None


def test_what_nobody_waits_for_ends_as_well_when_it_is_dropped(hand) -> None:
    future = hand.submit("word " * 100)
    hand.step()
    future.cancel()
    assert hand.queue.stats().open_requests == 0
    assert hand.score("one two three").reason is None


def test_alone_they_have_all_room(by_hand) -> None:
    hand = by_hand(max_open_tokens=10_000)
    text = "word " * 100
    taken = sum(hand.queue.admit(hand.request(text)) is None for _ in range(100))
    assert taken == 5000 // hand.request(text).weight


def test_their_share_is_one_of_tokens(hand) -> None:
    for n in range(20):
        hand.submit(f"w{n} " + "word " * 300)
    tokens = {True: 0, False: 0}
    for n in range(700):
        hand.submit(f"w{n} two three", due_at=LATER)
        task = hand.batch()
        tokens[task.windows[0].request.due_at is None] += sum(one.length for one in task.windows)
    assert 0.08 < tokens[True] / sum(tokens.values()) < 0.17


def test_texts_with_more_time_do_not_hold_up_those_with_less(hand) -> None:
    for n in range(BACKLOG):
        hand.submit(f"w{n} " + "word " * 300, due_at=LATER)
    for _ in range(5):
        hand.batch()
    urgent = hand.submit("one two three", due_at=1.0)
    hand.batch()
    hand.batch()
    assert urgent.done()


def test_texts_with_more_time_have_their_share_beside_others(hand) -> None:
    for n in range(20):
        hand.submit(f"w{n} " + "word " * 300, due_at=LATER)
    tokens = {True: 0, False: 0}
    for n in range(700):
        hand.submit(f"w{n} two three", due_at=1.0)
        task = hand.batch()
        patient = task.windows[0].request.due_at > hand.clock.now + PATIENT_SECONDS
        tokens[patient] += sum(one.length for one in task.windows)
    assert 0.18 < tokens[True] / sum(tokens.values()) < 0.35


def test_many_long_texts_do_not_keep_a_short_one_out(by_hand) -> None:
    hand = by_hand(max_open_tokens=10_000_000)
    for n in range(BACKLOG):
        hand.submit(f"w{n} " + "word " * 3000, due_at=LATER)
    for _ in range(100):
        hand.batch()
        hand.clock.now += 0.05
    assert hand.queue.admit(hand.request("word " * 300, hand.clock.now + 2.0)) is None
