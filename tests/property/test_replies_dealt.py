"""Pieces of a text that are dealt out over the channels of a stream are judged as they are printed.

The ways in of `test_replies_everywhere`, each read as the usual loop reads it: after every piece, a
word that it has printed was in a text that passed.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk

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
from tests.property.gateway_inputs import WORD, Watching, Words
from tests.property.replies_dealt import DEALT, Dealt, Event, chat, dealt
from tests.unit.gateway.judging.fake import Scripted, ScriptedClient, asked, data_of, flow_of

CHANCE = st.integers(0, 2**32).map(Random)
ACTIONS = [Action.BLOCK, Action.REDACT, Action.REGENERATE]
SSE = {"content-type": "text/event-stream"}
OF_GATEWAY = [name for name, one in DEALT.items() if one.operation]


def policy_for(by: Random) -> Policy:
    return Policy(
        rules=(Rule(score="toxicity", action=by.choice(ACTIONS), threshold=0.5),),
        on_unscored=OnUnscored.WITHHOLD,
        fallback="<withheld>",
        redaction="[x]",
        hold=by.choice((Hold.SENTENCE, Hold.FULL)),
    )


def text_for(by: Random, kinds: str) -> str:
    words = Words(by, kinds)
    return "".join(words.some() for _ in range(by.choice((1, 2, 5))))


def check(printed: str, scorer: Watching) -> None:
    for word in WORD.findall(printed):
        assert word in scorer.passed, (word, printed)


async def through_gateway(way: Dealt, events: list[Event], by: Random, scorer: Watching) -> str:
    sent = [f"data: {json.dumps(one)}\n\n".encode() for one in events]
    client = ScriptedClient([Scripted([*sent, b"data: [DONE]\n\n"], headers=SSE)] * 3)
    flow, read, printed = flow_of(policy_for(by), Recorder(), scorer), b"", ""
    body = {"messages": [], "input": "", "prompt": "", "stream": True}
    assert way.operation is not None
    with suppress(RefusedRequest, UpstreamError):
        reply = await reply_to(asked(body, client, way.operation), flow)
        async for chunk in reply.chunks:
            read += chunk
            told = [json.loads(one) for one in data_of(read) if one != "[DONE]"]
            check(printed := way.printed(told), scorer)
    assert flow.drain(0)
    return printed


def through_wrap(way: Dealt, events: list[Event], by: Random, scorer: Watching) -> list[Event]:
    given: list[Event] = []
    policy = policy_for(by)
    ask: Any = wrap_with(lambda: iter(events), policy=policy, scorer=scorer, observer=Recorder())
    with suppress(Blocked):
        for one in ask():
            given.append(one)
            check(way.printed(given), scorer)
    return given


@pytest.mark.parametrize("name", OF_GATEWAY)
@given(by=CHANCE)
def test_the_gateway_judges_what_is_printed(name: str, by: Random) -> None:
    way = DEALT[name]
    events = dealt(text_for(by, "ok ok ok bad slow"), by, way.make)
    asyncio.run(through_gateway(way, events, by, Watching()))


@pytest.mark.parametrize("name", DEALT)
@given(by=CHANCE)
def test_wrapped_functions_judge_what_is_printed(name: str, by: Random) -> None:
    way = DEALT[name]
    events = dealt(text_for(by, "ok ok ok bad slow"), by, way.make)
    through_wrap(way, events, by, Watching())


@pytest.mark.parametrize("name", OF_GATEWAY)
@given(by=CHANCE)
def test_what_is_harmless_arrives_as_it_came(name: str, by: Random) -> None:
    way, text = DEALT[name], text_for(by, "ok")
    events = dealt(text, by, way.make)
    assert asyncio.run(through_gateway(way, events, by, Watching())) == text
    given = through_wrap(way, events, by, Watching())
    assert sorted(map(json.dumps, given)) == sorted(map(json.dumps, _one_by_one(events)))


def _one_by_one(events: list[Event]) -> list[Event]:
    """Wrapped functions give the choices of a chunk one after the other."""
    return [
        {**event, **({"choices": [one]} if event.get("choices") else {})}
        for event in events
        for one in event.get("choices") or [None]
    ]


@given(by=CHANCE)
def test_langchain_judges_what_is_printed(by: Random) -> None:
    def make(text: str, channel: int) -> Any:
        return AIMessageChunk(content=[{"type": "text", "text": text, "index": channel}])

    scorer, printed = Watching(), ""
    script: Any = dealt(text_for(by, "ok ok ok bad slow"), by, make)
    guard = scripted_guard(policy_for(by), Recorder(), scorer)
    with suppress(Blocked, UpstreamError):
        for chunk in guard_model(model(script), guard, use_case="chat").stream("?"):
            printed += str(chunk.text)
            check(printed, scorer)


@given(by=CHANCE)
def test_the_middleware_judges_what_is_printed(by: Random) -> None:
    scorer, answered = Watching(), Answered()
    events = dealt(text_for(by, "ok ok ok bad slow"), by, chat)
    sent = [f"data: {json.dumps(one)}\n\n".encode() for one in events]
    app = App(sent, media="text/event-stream")
    field = "choices.0.delta.content"
    guard = guarded(app, field, policy=policy_for(by), scorer=scorer, recorder=Recorder())
    with suppress(Blocked):
        asyncio.run(ask_app(guard, into=answered))
    check(DEALT["choices"].printed(map(json.loads, data_of(answered.body))), scorer)
