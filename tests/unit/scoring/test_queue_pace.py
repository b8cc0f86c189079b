"""How fast the model gets through texts."""

from __future__ import annotations

import pytest

from guard.scoring.queue import FRESH_SECONDS, LEAST_SECONDS, Pacemeter


def saturated(pace: Pacemeter, *, batches: int, tokens: int = 100, seconds: float = 0.01) -> float:
    """Batches that come back one after the other while others wait; when the last one did."""
    for number in range(batches):
        pace.note(tokens, number * seconds, more_waits=True)
    return (batches - 1) * seconds


def test_nothing_is_known_at_first_nor_after_a_moment() -> None:
    pace = Pacemeter()
    assert pace.tokens_per_second(0.0) is None
    end = saturated(pace, batches=int(LEAST_SECONDS / 0.01))
    assert pace.tokens_per_second(end) is None


def test_batches_that_follow_each_other_tell_the_pace() -> None:
    pace = Pacemeter()
    end = saturated(pace, batches=500)
    assert pace.tokens_per_second(end) == pytest.approx(10_000, rel=0.02)


def test_time_without_waiting_work_counts_for_nothing() -> None:
    pace = Pacemeter()
    for number in range(500):
        pace.note(100, 7.0 * number, more_waits=True)
        pace.note(100, 7.0 * number + 0.01, more_waits=False)
    assert pace.tokens_per_second(7.0 * 499 + 0.01) == pytest.approx(10_000, rel=0.02)


def test_what_is_measured_now_soon_outweighs_what_was() -> None:
    pace = Pacemeter()
    end = saturated(pace, batches=500)
    for number in range(1, 500):
        pace.note(100, end + 0.1 * number, more_waits=True)
    assert pace.tokens_per_second(end + 49.9) == pytest.approx(1_000, rel=0.06)


def test_an_old_measurement_is_forgotten() -> None:
    pace = Pacemeter()
    end = saturated(pace, batches=500)
    assert pace.tokens_per_second(end + FRESH_SECONDS + 0.1) is None
