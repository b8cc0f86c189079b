"""The engine with its threads; gates instead of sleeping."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import weakref
from concurrent.futures import CancelledError
from threading import Event

import pytest

from guard.records import Span, Unscored
from guard.scoring import Engine, EngineOptions

ONE = EngineOptions(workers=1)


@pytest.fixture
def held(classify, gate):
    with Engine(classify(gate), ONE) as engine:
        yield engine
        gate.opened.set()


@pytest.fixture
def engine(classify):
    with Engine(classify(), ONE) as engine:
        yield engine


def test_heads(engine) -> None:
    assert list(engine.heads) == ["toxicity", "sentiment"]
    assert engine.heads["toxicity"].threshold == 0.8
    assert engine.heads["sentiment"].threshold is None


@pytest.mark.parametrize("text", ["", " \n\t ", "\u2028"])
def test_blank_text_is_empty(engine, text) -> None:
    found = engine.submit(text).result(0)
    assert found.reason is Unscored.EMPTY
    assert found.uncovered == ()
    assert {score.reason for score in found.scores.values()} == {Unscored.EMPTY}


def test_what_is_no_text_is_refused(engine) -> None:
    assert engine.submit(b"bytes").result(0).reason is Unscored.NOT_TEXT


def test_what_is_too_large_is_refused(classify) -> None:
    with Engine(classify(), EngineOptions(max_text_characters=10)) as engine:
        found = engine.submit("x" * 11).result(0)
        assert found.reason is Unscored.TOO_LARGE
        assert found.uncovered == (Span(start=0, end=11),)
        assert engine.submit("x" * 10).result(30).reason is None


def test_for_scores_alone_a_text_is_read_once(classify, gate) -> None:
    gate.opened.set()
    text = "So bad. It is mean."
    with Engine(classify(gate), EngineOptions(workers=1, only_scores=True)) as engine:
        found = engine.submit(text).result(30)
    with Engine(classify(), ONE) as engine:
        wanted = engine.submit(text).result(30)
    assert sum(map(len, gate.seen)) == 1
    assert found.passages == ()
    assert wanted.passages != ()
    assert found.value("toxicity") == wanted.value("toxicity")
    assert found.reason is None


def test_a_deadline_that_is_over_is_answered_at_once(held) -> None:
    assert held.submit("one", deadline_seconds=0).result(0).reason is Unscored.DEADLINE


def test_a_deadline_is_kept_while_the_model_is_busy(classify, gate) -> None:
    main = threading.current_thread()
    ticks = {True: 0.0, False: 100.0}  # for every other thread the deadline has passed

    def clock() -> float:
        return ticks[threading.current_thread() is main]

    with Engine(classify(gate), ONE, clock=clock) as engine:
        found = engine.submit("one two", deadline_seconds=50).result(30)
        assert found.reason is Unscored.DEADLINE
        gate.opened.set()


def test_overload_is_told_at_once(classify, gate) -> None:
    with Engine(classify(gate), EngineOptions(workers=1, max_open_tokens=64)) as engine:
        futures = [engine.submit(f"word {n}") for n in range(40)]
        assert futures[-1].result(0).reason is Unscored.OVERLOAD
        gate.opened.set()
        assert futures[0].result(30).reason is None


def test_an_error_of_the_session_is_an_answer_and_the_next_text_is_scored(held, gate) -> None:
    gate.raises.append(RuntimeError("no memory"))
    gate.opened.set()
    assert held.submit("one").result(30).reason is Unscored.ENGINE_ERROR
    assert held.submit("one").result(30).reason is None
    assert held.stats().restarts == 0


def test_a_worker_that_dies_is_replaced_and_its_batch_answered(held, gate) -> None:
    gate.raises.append(SystemExit())
    gate.opened.set()
    assert held.submit("one").result(30).reason is Unscored.ENGINE_ERROR
    assert held.submit("two").result(30).reason is None
    assert held.stats().restarts == 1


def test_a_callback_that_kills_the_worker_harms_nobody_else(held, gate) -> None:
    def interrupt(_) -> None:
        raise SystemExit

    first = held.submit("one two three")
    assert gate.entered.wait(30)
    same_batch = [held.submit(f"one two {n}") for n in range(3)]
    for future in (first, same_batch[1]):
        future.add_done_callback(interrupt)
    gate.opened.set()
    assert {future.result(30).reason for future in (first, *same_batch)} == {None}
    assert held.submit("one two four").result(30).reason is None
    assert held.stats().restarts == 2


def test_threads_that_cannot_start_are_an_answer(classify, monkeypatch) -> None:
    def refuse(_thread) -> None:
        raise RuntimeError("can't start new thread")

    with Engine(classify(), ONE) as engine:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            assert engine.submit("one").result(0).reason is Unscored.ENGINE_ERROR
        assert engine.submit("one").result(30).reason is None


def test_the_same_text_is_scored_once(held, gate) -> None:
    gate.opened.set()
    first = held.submit("one two").result(30)
    again = held.submit("one two").result(0)
    assert again.scores == first.scores
    assert again.scoring_seconds == 0.0
    assert len(gate.seen) == 1
    assert (held.stats().cache_hits, held.stats().cache_misses) == (1, 1)


def test_stats_tell_what_is_open(held, gate) -> None:
    running = held.submit("one two")
    assert gate.entered.wait(30)
    waiting = held.submit("three four five")
    stats = held.stats()
    assert (stats.queued, stats.in_flight, stats.open_requests) == (1, 1, 2)
    assert stats.open_tokens > 0
    gate.opened.set()
    assert running.result(30).reason is waiting.result(30).reason is None
    assert held.stats().open_requests == 0
    assert held.stats().tokens == 5


def test_closing_answers_what_waits(held, gate) -> None:
    running = held.submit("one two")
    assert gate.entered.wait(30)
    waiting = held.submit("three four five")
    closing = threading.Thread(target=held.close)
    closing.start()
    assert waiting.result(30).reason is Unscored.CLOSED
    assert running.result(30).reason is Unscored.CLOSED
    gate.opened.set()
    closing.join(30)
    assert not closing.is_alive()
    assert held.submit("six").result(0).reason is Unscored.CLOSED
    held.close()


def test_closing_ends_the_threads(classify) -> None:
    before = set(threading.enumerate())
    with Engine(classify(), EngineOptions(workers=3)) as engine:
        engine.submit("one").result(30)
        assert len(set(threading.enumerate()) - before) == 4
    assert set(threading.enumerate()) <= before


def test_no_thread_before_the_first_text(classify) -> None:
    before = set(threading.enumerate())
    with Engine(classify(), ONE):
        assert set(threading.enumerate()) <= before


def test_an_engine_that_is_forgotten_ends_its_threads(classify) -> None:
    engine = Engine(classify(), ONE)
    engine.submit("one").result(30)
    mine = [one for one in threading.enumerate() if one.name == "guard-scoring"]
    gone = weakref.ref(engine)
    del engine
    gc.collect()
    assert gone() is None
    for thread in mine:
        thread.join(30)
    assert not any(thread.is_alive() for thread in mine)


def test_an_engine_lives_until_it_has_answered(classify, gate) -> None:
    future = Engine(classify(gate), ONE).submit("one")
    gc.collect()
    gate.opened.set()
    assert future.result(30).reason is None


def test_answered_requests_leave_no_garbage_to_collect(engine) -> None:
    requests = 500
    engine.submit("warm up").result(30)
    gc.collect()
    gc.disable()
    try:
        for n in range(requests):
            engine.submit(f"text {n}").result(30)
        assert gc.collect() < requests  # other threads leave some tens of objects
    finally:
        gc.enable()


async def test_it_can_be_awaited(engine) -> None:
    texts = [f"text {n}" for n in range(20)]
    found = await asyncio.gather(*(asyncio.wrap_future(engine.submit(text)) for text in texts))
    assert {one.reason for one in found} == {None}


async def test_cancelling_an_awaited_score_drops_the_work(held, gate) -> None:
    running = held.submit("one two")
    assert await asyncio.to_thread(gate.entered.wait, 30)
    task = asyncio.ensure_future(asyncio.wrap_future(held.submit("three four five")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)  # the loop hands the cancellation on
    assert held.stats().cancelled == 1
    gate.opened.set()
    assert running.result(30).reason is None


def test_a_cancelled_future_is_no_trouble(held, gate) -> None:
    running = held.submit("one two")
    assert gate.entered.wait(30)
    assert running.cancel()
    with pytest.raises(CancelledError):
        running.result(0)
    gate.opened.set()
    assert held.submit("three").result(30).reason is None


def test_a_process_that_looks_forked_gets_workers_of_its_own(engine, monkeypatch) -> None:
    assert engine.submit("one").result(30).reason is None
    real = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert engine.stats().batches == 0
    assert engine.submit("two").result(30).reason is None
    assert engine.stats().batches == 1
    engine._here.get().workers.close()
    monkeypatch.setattr(os, "getpid", lambda: real)
    assert engine.stats().batches == 1


def test_many_callers_at_once(classify) -> None:
    with Engine(classify(), EngineOptions(workers=2, cache_bytes=0)) as engine:
        ready, found = Event(), []

        def caller(name: int) -> None:
            ready.wait(30)
            for n in range(50):
                bad = (name + n) % 3 == 0
                text = f"caller {name} text {n} " + "and so on " * (n % 7) + "bad" * bad
                found.append((bad, engine.submit(text).result(30)))

        threads = [threading.Thread(target=caller, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        ready.set()
        for thread in threads:
            thread.join(60)
        assert engine.stats().open_requests == 0
    assert len(found) == 8 * 50
    assert all((one.value("toxicity") > 0.5) == bad for bad, one in found)


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"batch_tokens": 0}, {"cache_bytes": -1}])
def test_options_that_cannot_work_are_refused(wrong) -> None:
    with pytest.raises(ValueError, match="must be"):
        EngineOptions(**wrong)
