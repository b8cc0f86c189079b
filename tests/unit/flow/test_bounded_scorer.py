"""Whatever a scorer of somebody else's does, each text has an answer and no caller is held up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from threading import Event, Thread
from typing import Any

import pytest

from guard.flow import bounded_scorer
from guard.flow.bounded_scorer import BoundedScorer
from guard.policy import Policy, Rule, SecondOpinion
from guard.records import Action, Assessment, LookResult, Outcome, Unscored
from guard.testing import HeldScorer, Recorder, WordScorer, check_second_look, wrap_with

WORDS = WordScorer({"toxicity": {"kill": 0.95}})
RULES = (Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),)
OBSERVED = Policy(rules=RULES, enforce=False, second=SecondOpinion(rules=RULES))
SOON, LONG = 0.01, 30.0


class Scripted(WordScorer):
    """Its `submit` does what it is told to."""

    def __init__(self, submit: Callable[[], Any]) -> None:
        super().__init__({"toxicity": {}})
        self._does = submit

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Any:
        return self._does()


class Heard(Recorder):
    """Told by threads, of one call."""

    def __init__(self) -> None:
        super().__init__()
        self._told = Event()

    def outcome(self, outcome: Outcome) -> None:
        super().outcome(outcome)
        self._told.set()

    def looks(self) -> list[LookResult]:
        assert self._told.wait(LONG)
        return [look.result for look in self.outcomes[0].second_looks]


def held(error: BaseException | None = None, result: object = None) -> Future[Any]:
    future: Future[Any] = Future()
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
    return future


def raised(error: BaseException) -> Callable[[], Any]:
    def submit() -> Any:
        raise error

    return submit


class NoFuture:
    def result(self) -> None:
        raise AssertionError("nobody may wait for this")


FAILURES: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "no future": NoFuture,
    "no assessment": lambda: held(result={"toxicity": 0.0}),
    "error": lambda: held(RuntimeError("broken")),
    "cancelled": lambda: held(asyncio.CancelledError()),
    "exit": lambda: held(SystemExit(3)),
    "interrupt": lambda: held(KeyboardInterrupt()),
    "raises": raised(RuntimeError("broken")),
    "raises exit": raised(SystemExit(3)),
    "raises interrupt": raised(KeyboardInterrupt()),
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("enforce", [True, False], ids=["enforced", "observed"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["blocking", "on a loop"])
def test_a_failure_is_a_failed_look_and_reaches_no_caller(
    name: str, enforce: bool, asynchronous: bool
) -> None:
    recorder, second = Heard(), BoundedScorer(Scripted(FAILURES[name]))
    policy = Policy(rules=RULES, enforce=enforce, fallback="No.", second=SecondOpinion(rules=RULES))

    async def on_loop() -> str:
        return "Kill it."

    async def call() -> str:
        guarded = wrap_with(on_loop, policy=policy, scorer=WORDS, observer=recorder, second=second)
        return await guarded()

    def blocking() -> str:
        return "Kill it."

    guarded = wrap_with(blocking, policy=policy, scorer=WORDS, observer=recorder, second=second)
    said = asyncio.run(call()) if asynchronous else guarded()
    assert said == ("No." if enforce else "Kill it.")
    assert recorder.looks() == [LookResult.FAILED]


def test_a_call_whose_second_look_is_never_answered_is_recorded() -> None:
    recorder, second = Heard(), BoundedScorer(Scripted(Future), seconds=SOON)
    guarded = wrap_with(
        lambda: "Kill it.", policy=OBSERVED, scorer=WORDS, observer=recorder, second=second
    )
    assert guarded() == "Kill it."
    assert recorder.looks() == [LookResult.LATE]


def test_a_call_that_still_waits_when_all_ends_is_recorded() -> None:
    recorder, second = Heard(), BoundedScorer(Scripted(Future))
    guarded = wrap_with(
        lambda: "Kill it.", policy=OBSERVED, scorer=WORDS, observer=recorder, second=second
    )
    assert guarded() == "Kill it."
    second.close()
    assert recorder.looks() == [LookResult.FAILED]
    assert second.submit("a").result(LONG).reason is Unscored.CLOSED


def test_a_submission_that_does_not_return_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_scorer, "_MOST_SUBMISSIONS", 1)
    ended = Event()
    scorer = BoundedScorer(Scripted(lambda: ended.wait(LONG)))
    first = scorer.submit("a", deadline_seconds=SOON)
    assert first.result(LONG).reason is Unscored.DEADLINE
    assert scorer.submit("b", deadline_seconds=LONG).result(LONG).reason is Unscored.OVERLOAD
    ended.set()


def test_who_cancels_has_the_scorer_drop_its_work() -> None:
    held_back = HeldScorer()
    asked = Event()

    def submit() -> Future[Assessment]:
        future = held_back.submit("a")
        future.add_done_callback(lambda done: dropped.set() if done.cancelled() else None)
        asked.set()
        return future

    dropped = Event()
    answer = BoundedScorer(Scripted(submit)).submit("a", deadline_seconds=LONG)
    assert asked.wait(LONG)
    assert answer.cancel()
    assert dropped.wait(LONG)


def test_a_scorer_that_keeps_its_promises_keeps_them_still() -> None:
    check_second_look(BoundedScorer(WORDS), late_seconds=LONG)
    assert BoundedScorer(WORDS).heads == WORDS.heads
    assert BoundedScorer(WORDS).window_characters == WORDS.window_characters


def test_where_no_thread_can_be_had_no_room_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(bounded_scorer, "_MOST_SUBMISSIONS", 1)
    scorer = BoundedScorer(WORDS)
    with monkeypatch.context() as threadless:
        threadless.setattr(Thread, "start", fail)
        assert scorer.submit("a").result(LONG).reason is Unscored.OVERLOAD
    assert scorer.submit("a").result(LONG).reason is None
