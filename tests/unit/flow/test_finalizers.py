"""What the interpreter ends while it collects garbage, on a thread that is amid its work."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from threading import Condition, Thread
from typing import Any

import pytest

from guard.policy import Policy, Rule
from guard.records import Action
from guard.testing import Recorder, WordScorer, wrap_with

BLOCK = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),))
WORDS = WordScorer({"toxicity": {"nasty": 0.95}})


class Holder:
    """Garbage that only a collection finds: it holds itself."""

    def __init__(self, reply: Iterator[str]) -> None:
        self.itself, self.reply = self, reply


def stream(prompt: str) -> Iterator[str]:
    yield from prompt.split(" ")


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Garbage is collected just when a call is recorded, under the lock, and never else."""
    notify_all = Condition.notify_all

    def collect(self: Condition) -> None:
        if sys._getframe(1).f_code.co_name == "_record":
            gc.collect()
        notify_all(self)

    monkeypatch.setattr(Condition, "notify_all", collect)
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("collected")
def test_a_stream_left_over_ends_while_another_call_is_recorded() -> None:
    recorder = Recorder()
    guarded: Any = wrap_with(stream, policy=BLOCK, scorer=WORDS, observer=recorder)
    holder = Holder(iter(guarded("Hello there. How are you. Fine.")))
    next(holder.reply)
    del holder
    calling = Thread(target=lambda: "".join(guarded("Hi there.")), daemon=True)
    calling.start()
    calling.join(10)
    assert not calling.is_alive()
    assert len(recorder.outcomes) == 2
