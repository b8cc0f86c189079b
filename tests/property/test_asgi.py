"""Through the ASGI middleware no unscored character leaves, however a body is cut into chunks."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.policy import Hold, OnUnscored, Policy, Rule
from guard.records import Action
from guard.replies.sse import EVENT_END, FrameSplitter
from guard.testing import Recorder
from guard.wrap.asgi import Guarded
from tests.asgi_made import Answered, App, ask, guarded
from tests.property.test_nothing_unscored_is_released import REDACTION, Watching, replies

FALLBACK = "<withheld>"
ENDS = ["\n\n", "\r\n\r\n", "\r\r"]


@st.composite
def cut(draw: st.DrawFn, body: bytes) -> list[bytes]:
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=20)))
    return [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]


def policy(hold: Hold, action: Action) -> Policy:
    return Policy(
        rules=(Rule(score="toxicity", action=action, threshold=0.5),),
        on_unscored=OnUnscored.WITHHOLD,
        fallback=FALLBACK,
        redaction=REDACTION,
        hold=hold,
    )


def answer_to(app: App, given: Any, one: Policy, scorer: Any, seen: Recorder) -> Answered:
    guard = guarded(app, given, policy=one, scorer=scorer, recorder=seen)
    return asyncio.run(ask(guard))


def data_of(body: bytes) -> list[str]:
    """What a browser's event source would hand on."""
    lines = body.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")
    found: list[str] = []
    for event in lines.split("\n\n"):
        data = [one[5:].removeprefix(" ") for one in event.split("\n") if one[:5] == "data:"]
        found += ["\n".join(data)] if data else []
    return found


def texts_of(body: bytes) -> str:
    return "".join(json.loads(data)["text"] for data in data_of(body))


@st.composite
def event_bodies(draw: st.DrawFn, text: str) -> bytes:
    """The text in events, of which some hold several sentences and some none."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    body = b""
    for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True):
        body += draw(st.sampled_from([b"", b": ping\n\n", b"id: 3\nevent: t\n"]))
        body += f"data: {json.dumps({'text': text[a:b]})}{draw(st.sampled_from(ENDS))}".encode()
    return body


holds = st.sampled_from([Hold.SENTENCE, Hold.FULL])
actions = st.sampled_from([Action.BLOCK, Action.REDACT, Action.REGENERATE])


def checked(released: str, reply: str, scorer: Watching) -> None:
    assert "bad" not in released
    assert "slow" not in released
    kept = released.removesuffix(FALLBACK)
    if reply.startswith(kept):
        assert all(scorer.passed[: len(kept)])


@given(data=st.data(), reply=replies(), hold=holds, action=actions)
def test_text_streams(data: st.DataObject, reply: str, hold: Hold, action: Action) -> None:
    scorer, seen = Watching(reply), Recorder()
    app = App(data.draw(cut(reply.encode())), media="text/plain")
    answer = answer_to(app, None, policy(hold, action), scorer, seen)
    released = answer.body.decode()
    checked(released, reply, scorer)
    assert [one.text for one in seen.outcomes] == [released]
    assert answer.ended


@given(data=st.data(), reply=replies(), hold=holds, action=actions)
def test_events(data: st.DataObject, reply: str, hold: Hold, action: Action) -> None:
    scorer, seen = Watching(reply), Recorder()
    body = data.draw(event_bodies(reply))
    app = App(data.draw(cut(body)), media="text/event-stream")
    answer = answer_to(app, "text", policy(hold, action), scorer, seen)
    released = texts_of(answer.body)
    checked(released, reply, scorer)
    assert [one.text for one in seen.outcomes] == [released]
    assert answer.ended


@given(data=st.data(), reply=replies(), other=replies(), action=actions)
def test_json(data: st.DataObject, reply: str, other: str, action: Action) -> None:
    scorer, seen = Watching(reply), Recorder()
    body = json.dumps({"all": [{"t": reply}, {"t": other}], "n": [1.5, None, "é"]}).encode()
    app = App(data.draw(cut(body)))
    guard = policy(Hold.SENTENCE, action)
    answer = answer_to(app, "all.*.t", guard, scorer, seen)
    checked(answer.json["all"][0]["t"], reply, scorer)
    released = [one["t"] for one in answer.json["all"]]
    assert sorted(released) == sorted(one.text for one in seen.outcomes)
    assert answer.json["n"] == [1.5, None, "é"]


@given(data=st.data(), reply=replies(), events=st.booleans())
def test_any_chunks_of_the_same_frames_give_the_same(
    data: st.DataObject, reply: str, events: bool
) -> None:
    lines = "".join(json.dumps({"text": one}) + "\n" for one in reply.splitlines())
    body = data.draw(event_bodies(reply)) if events else lines.encode()
    media = "text/event-stream" if events else "application/jsonl"
    found = set()
    for chunks in ([body], data.draw(cut(body)), [body[i : i + 1] for i in range(len(body))]):
        one, app = policy(Hold.SENTENCE, Action.BLOCK), App(chunks, media=media)
        answer = answer_to(app, "text", one, Watching(reply), Recorder())
        found.add(answer.body.replace(b": ping\n\n", b""))
    assert len(found) == 1


@pytest.mark.parametrize("given_field", ["text", "", None])
@pytest.mark.parametrize("media", ["text/plain", "text/event-stream", "application/jsonl"])
@given(data=st.data())
def test_any_bytes_pass_unchanged_or_not_at_all(
    media: str, given_field: str | None, data: st.DataObject
) -> None:
    alphabet = st.sampled_from(
        [
            b"data",
            b":",
            b" ",
            b"\n",
            b"\r",
            b"\n\n",
            b'{"text": "',
            b'"}',
            b"\xff",
            b"\xe2",
            b"[DONE]",
        ]
    )
    body = b"".join(data.draw(st.lists(st.one_of(alphabet, st.binary(max_size=3)), max_size=40)))
    app = App(data.draw(cut(body)), media=media)
    calm = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.5),))
    answer = answer_to(app, Guarded(field=given_field), calm, Watching(""), Recorder())
    shown = (
        answer.body[: answer.body.rindex(b": guard ")]
        if b"event" in media.encode()
        else answer.body
    )
    asides = media == "text/event-stream"
    assert sorted(shown) == sorted(body) if asides else shown == body
    strict = policy(Hold.SENTENCE, Action.BLOCK)
    app = App(list(app.chunks), media=media)
    assert answer_to(app, Guarded(field=given_field), strict, Watching(""), Recorder()).messages


@given(data=st.data())
def test_frames_are_the_body_whatever_the_chunks(data: st.DataObject) -> None:
    pieces = st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"data: x"])
    body = b"".join(data.draw(st.lists(pieces, max_size=40)))
    splitter = FrameSplitter(EVENT_END, 10_000)
    frames = [frame for chunk in data.draw(cut(body)) for frame in splitter.feed(chunk)]
    assert b"".join([*frames, splitter.rest()]) == body
    assert all(re.search(rb"(\r\n|\n|\r){2}\Z", frame) for frame in frames)
