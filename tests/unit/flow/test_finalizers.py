"""What the interpreter ends while it collects garbage, on a thread that is amid its work."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Condition, Lock, Semaphore
from typing import Any

import pytest

from guard.flow import Exchange
from guard.flow.abandoned import RecordingThread
from guard.policy import Hold, Policy, Rule
from guard.records import Action, Assessment, Outcome, Posting
from guard.store.spool import Spool
from guard.testing import HeldScorer, Recorder, WordScorer, wrap_with
from guard.wrap.langchain import guard_model
from tests.abandoned import PATIENCE_SECONDS, Holder, Told, collect_under, ends
from tests.langchain_scripted import model as chat_model
from tests.langchain_scripted import policy as chat_policy
from tests.langchain_scripted import scripted_guard

BLOCK = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),))
UNREAD = Policy(rules=BLOCK.rules, enforce=False, hold=Hold.NONE)
WORDS = WordScorer({"toxicity": {"nasty": 0.95}})
REPLY = ("Hello there. ", "How are you. ", "Fine.")


class Locked(Told):
    """One that takes a lock, as all do that keep something."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def outcome(self, outcome: Outcome) -> None:
        with self._lock:
            super().outcome(outcome)


class Closing:
    """Ends a stream in its finalizer."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __del__(self) -> None:
        self._stream.close()


def stream(*pieces: str) -> Iterator[str]:
    yield from pieces


def iterator(*pieces: str) -> Any:
    return iter(pieces)


async def asynchronous(*pieces: str) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


def begun_stream(told: Recorder) -> object:
    left = wrap_with(stream, policy=BLOCK, scorer=WORDS, observer=told)(*REPLY)
    assert next(left)
    return left


def begun_iterator(told: Recorder) -> object:
    left = wrap_with(iterator, policy=BLOCK, scorer=WORDS, observer=told)(*REPLY)
    assert next(left)
    return left


def begun_within_another(told: Recorder) -> object:
    def within() -> Iterator[Any]:
        yield from wrap_with(stream, policy=BLOCK, scorer=WORDS, observer=told)(*REPLY)

    left = within()
    assert next(left)
    return left


def closed_by_a_finalizer(told: Recorder) -> object:
    return Closing(begun_stream(told))


def begun_without_a_loop(told: Recorder) -> object:
    left: Any = wrap_with(asynchronous, policy=BLOCK, scorer=WORDS, observer=told)(*REPLY)
    with pytest.raises(StopIteration):
        anext(left).send(None)
    return left


def begun_chat(told: Recorder) -> object:
    guarded = scripted_guard(chat_policy(Action.BLOCK), told)
    left = guard_model(chat_model("".join(REPLY)), guarded, use_case="chat").stream("Hi")
    assert next(left)
    return left


WAYS_IN = (
    begun_stream,
    begun_iterator,
    begun_within_another,
    closed_by_a_finalizer,
    begun_without_a_loop,
    begun_chat,
)


@pytest.fixture(autouse=True)
def _collected_at_will() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Garbage is collected just when a call is recorded, under the lock."""
    notify_all = Condition.notify_all

    def collect(self: Condition) -> None:
        if sys._getframe(1).f_code.co_name == "_record":
            gc.collect()
        notify_all(self)

    monkeypatch.setattr(Condition, "notify_all", collect)


@pytest.mark.usefixtures("collected")
def test_a_stream_left_over_ends_while_another_call_is_recorded() -> None:
    told = Told()
    guarded: Any = wrap_with(stream, policy=BLOCK, scorer=WORDS, observer=told)
    holder = Holder(begun_stream(told))
    del holder
    assert ends(lambda: "".join(guarded("Hi there.")))
    assert told.hears(2)


@pytest.mark.parametrize("begin", WAYS_IN)
def test_a_stream_left_over_ends_while_its_observer_holds_a_lock(
    begin: Callable[[Recorder], object],
) -> None:
    told = Locked()
    guarded: Any = wrap_with(stream, policy=BLOCK, scorer=WORDS, observer=told)
    holder = Holder(begin(told))
    lock = collect_under(told)
    del holder
    assert ends(lambda: "".join(guarded("Hi there.")))
    assert told.hears(2)
    assert lock.has_collected
    assert [one.text.startswith("Hello") for one in told.outcomes] == [False, True]


def test_a_stream_left_over_ends_while_the_spool_is_written(tmp_path: Path) -> None:
    spool = Spool(tmp_path, max_bytes=2**20, new_id=lambda: "own")

    class Kept(Told):
        def outcome(self, outcome: Outcome) -> None:
            spool.put(Posting(use_case="test", at_seconds=1.0, sums={}, evidence={}))
            super().outcome(outcome)

    told = Kept()
    guarded: Any = wrap_with(stream, policy=BLOCK, scorer=WORDS, observer=told)
    holder = Holder(begun_stream(told))
    lock = collect_under(spool)
    del holder
    assert ends(lambda: "".join(guarded("Hi there.")))
    assert told.hears(2)
    assert lock.has_collected
    assert spool.spooled == 2


async def test_an_asynchronous_stream_left_over_ends_on_its_event_loop() -> None:
    """The hooks of asyncio close it there, once the thread is done with what it was amid."""
    places = list[threading.Thread]()

    class Placed(Locked):
        def outcome(self, outcome: Outcome) -> None:
            places.append(threading.current_thread())
            super().outcome(outcome)

    told = Placed()
    guarded: Any = wrap_with(asynchronous, policy=BLOCK, scorer=WORDS, observer=told)
    left = guarded(*REPLY)
    assert await anext(left)
    holder = Holder(left)
    lock = collect_under(told)
    del holder, left
    assert [piece async for piece in guarded("Hi there.")]
    for _ in range(10):
        await asyncio.sleep(0)
    assert lock.has_collected
    assert [one.text for one in told.outcomes] == ["Hi there.", "Hello there."]
    assert set(places) == {threading.current_thread()}


def test_what_was_not_read_is_scored_after_its_generators_are_gone() -> None:
    """A collection ends generators in any order, those within an exchange as well."""
    submitted = Semaphore(0)

    class Later(HeldScorer):
        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
            future = super().submit(text, deadline_seconds=deadline_seconds)
            submitted.release()
            return future

    told, scorer = Told(), Later()
    left: Any = wrap_with(stream, policy=UNREAD, scorer=scorer, observer=told)(*REPLY)
    assert next(left) == REPLY[0]
    holder = Holder(left)
    del holder, left
    gc.collect()
    assert submitted.acquire(timeout=PATIENCE_SECONDS)
    scorer.answer(WORDS.assess(REPLY[0]))
    assert told.hears(1)
    assert [one.text for one in told.outcomes] == [REPLY[0]]


def test_steps_that_were_collected_first_lose_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    leave = Exchange.cut_short

    def late(self: Exchange, failure: str = "") -> None:
        self.steps.close()
        leave(self, failure)

    monkeypatch.setattr(Exchange, "cut_short", late)
    recorder = Recorder()
    left: Any = wrap_with(stream, policy=UNREAD, scorer=WORDS, observer=recorder)(*REPLY)
    assert next(left) == REPLY[0]
    left.close()
    assert [one.text for one in recorder.outcomes] == [REPLY[0]]


def test_who_closes_a_stream_has_it_recorded_at_once() -> None:
    recorder = Recorder()
    left: Any = begun_stream(recorder)
    left.close()
    assert len(recorder.outcomes) == 1
    begun_stream(recorder)
    assert len(recorder.outcomes) == 2


def test_where_no_thread_can_be_had_it_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    thread, done = RecordingThread(), list[str]()
    thread.put(lambda: done.append("first"))
    assert done == ["first"]
    monkeypatch.undo()
    thread.put(lambda: done.append("second"))
    thread.finish(PATIENCE_SECONDS)
    assert done == ["first", "second"]


def test_a_thread_is_begun_again_where_a_signal_cut_the_first_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cut_off(_: object) -> None:
        raise TimeoutError

    thread, done = RecordingThread(), list[str]()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", cut_off)
        with pytest.raises(TimeoutError):
            thread.put(lambda: done.append("first"))
    thread.put(lambda: done.append("second"))
    thread.finish(PATIENCE_SECONDS)
    assert done == ["first", "second"]


def test_what_fails_is_logged_and_the_next_is_done(caplog: pytest.LogCaptureFixture) -> None:
    thread, done = RecordingThread(), list[str]()
    thread.put(lambda: [][0])
    thread.put(lambda: done.append("next"))
    thread.finish(PATIENCE_SECONDS)
    assert done == ["next"]
    assert "could not be recorded" in caplog.text
