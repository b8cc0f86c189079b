"""The cache: bounded, recent first out last."""

from __future__ import annotations

from guard.records import Assessment, Passage, Score, Span, Unscored
from guard.scoring.cache import Cache

DONE = Assessment(scores={"toxicity": Score(value=0.5)}, queued_seconds=1.0, scoring_seconds=2.0)


def test_times_are_not_those_of_the_first_time() -> None:
    cache = Cache(10_000)
    cache.put("a", DONE)
    found = cache.get("a")
    assert found is not None
    assert found.scores == DONE.scores
    assert (found.queued_seconds, found.scoring_seconds) == (0.0, 0.0)


def test_it_stays_in_its_bounds() -> None:
    cache = Cache(20_000)
    for n in range(1000):
        cache.put(f"text {n}", DONE)
        assert cache.held_bytes <= 20_000
    assert cache.get("text 999")
    assert cache.get("text 0") is None


def test_what_was_asked_for_lately_stays() -> None:
    cache = Cache(20_000)
    cache.put("kept", DONE)
    for n in range(1000):
        cache.put(f"text {n}", DONE)
        assert cache.get("kept")


def test_putting_twice_counts_once() -> None:
    cache = Cache(20_000)
    cache.put("a", DONE)
    held = cache.held_bytes
    cache.put("a", DONE)
    assert cache.held_bytes == held


def test_large_texts_and_incomplete_answers_are_not_kept() -> None:
    cache = Cache(20_000)
    cache.put("x" * 3000, DONE)
    cache.put("a", Assessment(reason=Unscored.DEADLINE))
    passage = Passage(span=Span(start=0, end=1), values={})
    cache.put("b", Assessment(passages=(passage,) * 10))
    assert cache.held_bytes == 0


def test_no_room_keeps_nothing() -> None:
    cache = Cache(0)
    cache.put("a", DONE)
    assert cache.get("a") is None
    assert cache.misses == 1
