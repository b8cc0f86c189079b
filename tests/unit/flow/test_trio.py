"""The same decisions in coroutines that trio runs, which has no event loop of asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeAlias

import pytest
import trio
import trio.lowlevel

from guard.policy import Policy, Rule
from guard.records import Action, Verdict
from guard.testing import Recorder, WordScorer, wrap_with

SCORER = WordScorer({"toxicity": {"nasty": 0.95}})
BLOCK = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),), fallback="No.")
Guarded: TypeAlias = Callable[[Callable[[str], Any]], Callable[[str], Any]]
LENGTHS = pytest.mark.parametrize("words", [1, 5_000], ids=["short", "long"])


async def echo(prompt: str) -> str:
    await trio.lowlevel.checkpoint()
    return prompt


async def stream(prompt: str) -> AsyncIterator[str]:
    for word in prompt.split(" "):
        await trio.lowlevel.checkpoint()
        yield word + " "


async def iterator(prompt: str) -> Iterator[str]:
    await trio.lowlevel.checkpoint()
    return iter([prompt])


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def guarded(recorder: Recorder) -> Guarded:
    return lambda model: wrap_with(model, policy=BLOCK, scorer=SCORER, observer=recorder)


@LENGTHS
def test_a_coroutine_is_judged(guarded: Guarded, recorder: Recorder, words: int) -> None:
    ask = guarded(echo)
    assert trio.run(ask, "fine " * words) == "fine " * words
    assert trio.run(ask, "fine " * words + "nasty") == "No."
    assert [one.verdict for one in recorder.outcomes] == [Verdict.RELEASED, Verdict.BLOCKED]


@LENGTHS
@pytest.mark.parametrize("model", [stream, iterator])
def test_a_stream_is_judged(
    guarded: Guarded, recorder: Recorder, words: int, model: Callable[[str], Any]
) -> None:
    ask = guarded(model)

    async def read() -> str:
        pieces = ask("fine " * words + "nasty")
        if model is iterator:
            return "".join(await pieces)
        return "".join([piece async for piece in pieces])

    assert trio.run(read).endswith("No.")
    assert [one.verdict for one in recorder.outcomes] == [Verdict.BLOCKED]


@LENGTHS
def test_a_stream_that_is_left_is_recorded(
    guarded: Guarded, recorder: Recorder, words: int
) -> None:
    ask = guarded(stream)

    async def leave() -> None:
        pieces = ask("Fine. " * words + "Good. Bye.")
        async for _ in pieces:
            break
        await pieces.aclose()

    trio.run(leave)
    assert [one.verdict for one in recorder.outcomes] == [Verdict.RELEASED]
