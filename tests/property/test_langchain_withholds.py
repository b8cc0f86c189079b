"""No character of a chat model's reply is given before it was in a text that passed.

Replies are put together of texts, thoughts, calls of tools and other blocks, cut into chunks
anywhere. Every word of them is unique, some are bad; the scorer knows which texts passed.
"""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk

from guard.policy import Hold, OnUnscored
from guard.records import Action, Assessment
from guard.testing import Recorder, WordScorer
from guard.wrap.langchain import guard_model
from tests.langchain_scripted import everything, model, policy, scripted_guard

ENDS = st.sampled_from([" ", ". ", ".", "! ", "\n", ", ", "。", " e.g. "])
WORD = re.compile(r"(?:word|evil)\d{3}x")


@st.composite
def replies(draw: st.DrawFn) -> tuple[str, list[AIMessageChunk]]:
    """All words of a reply, and its chunks: runs of each kind, in any order, each cut anywhere."""
    count, said = 0, ""
    chunks: list[AIMessageChunk] = []
    kinds = draw(st.lists(st.sampled_from(list(MAKERS)), min_size=1, max_size=5))
    for index, kind in enumerate(kinds):
        text = ""
        for _ in range(draw(st.integers(1, 8))):
            bad = draw(st.integers(0, 9)) == 0
            text += f"{'evil' if bad else 'word'}{count:03d}x" + draw(ENDS)
            count += 1
        said += text
        chunks += MAKERS[kind](index, draw(cuts(text)))
    return said, chunks


@st.composite
def cuts(draw: st.DrawFn, text: str) -> list[str]:
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


def blocks(kind: str, field: str) -> Any:
    def make(index: int, pieces: list[str]) -> list[AIMessageChunk]:
        made = [{"type": kind, field: piece, "index": index} for piece in pieces]
        return [AIMessageChunk(content=[block]) for block in made]

    return make


def plain(_: int, pieces: list[str]) -> list[AIMessageChunk]:
    return [AIMessageChunk(content=[piece]) for piece in pieces]


def aside(_: int, pieces: list[str]) -> list[AIMessageChunk]:
    return [
        AIMessageChunk(content=[], additional_kwargs={"reasoning_content": one}) for one in pieces
    ]


def call(index: int, pieces: list[str]) -> list[AIMessageChunk]:
    whole = json.dumps({"body": "".join(pieces)})
    sizes = [len(piece) for piece in pieces]
    parts, at = [], 0
    for size in [*sizes[:-1], len(whole)]:
        parts.append(whole[at : at + size])
        at += size
    return [
        AIMessageChunk(
            content=[],
            tool_call_chunks=[
                {
                    "name": None if number else "send",
                    "id": None if number else f"call-{index}",
                    "args": part,
                    "index": index,
                    "type": "tool_call_chunk",
                }
            ],
        )
        for number, part in enumerate(parts)
    ]


MAKERS: dict[str, Any] = {
    "text": blocks("text", "text"),
    "plain": plain,
    "thinking": blocks("thinking", "thinking"),
    "aside": aside,
    "call": call,
    "odd": blocks("odd", "note"),
}


class Watching(WordScorer):
    """Knows the words of all texts that passed."""

    def __init__(self) -> None:
        super().__init__({})
        self.passed: set[str] = set()

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """Any bad word is one too many."""
        words = WORD.findall(text)
        bad = [word for word in words if word.startswith("evil")]
        self._words = {"toxicity": dict.fromkeys(bad, 1.0)}
        if not bad:
            self.passed.update(words)
        return super().submit(text, deadline_seconds=deadline_seconds)


async def taken(guarded: Any) -> list[Any]:
    return [chunk async for chunk in guarded.astream("?")]


def whole_of(received: list[Any]) -> str:
    """All words in what was received so far, put together as a caller would."""
    merged = received[0] + received[1:] if received[1:] else received[0]
    return f"{everything(merged)} {merged.text}"


CASES = [
    ("stream", Hold.SENTENCE, Action.BLOCK),
    ("stream", Hold.SENTENCE, Action.REDACT),
    ("stream", Hold.FULL, Action.REDACT),
    ("astream", Hold.SENTENCE, Action.BLOCK),
    ("invoke", Hold.SENTENCE, Action.BLOCK),
    ("invoke", Hold.SENTENCE, Action.REDACT),
]


@pytest.mark.parametrize(("way", "hold", "action"), CASES)
@given(reply=replies())
def test_every_word_that_is_given_passed_before(
    way: str, hold: Hold, action: Action, reply: tuple[str, list[AIMessageChunk]]
) -> None:
    said, script = reply
    scorer, seen = Watching(), Recorder()
    made = policy(action, hold=hold, on_unscored=OnUnscored.WITHHOLD, regenerations=0)
    guard = scripted_guard(made, seen, scorer)
    guarded = guard_model(model(script), guard, use_case="chat")
    if way == "invoke":
        received: list[Any] = [guarded.invoke("?")]
        check(received, scorer)
    elif way == "astream":
        received = asyncio.run(taken(guarded))
        check(received, scorer)
    else:
        received = []
        for chunk in guarded.stream("?"):
            received.append(chunk)
            check(received, scorer)
    bad = "evil" in said
    (outcome,) = seen.outcomes
    assert (outcome.action is Action.RELEASE) is not bad
    if not bad:
        assert set(WORD.findall(whole_of(received))) == set(WORD.findall(whole_of(script)))


def check(received: list[Any], scorer: Watching) -> None:
    found = whole_of(received)
    assert "evil" not in found
    assert set(WORD.findall(found)) <= scorer.passed
