"""Which replies were counted before: one count over all processes, bounded, and no text in it."""

from __future__ import annotations

from hashlib import blake2b

from guard.ports import Store
from guard.shadow.counted_replies import MOST_OF_A_SHARD, CountedReplies, forget_all
from guard.store import open_store


def store() -> Store:
    return open_store("memory:", clock=lambda: 0.0)


def digest(number: int) -> str:
    return blake2b(str(number).encode(), digest_size=8).hexdigest()


def of_one_shard(count: int) -> list[str]:
    """Digests that begin alike, and so are kept in one place."""
    return [f"ab{digest(number)[2:]}" for number in range(count)]


def test_what_another_job_noted_is_known() -> None:
    memory = CountedReplies(store())
    one, two, three = map(digest, range(3))
    assert memory.note("chat", "job1", [one, two]) == frozenset()
    assert memory.note("chat", "job2", [two, three]) == {two}
    assert memory.note("chat", "job3", [one, two, three]) == {one, two, three}


def test_a_job_that_is_done_again_finds_its_own_ones_new() -> None:
    memory = CountedReplies(store())
    one = digest(1)
    assert memory.note("chat", "job1", [one]) == frozenset()
    assert memory.note("chat", "job2", [one]) == {one}
    assert memory.note("chat", "job1", [one]) == frozenset()
    assert memory.note("chat", "job2", [one]) == {one}


def test_processes_share_it_and_use_cases_do_not() -> None:
    kept = store()
    one, other = CountedReplies(kept), CountedReplies(kept)
    assert one.note("chat", "job1", [digest(1)]) == frozenset()
    assert other.note("chat", "job2", [digest(1)]) == {digest(1)}
    assert other.note("loans", "job2", [digest(1)]) == frozenset()


def test_the_latest_are_kept() -> None:
    memory = CountedReplies(store())
    old, *others = of_one_shard(MOST_OF_A_SHARD + 1)
    memory.note("chat", "job1", [old])
    for one in others:
        memory.note("chat", "job2", [one])
    assert memory.note("chat", "job3", [old]) == frozenset()


def test_what_comes_again_and_again_stays() -> None:
    memory = CountedReplies(store())
    often, *others = of_one_shard(3 * MOST_OF_A_SHARD)
    memory.note("chat", "job1", [often])
    for one in others:
        memory.note("chat", "job2", [one])
        assert memory.note("chat", "job3", [often]) == {often}


def test_a_fact_stays_small() -> None:
    kept = store()
    memory = CountedReplies(kept)
    for one in of_one_shard(2 * MOST_OF_A_SHARD):
        memory.note("chat", "job12345", [one])
    fact = kept.fact("counted_replies|chat|ab")
    assert fact is not None
    assert len(fact) < 32 * MOST_OF_A_SHARD


def test_where_nothing_is_kept_all_is_new() -> None:
    assert forget_all("chat", "job1", [digest(1)]) == ()
