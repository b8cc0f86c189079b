"""What cannot be scored in time is refused at once, so that the rest is scored in time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from guard.records import Unscored
from tests.unit.scoring.conftest import Hand

SECONDS_EACH = 0.01
LONG = "word " * 600


@pytest.fixture
def saturated(by_hand: Callable[..., Hand]) -> Hand:
    """A model that has shown its pace on a text without end: one batch in a hundredth."""
    hand = by_hand(max_open_tokens=10_000_000)
    hand.submit("word " * 20_000)
    for _ in range(100):
        hand.batch()
        hand.clock.now += SECONDS_EACH
    return hand


def admitted(hand: Hand, text: str, *, seconds: float | None, most: int = 2000) -> int:
    """How many of the same are let in before one is refused."""
    due_at = None if seconds is None else hand.clock.now + seconds
    for count in range(most):
        if hand.queue.admit(hand.request(text, due_at)) is not None:
            return count
    return most


def test_a_saturated_model_takes_what_it_can_do_in_time(saturated: Hand) -> None:
    few, many = admitted(saturated, LONG, seconds=2.0), 0
    assert few < 100
    many = admitted(saturated, LONG, seconds=20.0)
    assert many > 3 * few


def test_a_text_alone_is_let_in_at_any_pace(by_hand: Callable[..., Hand]) -> None:
    """What is read of it by its deadline can be enough for a rule to act."""
    hand = by_hand(max_open_tokens=10_000_000)
    first = hand.submit("word " * 3000, due_at=1e6)
    for _ in range(100):
        hand.batch()
        hand.clock.now += SECONDS_EACH
    request = hand.request("word " * 3000, hand.clock.now + 0.1)
    assert hand.queue.admit(request) is Unscored.OVERLOAD
    first.cancel()
    assert hand.queue.admit(request) is None


def test_a_text_without_a_deadline_is_let_in(saturated: Hand) -> None:
    assert admitted(saturated, LONG, seconds=None) == 2000


def test_a_short_text_is_let_in_behind_a_long_one(saturated: Hand) -> None:
    """The long one only gets its share until the short one is through."""
    saturated.submit("word " * 100_000)
    assert saturated.queue.admit(saturated.request("word", saturated.clock.now + 0.5)) is None


def test_what_is_let_in_is_scored_in_time(by_hand: Callable[..., Hand]) -> None:
    """Ten times what the model can do: without refusing, everybody would be late."""
    hand = by_hand(max_open_tokens=10_000_000)
    scored = refused = late = 0
    open_ones = []
    for turn in range(3000):
        for _ in range(4):
            request = hand.request("word " * 100, hand.clock.now + 1.0)
            reason = hand.queue.admit(request)
            refused += reason is Unscored.OVERLOAD
            open_ones += [] if reason else [request.future]
        hand.batch()
        hand.clock.now += SECONDS_EACH
        for request in hand.queue.expire():
            request.answer(hand.clock.now)
        done = [future for future in open_ones if future.done()]
        open_ones = [future for future in open_ones if not future.done()]
        if turn > 500:
            reasons = [future.result().reason for future in done]
            scored += reasons.count(None)
            late += reasons.count(Unscored.DEADLINE)
    assert refused > 5 * scored
    assert scored > 10 * late
    assert scored * 100 >= 0.5 * 2500 * 30


def test_nothing_is_refused_while_the_pace_is_not_known(hand: Hand) -> None:
    assert admitted(hand, "word", seconds=0.001, most=500) == 500
