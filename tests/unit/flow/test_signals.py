"""What the handler of a signal raises while the guard works reaches the caller: it is a time-out of
the application, and no failure of the classifier."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any

import pytest

from guard.errors import may_be_signal
from guard.policy import Policy, Rule
from guard.records import Action, Assessment, Outcome
from guard.telemetry.observers import Observers
from guard.testing import Recorder, WordScorer, wrap_with

BLOCK = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),))
WORDS = WordScorer({"toxicity": {"nasty": 0.95}})


class OverError(Exception):
    """As an application raises it."""


class LeaveError(BaseException):
    """The same, past `except Exception`."""


def echo(prompt: str) -> str:
    return prompt


def stream(prompt: str) -> Iterator[str]:
    yield from prompt.split(" ")


@pytest.fixture
def alarm() -> Iterator[Callable[[type[BaseException]], None]]:
    def use(kind: type[BaseException]) -> None:
        def raise_it(*_: object) -> None:
            raise kind

        signal.signal(signal.SIGALRM, raise_it)

    before = signal.getsignal(signal.SIGALRM)
    yield use
    signal.signal(signal.SIGALRM, before)


class AlarmedScore(Future[Assessment]):
    """The main thread has its signal soon after it began to wait."""

    def add_done_callback(self, fn: Callable[[Future[Assessment]], object]) -> None:
        super().add_done_callback(fn)
        main = threading.main_thread().ident or 0
        threading.Timer(0.02, signal.pthread_kill, (main, signal.SIGALRM)).start()


class SilentScorer(WordScorer):
    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        self.score = AlarmedScore()
        return self.score


@pytest.mark.parametrize("kind", [OverError, TimeoutError, LeaveError])
@pytest.mark.parametrize("model", [echo, stream])
def test_a_wait_for_a_score_ends(alarm, kind: type[BaseException], model: Any) -> None:
    alarm(kind)
    scorer = SilentScorer({})
    guarded = wrap_with(model, policy=BLOCK, scorer=scorer, observer=Recorder())
    with pytest.raises(kind):
        "".join(guarded("nasty"))
    assert scorer.score.cancelled()


class Alarmed(WordScorer):
    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        signal.raise_signal(signal.SIGALRM)
        return super().submit(text, deadline_seconds=deadline_seconds)


class AlarmedRecorder(Recorder):
    def outcome(self, outcome: Outcome) -> None:
        super().outcome(outcome)
        signal.raise_signal(signal.SIGALRM)


@pytest.mark.parametrize("kind", [OverError, TimeoutError, LeaveError])
def test_a_text_that_is_being_submitted_is_left(alarm, kind: type[BaseException]) -> None:
    alarm(kind)
    guarded = wrap_with(echo, policy=BLOCK, scorer=Alarmed({}), observer=Recorder())
    with pytest.raises(kind):
        guarded("nasty")


def test_it_goes_on_from_an_observer_when_all_have_been_told(alarm) -> None:
    alarm(OverError)
    told, last = AlarmedRecorder(), Recorder()
    observer = Observers([told, last], failed=lambda _: pytest.fail("no failure"))
    with pytest.raises(OverError):
        wrap_with(echo, policy=BLOCK, scorer=WORDS, observer=observer)("Hi.")
    assert len(told.outcomes) == len(last.outcomes) == 1


class Handler:
    def method(self, *_: object) -> None:
        raise OverError

    def __call__(self, *_: object) -> None:
        raise OverError


def _fail(*_: object) -> None:
    raise OverError


@pytest.mark.parametrize(
    "handler",
    [_fail, Handler().method, Handler(), partial(_fail, 1)],
    ids=lambda one: str(type(one)),
)
def test_it_is_known_by_its_handler(alarm, handler: Callable[..., None]) -> None:
    alarm(OverError)
    signal.signal(signal.SIGALRM, handler)
    with pytest.raises(OverError) as raised:
        signal.raise_signal(signal.SIGALRM)
    assert may_be_signal(raised.value)


def test_what_code_raises_itself_is_no_signal(alarm) -> None:
    alarm(OverError)
    with pytest.raises(OverError) as raised:
        _fail()
    assert not may_be_signal(raised.value)


def test_on_another_thread_nothing_is(alarm) -> None:
    found: list[bool] = []
    asking = threading.Thread(target=lambda: found.append(may_be_signal(KeyboardInterrupt())))
    asking.start()
    asking.join()
    assert found == [False]
