"""A guarded LangChain model still streams, can be left half-way, and may fail."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langgraph.graph import END, START, MessagesState, StateGraph

from guard.errors import Blocked
from guard.records import Action, Unscored, Verdict
from guard.testing import Recorder
from guard.wrap.langchain import GuardMiddleware, guard_model
from tests.langchain_scripted import (
    BAD,
    USAGE,
    Gate,
    Listener,
    StreamingModel,
    everything,
    model,
    policy,
    scripted_guard,
)

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")

REPLY = "All is well today. The sun is out. So long then."
GATE_AT = 5
"""The chunk after the one that shows that the first sentence has ended."""
TOOL = {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}}


def stream(made: Any, asked: Any) -> Iterator[Any]:
    yield from made.stream(asked)


def messages(made: Any, asked: Any) -> Iterator[Any]:
    yield from made.stream(asked, stream_mode="messages", subgraphs=True)


def events_v3(made: Any, asked: Any) -> Iterator[Any]:
    yield from made.stream_events(asked, version="v3")


async def astream(made: Any, asked: Any) -> AsyncIterator[Any]:
    async for one in made.astream(asked):
        yield one


async def amessages(made: Any, asked: Any) -> AsyncIterator[Any]:
    async for one in made.astream(asked, stream_mode="messages", subgraphs=True):
        yield one


async def events_v2(made: Any, asked: Any) -> AsyncIterator[Any]:
    async for one in made.astream_events(asked, version="v2"):
        yield one


async def aevents_v3(made: Any, asked: Any) -> AsyncIterator[Any]:
    async for one in await made.astream_events(asked, version="v3"):
        yield one


def chain(inner: StreamingModel, guard: Any, tools: bool) -> tuple[Any, Any]:
    guarded: Any = guard_model(inner, guard, use_case="chat")
    return (guarded.bind(tools=[TOOL]) if tools else guarded), "How are you?"


def agent(inner: StreamingModel, guard: Any, tools: bool) -> tuple[Any, Any]:
    def look() -> str:
        """Look."""
        return "seen"

    middleware = [GuardMiddleware(guard, use_case="chat")]
    made = create_agent(inner, tools=[look] if tools else [], middleware=middleware)
    return made, {"messages": [("user", "How are you?")]}


def nested(inner: StreamingModel, guard: Any, tools: bool) -> tuple[Any, Any]:
    made, asked = agent(inner, guard, tools)
    graph = StateGraph(MessagesState)
    graph.add_node("within", made)
    graph.add_edge(START, "within")
    graph.add_edge("within", END)
    return graph.compile(), asked


CHAIN_WAYS = [stream, astream, events_v2, events_v3, aevents_v3]
GRAPH_WAYS = [messages, amessages, events_v2, events_v3, aevents_v3]
CELLS = [
    *itertools.product(CHAIN_WAYS, [chain], (False, True)),
    *itertools.product(GRAPH_WAYS, [agent, nested], (False, True)),
]


@pytest.mark.parametrize(
    ("way", "place", "tools"), CELLS, ids=lambda one: getattr(one, "__name__", str(one))
)
def test_the_first_sentence_is_out_before_the_model_says_the_last(
    way: Any, place: Any, tools: bool
) -> None:
    gate = Gate()
    inner = model(REPLY, gate=gate, gate_at=GATE_AT)
    made, asked = place(inner, scripted_guard(policy(Action.BLOCK)), tools)
    received = []

    def take(one: Any) -> None:
        received.append(everything(one))
        if "well" in received[-1]:
            gate.open()

    async def take_all() -> None:
        async for one in way(made, asked):
            take(one)

    found = way(made, asked)
    if isinstance(found, AsyncIterator):
        asyncio.run(take_all())
    else:
        for one in found:
            take(one)
    assert gate.in_time is True
    assert "out" in received[-1] or any("out" in one for one in received)


def test_leaving_a_stream_closes_the_models_own_and_keeps_the_record() -> None:
    seen = Recorder()
    inner = model(REPLY)
    chunks = guard_model(inner, scripted_guard(policy(Action.BLOCK), seen), use_case="chat").stream(
        "?"
    )
    assert next(chunks).content == "All"
    chunks.close()
    assert inner.closed == [True]
    (outcome,) = seen.outcomes
    assert outcome.text.rstrip() == "All is well today."
    assert outcome.verdict is Verdict.RELEASED


async def test_leaving_an_async_stream_does_too() -> None:
    seen = Recorder()
    inner = model(REPLY)
    guarded = guard_model(inner, scripted_guard(policy(Action.BLOCK), seen), use_case="chat")
    chunks = guarded.astream("?")
    assert (await anext(chunks)).content == "All"
    await chunks.aclose()  # type: ignore[attr-defined]
    await asyncio.sleep(0)
    assert inner.closed == [True]
    assert [outcome.text.rstrip() for outcome in seen.outcomes] == ["All is well today."]


async def test_a_cancelled_call_cancels_the_model() -> None:
    seen, gate = Recorder(), asyncio.Event()
    inner = model(REPLY)
    guarded = guard_model(inner, scripted_guard(policy(Action.BLOCK), seen), use_case="chat")

    async def wait(*_: Any, **__: Any) -> Any:
        try:
            gate.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            inner.closed.append(True)
            raise

    object.__setattr__(inner, "_agenerate", wait)
    call = asyncio.create_task(guarded.ainvoke("?"))
    await gate.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert inner.closed == [True]
    assert [outcome.unscored for outcome in seen.outcomes] == [Unscored.ABANDONED]


class BrokenError(Exception):
    """What the model raises."""


@pytest.mark.parametrize("error", [BrokenError, KeyboardInterrupt])
def test_what_the_model_raises_reaches_the_caller_and_nothing_of_what_waited(
    error: type[BaseException],
) -> None:
    def fail() -> None:
        raise error

    seen, listener = Recorder(), Listener()
    late = f"All is well. You are a {BAD} and no more"
    inner = model(late, gate=fail, gate_at=9, callbacks=[listener])
    guarded = guard_model(inner, scripted_guard(policy(Action.BLOCK), seen), use_case="chat")
    received: list[Any] = []
    with pytest.raises(error):
        received.extend(guarded.stream("?"))
    assert "grum" not in " ".join(listener.heard)
    assert "blefish" not in " ".join(listener.heard)
    assert "on_llm_error" in " ".join(listener.heard)
    assert [outcome.text.rstrip() for outcome in seen.outcomes] == ["All is well."]
    assert seen.errors == (["chat"] if error is BrokenError else [])


@pytest.mark.parametrize("streamed", [False, True])
def test_what_is_raised_for_a_blocked_reply_holds_nothing_of_it(streamed: bool) -> None:
    seen, listener = Recorder(), Listener()
    guard = scripted_guard(policy(Action.BLOCK, raises=True), seen)
    inner = model(f"You are a {BAD}.", callbacks=[listener])
    guarded = guard_model(inner, guard, use_case="chat")
    with pytest.raises(Blocked) as raised:
        list(guarded.stream("?")) if streamed else guarded.invoke("?")
    assert raised.value.outcome.verdict is Verdict.BLOCKED
    found = everything(raised.value) + " ".join(listener.heard)
    assert "grum" not in found
    assert set(seen.outcomes[0].reply.split("\n\n")) == {f"You are a {BAD}."}


def test_usage_is_counted_once() -> None:
    counted = UsageMetadataCallbackHandler()
    guarded = guard_model(model(REPLY), scripted_guard(policy(Action.BLOCK)), use_case="chat")
    guarded.invoke("?", {"callbacks": [counted]})
    list(guarded.stream("?", {"callbacks": [counted]}))
    found = counted.usage_metadata["scripted-1"]
    assert {key: found[key] for key in USAGE} == {key: 2 * value for key, value in USAGE.items()}  # type: ignore[literal-required]


async def test_agents_beside_each_other_get_their_own_replies() -> None:
    guard = scripted_guard(policy(Action.BLOCK))
    made = [
        create_agent(
            model(f"Reply {number} is fine. It ends here."),
            middleware=[GuardMiddleware(guard, use_case="chat")],
        )
        for number in range(12)
    ]
    asked = {"messages": [("user", "?")]}
    replies = await asyncio.gather(*(one.ainvoke(asked) for one in made))  # type: ignore[arg-type]
    assert [reply["messages"][-1].text for reply in replies] == [
        f"Reply {number} is fine. It ends here." for number in range(12)
    ]
