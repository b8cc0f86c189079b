import threading
from concurrent.futures import CancelledError

import pytest

from guard.bootstrap.offline import open_offline
from guard.cli.score_verdicts import judging
from guard.records import Assessment, Verdict
from guard.settings import Settings
from guard.testing import HeldScorer
from guard.wrap.facade import Guard


class HeldEngine(HeldScorer):
    """Answers when it is told to, and tells of every text."""

    def __init__(self):
        super().__init__()
        self.came = threading.Semaphore(0)

    def submit(self, text, *, deadline_seconds=None):
        future = super().submit(text, deadline_seconds=deadline_seconds)
        self.came.release()
        return future

    def stats(self):
        return None

    def close(self):
        pass


@pytest.fixture
def engine(monkeypatch):
    engine = HeldEngine()
    monkeypatch.setattr("guard.bootstrap.runtime.open_scorer", lambda settings: engine)
    return engine


@pytest.fixture
def guard(engine):
    guard = Guard(open_offline(Settings()))
    yield guard
    guard.close(drain_seconds=0.0)


def test_many_texts_are_under_way_at_once(guard, engine):
    with judging(guard, "chat") as judge:
        futures = [judge(text) for text in ("one", "two", "three")]
        assert all(engine.came.acquire(timeout=10) for _ in futures)
        for _ in futures:
            engine.answer(Assessment())
        assert [one.result(10).reply for one in futures] == ["one", "two", "three"]
        assert {one.result().verdict for one in futures} == {Verdict.RELEASED}


def test_what_is_under_way_at_the_end_is_given_up(guard):
    with judging(guard, "chat") as judge:
        future = judge("one")
    with pytest.raises(CancelledError):
        future.result(10)
    with pytest.raises(RuntimeError):
        judge("two")
