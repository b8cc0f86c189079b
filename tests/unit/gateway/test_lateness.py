"""A loop that stays behind is noticed, one that was busy for a moment is not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import pytest

from guard.gateway.admission import FEW, Admission
from guard.gateway.errors import RefusedRequest
from guard.gateway.lateness import LOOK_SECONDS, Lateness


class Loop:
    """Calls back when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waiting: list[Callable[[], None]] = []
        self.lateness = Lateness(lambda: self.now, lambda _, what: self.waiting.append(what))

    def turn(self, late_seconds: float) -> bool:
        """Somebody asks, and the loop calls back so late. Whether it was grave then."""
        self.lateness.is_grave()
        self.now += LOOK_SECONDS + late_seconds
        for what in self.waiting:
            what()
        self.waiting.clear()
        return self.lateness.is_grave()


def test_a_loop_in_time_is_never_grave() -> None:
    loop = Loop()
    assert not any(loop.turn(0.01) for _ in range(100))


def test_one_long_turn_is_not_grave() -> None:
    loop = Loop()
    assert [loop.turn(late) for late in (0.01, 0.5, 0.01, 0.5, 0.5, 0.01)] == [False] * 6


def test_a_loop_that_stays_late_is_grave_until_it_is_in_time() -> None:
    loop = Loop()
    assert [loop.turn(0.1) for _ in range(4)] == [False, False, True, True]
    assert [loop.turn(0.01) for _ in range(2)] == [False, False]


def test_turns_of_whole_seconds_are_grave() -> None:
    loop = Loop()
    assert [loop.turn(3.0) for _ in range(4)] == [False, False, True, True]


def test_a_turn_that_does_not_end_is_grave_while_it_lasts() -> None:
    loop = Loop()
    assert not loop.lateness.is_grave()
    loop.now += LOOK_SECONDS + 0.9
    assert not loop.lateness.is_grave()
    loop.now += 0.2
    assert loop.lateness.is_grave()


def test_lateness_of_long_ago_is_forgotten() -> None:
    loop = Loop()
    assert [loop.turn(0.1) for _ in range(3)] == [False, False, True]
    loop.now += LOOK_SECONDS + 0.1
    loop.waiting.pop()()
    loop.now += 3600
    assert not loop.lateness.is_grave()
    assert not loop.turn(0.1)


def test_only_one_look_is_under_way() -> None:
    loop = Loop()
    for _ in range(10):
        loop.lateness.is_grave()
    assert len(loop.waiting) == 1


def test_a_late_gateway_lets_few_in_and_finishes_what_it_has() -> None:
    late = False
    admission = Admission(requests=100, body_bytes=100, is_late=lambda: late)
    with ExitStack() as held:
        for _ in range(FEW - 1):
            held.enter_context(admission)
        late = True
        admission.check()
        with admission, pytest.raises(RefusedRequest) as raised:
            admission.check()
        late = False
        with admission:
            admission.check()
    assert (raised.value.status, raised.value.code) == (429, "overloaded")
