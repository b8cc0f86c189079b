"""The same decisions on an event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace

import pytest

from guard.errors import Blocked
from guard.flow.drivers import Exchange
from guard.flow.reading_threads import ReadingThreads
from guard.flow.steps import Finish, ScoreText, Steps
from guard.forks import PerProcess
from guard.policy import Hold, Policy, Rule
from guard.records import Action, Assessment, Unscored, Verdict
from guard.testing import HeldScorer, Recorder, WordScorer, wrap_with

SCORER = WordScorer({"toxicity": {"nasty": 0.95}})
BLOCK = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),), fallback="No.")
RAISE = Policy(rules=BLOCK.rules, raises=True)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


async def echo(prompt: str) -> str:
    return prompt


async def stream(prompt: str) -> AsyncIterator[str]:
    for word in prompt.split(" "):
        yield word + " "


async def test_a_coroutine_function_stays_one(recorder: Recorder) -> None:
    ask = wrap_with(echo, policy=BLOCK, scorer=SCORER, observer=recorder)
    assert inspect.iscoroutinefunction(ask)
    assert [await ask("fine"), await ask("nasty")] == ["fine", "No."]
    assert [one.verdict for one in recorder.outcomes] == [Verdict.RELEASED, Verdict.BLOCKED]


async def test_an_async_generator_function_stays_one(recorder: Recorder) -> None:
    ask = wrap_with(stream, policy=BLOCK, scorer=SCORER, observer=recorder)
    assert inspect.isasyncgenfunction(ask)
    assert (
        "".join([piece async for piece in ask("All is well. A nasty end.")]) == "All is well. No."
    )


async def test_awaitables_and_async_iterators_that_are_returned_are_guarded(
    recorder: Recorder,
) -> None:
    async def begin(prompt: str) -> AsyncIterator[str]:
        return stream(prompt)

    given = {"policy": BLOCK, "scorer": SCORER, "observer": recorder}
    assert await wrap_with(lambda text: echo(text), **given)("nasty") == "No."  # type: ignore[arg-type]
    returned = wrap_with(lambda text: stream(text), **given)("nasty")  # type: ignore[arg-type]
    assert [piece async for piece in returned] == ["No."]
    awaited = await wrap_with(begin, **given)("nasty")  # type: ignore[arg-type]
    assert [piece async for piece in awaited] == ["No."]


async def test_a_plain_iterator_that_is_awaited_is_guarded(recorder: Recorder) -> None:
    replies = iter([["All is ", "nasty."], ["All is ", "well."]])

    async def begin() -> Iterator[str]:
        return iter(next(replies))

    again = replace(BLOCK.rules[0], action=Action.REGENERATE)
    policy = replace(BLOCK, rules=(again,), hold=Hold.FULL, regenerations=1)
    pieces = await wrap_with(begin, policy=policy, scorer=SCORER, observer=recorder)()
    assert "".join(pieces) == "All is well."
    (outcome,) = recorder.outcomes
    assert (outcome.verdict, outcome.action) == (Verdict.RELEASED, Action.REGENERATE)


async def test_an_awaited_iterator_that_fails_is_counted(recorder: Recorder) -> None:
    def fails() -> Iterator[str]:
        yield "one"
        raise ValueError("x")

    async def begin() -> Iterator[str]:
        return fails()

    with pytest.raises(ValueError, match="x"):
        await wrap_with(begin, policy=BLOCK, scorer=SCORER, observer=recorder)()
    assert recorder.errors == ["test"]


async def test_blocked_raises_when_asked_to(recorder: Recorder) -> None:
    with pytest.raises(Blocked):
        await wrap_with(echo, policy=RAISE, scorer=SCORER, observer=recorder)("nasty")
    with pytest.raises(Blocked):
        async for _ in wrap_with(stream, policy=RAISE, scorer=SCORER, observer=recorder)("nasty"):
            pass
    assert len(recorder.outcomes) == 2


@pytest.mark.parametrize("error", [ValueError("x"), TimeoutError("x"), StopIteration("x")])
async def test_an_exception_passes_unchanged_and_is_counted(
    recorder: Recorder, error: Exception
) -> None:
    async def fails() -> str:
        raise error

    expected = RuntimeError if isinstance(error, StopIteration) else type(error)
    with pytest.raises(expected):
        await wrap_with(fails, policy=BLOCK, scorer=SCORER, observer=recorder)()
    assert recorder.errors == ["test"]


async def test_the_loop_is_free_while_a_score_is_made(recorder: Recorder) -> None:
    scorer = HeldScorer()
    ask = wrap_with(echo, policy=BLOCK, scorer=scorer, observer=recorder)
    calls = [asyncio.create_task(ask(f"text {index}")) for index in range(3)]
    while len(scorer.waiting) < 3:
        await asyncio.sleep(0)
    for _ in range(3):
        scorer.answer(SCORER.assess("fine"))
    assert await asyncio.gather(*calls) == ["text 0", "text 1", "text 2"]


async def test_a_cancelled_call_drops_its_score_and_is_recorded(recorder: Recorder) -> None:
    scorer = HeldScorer()
    call = asyncio.create_task(
        wrap_with(echo, policy=BLOCK, scorer=scorer, observer=recorder)("fine")
    )
    while not scorer.waiting:
        await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert scorer.waiting[0][2].cancelled()
    assert recorder.outcomes[0].unscored is Unscored.ABANDONED
    assert recorder.errors == []


async def test_leaving_a_stream_closes_the_model(recorder: Recorder) -> None:
    closed = []

    async def model() -> AsyncIterator[str]:
        try:
            yield "One sentence. Two "
            yield "and three. "
            yield "The end."
        finally:
            closed.append(True)

    pieces = wrap_with(model, policy=BLOCK, scorer=SCORER, observer=recorder)()
    assert (await anext(pieces)).startswith("One")
    await pieces.aclose()  # type: ignore[attr-defined]
    assert closed == [True]
    assert recorder.outcomes[0].text.startswith("One sentence.")


class Submissions(WordScorer):
    """Keeps whether it was asked on the thread of the event loop."""

    def __init__(self) -> None:
        super().__init__({"toxicity": {"nasty": 0.95}})
        self.on_loop: list[bool] = []

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        self.on_loop.append(threading.current_thread() is threading.main_thread())
        return super().submit(text, deadline_seconds=deadline_seconds)


@pytest.mark.parametrize("policy", [BLOCK, replace(BLOCK, enforce=False)], ids=["block", "observe"])
@pytest.mark.parametrize(("words", "on_loop"), [(3, True), (500, False)])
async def test_a_long_text_is_submitted_beside_the_event_loop(
    policy: Policy, words: int, on_loop: bool, recorder: Recorder
) -> None:
    scorer = Submissions()
    ask = wrap_with(echo, policy=policy, scorer=scorer, observer=recorder)
    await ask("word " * words + "nasty")
    assert set(scorer.on_loop) == {on_loop}
    assert recorder.outcomes[0].verdict is not Verdict.RELEASED


async def test_long_texts_are_submitted_one_at_a_time(recorder: Recorder) -> None:
    """Each of several threads at once would keep the event loop waiting."""
    both = threading.Barrier(2)

    class Meeting(WordScorer):
        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
            with suppress(threading.BrokenBarrierError):
                both.wait(0.1)
            return super().submit(text, deadline_seconds=deadline_seconds)

    ask = wrap_with(echo, policy=BLOCK, scorer=Meeting({}), observer=recorder)
    await asyncio.gather(*(ask("word " * 500) for _ in range(8)))
    assert both.broken
    assert len(recorder.outcomes) == 8


async def test_a_long_text_that_is_not_submitted_by_its_deadline_is_unscored(
    recorder: Recorder,
) -> None:
    free = threading.Event()

    class Stuck(WordScorer):
        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
            free.wait(60)
            return super().submit(text, deadline_seconds=deadline_seconds)

    policy = replace(BLOCK, deadline_seconds=0.001)
    ask = wrap_with(echo, policy=policy, scorer=Stuck({}), observer=recorder)
    try:
        await asyncio.gather(ask("word " * 500), ask("word " * 500))
    finally:
        free.set()
    assert [one.unscored for one in recorder.outcomes] == [Unscored.DEADLINE] * 2


def test_without_an_event_loop_a_long_text_is_submitted_at_once(recorder: Recorder) -> None:
    scorer = Submissions()
    wrap_with(lambda text: text, policy=BLOCK, scorer=scorer, observer=recorder)("word " * 5000)
    assert set(scorer.on_loop) == {True}


async def test_a_long_stream_that_is_left_is_looked_through_in_a_thread(recorder: Recorder) -> None:
    places = list[threading.Thread]()

    class Noting(WordScorer):
        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
            places.append(threading.current_thread())
            return super().submit(text, deadline_seconds=deadline_seconds)

    async def long() -> AsyncIterator[str]:
        while True:
            yield "All is well. " * 2000

    policy = replace(BLOCK, hold=Hold.NONE)
    stream = wrap_with(long, policy=policy, scorer=Noting({}), observer=recorder)()
    assert await anext(stream)
    await stream.aclose()
    assert [one.text[:12] for one in recorder.outcomes] == ["All is well."]
    assert threading.main_thread() not in places


def test_who_stops_waiting_for_an_outcome_leaves_no_error(caplog: pytest.LogCaptureFixture) -> None:
    def steps() -> Steps:
        yield Finish()
        yield ScoreText("All is well.", 1.0)
        return None

    scorer, told = HeldScorer(), list[str]()
    exchange = Exchange(
        call_id="1",
        steps=steps(),
        leave=lambda failure: steps(),
        submit=lambda step: scorer.submit(step.text),
        record=lambda outcome, failure: told.append("told"),
        threads=PerProcess(ReadingThreads),
    )
    exchange.next(None)
    exchange.detach()
    assert exchange.outcome.cancel()
    scorer.answer(Assessment())
    assert told == ["told"]
    assert not caplog.records
