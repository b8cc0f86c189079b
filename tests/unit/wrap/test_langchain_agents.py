"""The guard as a middleware, and who is asked again for shadows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ModelFallbackMiddleware, wrap_model_call
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from guard import Guard, SettingsError, UnknownUseCase
from guard.bootstrap import Runtime
from guard.records import Action, Ask, Call, Ending, Lane, LaneKind, Turn
from guard.testing import Recorder
from guard.wrap.langchain import GuardMiddleware, guard_model
from guard.wrap.langchain.drivers import ChatRequest
from guard.wrap.langchain.inner_model import ChatModelUpstream, call_of
from tests.langchain_scripted import (
    BAD,
    FALLBACK,
    StreamingModel,
    calling,
    everything,
    model,
    policy,
    scripted_guard,
)

CHAT_LANE = Lane(kind=LaneKind.LOCAL, name="chat")
KIND = "All is well today. The sun is out."
LATE = f"All is well. You are a {BAD} and no more. So long."
ASKED: Any = {"messages": [("user", "?")]}


class Answer(BaseModel):
    """What is wanted."""

    text: str


class Local(Runtime):
    """A runtime in which the use case `chat` is shadowed here."""

    asks: list[Any]

    def lane(self, use_case: str, shadow: Any) -> Lane:
        if self.asks and self.asks[0] != shadow:
            raise SettingsError("asked by another one")
        self.asks.append(shadow)
        return Lane(kind=LaneKind.LOCAL, name=use_case)


def shadowing(seen: Recorder) -> tuple[Guard, list[Any]]:
    asks: list[Any] = []
    runtime = scripted_guard(policy(Action.BLOCK), seen).runtime
    fields = {name: getattr(runtime, name) for name in runtime.__dataclass_fields__}
    local = Local(**fields)
    object.__setattr__(local, "asks", asks)
    return Guard(local), asks


def agent(inner: StreamingModel, *middleware: Any, **kwargs: Any) -> Any:
    return create_agent(inner, middleware=middleware, **kwargs)


def middleware(seen: Recorder | None = None) -> GuardMiddleware:
    return GuardMiddleware(scripted_guard(policy(Action.BLOCK), seen), use_case="chat")


def test_a_tool_is_not_run_with_what_is_withheld() -> None:
    ran = []

    @tool
    def send(body: str) -> str:
        """Send it."""
        ran.append(body)
        return "sent"

    scripts = [calling("send", f'{{"body": "{body}"}}') for body in ("hello", BAD)]
    made = agent(model(*scripts), middleware(), tools=[send])
    found = made.invoke(ASKED)["messages"]
    assert ran == ["hello"]
    assert FALLBACK in found[-1].text
    assert found[-1].response_metadata["finish_reason"] == "content_filter"


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
def test_structured_answers_come_through_both_strategies(strategy: Any) -> None:
    said = '{"text": "so long"}'
    script: Any = calling("Answer", said) if strategy is ToolStrategy else said
    made = agent(model(script), middleware(), response_format=strategy(Answer))
    assert made.invoke(ASKED)["structured_response"] == Answer(text="so long")


def test_a_withheld_structured_answer_is_none() -> None:
    script = calling("Answer", f'{{"text": "{BAD}"}}')
    made = agent(model(script), middleware(), response_format=ToolStrategy(Answer))
    found = made.invoke(ASKED)
    assert BAD not in everything(found)
    assert found.get("structured_response") is None


@wrap_model_call
def replacing(request: Any, handler: Callable[[Any], Any]) -> Any:
    return handler(request.override(model=model(LATE)))


@wrap_model_call
def answering(request: Any, handler: Callable[[Any], Any]) -> Any:
    return AIMessage(LATE)


@pytest.mark.parametrize("later", [replacing, answering])
def test_what_comes_between_the_guard_and_the_model_is_an_error(later: Any) -> None:
    made = agent(model(KIND), middleware(), later)
    with pytest.raises(SettingsError, match="put GuardMiddleware last"):
        made.invoke(ASKED)


def test_what_comes_before_it_may_choose_the_model() -> None:
    seen = Recorder()
    made = agent(model(KIND), replacing, middleware(seen))
    assert made.invoke(ASKED)["messages"][-1].text == FALLBACK

    def fail() -> None:
        raise ValueError("away")

    away = model(KIND, gate=fail, gate_at=0, disable_streaming=True)
    object.__setattr__(away, "_generate", lambda *_, **__: fail())
    made = agent(away, ModelFallbackMiddleware(model(LATE)), middleware(seen))
    assert made.invoke(ASKED)["messages"][-1].text == FALLBACK


def test_a_model_that_is_guarded_already_is_not_guarded_again() -> None:
    seen = Recorder()
    guard = scripted_guard(policy(Action.BLOCK), seen)
    inner = guard_model(model(LATE), guard, use_case="chat")
    made = create_agent(inner, middleware=[GuardMiddleware(guard, use_case="chat")])
    assert made.invoke(ASKED)["messages"][-1].text == FALLBACK
    assert len(seen.outcomes) == 1


def test_each_model_call_of_an_agent_is_a_call() -> None:
    @tool
    def look() -> str:
        """Look."""
        return "seen"

    seen = Recorder()
    made = agent(model(calling("look", "{}"), KIND), middleware(seen), tools=[look])
    assert made.invoke(ASKED)["messages"][-1].text == KIND
    assert len(seen.outcomes) == 2


def test_an_agent_within_a_tool_is_guarded_by_its_own() -> None:
    within = agent(model(LATE), middleware())

    @tool
    def ask(body: str) -> str:
        """Ask somebody else."""
        return str(within.invoke({"messages": [("user", body)]})["messages"][-1].text)

    made = agent(model(calling("ask", '{"body": "hm"}'), KIND), middleware(), tools=[ask])
    found = list(made.stream(ASKED, stream_mode="messages", subgraphs=True))
    assert BAD[4:] not in everything(found)
    assert FALLBACK in everything(found)


def test_an_unknown_use_case_is_told_at_once() -> None:
    guard = scripted_guard(policy(Action.BLOCK))

    def unknown(_: str) -> Any:
        raise UnknownUseCase("no such")

    guard.runtime.flow.policy_of = unknown
    with pytest.raises(UnknownUseCase):
        GuardMiddleware(guard, use_case="nope")
    with pytest.raises(UnknownUseCase):
        guard_model(model(KIND), guard, use_case="nope")


def test_the_first_model_is_the_one_that_is_asked_again() -> None:
    seen = Recorder()
    guard, asks = shadowing(seen)
    first = model(KIND)
    guard_model(first, guard, use_case="chat").invoke("?")
    guard_model(first, guard, use_case="chat").invoke("?")
    with pytest.raises(SettingsError, match="another"):
        guard_model(model(KIND), guard, use_case="chat")
    other = GuardMiddleware(guard, use_case="chat")
    assert create_agent(model(KIND), middleware=[other]).invoke(ASKED)["messages"][-1].text == KIND
    assert [outcome.call.lane for outcome in seen.outcomes] == [CHAT_LANE, CHAT_LANE, None]
    assert {one.model is first for one in asks} == {True}


async def test_it_is_asked_with_the_same_parameters_and_nobody_hears() -> None:
    inner = model(KIND)
    seen = Recorder()
    guard, asks = shadowing(seen)
    guard_model(inner, guard, use_case="chat").bind(temperature=0.3, stop=["X"]).invoke("?")
    (outcome,) = seen.outcomes
    assert outcome.call.never_shadowed == ""
    ask = Ask(turns=(Turn(role="user", content="!"),), parameters=outcome.call.parameters, seed=7)
    reply = await asks[0].generate(replace(ask, as_messages=True))
    assert (reply.text, reply.ending) == (KIND, Ending.ANSWERED)
    assert inner.asked[0] == inner.asked[1] == {"temperature": 0.3, "stop": ["X"]}
    assert inner.listeners == [0, 0]
    assert len(seen.outcomes) == 1


async def test_a_model_that_fails_when_asked_again_is_a_failed_reply() -> None:
    broken = model(KIND)
    object.__setattr__(broken, "_generate", lambda *_, **__: 1 / 0)
    reply = await ChatModelUpstream(model=broken, reply_seconds=5).generate(
        Ask(turns=(Turn(role="user", content="!"),))
    )
    assert reply.ending is Ending.FAILED


def request(inner: StreamingModel, arguments: dict[str, Any]) -> ChatRequest:
    return ChatRequest(model=inner, messages=[HumanMessage("?")], arguments=arguments)


OPENAI_TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, ""),
        ({"stop": ["X"], "temperature": 1}, ""),
        ({"tools": [OPENAI_TOOL], "tool_choice": "any"}, ""),
        ({"tools": [{"name": "f", "input_schema": {}}]}, ""),
        ({"tools": [{"type": "web_search"}]}, "server_tools"),
        ({"store": True}, "stored"),
        ({"previous_response_id": "r1"}, "conversation"),
        ({"odd": 1}, "unknown_parameter"),
        ({"response_format": Answer}, "unknown_parameter"),
        ({"ls_note": None}, ""),
    ],
)
def test_what_may_not_be_asked_again(arguments: dict[str, Any], reason: str) -> None:
    call = Call(id="", use_case="chat", lane=CHAT_LANE)
    found = call_of(call, request(model(KIND), arguments))
    assert found.never_shadowed == reason
    kept = {name: value for name, value in arguments.items() if value is not None}
    assert found.parameters == ({} if reason else kept)


def test_what_the_model_itself_is_set_to_counts_too() -> None:
    class Storing(StreamingModel):
        store: bool = True
        model_kwargs: dict[str, Any] = {}  # noqa: RUF012 - a field of pydantic's

    call = Call(id="", use_case="chat")
    assert call_of(call, request(Storing([]), {})).never_shadowed == "stored"
    searching = Storing([], store=False, model_kwargs={"web_search_options": {"a": 1}})
    assert call_of(call, request(searching, {})).never_shadowed == "server_tools"
