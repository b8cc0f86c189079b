"""What a policy withholds is seen nowhere, in whichever way a LangChain model is run.

Every way to run x tools bound or not x chain, agent, nested graph x what the policy does. In each
cell there listen: handlers, sync and async, given in the configuration, in the constructor of the
model and inherited by it; a tracer of LangSmith given and one from the environment; all loggers;
both outputs with debugging on. In `make test` every second cell, so that each way meets each
place and each action, with tools and without; all of them under `make soak`.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.globals import set_debug, set_verbose
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import tool
from langchain_core.tracers import LangChainTracer
from langgraph.graph import END, START, MessagesState, StateGraph
from langsmith.utils import get_env_var

from guard import Guard
from guard.records import Action
from guard.wrap.langchain import GuardMiddleware, guard_model
from tests.langchain_scripted import (
    BAD,
    FALLBACK,
    SECRET,
    AsyncListener,
    Listener,
    StreamingModel,
    Traces,
    calling,
    everything,
    model,
    policy,
    scripted_guard,
)
from tests.repeats import repeats

pytestmark = [
    pytest.mark.soak,
    pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning"),
    pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainDeprecationWarning"),
]

ASKED = "How are you?"
LATE = f"All is well today. You are a {BAD} and nothing else. So long then."
AT_ONCE = f"You are a {BAD} and nothing else. So long then."
KIND = "This one is kind. It is good to read."


@tool
def weather(city: str) -> str:
    """How the weather is in a city."""
    return f"Sunny in {city}."


@dataclass
class Listening:
    """All the places where something could be heard."""

    sync: Listener
    late: AsyncListener
    own: Listener
    given: Traces
    around: Traces

    def heard(self) -> str:
        """All of it."""
        return " ".join(
            [
                *self.sync.heard, *self.late.heard, *self.own.heard,
                *self.given.sent, *self.around.sent,
            ]
        )  # fmt: skip

    def config(self, *, traced: bool) -> dict[str, Any]:
        """With the handlers in it. traced: one of them is a tracer, and so none is added."""
        tracers = [LangChainTracer(client=self.given)] if traced else []
        return {"callbacks": [self.sync, self.late, *tracers], "tags": ["leak"]}


@pytest.fixture
def listening(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[Listening]:
    found = Listening(Listener(), AsyncListener(), Listener(), Traces(), Traces())
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    get_env_var.cache_clear()
    monkeypatch.setattr("langsmith.run_trees._CLIENT", found.around)
    caplog.set_level(logging.DEBUG)
    set_debug(True)
    set_verbose(True)
    yield found
    set_debug(False)
    set_verbose(False)
    monkeypatch.undo()
    get_env_var.cache_clear()


def invoke(made: Runnable, asked: Any, config: Any) -> Any:
    return made.invoke(asked, config)


def ainvoke(made: Runnable, asked: Any, config: Any) -> Any:
    return asyncio.run(made.ainvoke(asked, config))


def stream(made: Runnable, asked: Any, config: Any) -> Any:
    return list(made.stream(asked, config))


def astream(made: Runnable, asked: Any, config: Any) -> Any:
    async def run() -> Any:
        return [one async for one in made.astream(asked, config)]

    return asyncio.run(run())


def batch(made: Runnable, asked: Any, config: Any) -> Any:
    return made.batch([asked, asked], config)


def abatch(made: Runnable, asked: Any, config: Any) -> Any:
    return asyncio.run(made.abatch([asked, asked], config))


def mode(name: str, *, subgraphs: bool = True) -> Callable[..., Any]:
    def run(made: Any, asked: Any, config: Any) -> Any:
        return list(made.stream(asked, config, stream_mode=name, subgraphs=subgraphs))

    return run


def amode(name: str) -> Callable[..., Any]:
    def run(made: Any, asked: Any, config: Any) -> Any:
        async def collect() -> Any:
            stream = made.astream(asked, config, stream_mode=name, subgraphs=True)
            return [one async for one in stream]

        return asyncio.run(collect())

    return run


def events(version: str) -> Callable[..., Any]:
    def run(made: Runnable, asked: Any, config: Any) -> Any:
        async def collect() -> Any:
            return [one async for one in made.astream_events(asked, config, version=version)]

        return asyncio.run(collect())

    return run


def astream_log(made: Runnable, asked: Any, config: Any) -> Any:
    async def collect() -> Any:
        return [one async for one in made.astream_log(asked, config)]

    return asyncio.run(collect())


def events_v3(made: Any, asked: Any, config: Any) -> Any:
    run = made.stream_events(asked, config, version="v3")
    return [list(run), run.output]


def async_events_v3(made: Any, asked: Any, config: Any) -> Any:
    async def collect() -> Any:
        run = await made.astream_events(asked, config, version="v3")
        seen = [one async for one in run]
        output = run.output
        return [seen, await (output() if callable(output) else output)]

    return asyncio.run(collect())


ANYWHERE = {
    "invoke": invoke,
    "ainvoke": ainvoke,
    "stream": stream,
    "astream": astream,
    "batch": batch,
    "abatch": abatch,
    "astream_events v1": events("v1"),
    "astream_events v2": events("v2"),
    "astream_log": astream_log,
}
IN_GRAPHS = {
    **{f"stream {name}": mode(name) for name in ("messages", "updates", "values", "debug")},
    **{f"astream {name}": amode(name) for name in ("messages", "updates", "values")},
}
VERSION_3 = {"stream_events v3": events_v3, "astream_events v3": async_events_v3}
WAYS = {**ANYWHERE, **IN_GRAPHS, **VERSION_3}


def chain(inner: StreamingModel, guard: Any, tools: bool, way: str) -> tuple[Any, Any]:
    """A chain; as the node of a graph for the ways that only graphs have, and for v3 the model."""
    guarded: Any = guard_model(inner, guard, use_case="chat")
    if tools:
        guarded = guarded.bind_tools([weather])
    if way in VERSION_3:
        return guarded, ASKED
    if way in IN_GRAPHS:
        return graph_of(guarded), {"messages": [("user", ASKED)]}
    prompt = ChatPromptTemplate.from_messages([("user", "{asked}")])
    around = RunnableLambda(lambda text: text) | StrOutputParser()
    return prompt | guarded.with_config(tags=["inner"]) | around, {"asked": ASKED}


def graph_of(answering: Any) -> Any:
    async def aanswer(state: MessagesState) -> Any:
        return {"messages": [await answering.ainvoke(state["messages"])]}

    def answer(state: MessagesState) -> Any:
        return {"messages": [answering.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("answer", RunnableLambda(answer, aanswer))
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    return graph.compile()


def agent(inner: StreamingModel, guard: Any, tools: bool, way: str) -> tuple[Any, Any]:
    made = create_agent(
        inner,
        tools=[weather] if tools else [],
        middleware=[GuardMiddleware(guard, use_case="chat")],
    )
    return made, {"messages": [("user", ASKED)]}


def nested(inner: StreamingModel, guard: Any, tools: bool, way: str) -> tuple[Any, Any]:
    """An agent in a node of a graph, in a node of a graph."""
    made, asked = agent(inner, guard, tools, way)
    for name in ("within", "around"):
        graph = StateGraph(MessagesState)
        graph.add_node(name, made)
        graph.add_edge(START, name)
        graph.add_edge(name, END)
        made = graph.compile()
    return made, asked


PLACES = {"chain": chain, "agent": agent, "nested": nested}
ACTIONS = [Action.BLOCK, Action.REDACT, Action.REGENERATE]
MAIN = [
    "invoke",
    "ainvoke",
    "stream",
    "astream",
    "batch",
    "stream messages",
    "stream updates",
    "stream values",
    "astream_events v2",
    "stream_events v3",
]
OTHERS = [way for way in WAYS if way not in MAIN]
ALL_CELLS = [
    *itertools.product(MAIN, (False, True), PLACES, ACTIONS),
    *itertools.product(OTHERS, (False, True), PLACES, ACTIONS[:1]),
]
CELLS = ALL_CELLS[:: repeats(2, soak=1)]


def run(cell: tuple[str, bool, str, Action], reply: str, listening: Listening) -> str:
    """Everything that anybody receives in this cell."""
    way, tools, place, action = cell
    guard = scripted_guard(policy(action))
    first = [calling("weather", '{"city": "Paris"}')] if tools and place != "chain" else []
    inner = model(*first, reply, KIND, callbacks=[listening.own])
    made, asked = PLACES[place](inner, guard, tools, way)
    config = listening.config(traced=reply == LATE)
    received = everything(WAYS[way](made, asked, config))
    assert inner.asked, "the model was never asked"
    assert not any(inner.listeners), "the model could see a listener"
    return received


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: "-".join(map(str, cell)))
def test_what_is_withheld_is_seen_nowhere(
    cell: tuple[str, bool, str, Action],
    listening: Listening,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for reply in (LATE, AT_ONCE):
        received = run(cell, reply, listening)
        assert any(sign in received for sign in signs(cell, reply)), received[:3000]
    printed = "".join(capfd.readouterr())
    logged = " ".join(record.getMessage() for record in caplog.records)
    heard = listening.heard()
    assert "on_chat_model_start" in heard
    assert listening.around.sent
    assert listening.given.sent
    assert "llm/start" in printed
    for half in SECRET:
        assert half not in received
        assert half not in heard
        assert half not in printed
        assert half not in logged


def signs(cell: tuple[str, bool, str, Action], reply: str) -> list[str]:
    """What is received instead, word by word in a stream."""
    fallback = [FALLBACK, "not able"]
    if cell[3] is Action.REDACT:
        return [*fallback, "[removed]"]
    return [*fallback, "kind"] if cell[3] is Action.REGENERATE else fallback


def test_the_matrix_is_whole() -> None:
    assert len(MAIN) * 2 * 3 * 3 == 180
    assert len(OTHERS) * 2 * 3 == 48
    assert len(set(ALL_CELLS)) == 180 + 48
    pairs = [set(itertools.combinations(enumerate(cell), 2)) for cell in ALL_CELLS]
    met = [set(itertools.combinations(enumerate(cell), 2)) for cell in CELLS]
    assert set().union(*met) == set().union(*pairs)


class Asking(StreamingModel):
    """A chat model that asks another one, as a runnable that listeners could hear."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        message = self._within.invoke(messages)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in self._within.stream(messages):
            yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for chunk in self._within.astream(messages):
            yield ChatGenerationChunk(message=chunk)

    _within: Any = None


@pytest.mark.parametrize("place", ["chain", "agent"])
@pytest.mark.parametrize("way", [*MAIN[:4], *MAIN[-2:]])
def test_nor_by_a_model_that_asks_another_one(
    way: str, place: str, listening: Listening, capfd: pytest.CaptureFixture[str]
) -> None:
    outer = Asking([])
    outer._within = model(LATE)
    made, asked = PLACES[place](outer, scripted_guard(policy(Action.BLOCK)), tools=False, way=way)
    received = everything(WAYS[way](made, asked, listening.config(traced=False)))
    assert any(sign in received for sign in (FALLBACK, "not able"))
    printed = "".join(capfd.readouterr())
    assert "llm/start" in printed
    for half in SECRET:
        assert half not in received + listening.heard() + printed


INSULT = "You are a stupid, worthless idiot and everybody hates you."
KIND_INSULT = f"Thank you for asking. I am glad to help you with that. {INSULT} Goodbye."


@pytest.fixture(scope="module")
def real() -> Iterator[Guard]:
    """With the shipped classifier and the settings that everybody starts from."""
    with Guard.open() as opened:
        yield opened


@pytest.mark.parametrize("way", MAIN)
@pytest.mark.parametrize("place", PLACES)
def test_nor_is_an_insult_that_the_shipped_classifier_finds(
    place: str, way: str, real: Guard, listening: Listening
) -> None:
    inner = model(KIND_INSULT, callbacks=[listening.own])
    made, asked = PLACES[place](inner, real, tools=False, way=way)
    received = everything(WAYS[way](made, asked, listening.config(traced=True)))
    assert any(sign in received for sign in (FALLBACK, "not able"))
    assert "idiot" not in received + listening.heard()
    assert "worthless" not in received + listening.heard()
