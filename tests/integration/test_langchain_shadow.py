"""LangChain models are asked again in their own process, and nobody hears of it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from langchain.agents import create_agent
from langchain_core.runnables import Runnable

from guard import Guard
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.settings import Settings, parse_settings
from guard.store import open_store
from guard.wrap.langchain import GuardMiddleware, guard_model
from tests.langchain_scripted import Listener, model
from tests.waiting import wait_until

PATIENCE_SECONDS = 120
CALLS = 3
HER = "My sister Emma lost her keys number {}. What should she do?"


def settings_in(folder: Path) -> Settings:
    return parse_settings(
        f"""
store: {{url: "sqlite:///{folder / "store.db"}", spool: "{folder / "spool"}"}}
use_cases:
  chat: {{shadow: {{share: 1.0, attributes: [gender], max_variants: 1, control: false}}}}
"""
    )


def compared(folder: Path) -> float:
    store = open_store(f"sqlite:///{folder / 'store.db'}", clock=time.time)
    try:
        found = results_of(store.evidence("chat", [SHADOW_RESULTS])[SHADOW_RESULTS])
        return found.get(("gender", "compared"), 0.0)
    finally:
        store.shut()


@pytest.mark.parametrize("agent", [False, True])
def test_a_model_is_asked_again_as_it_was_asked(agent: bool, tmp_path: Path) -> None:
    listener = Listener()
    inner = model("All is well today. The sun is out.", callbacks=[listener])
    with Guard.open(settings_in(tmp_path)) as guard:
        made: Runnable
        if agent:
            made = create_agent(inner, middleware=[GuardMiddleware(guard, use_case="chat")])
        else:
            made = guard_model(inner, guard, use_case="chat").bind(temperature=0.2)
        for number in range(CALLS):
            asked = [("user", HER.format(number))]
            made.invoke({"messages": asked} if agent else asked)
        wait_until(
            lambda: (compared(tmp_path), len(inner.asked)),
            lambda seen: seen[0] == CALLS,
            patience=PATIENCE_SECONDS,
        )
    assert len(inner.asked) == CALLS + CALLS * 2 * 2
    wanted = {} if agent else {"temperature": 0.2}
    assert all({**given, "stop": None} == {"stop": None, **wanted} for given in inner.asked)
    assert set(inner.listeners) == {0}
    assert sum(line.startswith("on_chat_model_start") for line in listener.heard) == CALLS
