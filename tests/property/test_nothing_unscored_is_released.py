"""Under enforcement and sentence or full hold no unscored character is ever released."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.policy import Hold, OnUnscored, Policy, Rule
from guard.records import Action, Assessment, Span, Unscored
from guard.testing import Recorder, WordScorer, wrap_with

FALLBACK = "<withheld>"
REDACTION = "[x]"
ENDS = st.sampled_from(
    [" ", ". ", ".", "! ", "? ", "\n", "\n\n", ", ", "… ", "。", " e.g. ", '." ']
)


@st.composite
def replies(draw: st.DrawFn) -> str:
    """Text in which every word is unique, so that each check can be found in it; some are bad."""
    kinds = draw(st.lists(st.sampled_from(["w", "w", "w", "w", "bad", "slow"]), max_size=60))
    words = [f"{kind}{index:03d}" for index, kind in enumerate(kinds)]
    return "".join(word + draw(ENDS) for word in words)


@st.composite
def chunkings(draw: st.DrawFn, text: str) -> list[str]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=20)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


class Watching(WordScorer):
    """Knows which characters of `reply` were in a text that passed."""

    def __init__(self, reply: str) -> None:
        super().__init__({})
        self._reply = reply
        self.passed = [not char.strip() for char in reply]

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """Mark what passes; a text with a bad word scores 1, one with a slow word has no score."""
        self._words = {"toxicity": {word: 1.0 for word in words(text) if word.startswith("bad")}}
        if "bad" not in text and "slow" not in text:
            for part in text.split(REDACTION):
                self._pass(part)
        return super().submit(text, deadline_seconds=deadline_seconds)

    def _pass(self, part: str) -> None:
        start = self._reply.find(part) if words(part) else -1
        if start >= 0:
            self.passed[start : start + len(part)] = [True] * len(part)

    def assess(self, text: str) -> Assessment:
        if "slow" in text and "bad" not in text:
            return Assessment(reason=Unscored.DEADLINE, uncovered=(Span(start=0, end=len(text)),))
        return super().assess(text)


def words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text).split()


Run = Callable[[list[str], Policy, Watching, Recorder], Iterator[str]]


def function(chunks: list[str], policy: Policy, scorer: Watching, seen: Recorder) -> Iterator[str]:
    yield wrap_with(lambda: "".join(chunks), policy=policy, scorer=scorer, observer=seen)()


def generator(chunks: list[str], policy: Policy, scorer: Watching, seen: Recorder) -> Iterator[str]:
    def model() -> Iterator[str]:
        yield from chunks

    yield from wrap_with(model, policy=policy, scorer=scorer, observer=seen)()


def coroutine(chunks: list[str], policy: Policy, scorer: Watching, seen: Recorder) -> Iterator[str]:
    async def model() -> str:
        return "".join(chunks)

    yield asyncio.run(wrap_with(model, policy=policy, scorer=scorer, observer=seen)())


def async_generator(
    chunks: list[str], policy: Policy, scorer: Watching, seen: Recorder
) -> Iterator[str]:
    async def model() -> AsyncIterator[str]:
        for chunk in chunks:
            yield chunk

    pieces = wrap_with(model, policy=policy, scorer=scorer, observer=seen)()
    with asyncio.Runner() as loop:
        while (piece := loop.run(_next(pieces))) is not None:
            yield piece


async def _next(pieces: AsyncIterator[str]) -> str | None:
    return await anext(pieces, None)


@pytest.mark.parametrize("action", [Action.BLOCK, Action.REDACT, Action.REGENERATE])
@pytest.mark.parametrize("hold", [Hold.SENTENCE, Hold.FULL])
@pytest.mark.parametrize("run", [function, generator, coroutine, async_generator])
@given(data=st.data())
def test_every_released_character_was_checked_before(
    run: Run, hold: Hold, action: Action, data: st.DataObject
) -> None:
    reply = data.draw(replies())
    chunks = data.draw(chunkings(reply))
    policy = Policy(
        rules=(Rule(score="toxicity", action=action, threshold=0.5),),
        on_unscored=OnUnscored.WITHHOLD,
        fallback=FALLBACK,
        redaction=REDACTION,
        hold=hold,
    )
    scorer, seen, released = Watching(reply), Recorder(), ""
    for piece in run(chunks, policy, scorer, seen):
        released += piece
        if reply.startswith(released):
            assert all(scorer.passed[: len(released)])
    assert "bad" not in released
    assert "slow" not in released
    (outcome,) = seen.outcomes
    assert outcome.text == released
    if outcome.action is Action.RELEASE:
        assert released == reply
    elif outcome.action is Action.REDACT:
        assert released == re.sub(r"bad\d{3}", REDACTION, reply)
    elif outcome.action is Action.BLOCK:
        assert released.endswith(FALLBACK)
