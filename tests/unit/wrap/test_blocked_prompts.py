"""A prompt that is blocked does not reach the model, in whatever way it is asked."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from functools import wraps
from threading import get_ident
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, HumanMessageChunk

from guard import Blocked, Guard
from guard.policy import OnUnscored, Policy, PromptMode, prompt_policy
from guard.records import Action, TextKind, Unscored, Verdict
from guard.testing import Recorder
from guard.wrap.asgi import Guarded, request
from guard.wrap.langchain import guard_model
from guard.wrap.question import question
from tests.asgi_made import BLOCK as ASGI_BLOCK
from tests.asgi_made import App, ask, guarded
from tests.langchain_scripted import BAD, model, policy, scripted_guard

FALLBACK = "No prompt like that."
ASKED = f"You {BAD}."
CHAT: list[Any] = [{"role": "user", "content": ASKED}]


def blocking(made: Policy) -> Policy:
    return replace(made, prompt=prompt_policy(made, PromptMode.BLOCK, FALLBACK))


@pytest.fixture
def seen() -> Recorder:
    return Recorder()


@pytest.fixture
def guard(seen: Recorder) -> Guard:
    return scripted_guard(blocking(policy(Action.BLOCK)), seen)


@pytest.fixture
def raising() -> Guard:
    return scripted_guard(blocking(policy(Action.BLOCK, raises=True)))


def never(prompt: Any) -> Any:
    raise AssertionError(f"the model was asked: {prompt}")


async def never_async(prompt: Any) -> Any:
    never(prompt)


def never_in_pieces(prompt: Any) -> Iterator[Any]:
    yield never(prompt)


async def never_in_pieces_async(prompt: Any) -> AsyncIterator[Any]:
    yield never(prompt)


def is_a_prompt(seen: Recorder) -> bool:
    """Whether the only record is that of a blocked prompt."""
    return [(one.call.kind, one.verdict) for one in seen.outcomes] == [
        (TextKind.PROMPT, Verdict.BLOCKED)
    ]


async def test_functions_of_all_kinds(guard: Guard, seen: Recorder) -> None:
    def wrapped(fn: Any) -> Any:
        seen.outcomes.clear()
        return guard.wrap(fn, use_case="chat")

    assert wrapped(never)(ASKED) == FALLBACK
    assert is_a_prompt(seen)
    assert await wrapped(never_async)(ASKED) == FALLBACK
    assert is_a_prompt(seen)
    assert list(wrapped(never_in_pieces)(CHAT)) == [FALLBACK]
    assert is_a_prompt(seen)
    assert [one async for one in wrapped(never_in_pieces_async)(CHAT)] == [FALLBACK]
    assert is_a_prompt(seen)


def test_a_function_that_returns_a_stream(guard: Guard) -> None:
    def declared(prompt: Any) -> Iterator[str]:
        return never(prompt)

    def undeclared(prompt: Any):  # type: ignore[no-untyped-def]
        return never(prompt)

    for fn in (declared, undeclared):
        asked = guard.wrap(fn, use_case="chat")
        assert list(asked(ASKED)) == "".join(asked(ASKED)).split("\n") == [FALLBACK]
        pieces = asked(ASKED)
        assert next(pieces) == FALLBACK
        assert next(pieces, None) is None
        pieces.close()
    assert guard.wrap(undeclared, use_case="chat")(ASKED) == FALLBACK


async def test_a_function_that_returns_an_asynchronous_stream(guard: Guard) -> None:
    def declared(prompt: Any) -> AsyncIterator[str]:
        return never(prompt)

    def undeclared(prompt: Any):  # type: ignore[no-untyped-def]
        return never(prompt)

    for fn in (declared, undeclared):
        asked = guard.wrap(fn, use_case="chat")
        assert [one async for one in asked(ASKED)] == [FALLBACK]
        pieces = asked(ASKED)
        assert await anext(pieces) == FALLBACK
        assert await anext(pieces, None) is None
        await pieces.aclose()


async def test_a_coroutine_function_that_returns_a_stream(guard: Guard) -> None:
    async def declared(prompt: Any) -> AsyncIterator[str]:
        return never(prompt)

    async def undeclared(prompt: Any):  # type: ignore[no-untyped-def]
        return never(prompt)

    def plain(prompt: Any):  # type: ignore[no-untyped-def]
        return undeclared(prompt)

    def promised(prompt: Any) -> Awaitable[Any]:
        return undeclared(prompt)

    for fn in (declared, undeclared, plain, promised):
        asked = guard.wrap(fn, use_case="chat")
        assert [one async for one in await asked(ASKED)] == [FALLBACK]
    assert await guard.wrap(plain, use_case="chat")(ASKED) == FALLBACK


async def test_a_function_that_is_guarded_twice(guard: Guard, seen: Recorder) -> None:
    def plain(prompt: Any):  # type: ignore[no-untyped-def]
        return never(prompt)

    async def waiting(prompt: Any):  # type: ignore[no-untyped-def]
        return never(prompt)

    other = scripted_guard(policy(Action.BLOCK))
    text: Any = other.wrap(guard.wrap(plain, use_case="chat"), use_case="chat")(ASKED)
    assert text == json.loads(json.dumps(text)) == pickle.loads(pickle.dumps(text)) == FALLBACK
    twice = other.wrap(guard.wrap(waiting, use_case="chat"), use_case="chat")
    assert await twice(ASKED) == FALLBACK


async def test_objects_in_pieces_as_declared(guard: Guard) -> None:
    def declared(prompt: Any) -> Iterator[dict[str, str]]:
        return never(prompt)

    made: Any = {"read": lambda piece: piece["text"], "write": lambda _, text: {"text": text}}
    asked = guard.wrap(declared, use_case="chat", **made)
    assert list(asked(ASKED)) == [{"text": FALLBACK}]


async def test_a_declared_text_is_just_that(guard: Guard) -> None:
    def declared(prompt: Any) -> str:
        return str(never(prompt))

    assert type(guard.wrap(declared, use_case="chat")(ASKED)) is str


async def test_a_function_that_stands_for_a_coroutine_function(guard: Guard) -> None:
    """As the methods of asynchronous clients do, behind a decorator that is a plain function."""

    @wraps(never_async)
    def behind(prompt: Any) -> Any:
        return never_async(prompt)

    assert await guard.wrap(behind, use_case="chat")(ASKED) == FALLBACK


@pytest.mark.parametrize("name", ["messages", "input", "prompt"])
def test_what_is_asked_by_name_is_judged_and_not_the_name_of_the_model(
    name: str, guard: Guard
) -> None:
    asked = guard.wrap(lambda **_: pytest.fail("the model was asked"), use_case="chat")
    assert asked(model="m", **{name: CHAT}) == FALLBACK


def test_a_prompt_that_passes_is_judged_once_beside_the_reply(guard: Guard, seen: Recorder) -> None:
    assert guard.wrap(lambda prompt: f"{prompt} Yes.", use_case="chat")("Well?") == "Well? Yes."
    assert [one.call.kind for one in seen.outcomes] == [TextKind.PROMPT, TextKind.REPLY]


def test_an_exception_where_policy_wants_one(raising: Guard) -> None:
    with pytest.raises(Blocked, match="prompt of call call withheld"):
        raising.wrap(never, use_case="chat")(ASKED)


def test_a_write_that_needs_a_reply_raises(guard: Guard) -> None:
    asked = guard.wrap(
        never,
        use_case="chat",
        read=lambda reply: reply.text,
        write=lambda reply, text: replace(reply, text=text),
    )
    with pytest.raises(Blocked, match="prompt"):
        asked(ASKED)


async def test_checks(guard: Guard) -> None:
    outcome = await guard.check_async(ASKED, use_case="chat", kind="prompt")
    assert (outcome.verdict, outcome.text) == (Verdict.BLOCKED, FALLBACK)


async def test_langchain(guard: Guard, raising: Guard, seen: Recorder) -> None:
    inner = model("never")
    chat = guard_model(inner, guard=guard, use_case="chat")
    said = chat.invoke(ASKED)
    assert (type(said), said.content) == (AIMessage, FALLBACK)
    assert is_a_prompt(seen)
    for message in (ChatMessage(role="user", content=ASKED), HumanMessageChunk(content=ASKED)):
        assert chat.invoke([message]).content == FALLBACK
    history = [HumanMessage("Hi."), AIMessage("Hello."), HumanMessage(ASKED)]
    assert (await chat.ainvoke(history)).content == FALLBACK
    assert [chunk.content for chunk in chat.stream(ASKED) if chunk.content] == [FALLBACK]
    assert [one.content async for one in chat.astream(ASKED) if one.content] == [FALLBACK]
    with pytest.raises(Blocked, match="prompt"):
        guard_model(inner, guard=raising, use_case="chat").invoke(ASKED)


async def test_asgi() -> None:
    app, recorder = App([b'{"text": "Fine."}']), Recorder()
    given = Guarded(field="text", prompt="question")
    made = guarded(app, given, policy=blocking(ASGI_BLOCK), recorder=recorder)
    nasty = json.dumps({"question": "So nasty."}).encode()
    answer = await ask(made, body=[nasty[:9], nasty[9:]])
    assert (answer.status, app.heard) == (400, [])
    assert answer.json["error"]["code"] == "content_filter"
    assert answer.json["error"]["message"].startswith("prompt of call")
    assert answer.headers["x-guard-verdict"] == "blocked"
    assert is_a_prompt(recorder)
    for twice in (b'{"x": 1, "x": 2, "question": "So nasty."}', b'{"question": "So nasty."'):
        assert (await ask(made, body=[twice])).status == 400
    kind = json.dumps({"question": "How are you?"}).encode()
    answer = await ask(made, body=[kind[:9], kind[9:]])
    assert answer.json == {"text": "Fine."}
    assert b"".join(one["body"] for one in app.heard) == kind


@pytest.mark.parametrize(
    "said",
    [
        ["How are you?", "So nasty."],
        {"text": "So nasty."},
        [{"role": "user", "parts": [{"text": "So nasty."}]}],
    ],
)
async def test_asgi_reads_what_is_no_single_text(said: Any) -> None:
    app = App([b'{"text": "Fine."}'])
    made = guarded(app, Guarded(field="text", prompt="question"), policy=blocking(ASGI_BLOCK))
    assert (await ask(made, body=[json.dumps({"question": said}).encode()])).status == 400
    assert app.heard == []


@pytest.mark.parametrize("at", [0, 1, 2])
async def test_asgi_reads_every_entry_of_a_prompt(at: int) -> None:
    said = [{"content": "How are you?"} for _ in range(3)]
    said[at] = {"content": "So nasty."}
    app = App([b'{"text": "Fine."}'])
    given = Guarded(field="text", prompt="messages.*.content")
    made = guarded(app, given, policy=blocking(ASGI_BLOCK))
    assert (await ask(made, body=[json.dumps({"messages": said}).encode()])).status == 400
    assert app.heard == []


LONG = json.dumps({"question": "How are you? " * 100}).encode()
PACKED = {"content-encoding": "gzip"}


@pytest.mark.parametrize(
    ("body", "headers"),
    [(gzip.compress(LONG), PACKED), (LONG, PACKED), (LONG, {}), (b'{"question": {"n": 1}}', {})],
    ids=["compressed", "said to be", "long", "no text"],
)
@pytest.mark.parametrize("on_unscored", OnUnscored)
async def test_asgi_counts_what_it_cannot_read(
    body: bytes, headers: dict[str, str], on_unscored: OnUnscored
) -> None:
    app, recorder = App([b'{"text": "Fine."}']), Recorder()
    unscored = blocking(replace(ASGI_BLOCK, on_unscored=on_unscored))
    given = Guarded(field="text", prompt="question")
    made = guarded(app, given, policy=unscored, recorder=recorder, body_mb=0.001)
    answer = await ask(made, body=[body], headers=raw(headers))
    assert answer.status == (400 if on_unscored is OnUnscored.WITHHOLD else 200)
    assert recorder.outcomes[0].call.kind is TextKind.PROMPT
    assert recorder.outcomes[0].unscored is Unscored.NOT_TEXT


async def test_asgi_reads_a_text_that_is_said_to_be_compressed() -> None:
    app = App([b'{"text": "Fine."}'])
    made = guarded(app, Guarded(field="text", prompt="question"), policy=blocking(ASGI_BLOCK))
    nasty = json.dumps({"question": "So nasty."}).encode()
    assert (await ask(made, body=[nasty], headers=raw(PACKED))).status == 400


@pytest.mark.parametrize(("count", "beside"), [(1, False), (20_000, True)])
async def test_asgi_reads_many_texts_once_and_beside_the_event_loop(
    count: int, *, beside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some hundred thousand take seconds of it, in which nobody else would be answered."""
    threads: list[int] = []

    def told(*args: Any) -> Any:
        threads.append(get_ident())
        return question(*args)

    monkeypatch.setattr(request, "question", told)
    app = App([b'{"text": "Fine."}'])
    made = guarded(app, Guarded(field="text", prompt="question"), policy=blocking(ASGI_BLOCK))
    body = json.dumps({"question": ["Hi."] * count}).encode()
    assert (await ask(made, body=[body])).json == {"text": "Fine."}
    assert len(threads) == 1
    assert (get_ident() not in threads) is beside


async def test_asgi_reads_no_request_of_too_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "MAX_REQUEST_VALUES", 9)
    app, recorder = App([b'{"text": "Fine."}']), Recorder()
    given = Guarded(field="text", prompt="question")
    made = guarded(app, given, policy=blocking(ASGI_BLOCK), recorder=recorder)
    body = json.dumps({"question": "How are you?", "x": [1] * 20}).encode()
    await ask(made, body=[body])
    assert recorder.outcomes[0].unscored is Unscored.NOT_TEXT


@pytest.mark.parametrize("on_unscored", OnUnscored)
def test_a_function_whose_prompt_cannot_be_read(on_unscored: OnUnscored) -> None:
    made = blocking(replace(policy(Action.BLOCK), on_unscored=on_unscored))
    seen = Recorder()
    guarded_by = scripted_guard(made, seen)
    reply = guarded_by.wrap(lambda asked: "Hello.", use_case="chat")(object())
    assert reply == (FALLBACK if on_unscored is OnUnscored.WITHHOLD else "Hello.")
    assert seen.outcomes[0].unscored is Unscored.NOT_TEXT


def raw(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def answering(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"the model was asked: {request.url}")


def client_of(guard: Guard) -> openai.OpenAI:
    http = httpx.Client(transport=httpx.MockTransport(answering))
    inner = openai.OpenAI(api_key="k", base_url="http://model/v1", max_retries=0, http_client=http)
    return guard.wrap_openai(inner, use_case="chat")


def chat_helper(client: openai.OpenAI) -> str:
    with client.chat.completions.stream(model="m", messages=CHAT) as stream:
        return "".join(one.delta for one in stream if one.type == "content.delta")


def response_helper(client: openai.OpenAI) -> str:
    with client.responses.stream(model="m", input=ASKED) as stream:
        return "".join(one.delta for one in stream if one.type == "response.output_text.delta")


WAYS: dict[str, Callable[[openai.OpenAI], Any]] = {
    "chat": lambda client: (
        client.chat.completions.create(model="m", messages=CHAT).choices[0].message.content
    ),
    "chat stream": lambda client: "".join(
        chunk.choices[0].delta.content or ""
        for chunk in client.chat.completions.create(model="m", messages=CHAT, stream=True)
    ),
    "chat helper": chat_helper,
    "completion": lambda client: (
        client.completions.create(model="m", prompt=["Hi.", ASKED]).choices[0].text
    ),
    "response": lambda client: client.responses.create(model="m", input=ASKED).output_text,
    "response helper": response_helper,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_clients_of_openai(
    guard: Guard, seen: Recorder, way: Callable[[openai.OpenAI], Any]
) -> None:
    assert way(client_of(guard)) == FALLBACK
    assert is_a_prompt(seen)


def test_clients_of_openai_raise_where_policy_wants_it(raising: Guard) -> None:
    with pytest.raises(openai.BadRequestError, match="prompt of call") as raised:
        WAYS["chat"](client_of(raising))
    assert raised.value.code == "content_filter"
