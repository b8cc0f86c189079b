"""A guarded chat model behaves as the model does, but for what a policy withholds."""

from __future__ import annotations

import asyncio
import copy
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.globals import set_llm_cache
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.load import dumpd, dumps
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult, LLMResult
from langchain_core.rate_limiters import BaseRateLimiter
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel

from guard.errors import SettingsError
from guard.policy import Hold, OnUnscored
from guard.records import Action, Assessment, Unread, Unscored, Verdict
from guard.testing import Recorder, WordScorer
from guard.wrap.langchain import GuardedChatModel, guard_model
from tests.langchain_scripted import (
    BAD,
    FALLBACK,
    SECRET,
    USAGE,
    Listener,
    ScriptedModel,
    StreamingModel,
    calling,
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


def guarded(inner: BaseChatModel, seen: Recorder | None = None, **kwargs: Any) -> Any:
    made = policy(kwargs.pop("action", Action.BLOCK), **kwargs)
    return guard_model(inner, scripted_guard(made, seen), use_case="chat")


def merged(chunks: list[Any]) -> Any:
    return chunks[0] + chunks[1:] if chunks[1:] else chunks[0]


def whole(inner: Any, streamed: bool) -> AIMessage:
    """What it says in the end."""
    return merged(list(inner.stream("?"))) if streamed else inner.invoke("?")


@pytest.mark.parametrize("script", [KIND, calling("send", '{"body": "so long"}')])
def test_what_passes_is_what_the_model_gave_chunk_by_chunk(script: Any) -> None:
    told = [chunk.content for chunk in model(script).stream("?")]
    given = list(guarded(model(script), Recorder()).stream("?"))
    assert "".join(chunk.text for chunk in given) == "".join(told)
    plain, through = merged(list(model(script).stream("?"))), merged(given)
    ignored = {"id"}
    assert through.model_dump(exclude=ignored) == plain.model_dump(exclude=ignored)
    direct, checked = model(script).invoke("?"), guarded(model(script)).invoke("?")
    assert checked.model_dump(exclude=ignored) == direct.model_dump(exclude=ignored)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_blocked_reply_says_so(streamed: bool) -> None:
    reply = whole(guarded(model(f"A {BAD}. Then more.")), streamed)
    assert reply.content == FALLBACK
    assert reply.response_metadata["finish_reason"] == "content_filter"
    assert "quoted" not in reply.response_metadata
    if not streamed:  # the stream was left before the model told
        assert reply.response_metadata["model_name"] == "scripted-1"
        assert reply.usage_metadata == USAGE


@pytest.mark.parametrize("streamed", [False, True])
def test_a_redacted_reply_keeps_how_it_ended_and_what_it_cost(streamed: bool) -> None:
    reply = whole(guarded(model(f"A {BAD}. Then more."), action=Action.REDACT), streamed)
    assert reply.content == "A [removed]. Then more."
    assert reply.response_metadata["finish_reason"] == "stop"
    assert reply.usage_metadata == USAGE


@pytest.mark.parametrize("streamed", [False, True])
def test_a_call_with_a_secret_is_no_call(streamed: bool) -> None:
    seen = Recorder()
    inner = model(calling("send", f'{{"body": "one. two. \\u0067{BAD[1:]}"}}'))
    reply = whole(guarded(inner, seen), streamed)
    assert reply.tool_calls == []
    assert reply.invalid_tool_calls == []
    assert FALLBACK in reply.text
    assert BAD[1:] not in everything(reply)
    (outcome,) = seen.outcomes
    assert outcome.structured
    assert outcome.verdict is Verdict.BLOCKED


SPELLED = f"\\u0067{BAD[1:]}"
BROKEN = {
    "value cut off": f'{{"body": "a {SPELLED}',
    "value cut off in an escape": f'{{"body": "a {SPELLED} and\\u00',
    "value complete, object not": f'{{"body": "a {SPELLED} b", "n": ',
    "key": f'{{"{SPELLED}": 1, "n"',
    "key that stands twice": f'{{"body": "a {SPELLED}", "body": "kind"',
    "in a list": f'{{"all": ["kind", "{SPELLED}',
    "a line break in a string": f'{{"body": "one\ntwo {SPELLED}"}}',
    "something behind the end": f'{{"body": "{SPELLED}"}} and',
    "a brace that closes nothing": f'{{"body": "{SPELLED}"}}]',
}


def in_message(where: str, source: str) -> AIMessageChunk:
    """A message with this source of the arguments of a tool in it."""
    if where == "invalid_tool_calls":
        bad: Any = {"name": "send", "args": source, "id": "1", "error": None}
        return AIMessageChunk(content="", invalid_tool_calls=[bad])
    if where == "function_call":
        call = {"name": "send", "arguments": source}
        return AIMessageChunk(content="", additional_kwargs={"function_call": call})
    if where == "tool_calls":
        call = {"id": "1", "function": {"name": "send", "arguments": source}}
        return AIMessageChunk(content="", additional_kwargs={"tool_calls": [call]})
    if where == "input_json_delta":
        return AIMessageChunk(content=[{"type": where, "partial_json": source, "index": 0}])
    return AIMessageChunk(content=[{"type": "tool_use", "id": "1", "name": "send", where: source}])


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("source", BROKEN.values(), ids=BROKEN)
def test_arguments_that_are_broken_json_are_judged_as_a_lenient_parser_reads_them(
    source: str, streamed: bool
) -> None:
    inner = model(calling("send", source))
    reply = whole(guarded(inner), streamed)
    assert BAD[1:] not in everything(reply)
    if BAD[1:] in everything(whole(inner, streamed)):  # LangChain may have dropped it already
        assert reply.tool_calls == []
        assert reply.invalid_tool_calls == []
        assert FALLBACK in reply.text


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "where",
    [
        "invalid_tool_calls", "function_call", "tool_calls", "input_json_delta", "partial_json",
        "input", "arguments", "args",
    ],
)  # fmt: skip
def test_so_they_are_wherever_they_stand(where: str, streamed: bool) -> None:
    script = [in_message(where, BROKEN["value cut off"])]
    reply = whole(guarded(model(script)), streamed)
    assert FALLBACK in reply.text
    assert BAD[1:] not in everything(reply)
    kind = [in_message(where, '{"body": "all is w\\u0065ll')]
    assert "w\\\\u0065ll" in everything(whole(guarded(model(kind)), streamed))


@pytest.mark.parametrize("text", ["", "All is well. "])
def test_a_function_call_that_comes_in_pieces_is_given_whole(text: str) -> None:
    call = {"name": "send", "arguments": ""}
    script = [
        AIMessageChunk(content=text, additional_kwargs={"function_call": call}),
        *(
            AIMessageChunk(content="", additional_kwargs={"function_call": {"arguments": part}})
            for part in ('{"body": "All is', " well. Or so", '."}')
        ),
    ]
    given = merged(list(guarded(model(script)).stream("?")))
    assert given.text == text
    arguments = '{"body": "All is well. Or so."}'
    assert given.additional_kwargs == {"function_call": {"name": "send", "arguments": arguments}}
    bad = {"function_call": {"arguments": f" {BAD}."}}
    script[-1] = AIMessageChunk(content="", additional_kwargs=bad)
    assert BAD not in everything(list(guarded(model(script)).stream("?")))


@pytest.mark.parametrize("cut", range(len(BROKEN["value cut off"])))
def test_calls_that_the_provider_runs_are_judged_cut_anywhere(cut: int) -> None:
    source = BROKEN["value cut off"]
    blocks: list[Any] = [
        {"type": "server_tool_use", "id": "1", "name": "web", "input": "", "index": 0},
        *({"type": "input_json_delta", "partial_json": part, "index": 0}
          for part in (source[:cut], source[cut:])),
    ]  # fmt: skip
    script = [AIMessageChunk(content=[block]) for block in blocks]
    given = list(guarded(model(script)).stream("?"))
    assert BAD[2:] not in everything(given)
    assert FALLBACK in merged(given).text


def test_words_that_two_channels_say_in_turn_are_judged_whole() -> None:
    script = [
        AIMessageChunk(content="All is", additional_kwargs={"reasoning_content": "What a grum"}),
        AIMessageChunk(content=" well.", additional_kwargs={"reasoning_content": "blefish."}),
    ]
    given = list(guarded(model(script)).stream("?"))
    assert "blefish" not in everything(given)
    assert FALLBACK in merged(given).text


def test_broken_json_is_released_where_nothing_bad_is_in_it() -> None:
    reply = whole(guarded(model(calling("send", '{"body": "all is w\\u0065ll'))), streamed=True)
    assert reply.tool_calls[0]["args"] == {"body": "all is well"}


@pytest.mark.parametrize("streamed", [False, True])
def test_a_call_after_a_bad_word_is_not_made_either(streamed: bool) -> None:
    script = [*words(f"You {BAD}. I call. ")[:-1], *calling("send", '{"body": "fine"}')]
    reply = whole(guarded(model(script)), streamed)
    assert reply.tool_calls == []
    assert FALLBACK in reply.text


@pytest.mark.parametrize("streamed", [False, True])
def test_arguments_pass_unread_where_the_policy_lets_them(streamed: bool) -> None:
    seen = Recorder()
    inner = model(calling("send", f'{{"body": "{BAD}"}}'))
    reply = whole(guarded(inner, seen, reads_tool_calls=False), streamed)
    assert reply.tool_calls[0]["args"] == {"body": BAD}
    (outcome,) = seen.outcomes
    assert outcome.unread == {"tool_calls"}
    assert outcome.verdict is Verdict.RELEASED


THINKING = [
    AIMessageChunk(content=[{"type": "thinking", "thinking": "What a grum", "index": 0}]),
    AIMessageChunk(content=[{"type": "thinking", "thinking": "blefish that is. ", "index": 0}]),
    AIMessageChunk(content=[{"type": "text", "text": "Hello ", "index": 1}]),
    AIMessageChunk(content=[{"type": "text", "text": "there.", "index": 1}]),
]


@pytest.mark.parametrize("streamed", [False, True])
def test_what_it_thinks_is_held_to_the_policy(streamed: bool) -> None:
    reply = whole(guarded(model(THINKING)), streamed)
    assert "grum" not in everything(reply)
    assert FALLBACK in reply.text


@pytest.mark.parametrize("streamed", [False, True])
def test_or_passes_unread(streamed: bool) -> None:
    seen = Recorder()
    asked = model(THINKING, quotes=False)
    reply = whole(guarded(asked, seen, reads_reasoning=False), streamed)
    assert reply.text == "Hello there."
    assert "blefish" in everything(reply)
    assert seen.outcomes[0].unread == {"reasoning"}
    assert seen.outcomes[0].reply == "Hello there."


@pytest.mark.parametrize("where", ["reasoning_content", "reasoning"])
def test_thoughts_beside_the_content_are_judged_with_it(where: str) -> None:
    script = [
        AIMessageChunk(content="", additional_kwargs={where: "What a grum"}),
        AIMessageChunk(content="", additional_kwargs={where: "blefish."}),
        AIMessageChunk(content="Hello."),
    ]
    for reply in (guarded(model(script)).invoke("?"), *guarded(model(script)).stream("?")):
        assert "grum" not in everything(reply)


def test_a_word_is_seen_whole_though_a_thought_comes_between_its_halves() -> None:
    thought = AIMessageChunk(content="", additional_kwargs={"reasoning_content": "hm"})
    script = [AIMessageChunk(content="grum"), thought, AIMessageChunk(content="blefish. Yes.")]
    reply = merged(list(guarded(model(script)).stream("?")))
    assert BAD not in reply.text


@pytest.mark.parametrize("hold", Hold)
def test_a_whole_reply_is_redacted_however_streams_are_held(hold: Hold) -> None:
    reply = guarded(model(f"A {BAD}. Then more."), action=Action.REDACT, hold=hold).invoke("Hello?")
    assert BAD not in everything(reply)


@pytest.mark.parametrize("action", [Action.BLOCK, Action.REDACT])
def test_an_image_is_recorded_as_unread_and_goes_with_a_blocked_reply(action: Action) -> None:
    seen = Recorder()
    image = {"type": "image", "base64": "AAAA", "mime_type": "image/png"}
    script = [AIMessageChunk(content=[{"type": "text", "text": f"A {BAD}."}, image])]
    for streamed in (False, True):
        reply = whole(guarded(model(script), seen, action=action), streamed)
        assert ("AAAA" in everything(reply)) is (action is Action.REDACT)
        assert BAD not in everything(reply)
    assert {outcome.unread for outcome in seen.outcomes} == {frozenset({"image"})}


def test_each_unread_part_is_one_label() -> None:
    seen = Recorder()
    content: Any = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
    ]
    guarded(model([AIMessageChunk(content=content)]), seen, reads_reasoning=False).invoke("?")
    assert seen.outcomes[0].unread == {Unread.IMAGE, Unread.REASONING}


@pytest.mark.parametrize("text", [f"Well. A {BAD}.", f"A {BAD}. Well."])
def test_log_probabilities_of_what_is_withheld_are_withheld(text: str) -> None:
    for action in (Action.BLOCK, Action.REDACT):
        whole_text = [AIMessageChunk(content=text, response_metadata={"logprobs": [{"t": text}]})]
        received = [*guarded(model(whole_text), action=action).stream("?")]
        received.append(guarded(model(whole_text), action=action).invoke("?"))
        assert BAD not in everything(received)


def log_probabilities(*tokens: str) -> dict[str, Any]:
    """As OpenAI has them, each token the only alternative to itself."""
    each = [{"token": one, "bytes": list(one.encode()), "logprob": -0.1} for one in tokens]
    return {"logprobs": {"content": [{**one, "top_logprobs": [one]} for one in each]}}


@pytest.mark.parametrize("action", [Action.BLOCK, Action.REDACT])
@pytest.mark.parametrize("ahead", [0, 1, 2])
def test_log_probabilities_never_come_before_their_text(ahead: int, action: Action) -> None:
    script = [AIMessageChunk(content=one) for one in ("Good. ", "A grum", f"{SECRET[1]}. ", "Bye.")]
    tokens = AIMessageChunk(content="", response_metadata=log_probabilities("A ", *SECRET))
    script.insert(ahead, tokens)
    received = everything([*guarded(model(script), action=action).stream("?")])
    assert SECRET[1] not in received
    assert str([*SECRET[1].encode()])[1:-1] not in received.replace("  ", ", ")


def test_log_probabilities_of_something_else_are_judged() -> None:
    about = log_probabilities(*SECRET)
    script = [AIMessageChunk(content="Fine. ", response_metadata=about), *words("All is well.")]
    for streamed in (False, True):
        assert SECRET[1] not in everything(whole(guarded(model(script)), streamed))


def test_a_chunk_that_is_cut_keeps_the_rest_for_later() -> None:
    about = {"logprobs": [{"t": "Good. And"}], "model_provider": "openai"}
    first = AIMessageChunk(
        content=[{"type": "text", "text": "Good. And", "index": 0}],
        response_metadata=about,
        usage_metadata=USAGE,  # type: ignore[arg-type]
    )
    second = AIMessageChunk(content=[{"type": "text", "text": " so on.", "index": 0}])
    head, *rest = guarded(model([first, second])).stream("?")
    assert head.text.rstrip() == "Good."
    assert head.response_metadata == {"model_provider": "openai"}
    assert head.usage_metadata is None
    together = merged([head, *rest])
    assert together.content == [{"type": "text", "text": "Good. And so on.", "index": 0}]
    assert together.response_metadata == about
    assert together.usage_metadata == USAGE


def test_every_choice_is_judged() -> None:
    class Choosing(ScriptedModel):
        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
            texts = ["Fine.", f"A {BAD}.", "Good."]
            made = [ChatGeneration(message=AIMessage(content=text)) for text in texts]
            return ChatResult(generations=made, llm_output={"quoted": BAD, "id": "r1"})

    seen = Recorder()
    result: LLMResult = guarded(Choosing([]), seen).generate([[HumanMessage("?")]])
    assert [one.text for one in result.generations[0]] == ["Fine.", FALLBACK, "Good."]
    assert len(seen.outcomes) == 3
    assert BAD not in everything(result)


async def test_regenerating_asks_again_and_gives_the_other_reply() -> None:
    seen = Recorder()
    inner = model(LATE, KIND)
    made = guarded(inner, seen, action=Action.REGENERATE)
    assert (await made.ainvoke("?")).content == KIND
    assert len(inner.asked) == 2
    assert seen.outcomes[0].attempts == 2


async def test_a_model_that_refuses_a_call_at_once_raises_to_the_caller() -> None:
    class Refusing(StreamingModel):
        def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
            raise TypeError("no such parameter")

    first = anext(guarded(Refusing([words(KIND)])).astream("hi"))
    with pytest.raises(TypeError, match="no such parameter"):
        await asyncio.wait_for(first, 60)


def test_a_block_without_a_type_is_followed_by_the_fallback() -> None:
    script = [AIMessageChunk(content=[{"index": 0, "text": f"You {BAD}."}])]
    said = list(guarded(model(script)).stream("hi"))
    assert FALLBACK in everything(said)
    assert BAD not in everything(said)


def test_what_is_bound_reaches_the_model() -> None:
    inner = model(KIND)
    guarded(inner).bind(stop=["X"], temperature=0.1).invoke("?")
    guarded(inner).bind_tools([Answer], tool_choice="any").invoke("?")
    list(guarded(inner).stream("?", stop=["Y"], stream_usage=True))
    assert inner.asked[0] == {"stop": ["X"], "temperature": 0.1}
    assert inner.asked[1]["tools"][0]["function"]["name"] == "Answer"
    assert inner.asked[1]["tool_choice"] == "any"
    assert inner.asked[2] == {"stop": ["Y"], "stream_usage": True}


@pytest.mark.parametrize("include_raw", [False, True])
def test_structured_output_is_guarded(include_raw: bool) -> None:
    kind = guarded(model(calling("Answer", '{"text": "so long"}')))
    found: Any = kind.with_structured_output(Answer, include_raw=include_raw).invoke("?")
    assert (found["parsed"] if include_raw else found) == Answer(text="so long")
    bad = guarded(model(calling("Answer", f'{{"text": "{BAD}"}}')))
    found = bad.with_structured_output(Answer, include_raw=include_raw).invoke("?")
    assert BAD not in everything(found)
    assert (found["parsed"] if include_raw else found) is None


def test_batches_configurations_retries_and_fallbacks() -> None:
    made = guarded(model(KIND))
    assert [one.text for one in made.batch(["a", "b", "c"])] == [KIND] * 3
    assert made.with_config(tags=["x"]).invoke("?").text == KIND
    assert made.with_retry(stop_after_attempt=2).invoke("?").text == KIND

    def fail() -> None:
        raise ValueError("away")

    guard = scripted_guard(BLOCK)
    both = model(KIND, gate=fail, gate_at=0).with_fallbacks([model(LATE)])
    found = list(guard_model(both, guard, use_case="chat").stream("?"))
    assert "".join(chunk.text for chunk in found) == f"All is well. {FALLBACK}"


def test_what_is_inside_is_found_and_what_is_not_is_an_error() -> None:
    guard = scripted_guard(BLOCK)
    for inside in (
        model(LATE).bind(stop=["X"]),
        model(LATE).bind_tools([Answer]),
        model(LATE).with_config(tags=["x"]),
        model(LATE).with_retry(),
        RunnableLambda(lambda text: text) | model(LATE),
        {"a": model(LATE)} | RunnableLambda(lambda found: found["a"]),
    ):
        made = guard_model(inside, guard, use_case="chat")
        assert made.invoke("?").text == FALLBACK
    with pytest.raises(SettingsError, match="no chat model in RunnableLambda"):
        guard_model(RunnableLambda(lambda text: text), guard, use_case="chat")
    with pytest.raises(SettingsError, match="a chat model is wanted, not str"):
        guard_model("openai:gpt", guard, use_case="chat")  # type: ignore[type-var]


def test_guarded_twice_is_guarded_once_in_the_same_way_and_twice_in_another() -> None:
    seen = Recorder()
    guard = scripted_guard(BLOCK, seen)
    once = guard_model(model(LATE), guard, use_case="chat")
    assert guard_model(once, guard, use_case="chat") is once
    twice = guard_model(once, guard, use_case="other")
    assert twice.invoke("?").text == FALLBACK
    assert "".join(chunk.text for chunk in twice.stream("?")) == f"All is well. {FALLBACK}"
    assert [outcome.call.use_case for outcome in seen.outcomes] == ["chat", "other"] * 2


def test_nothing_of_it_shows_a_key() -> None:
    made = guarded(model(KIND, api_key="sk-very-private"))
    assert isinstance(made, BaseChatModel)
    assert repr(made) == str(made) == "GuardedChatModel(model='StreamingModel', use_case='chat')"
    shown = f"{made!r} {made.model_dump()} {dumpd(made)} {dumps(made)} {made._identifying_params}"
    assert "sk-" not in shown
    assert "sk-" not in everything(made._get_llm_string())


def test_its_plain_attributes_are_the_models() -> None:
    inner = model(KIND, metadata={"a": 1}, tags=["b"], custom_get_token_ids=lambda _: [1, 2, 3])
    made = guarded(inner)
    assert (made.model_name, made.temperature) == ("scripted-1", 0.5)
    assert (made.metadata, made.tags, made.name) == (inner.metadata, ["b"], "StreamingModel")
    assert made._llm_type == "scripted"
    assert made._get_ls_params()["ls_model_name"] == "scripted-1"
    assert made.get_num_tokens("a b") == 3
    for name in ("no_such_thing", "_scripts", "client", "_stream_chat_model_events"):
        with pytest.raises(AttributeError):
            getattr(made, name)
    assert isinstance(copy.deepcopy(made), GuardedChatModel)


def test_a_model_that_does_not_stream_gives_whole_replies() -> None:
    for inner in (ScriptedModel([words(KIND)]), model(KIND, disable_streaming=True)):
        (only,) = list(guarded(inner).stream("?"))
        assert only.content == KIND
        assert only.usage_metadata == USAGE


@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")
def test_even_where_events_are_asked_for() -> None:
    made = guarded(ScriptedModel([words(LATE)]))
    run = made.stream_events("?", version="v3")
    assert BAD not in everything(list(run))
    assert run.output.text == FALLBACK


@pytest.fixture
def cache() -> Iterator[InMemoryCache]:
    made = InMemoryCache()
    set_llm_cache(made)
    yield made
    set_llm_cache(None)


async def test_a_cache_holds_only_what_went_out_unchanged(cache: InMemoryCache) -> None:
    kind, bad = model(KIND), model(LATE, model_name="another")
    for _ in range(2):
        assert guarded(kind).invoke("?").text == KIND
        assert (await guarded(kind).ainvoke("?")).text == KIND
        assert guarded(bad).invoke("?").text == FALLBACK
        assert (await guarded(bad, action=Action.REDACT).ainvoke("?")).text != LATE
    assert len(kind.asked) == 1
    assert len(bad.asked) == 4
    assert len(cache._cache) == 1
    assert BAD not in everything(cache._cache)


def test_what_stands_in_a_cache_is_judged_before_it_goes_out(cache: InMemoryCache) -> None:
    seen = Recorder()
    inner = model(LATE)
    assert inner.invoke("?").text == LATE
    assert guarded(inner, seen).invoke("?").text == FALLBACK
    assert len(inner.asked) == 1
    assert seen.outcomes[0].verdict is Verdict.BLOCKED
    kind = guarded(model(KIND), action=Action.REGENERATE)
    assert kind.invoke("?").text == KIND


def test_a_cached_reply_costs_nobody_a_copy_of_it(cache: InMemoryCache) -> None:
    made = guarded(model(KIND))
    made.invoke("?").content = "spoiled"
    assert made.invoke("?").content == KIND


def test_a_rate_limit_holds_for_every_question_to_the_model() -> None:
    class Limiter(BaseRateLimiter):
        taken = 0

        def acquire(self, *, blocking: bool = True) -> bool:
            Limiter.taken += 1
            return True

        async def aacquire(self, *, blocking: bool = True) -> bool:
            return self.acquire()

    made = guarded(model(LATE, KIND, rate_limiter=Limiter()), action=Action.REGENERATE)
    assert made.invoke("?").text == KIND
    assert Limiter.taken == 2


def test_a_trusted_handler_hears_the_raw_run_and_nobody_else_does() -> None:
    trusted, other = Listener(), Listener()
    guard = scripted_guard(BLOCK)
    made = guard_model(model(LATE), guard, use_case="chat", trusted=[trusted])
    list(made.stream("?", {"callbacks": [other]}))
    made.invoke("?", {"callbacks": [other]})
    heard = " ".join(trusted.heard)
    assert heard.count(BAD) >= 2
    assert "guard.raw" in heard
    assert "on_llm_end" in heard
    assert "blefish" not in " ".join(other.heard)


async def test_it_does_so_async_and_hears_of_failures() -> None:
    def fail() -> None:
        raise ValueError("away")

    trusted = Listener()
    made = guard_model(
        model(KIND, gate=fail, gate_at=2), scripted_guard(BLOCK), use_case="chat", trusted=[trusted]
    )
    with pytest.raises(ValueError, match="away"):
        [one async for one in made.astream("?")]
    await made.ainvoke("?")
    assert [line.split()[0] for line in trusted.heard] == [
        "on_chat_model_start", "on_llm_new_token", "on_llm_new_token", "on_llm_error",
        "on_chat_model_start", "on_llm_end",
    ]  # fmt: skip


class Silent(WordScorer):
    """Has no score for anything."""

    def assess(self, text: str) -> Assessment:
        return Assessment(reason=Unscored.DEADLINE)


@pytest.mark.parametrize("withhold", [False, True])
def test_what_has_no_score_goes_by_the_policy(withhold: bool) -> None:
    choice = OnUnscored.WITHHOLD if withhold else OnUnscored.RELEASE
    guard = scripted_guard(policy(Action.BLOCK, on_unscored=choice), None, Silent({}))
    made = guard_model(model(KIND), guard, use_case="chat")
    assert made.invoke("?").text == (FALLBACK if withhold else KIND)


@pytest.mark.parametrize("kwargs", [{"enforce": False}, {"off": True}])
def test_observing_releases_everything_as_it_comes(kwargs: dict[str, Any]) -> None:
    script = [*calling("send", f'{{"body": "{BAD}"}}'), AIMessageChunk(content=LATE)]
    made = guarded(model(script), **kwargs)
    assert len(list(made.stream("?"))) == len(list(model(script).stream("?")))
    assert made.invoke("?").tool_calls[0]["args"] == {"body": BAD}


def test_the_prompt_is_recorded_and_turns_where_all_are_texts() -> None:
    seen = Recorder()
    made = guarded(model(KIND), seen)
    made.invoke([("system", "Be kind."), ("user", "Hello"), ("ai", "Hi"), ("user", "Bye")])
    picture: Any = [{"type": "text", "text": "What?"}, {"type": "image_url", "image_url": "x"}]
    made.invoke([("user", picture)])
    first, second = (outcome.call for outcome in seen.outcomes)
    assert [(turn.role, turn.content) for turn in first.turns] == [
        ("system", "Be kind."), ("user", "Hello"), ("assistant", "Hi"), ("user", "Bye"),
    ]  # fmt: skip
    assert first.prompt == "Be kind.\nHello\nHi\nBye"
    assert (second.turns, second.prompt) == ((), "What?")


def test_handlers_of_the_model_hear_what_is_released(caplog: pytest.LogCaptureFixture) -> None:
    class Own(BaseCallbackHandler):
        texts: list[str] = []  # noqa: RUF012 - of this test

        def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
            self.texts.append(response.generations[0][0].text)

    caplog.set_level(logging.DEBUG)
    guarded(model(LATE, callbacks=[Own()])).invoke("?")
    assert Own.texts == [FALLBACK]
    assert BAD not in caplog.text
