"""A guarded chat model in a trace: within the span of the application, without withheld words."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models.chat_models import LangSmithParams
from langchain_core.runnables import RunnableLambda

from guard.records import Action
from guard.wrap.langchain import guard_model
from tests.langchain_scripted import BAD, StreamingModel, policy, scripted_guard, words
from tests.traced import Collected


class Known(StreamingModel):
    """A model that says who runs it."""

    def _get_ls_params(self, stop: Any = None, **kwargs: Any) -> LangSmithParams:
        del stop, kwargs
        return LangSmithParams(ls_provider="azure", ls_model_name="gpt-4o")


class Silent(StreamingModel):
    """A model that does not."""

    def _get_ls_params(self, stop: Any = None, **kwargs: Any) -> LangSmithParams:
        del stop, kwargs
        return LangSmithParams()


def guarded(model: Any, collected: Collected) -> Any:
    block = policy(Action.BLOCK)
    tracer = collected.calls(*block.rules, capture="span_and_event")
    return guard_model(model, scripted_guard(block, tracer=tracer), use_case="chat")


@pytest.mark.parametrize("streamed", [False, True])
def test_the_span_is_a_child_of_the_applications(streamed: bool) -> None:
    collected = Collected()
    model = guarded(Known([words("all is well")]), collected)
    chain = RunnableLambda(
        lambda text: list(model.stream(text)) if streamed else model.invoke(text)
    )
    with collected.tracers.get_tracer("app").start_as_current_span("app") as app:
        chain.invoke("Hello?", {"configurable": {"thread_id": "t-1"}})
    call = next(one for one in collected.spans if one.name == "chat gpt-4o")
    found = dict(call.attributes or {})
    assert call.parent == app.get_span_context()
    assert found["gen_ai.provider.name"] == "azure.ai.openai"
    assert found["gen_ai.conversation.id"] == "t-1"
    assert found["gen_ai.response.finish_reasons"] == ("stop",)
    assert found.get("gen_ai.request.stream", False) is streamed


@pytest.mark.parametrize("streamed", [False, True])
def test_what_was_withheld_is_nowhere(streamed: bool) -> None:
    collected = Collected()
    model = guarded(Silent([words(f"so {BAD} it is")]), collected)
    _ = list(model.stream("Hello?")) if streamed else model.invoke("Hello?")
    said = collected.span.to_json() + "".join(one.to_json() for one in collected.records)
    assert "Hello?" in said
    assert BAD not in said
    assert dict(collected.span.attributes or {})["gen_ai.provider.name"] == "unknown"
