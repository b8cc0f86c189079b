"""A loop that stays behind is noticed, one that was busy for a moment is not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import pytest

from guard.gateway.errors import RefusedRequest
from guard.gateway.overload import (
    FEW_REQUESTS,
    LEAST_BYTES,
    LOOK_SECONDS,
    MAX_VALUES,
    VALUE_BYTES,
    LoadLimiter,
    LoopLag,
    OverloadedError,
)
from guard.gateway.request import RequestBody


class Loop:
    """Calls back when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waiting: list[Callable[[], None]] = []
        self.lag = LoopLag(lambda: self.now, lambda _, what: self.waiting.append(what))

    def turn(self, late_seconds: float) -> bool:
        """Somebody asks, and the loop calls back so late. Whether it was high then."""
        self.lag.is_high()
        self.now += LOOK_SECONDS + late_seconds
        for what in self.waiting:
            what()
        self.waiting.clear()
        return self.lag.is_high()


def test_a_loop_in_time_is_never_high() -> None:
    loop = Loop()
    assert not any(loop.turn(0.01) for _ in range(100))


def test_one_long_turn_is_not_high() -> None:
    loop = Loop()
    assert [loop.turn(late) for late in (0.01, 0.5, 0.01, 0.5, 0.5, 0.01)] == [False] * 6


def test_a_loop_that_stays_late_is_high_until_it_is_in_time() -> None:
    loop = Loop()
    assert [loop.turn(0.1) for _ in range(4)] == [False, False, True, True]
    assert [loop.turn(0.01) for _ in range(2)] == [False, False]


def test_turns_of_whole_seconds_are_high() -> None:
    loop = Loop()
    assert [loop.turn(3.0) for _ in range(4)] == [False, False, True, True]


def test_a_turn_that_does_not_end_is_high_while_it_lasts() -> None:
    loop = Loop()
    assert not loop.lag.is_high()
    loop.now += LOOK_SECONDS + 0.9
    assert not loop.lag.is_high()
    loop.now += 0.2
    assert loop.lag.is_high()


def test_lateness_of_long_ago_is_forgotten() -> None:
    loop = Loop()
    assert [loop.turn(0.1) for _ in range(3)] == [False, False, True]
    loop.now += LOOK_SECONDS + 0.1
    loop.waiting.pop()()
    loop.now += 3600
    assert not loop.lag.is_high()
    assert not loop.turn(0.1)


def test_only_one_look_is_under_way() -> None:
    loop = Loop()
    for _ in range(10):
        loop.lag.is_high()
    assert len(loop.waiting) == 1


def test_a_late_gateway_lets_few_in_and_finishes_what_it_has() -> None:
    late = False
    limiter = LoadLimiter(requests=100, body_bytes=100, is_lagging=lambda: late)
    with ExitStack() as held:
        for _ in range(FEW_REQUESTS - 1):
            held.enter_context(limiter.under_way())
        late = True
        limiter.check()
        with limiter.under_way(), pytest.raises(RefusedRequest) as raised:
            limiter.check()
        late = False
        with limiter.under_way():
            limiter.check()
    assert (raised.value.status, raised.value.code) == (429, "overloaded")


def test_bytes_that_were_released_can_be_reserved_again() -> None:
    limiter = LoadLimiter(requests=1, body_bytes=1)
    limiter.reserve(LEAST_BYTES)
    with pytest.raises(OverloadedError):
        limiter.reserve(1)
    limiter.release(LEAST_BYTES)
    limiter.reserve(LEAST_BYTES)


def test_one_key_does_not_take_the_memory_of_another() -> None:
    limiter = LoadLimiter(requests=10, of_a_key=8, body_bytes=1)
    most = int(LEAST_BYTES * 0.8)
    limiter.reserve(most, "a")
    with pytest.raises(OverloadedError, match=r"gateway\.key_share") as raised:
        limiter.reserve(1, "a")
    assert raised.value.code == "key_share_used"
    limiter.reserve(LEAST_BYTES - most, "b")
    limiter.release(most, "a")
    limiter.reserve(most, "a")


@pytest.mark.parametrize("wide", ["\U0001f600".encode(), b"\\ud83d\\ude00"])
async def test_one_wide_letter_makes_a_text_four_times_as_large(wide: bytes) -> None:
    limiter = LoadLimiter(requests=10, body_bytes=1)
    raw = b'{"a": "%s%s"}' % (wide, b"x" * (LEAST_BYTES // 4))
    with RequestBody(limiter, limit=10**9, seconds=1.0) as body:
        await body.parse(raw)
        with pytest.raises(OverloadedError):
            limiter.reserve(LEAST_BYTES // 2)


def test_every_body_has_room_while_there_is_no_other_of_its_key() -> None:
    limiter = LoadLimiter(requests=100, of_a_key=1, body_bytes=10**7)
    limiter.reserve(4 * 10**7 + MAX_VALUES * VALUE_BYTES, "a")
    with pytest.raises(OverloadedError):
        limiter.reserve(1, "a")


async def test_values_of_a_body_count_for_what_they_take_in_memory() -> None:
    limiter = LoadLimiter(requests=10, body_bytes=1)
    raw = b'{"metadata": [%s]}' % b",".join([b'{"":0}'] * 99_900)
    with ExitStack() as held:
        bodies = [
            held.enter_context(RequestBody(limiter, limit=10**7, seconds=1.0)) for _ in range(3)
        ]
        for body in bodies[:2]:
            assert len((await body.parse(raw))["metadata"]) == 99_900
        with pytest.raises(OverloadedError):
            await bodies[2].parse(raw)
    with RequestBody(limiter, limit=10**7, seconds=1.0) as body:
        prose = b'{"a": "%s"}' % (b"so, " * 900_000)
        assert await body.parse(prose)
        limiter.reserve(LEAST_BYTES - 1_000)
        limiter.release(LEAST_BYTES - 1_000)
    limiter.reserve(LEAST_BYTES)
