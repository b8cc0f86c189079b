"""Models that raise, and models that stand somewhere in a chain: nothing of them goes unguarded."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, ClassVar

import pytest
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import (
    ConfigurableField,
    RouterRunnable,
    RunnableBranch,
    RunnableLambda,
)
from langchain_core.tracers import context
from pydantic import BaseModel

from guard.errors import SettingsError, UpstreamError
from guard.records import Action
from guard.wrap.langchain import guard_model
from tests.langchain_scripted import (
    BAD,
    FALLBACK,
    Listener,
    ScriptedModel,
    everything,
    model,
    policy,
    scripted_guard,
    words,
)

KIND = "All is well today. The sun is out."
LATE = f"All is well. You are a {BAD} and no more. So long."
BLOCK = policy(Action.BLOCK)


class Answer(BaseModel):
    """What is wanted."""

    text: str


class Parsing(ScriptedModel):
    """Parses its reply itself, as models do that are asked for a schema."""

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        said = super()._generate(*args, **kwargs).generations[0].message.content
        try:
            Answer.model_validate({"text": [said]})
        except ValueError as error:
            if self.model_name == "wrapping":
                raise RuntimeError("no answer") from error
            raise
        raise AssertionError


@pytest.mark.parametrize("name", ["plain", "wrapping"])
def test_an_error_of_the_model_that_quotes_its_reply_is_withheld(name: str) -> None:
    inner = Parsing([words(BAD)], model_name=name)
    listener, trusted = Listener(), Listener()
    asked = guard_model(inner, scripted_guard(BLOCK), use_case="chat", trusted=[trusted])
    with pytest.raises(UpstreamError, match="may quote the reply") as raised:
        asked.invoke("hi", config={"callbacks": [listener]})
    assert raised.value.__cause__ is raised.value.__context__ is None
    assert BAD not in str(raised.value)
    assert "on_llm_error" in everything(listener.heard)
    assert BAD not in everything(listener.heard)
    assert BAD in everything(trusted.heard)


def test_an_error_that_quotes_a_reply_passes_where_nothing_can_be_withheld() -> None:
    inner = Parsing([words(LATE)], model_name="plain")
    with pytest.raises(ValueError, match="validation error"):
        guard_model(inner, scripted_guard(policy(Action.FLAG)), use_case="chat").invoke("hi")


def behind(inner: Any) -> list[Any]:
    """Chains of two models, whose second one stands in something else."""
    second = RunnableLambda(lambda _: "hi")
    named = RunnableLambda(lambda _: {"key": "a", "input": "hi"})
    return [
        model(KIND) | second | RunnableBranch((lambda _: False, model(KIND)), inner),
        model(KIND) | second | RunnableBranch((lambda _: True, inner), model(KIND)),
        model(KIND) | RunnableLambda(lambda _: ["hi"]) | inner.map(),
        model(KIND) | named | RouterRunnable({"a": inner}),
    ]


@pytest.mark.parametrize("at", range(4))
def test_all_models_of_a_chain_are_guarded(at: int) -> None:
    chain = guard_model(behind(model(LATE))[at], scripted_guard(BLOCK), use_case="chat")
    assert BAD not in everything(chain.invoke("hi"))
    assert BAD in everything(behind(model(LATE))[at].invoke("hi"))


def test_a_model_that_cannot_be_replaced_has_to_be_guarded_before() -> None:
    guard = scripted_guard(BLOCK)

    def chain(inner: Any) -> Any:
        return model(KIND) | RunnableLambda(lambda _: inner.invoke("hi"))

    with pytest.raises(SettingsError, match="a chat model in RunnableLambda"):
        guard_model(chain(model(LATE)), guard, use_case="chat")
    warm = model(LATE).configurable_fields(temperature=ConfigurableField(id="warm"))
    with pytest.raises(SettingsError, match="a chat model in RunnableConfigurableFields"):
        guard_model(model(KIND) | warm, guard, use_case="chat")
    inner = guard_model(model(LATE), guard, use_case="chat")
    assert BAD not in everything(guard_model(chain(inner), guard, use_case="chat").invoke("hi"))


class Router(ScriptedModel):
    """Asks another model for its reply."""

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        reply = model(LATE).invoke("hi")
        return ChatResult(generations=[ChatGeneration(message=reply)])


class Registered(Listener):
    """Adds itself to every run, as the environment says."""

    all_heard: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.heard = self.all_heard


def test_a_handler_of_the_environment_hears_only_what_is_released(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(context, "_configure_hooks", [*context._configure_hooks])
    monkeypatch.setenv("LISTENER_OF_A_TEST", "true")
    nobody: ContextVar[Any] = ContextVar("nobody", default=None)
    context.register_configure_hook(
        nobody, inheritable=True, handle_class=Registered, env_var="LISTENER_OF_A_TEST"
    )
    guarded = guard_model(Router([words(KIND)]), scripted_guard(BLOCK), use_case="chat")
    assert BAD not in everything(guarded.invoke("hi"))
    assert FALLBACK in everything(Registered.all_heard)
    assert BAD not in everything(Registered.all_heard)


def test_who_is_trusted_later_hears_the_raw_run_too() -> None:
    guard, early, late = scripted_guard(BLOCK), Listener(), Listener()
    first = guard_model(model(LATE), guard, use_case="chat", trusted=[early])
    second = guard_model(first, guard, use_case="chat", trusted=[late])
    assert guard_model(second, guard, use_case="chat", trusted=[early, late]) is second
    assert BAD not in everything(second.invoke("hi"))
    assert BAD in everything(early.heard)
    assert BAD in everything(late.heard)
