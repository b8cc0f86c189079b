"""What the handler of a signal raises while a reply is put together reaches the caller."""

from __future__ import annotations

import signal
import typing
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk

from guard.records import Action
from guard.wrap.langchain import guard_model
from guard.wrap.langchain.messages import replacement
from guard.wrap.withheld_prompt import given_as_declared
from tests.langchain_scripted import model, policy, scripted_guard


class OverError(Exception):
    """As an application raises it."""


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    def raise_it(*_: object) -> None:
        raise OverError

    before = signal.signal(signal.SIGALRM, raise_it)
    yield
    signal.signal(signal.SIGALRM, before)


def alarmed(*_: object, **__: object) -> Any:
    signal.raise_signal(signal.SIGALRM)


def test_while_types_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typing, "get_type_hints", alarmed)
    with pytest.raises(OverError):
        given_as_declared(len, ["No."])


def test_while_chunks_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = ChatGenerationChunk(message=AIMessageChunk("Hi."))
    monkeypatch.setattr(ChatGenerationChunk, "__add__", alarmed)
    with pytest.raises(OverError):
        replacement("No.", [chunk, chunk], [])


def test_while_a_model_sums_up_its_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = model("Hi.")
    monkeypatch.setattr(type(inner), "_combine_llm_outputs", alarmed)
    guarded = guard_model(inner, scripted_guard(policy(Action.BLOCK)), use_case="chat")
    with pytest.raises(OverError):
        guarded.generate([[HumanMessage("Hi.")]])
