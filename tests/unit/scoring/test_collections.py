"""Garbage is collected while a thread holds a lock of the engine, and a stream left over ends."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import pytest

from guard.policy import Hold, Policy, Rule
from guard.records import Action
from guard.scoring import Engine, EngineOptions
from guard.scoring.models import Classifier
from guard.testing import wrap_with
from tests.abandoned import Holder, Told, collect_under, ends

UNREAD = Policy(
    rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),),
    enforce=False,
    hold=Hold.NONE,
)
OPTIONS = EngineOptions(workers=1, cache_bytes=2**20)


def stream(*pieces: str) -> Iterator[str]:
    yield from pieces


@pytest.fixture(autouse=True)
def _collected_at_will() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("name", ["queue", "cache", "workers"])
def test_a_stream_left_over_is_scored_all_the_same(
    classify: Callable[..., Classifier], name: str
) -> None:
    told = Told()
    with Engine(classify(), OPTIONS) as engine:
        guarded: Any = wrap_with(stream, policy=UNREAD, scorer=engine, observer=told)
        left = guarded("It is bad. ", "It is mean.")
        assert next(left)
        lock = collect_under(attrgetter(name)(engine._here.get()))
        holder = Holder(left)
        del holder, left
        assert ends(list, guarded("Hi there."))
        assert told.hears(2)
    assert lock.has_collected
    assert {one.text: one.unscored for one in told.outcomes} == {
        "It is bad. ": None,
        "Hi there.": None,
    }
