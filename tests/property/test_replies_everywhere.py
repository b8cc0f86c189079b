"""Whatever way a reply comes in, nothing of it leaves unjudged, and harmless ones arrive complete.

The same replies go through the gateway, the ASGI middleware, a LangChain model and wrapped
functions, whole and streamed, cut anywhere, with several choices. A caller reads after each piece
what it has: every word in it was in a text that passed.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.errors import Blocked, UpstreamError
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging import reply_to
from guard.policy import Hold, OnUnscored, Policy, Rule
from guard.records import Action
from guard.testing import Recorder, wrap_with
from guard.wrap.langchain import guard_model
from tests.asgi_made import Answered, App, guarded
from tests.asgi_made import ask as ask_app
from tests.langchain_scripted import model, scripted_guard
from tests.property.gateway_inputs import Watching, Words, cut
from tests.property.replies_made import (
    Part,
    View,
    chat_events,
    chat_view,
    chat_whole,
    escaped,
    langchain_chunks,
    langchain_view,
    parts,
    plain_pieces,
    view_of,
    words_in,
)
from tests.unit.gateway.judging.fake import Scripted, ScriptedClient, asked, flow_of

FALLBACK = "<withheld>"
SSE, JSON = {"content-type": "text/event-stream"}, {"content-type": "application/json"}
CHANCE = st.integers(0, 2**32).map(Random)
ACTIONS = [Action.BLOCK, Action.REDACT, Action.REGENERATE]
HOLDS = [Hold.SENTENCE, Hold.FULL]
PROSE = {"text", "thought", "refusal"}
HARM = re.compile(r"bad~\d{4}")


@dataclass
class Trial:
    """One reply to many, on one way in. broken: what the model says is damaged underway.

    views: what a caller has of each choice so far; called after each piece.
    """

    replies: list[list[Part]]
    by: Random
    policy: Policy
    scorer: Watching
    recorder: Recorder
    broken: bool = False

    def check(self, views: list[View]) -> None:
        """Every word that the caller has was in a text that passed."""
        for word in [one for view in views for one in words_in(view)]:
            assert word in self.scorer.passed, (word, views)

    def damaged(self, data: bytes) -> bytes:
        """`data` as it arrives."""
        if not self.broken:
            return data
        at = self.by.randrange(len(data))
        return data[:at] + self.by.choice((b"", b'"', b"\\", b"\xff", b"}")) + data[at + 1 :]


def gateway(trial: Trial, *, streamed: bool) -> list[View]:
    return asyncio.run(_gateway(trial, streamed=streamed))


async def _gateway(trial: Trial, *, streamed: bool) -> list[View]:
    by, count, read = trial.by, len(trial.replies), b""
    if streamed:
        told = [escaped(json.dumps(one), by) for one in chat_events(trial.replies, by)]
        sent = "".join(f"data: {one}\n\n" for one in [*told, "[DONE]"]).encode()
    else:
        sent = escaped(json.dumps(chat_whole(trial.replies)), by).encode()
    chunks = cut(trial.damaged(sent), by)
    client = ScriptedClient([Scripted(chunks, headers=SSE if streamed else JSON)] * 6)
    flow = flow_of(trial.policy, trial.recorder, trial.scorer)
    body = {"messages": [], "n": count, "stream": streamed}
    with suppress(RefusedRequest, UpstreamError):
        reply = await reply_to(asked(body, client), flow)
        async for chunk in reply.chunks:
            read += chunk
            if streamed:
                trial.check(chat_view(_events(read), count))
    assert flow.drain(0)
    values = _events(read) if streamed else [json.loads(read)] if read else []
    views = chat_view(values, count)
    trial.check(views)
    assert trial.scorer.unjudged(read) == []
    return views


def _events(read: bytes) -> list[Any]:
    data = [one.split(b"data: ", 1)[-1] for one in read.split(b"\n\n") if b"data: " in one]
    return [json.loads(one) for one in data if one != b"[DONE]"]


def middleware(trial: Trial, *, streamed: bool) -> list[View]:
    by = trial.by
    if streamed:
        reply = trial.replies[0]
        told = [json.dumps({"n": 1, "text": piece}) for piece in plain_pieces(reply)]
        sent = "".join(f"data: {escaped(one, by)}\n\n" for one in told)
        media, field = "text/event-stream", "text"
    else:
        texts = [{"text": "".join(plain_pieces(reply))} for reply in trial.replies]
        sent = escaped(json.dumps({"all": texts}), by)
        media, field = "application/json", "all.*.text"
    app = App(cut(trial.damaged(sent.encode()), by), media=media)
    guard = guarded(app, field, policy=trial.policy, scorer=trial.scorer, recorder=trial.recorder)
    answered = Answered()
    with suppress(Blocked):
        asyncio.run(ask_app(guard, into=answered))
    for at in range(1, len(answered.messages)):
        trial.check(_shown(Answered(answered.messages[: at + 1]), streamed=streamed))
    return _shown(answered, streamed=streamed)


def _shown(answered: Answered, *, streamed: bool) -> list[View]:
    try:
        if streamed:
            return [{"text": "".join(one.get("text", "") for one in _events(answered.body))}]
        return [{"text": one["text"]} for one in answered.json.get("all", ())]
    except ValueError:
        return [{"text": answered.body.decode("utf-8", "replace")}]


def langchain(trial: Trial, *, streamed: bool) -> list[View]:
    scripts = [langchain_chunks(reply) for reply in trial.replies[:1]]
    guard = scripted_guard(trial.policy, trial.recorder, trial.scorer)
    chat = guard_model(model(*scripts), guard, use_case="chat")
    views: list[View] = []
    with suppress(Blocked, UpstreamError):
        if streamed:
            merged: Any = None
            for chunk in chat.stream("?"):
                merged = chunk if merged is None else merged + chunk
                views = [langchain_view(merged)]
                trial.check(views)
        else:
            views = [langchain_view(chat.invoke("?"))]
            trial.check(views)
    return views


def function(trial: Trial, *, streamed: bool) -> list[View]:
    pieces, given = plain_pieces(trial.replies[0]), ""

    def generate() -> Iterator[str]:
        yield from pieces

    async def generate_async() -> AsyncIterator[str]:
        for piece in pieces:
            yield piece

    def wrap(fn: Callable[..., Any]) -> Any:
        return wrap_with(fn, policy=trial.policy, scorer=trial.scorer, observer=trial.recorder)

    with suppress(Blocked):
        if not streamed:
            given = wrap(lambda: "".join(pieces))()
        elif trial.by.random() < 0.5:
            for piece in wrap(generate)():
                given += piece
                trial.check([{"text": given}])
        else:
            given = "".join(asyncio.run(_all(wrap(generate_async)())))
    trial.check([{"text": given}])
    return [{"text": given}]


async def _all(pieces: AsyncIterator[str]) -> list[str]:
    return [piece async for piece in pieces]


def objects(trial: Trial, *, streamed: bool) -> list[View]:
    """A function that returns what a client of the API makes of its answers."""
    by, count, given = trial.by, len(trial.replies), list[Any]()
    events, whole = chat_events(trial.replies, by), chat_whole(trial.replies)
    ask = wrap_with(
        lambda: iter(events) if streamed else whole,
        policy=trial.policy,
        scorer=trial.scorer,
        observer=trial.recorder,
    )
    with suppress(Blocked):
        for one in ask() if streamed else [ask()]:
            given.append(one)
            trial.check(chat_view(given, count))
    return chat_view(given, count)


WAYS = {
    "gateway": gateway,
    "asgi": middleware,
    "langchain": langchain,
    "function": function,
    "objects": objects,
}
SEVERAL = {("gateway", True), ("gateway", False), ("asgi", False)} | {
    ("objects", True),
    ("objects", False),
}
"""Where one answer holds several replies."""


def policy_for(by: Random) -> Policy:
    return Policy(
        rules=(Rule(score="toxicity", action=by.choice(ACTIONS), threshold=0.5),),
        on_unscored=OnUnscored.WITHHOLD,
        fallback=FALLBACK,
        redaction="[x]",
        hold=by.choice(HOLDS),
        raises=by.random() < 0.2,
        regenerations=by.choice((0, 1)),
    )


def trial_of(way: str, by: Random, kinds: str, *, streamed: bool, broken: bool = False) -> Trial:
    words = Words(by, kinds)
    count = by.choice((1, 1, 2, 3)) if (way, streamed) in SEVERAL else 1
    replies = [parts(words, by) for _ in range(count)]
    return Trial(replies, by, policy_for(by), Watching(), Recorder(), broken)


EVERY_WAY = pytest.mark.parametrize(
    ("way", "streamed"), [(way, streamed) for way in WAYS for streamed in (False, True)]
)


@EVERY_WAY
@given(by=CHANCE)
def test_nothing_leaves_unjudged(way: str, streamed: bool, by: Random) -> None:
    trial = trial_of(way, by, "ok ok ok bad slow", streamed=streamed)
    WAYS[way](trial, streamed=streamed)


@pytest.mark.parametrize(
    ("way", "streamed"), [(way, streamed) for way in ("gateway", "asgi") for streamed in (0, 1)]
)
@given(by=CHANCE)
def test_nothing_leaves_unjudged_of_a_damaged_answer(way: str, streamed: int, by: Random) -> None:
    trial = trial_of(way, by, "ok ok bad", streamed=bool(streamed), broken=True)
    WAYS[way](trial, streamed=bool(streamed))


@EVERY_WAY
@given(by=CHANCE)
def test_what_is_harmless_arrives_complete(way: str, streamed: bool, by: Random) -> None:
    trial = trial_of(way, by, "ok", streamed=streamed)
    views = WAYS[way](trial, streamed=streamed)
    assert all(one.action is Action.RELEASE for one in trial.recorder.outcomes)
    for reply, view in zip(trial.replies, views, strict=way != "langchain"):
        if way in {"asgi", "function"}:
            assert view == {"text": "".join(plain_pieces(reply))}
        elif way == "langchain":
            expected = view_of(reply)
            assert view.get("text", "") == expected.get("text", "")
            sent = langchain_view(_whole(langchain_chunks(reply), streamed=streamed))
            assert view == sent
        else:
            expected = view_of(reply, streamed=streamed)
            assert view == {kind: text for kind, text in expected.items() if text}


@EVERY_WAY
@given(by=CHANCE)
def test_what_is_redacted_is_replaced_and_the_rest_arrives(
    way: str, streamed: bool, by: Random
) -> None:
    trial = trial_of(way, by, "ok ok ok bad", streamed=streamed)
    trial.replies = [[one for one in reply if one.kind in PROSE] for reply in trial.replies]
    trial.policy = replace(
        policy_for(by),
        rules=(Rule(score="toxicity", action=Action.REDACT, threshold=0.5),),
        hold=by.choice(HOLDS),
    )
    views = WAYS[way](trial, streamed=streamed)
    for reply, view in zip(trial.replies, views, strict=way != "langchain"):
        plain = way in {"asgi", "function"}
        sent = {"text": "".join(plain_pieces(reply))} if plain else view_of(reply)
        expected = {kind: HARM.sub("[x]", text) for kind, text in sent.items()}
        assert {kind: text for kind, text in view.items() if text} == {
            kind: text for kind, text in expected.items() if text
        }
    for outcome in trial.recorder.outcomes:
        withheld = [outcome.reply[span.start : span.end] for span in outcome.withheld]
        assert withheld == HARM.findall(outcome.reply)
        assert outcome.text == HARM.sub("[x]", outcome.reply)
        assert outcome.action is (Action.REDACT if withheld else Action.RELEASE)


def _whole(chunks: list[Any], *, streamed: bool) -> Any:
    merged = chunks[0] + chunks[1:] if chunks[1:] else chunks[0]
    if streamed:
        return merged
    inner = model(chunks)
    return inner.invoke("?")
