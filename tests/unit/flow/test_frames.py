"""No frame that an exception passes holds what is withheld: error reports show its variables."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import guard
from guard.errors import Blocked
from guard.policy import Policy, Rule
from guard.records import Action
from guard.testing import Recorder, WordScorer, wrap_with

SCORER = WordScorer({"toxicity": {"nasty": 0.95}})
RAISE = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),), raises=True)
PACKAGE = str(Path(guard.__file__).parent)


def plain(_: str) -> str:
    return "a nasty reply"


async def coroutine(_: str) -> str:
    return "a nasty reply"


def generator(_: str) -> Iterator[str]:
    yield "a nasty"
    raise RuntimeError("the line is cut")


async def async_generator(_: str) -> AsyncIterator[str]:
    yield "a nasty"
    raise RuntimeError("the line is cut")


def whole(ask: Callable[[str], Any]) -> None:
    ask("hi")


def awaited(ask: Callable[[str], Any]) -> None:
    asyncio.run(ask("hi"))


def listed(ask: Callable[[str], Any]) -> None:
    list(ask("hi"))


def listed_async(ask: Callable[[str], Any]) -> None:
    async def read() -> None:
        [piece async for piece in ask("hi")]

    asyncio.run(read())


@pytest.mark.parametrize(
    ("model", "call"),
    [
        (plain, whole),
        (coroutine, awaited),
        (generator, listed),
        (async_generator, listed_async),
    ],
)
def test_no_variable_of_a_frame_shows_what_is_withheld(
    model: Callable[[str], Any], call: Callable[[Callable[[str], Any]], None]
) -> None:
    ask = wrap_with(model, policy=RAISE, scorer=SCORER, observer=Recorder())
    with pytest.raises((Blocked, RuntimeError)) as caught:
        call(ask)
    stack = traceback.TracebackException.from_exception(caught.value, capture_locals=True).stack
    shown = [one for one in stack if one.filename.startswith(PACKAGE)]
    assert shown
    assert [one.name for one in shown if "nasty" in str(one.locals)] == []
