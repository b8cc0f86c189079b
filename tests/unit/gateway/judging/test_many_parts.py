"""Answers of very many small parts hold up no other work, and end where they cost too much."""

from __future__ import annotations

from typing import Any

import pytest

from guard.errors import Broken
from guard.policy import Policy
from guard.replies.large import LEAST_PART_BYTES
from guard.replies.sse import MOST_LINES
from guard.upstream import Limits
from tests.event_loop import turns_beside
from tests.unit.gateway.judging.fake import BLOCK, Scripted, ask, chunk, said, stream, told

ASK = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
STREAM = {**ASK, "stream": True}
OBSERVE = Policy(rules=BLOCK.rules, enforce=False)
MOST_PARTS = Limits().body_bytes // LEAST_PART_BYTES
IS_STREAM = {"content-type": "text/event-stream"}


def of(*chunks: bytes) -> Scripted:
    return Scripted(chunks, headers=IS_STREAM)


def parts(one: bytes, count: int) -> Scripted:
    """As many parts in one chunk, as decompressed ones come."""
    return of(*stream(chunk({"content": "Fine. "}), done=False).chunks, one * count)  # type: ignore[arg-type]


@pytest.mark.parametrize("one", [b": x\n\n", b"\n\n", b"data: {}\n\n", b"event: x\n\n"])
async def test_others_get_their_turn_between_the_events_of_one_chunk(one: bytes) -> None:
    turns, seen = await turns_beside(ask(STREAM, parts(one, 6400)))
    assert turns > 200
    assert told(seen.events[:1]) == "Fine. "


@pytest.mark.parametrize("one", [b": x\n\n", b"\n\n", b"data: {}\n\n"])
async def test_every_event_and_comment_counts_against_what_an_answer_may_have(one: bytes) -> None:
    seen = await ask(STREAM, parts(one, MOST_PARTS + 1))
    assert seen.events[-1]["error"]["code"] == "upstream_answer_too_large"
    assert "nasty" not in str(seen.events)
    assert "error" not in (await ask(STREAM, parts(one, MOST_PARTS // 2))).events[-1]


async def test_each_reply_that_was_asked_for_may_have_as_much() -> None:
    many = parts(b": x\n\n", MOST_PARTS + 1)
    assert all("error" not in one for one in (await ask({**STREAM, "n": 2}, many)).events)


async def test_an_event_of_too_many_lines_is_not_read() -> None:
    many = of(b"data: {\n" + b"data: \n" * MOST_LINES + b'data: "nasty": 1}\n\n')
    seen = await ask(STREAM, many)
    assert [one["error"]["code"] for one in seen.events] == ["upstream_broken"]
    passed = await ask(STREAM, many, policy=OBSERVE)
    assert passed.body.startswith(b"".join(map(bytes, many.chunks)))  # type: ignore[arg-type]
    assert passed.comment["verdict"] == "unscored"


async def test_an_event_of_too_many_values_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guard.replies.json_text.MAX_REPLY_VALUES", 40)
    seen = await ask(STREAM, stream({**chunk({"content": "Hi."}), "x": list(range(40))}))
    assert [one["error"]["code"] for one in seen.events] == ["upstream_broken"]


async def test_a_large_event_is_judged_like_others() -> None:
    fine = "Fine. " * 50_000
    seen = await ask(STREAM, stream(*said(fine, "So nasty.")))
    assert told(seen.events) == fine + "No."


@pytest.mark.parametrize(
    "body", [b"[" + b'"a",' * 100_001 + b"1]", b": x\n\n" * 50_001, b"a\r" * 100_001]
)
async def test_an_error_of_too_many_parts_is_withheld(body: bytes) -> None:
    seen = await ask(ASK, Scripted([body], status=500))
    assert seen.json["error"]["code"] == "upstream_error_withheld"
    assert (await ask(ASK, Scripted([body], status=500), policy=OBSERVE)).body == body


async def test_a_whole_answer_of_very_many_values_is_not_read() -> None:
    body: Any = b'{"x":[' + b'"a",' * 1_000_001 + b"1]}"
    with pytest.raises(Broken, match="more than 1,000,000 values"):
        await ask(ASK, Scripted([body]))
