"""`Guard.wrap_openai`: the official client, guarded in the process that uses it."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import openai
import pytest

from guard import Guard, SettingsError
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.records import TextKind, Verdict
from guard.settings import parse_settings
from guard.store import open_store
from guard.testing import Recorder
from tests.integration import gateway_ways
from tests.integration.gateway_cases import AFTER, BEFORE, FALLBACK, KIND, SECRET
from tests.integration.gateway_ways import (
    CALLS,
    MODEL,
    OFFICIAL,
    SAID,
    THINKS,
    TOOLS,
    Said,
    chat,
    chat_helper,
    chat_stream,
    completion_stream,
    official,
    response,
    response_stream,
    turns,
)
from tests.servers import PATIENCE_SECONDS
from tests.servers_openai import Choice, Gate, Tool, Upstream, canned, says, status, waits_after

SETTINGS = """
use_cases:
  chat: {}
  watch: {mode: observe}
  raise: {on_block: raise}
  redact: {policy: {toxicity: {redact: 0.8}}}
  prompts: {prompt: {mode: block}}
  again: {policy: {toxicity: {regenerate: 0.8}}}
"""
HARM = f"{BEFORE} {SECRET} {AFTER}"
LATE = f"{BEFORE} {SECRET}"


@pytest.fixture(scope="module")
def seen() -> Recorder:
    return Recorder()


@pytest.fixture(scope="module")
def guard(seen: Recorder) -> Iterator[Guard]:
    with Guard.open(parse_settings(SETTINGS), observers=[seen]) as opened:
        yield opened


@pytest.fixture
def clients(guard: Guard, upstream: Upstream) -> Iterator[Callable[..., openai.OpenAI]]:
    """Makes guarded clients."""
    made: list[openai.OpenAI] = []

    def client(use_case: str = "chat", base_url: str = upstream.base_url) -> openai.OpenAI:
        made.append(official(base_url))
        return guard.wrap_openai(made[-1], use_case=use_case)

    yield client
    for one in made:
        one.close()


@pytest.fixture
async def asynchronous(guard: Guard, upstream: Upstream) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(
        base_url=upstream.base_url, api_key="k", max_retries=0, timeout=30
    ) as client:
        yield guard.wrap_openai(client, use_case="chat")


@pytest.mark.parametrize(("said", "choices"), OFFICIAL.values(), ids=OFFICIAL)
def test_where_nothing_is_flagged_the_client_sees_the_same(
    upstream: Upstream,
    clients: Callable[..., openai.OpenAI],
    monkeypatch: pytest.MonkeyPatch,
    said: Said,
    choices: list[Choice],
) -> None:
    prompt = upstream.plan(says(*choices))
    expected = said(upstream.base_url, prompt)
    for use_case in ("chat", "watch"):
        monkeypatch.setattr(gateway_ways, "official", partial(clients, use_case))
        assert said(upstream.base_url, prompt) == expected


async def test_the_asynchronous_client_sees_the_same(
    upstream: Upstream, asynchronous: openai.AsyncOpenAI
) -> None:
    prompt = upstream.plan(says(THINKS))
    client, asked = asynchronous, {**MODEL, "messages": turns(prompt)}
    whole = await client.chat.completions.create(**asked)
    assert whole.model_dump() == chat(upstream.base_url, prompt)
    counted = {"stream_options": {"include_usage": True}}
    stream = await client.chat.completions.create(**asked, stream=True, **counted)
    assert [chunk.model_dump() async for chunk in stream] == chat_stream(upstream.base_url, prompt)
    found = await client.responses.create(**MODEL, input=prompt)
    assert found.model_dump() == response(upstream.base_url, prompt)
    events = await client.responses.create(**MODEL, input=prompt, stream=True)
    assert [one.model_dump() async for one in events] == response_stream(upstream.base_url, prompt)
    texts = await client.completions.create(**MODEL, prompt=prompt, stream=True)
    expected = completion_stream(upstream.base_url, prompt)
    assert [one.model_dump() async for one in texts] == expected
    assert [one.id async for one in client.models.list()] == ["scripted", "other"]


async def test_helpers_of_the_asynchronous_client(
    upstream: Upstream, asynchronous: openai.AsyncOpenAI
) -> None:
    prompt = upstream.plan(says(CALLS))
    async with asynchronous.chat.completions.stream(
        **MODEL, messages=turns(prompt), tools=TOOLS
    ) as chunks:
        kinds = [event.type async for event in chunks]
        found = (await chunks.get_final_completion()).model_dump()
    assert (kinds, found) == chat_helper(upstream.base_url, prompt)


def whole_chat(client: openai.OpenAI, prompt: str) -> str:
    found = client.chat.completions.create(**MODEL, messages=turns(prompt))
    return found.choices[0].message.content or ""


def raw_chat(client: openai.OpenAI, prompt: str) -> str:
    create = client.chat.completions.with_raw_response.create
    body = json.loads(create(**MODEL, messages=turns(prompt)).text)
    return str(body["choices"][0]["message"]["content"])


def raw_stream(client: openai.OpenAI, prompt: str) -> str:
    create = client.chat.completions.with_streaming_response.create
    with create(**MODEL, messages=turns(prompt), stream=True) as answer:
        lines = [line for line in answer.iter_lines() if line.startswith("data: {")]
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines]
    return "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks)


def streamed_chat(client: openai.OpenAI, prompt: str) -> str:
    chunks = client.chat.completions.create(**MODEL, messages=turns(prompt), stream=True)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def helped_chat(client: openai.OpenAI, prompt: str) -> str:
    with client.chat.completions.stream(**MODEL, messages=turns(prompt)) as stream:
        return "".join(event.delta for event in stream if event.type == "content.delta")


def whole_completion(client: openai.OpenAI, prompt: str) -> str:
    return client.completions.create(**MODEL, prompt=prompt).choices[0].text


def streamed_completion(client: openai.OpenAI, prompt: str) -> str:
    chunks = client.completions.create(**MODEL, prompt=prompt, stream=True)
    return "".join(chunk.choices[0].text for chunk in chunks if chunk.choices)


def whole_response(client: openai.OpenAI, prompt: str) -> str:
    return client.responses.create(**MODEL, input=prompt).output_text


def streamed_response(client: openai.OpenAI, prompt: str) -> str:
    events = list(client.responses.create(**MODEL, input=prompt, stream=True))
    assert events[-1].type == "response.incomplete"
    deltas = [one.delta for one in events if one.type == "response.output_text.delta"]
    assert events[-1].response.output_text == "".join(deltas)
    return "".join(deltas)


WHOLE = [whole_chat, raw_chat, whole_completion, whole_response]
STREAMED = [streamed_chat, helped_chat, raw_stream, streamed_completion, streamed_response]
Way = Callable[[openai.OpenAI, str], str]


@pytest.mark.parametrize("way", WHOLE)
def test_a_withheld_reply_is_the_fallback(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], seen: Recorder, way: Way
) -> None:
    prompt = upstream.plan(says(HARM))
    assert way(clients(), prompt) == FALLBACK
    assert seen.outcomes[-1].verdict is Verdict.BLOCKED
    assert seen.outcomes[-1].call.prompt == prompt
    assert seen.outcomes[-1].call.requested.model == "scripted"


def test_a_withheld_reply_is_not_parsed(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    prompt = upstream.plan(says(HARM))
    with pytest.raises(openai.ContentFilterFinishReasonError):
        clients().chat.completions.parse(**MODEL, messages=turns(prompt))


@pytest.mark.parametrize("way", STREAMED)
def test_a_stream_ends_in_the_fallback_before_what_is_withheld(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], way: Way
) -> None:
    said = way(clients(), upstream.plan(says(HARM)))
    assert said == f"{BEFORE} {FALLBACK}"


@pytest.mark.parametrize("way", [whole_chat, streamed_chat, whole_response])
def test_redaction_keeps_the_rest(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], way: Way
) -> None:
    said = way(clients("redact"), upstream.plan(says(HARM)))
    assert said.startswith(BEFORE)
    assert said.endswith(AFTER)
    assert "stupid" not in said


@pytest.mark.parametrize("way", [whole_chat, streamed_chat, whole_response])
def test_a_reply_is_asked_for_again(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], way: Way
) -> None:
    prompt = upstream.plan(says(SECRET), says(KIND))
    if way is whole_response:
        assert way(clients("again"), prompt) == KIND
    else:
        assert way(clients("again"), prompt).strip() == KIND
    assert len(upstream.asked(prompt)) == 2


def test_arguments_of_tools_are_judged(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    tool = Tool(name="send", arguments=json.dumps({"body": SECRET}))
    prompt = upstream.plan(says(Choice(tools=(tool,))))
    found = clients().chat.completions.create(**MODEL, messages=turns(prompt), tools=TOOLS)
    assert found.choices[0].message.tool_calls is None
    assert found.choices[0].message.content == FALLBACK
    chunks = clients().chat.completions.create(
        **MODEL, messages=turns(prompt), tools=TOOLS, stream=True
    )
    assert "stupid" not in "".join(chunk.model_dump_json() for chunk in chunks)


async def test_the_asynchronous_client_withholds_too(
    upstream: Upstream, asynchronous: openai.AsyncOpenAI
) -> None:
    asked: Any = {**MODEL, "messages": turns(upstream.plan(says(HARM)))}
    found = await asynchronous.chat.completions.create(**asked)
    assert found.choices[0].message.content == FALLBACK
    chunks = await asynchronous.chat.completions.create(**asked, stream=True)
    said = [one.choices[0].delta.content or "" async for one in chunks if one.choices]
    assert "".join(said) == f"{BEFORE} {FALLBACK}"


def test_a_sentence_arrives_while_the_model_still_speaks(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    gate = Gate()
    prompt = upstream.plan(waits_after("Two", gate, f"{BEFORE} Two more words."))
    chunks = clients().chat.completions.create(**MODEL, messages=turns(prompt), stream=True)
    said = ""
    for chunk in chunks:
        said += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        if BEFORE.split()[0] in said:
            gate.open()
    assert said == f"{BEFORE} Two more words."


def test_a_stream_that_is_left_early_is_left_upstream_too(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    prompt = upstream.plan(waits_after("Two", Gate(), f"{BEFORE} Two more words."))
    chunks = clients().chat.completions.create(**MODEL, messages=turns(prompt), stream=True)
    next(iter(chunks))
    chunks.close()
    assert upstream.asked(prompt)[0].left.wait(PATIENCE_SECONDS)


def test_a_stream_that_is_never_read_is_left_upstream_too(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    prompt = upstream.plan(waits_after("Two", Gate(), f"{BEFORE} Two more words."))
    clients().chat.completions.create(**MODEL, messages=turns(prompt), stream=True).close()
    assert upstream.asked(prompt)[0].left.wait(PATIENCE_SECONDS)


async def test_so_does_the_asynchronous_client(
    upstream: Upstream, asynchronous: openai.AsyncOpenAI
) -> None:
    prompt = upstream.plan(waits_after("Two", Gate(), f"{BEFORE} Two more words."))
    asked: Any = {**MODEL, "messages": turns(prompt), "stream": True}
    await (await asynchronous.chat.completions.create(**asked)).close()
    assert await asyncio.to_thread(upstream.asked(prompt)[0].left.wait, PATIENCE_SECONDS)


def test_a_stream_that_is_left_without_closing_it_is_recorded(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], seen: Recorder
) -> None:
    """Its response refers to itself, so that only the collector ends it."""
    prompt = upstream.plan(waits_after("Two", Gate(), f"{BEFORE} Two more words."))
    before = len(seen.outcomes)

    def leave() -> None:
        chunks = clients().chat.completions.create(**MODEL, messages=turns(prompt), stream=True)
        for chunk in chunks:
            if chunk.choices and chunk.choices[0].delta.content:
                break

    leave()
    until = time.monotonic() + PATIENCE_SECONDS
    while len(seen.outcomes) == before and time.monotonic() < until:
        gc.collect()
        time.sleep(0.05)
    (outcome,) = seen.outcomes[before:]
    assert outcome.text.startswith(BEFORE.split()[0])
    assert upstream.asked(prompt)[0].left.wait(PATIENCE_SECONDS)


async def test_a_stream_that_is_left_without_closing_it_is_recorded_once(
    upstream: Upstream, asynchronous: openai.AsyncOpenAI, seen: Recorder
) -> None:
    """`break` leaves generators in a cycle that the collector ends all at once."""
    prompt = upstream.plan(waits_after("Two", Gate(), f"{BEFORE} Two more words."))
    complaints: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    before = len(seen.outcomes)

    async def leave() -> None:
        asked: Any = {**MODEL, "messages": turns(prompt), "stream": True}
        async for chunk in await asynchronous.chat.completions.create(**asked):
            if chunk.choices and chunk.choices[0].delta.content:
                break

    await leave()
    until = time.monotonic() + PATIENCE_SECONDS
    while len(seen.outcomes) == before and time.monotonic() < until:
        gc.collect()
        await asyncio.sleep(0.05)
    (outcome,) = seen.outcomes[before:]
    assert outcome.text.startswith(BEFORE.split()[0])
    assert await asyncio.to_thread(upstream.asked(prompt)[0].left.wait, PATIENCE_SECONDS)
    assert complaints == []


WHOLE_ANSWER = canned(200, b'{"choices": [{"message": {"content": "Fine."}}]}')


@pytest.mark.parametrize("code", [200, 429])
def test_headers_of_an_answer_say_nothing(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], code: int
) -> None:
    body = b'{"choices": [{"message": {"content": "Fine."}}], "error": {"message": "slow"}}'
    headers = {"x-note": SECRET, "x-request-id": SECRET, "retry-after": "7"}
    prompt = upstream.plan(canned(code, body, headers=headers))
    create = clients().with_options(max_retries=0).chat.completions.with_raw_response.create
    try:
        found = create(**MODEL, messages=turns(prompt)).headers
    except openai.RateLimitError as error:
        found = error.response.headers
    assert SECRET not in str(found)
    assert found["retry-after"] == "7"


@pytest.mark.parametrize("way", [streamed_chat, streamed_response, whole_chat])
def test_a_second_answer_may_be_an_error(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], way: Way
) -> None:
    for second, said in ((status(500, "no luck"), "no luck"), (status(500, SECRET), "withheld")):
        with pytest.raises(openai.APIError, match=said) as raised:
            way(clients("again"), upstream.plan(says(SECRET), second))
        assert "stupid" not in str(raised.value)
    second = canned(500, b"<html>", content_type="text/html")
    with pytest.raises(openai.APIError, match=r"500|html"):
        way(clients("again"), upstream.plan(says(SECRET), second))


def test_or_come_in_another_form(upstream: Upstream, clients: Callable[..., openai.OpenAI]) -> None:
    with pytest.raises(openai.APIError, match="another form"):
        streamed_chat(clients("again"), upstream.plan(says(SECRET), WHOLE_ANSWER))


async def test_the_asynchronous_client_is_told_of_it_too(upstream: Upstream, guard: Guard) -> None:
    async with openai.AsyncOpenAI(
        base_url=upstream.base_url, api_key="k", max_retries=0, timeout=30
    ) as client:
        again = guard.wrap_openai(client, use_case="again")
        asked: Any = {**MODEL, "messages": turns(upstream.plan(says(SECRET), status(500)))}
        chunks = await again.chat.completions.create(**asked, stream=True)
        with pytest.raises(openai.APIError, match="as told"):
            [chunk async for chunk in chunks]


def test_a_stream_that_begins_with_an_error(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    event = json.dumps({"error": {"message": SECRET}}).encode()
    prompt = upstream.plan(canned(200, b"data: %s\n\n" % event, content_type="text/event-stream"))
    assert streamed_chat(clients(), prompt) == FALLBACK


@pytest.mark.parametrize("depth", [120, 600])
def test_an_answer_that_is_nested_deep_is_read(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], seen: Recorder, depth: int
) -> None:
    nested = b'{"choices": [{"message": {"content": "%s"}, "x": %s%s}]}'
    body = nested % (SECRET.encode(), b"[" * depth, b"]" * depth)
    assert whole_chat(clients(), upstream.plan(canned(200, body))) == FALLBACK
    assert seen.outcomes[-1].verdict is Verdict.BLOCKED


def test_an_answer_that_is_nested_too_deep_for_a_parser_is_an_error(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    body = b'{"x": %s%s}' % (b"[" * 50_000, b"]" * 50_000)
    with pytest.raises(openai.InternalServerError, match="the answer is none of"):
        whole_chat(clients(), upstream.plan(canned(200, body)))


def test_what_is_not_read_is_told_once(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], caplog: pytest.LogCaptureFixture
) -> None:
    client = clients("watch")
    for _ in range(2):
        answer = client.chat.completions.with_raw_response.create(
            **MODEL, messages=turns(upstream.plan(canned(200, b"no JSON")))
        )
        assert answer.text == "no JSON"
    (line,) = [one for one in caplog.messages if one.startswith("wrap_openai()")]
    assert "builtins.bytes" in line


def test_a_client_over_a_package_that_builds_on_httpx(
    guard: Guard, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As httpx_aiohttp's is."""
    kind = type("Client", (openai.DefaultHttpxClient,), {"__module__": "httpx_other"})
    monkeypatch.setitem(sys.modules, "httpx_other", ModuleType("httpx_other"))
    with openai.OpenAI(base_url=upstream.base_url, api_key="k", http_client=kind()) as client:
        guarded = guard.wrap_openai(client, use_case="chat")
        assert whole_chat(guarded, upstream.plan(says(SECRET))) == FALLBACK


def test_an_exception_where_policy_wants_one(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    client, prompt = clients("raise"), upstream.plan(says(HARM))
    with pytest.raises(openai.BadRequestError) as whole:
        whole_chat(client, prompt)
    assert whole.value.code == "content_filter"
    for way in (streamed_chat, streamed_response):
        with pytest.raises(openai.APIError, match="withheld") as broken:
            way(client, prompt)
        assert broken.value.code == "content_filter"


def test_errors_of_the_server_stay_what_they_are(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    client = clients()
    with pytest.raises(openai.RateLimitError):
        whole_chat(client, upstream.plan(status(429)))
    with pytest.raises(openai.BadRequestError) as quoting:
        whole_chat(client, upstream.plan(status(400, f"failed_generation: {SECRET}")))
    assert "stupid" not in str(quoting.value)
    assert quoting.value.code == "upstream_error_withheld"


@pytest.mark.parametrize("code", [401, 404, 429, 502])
def test_an_error_that_is_a_stream_of_events_is_read(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], code: int
) -> None:
    said = f'data: {{"error": {{"message": "{SECRET}"}}}}\n\n'.encode()
    prompt = upstream.plan(canned(code, said, content_type="text/event-stream"))
    for way in (whole_chat, streamed_chat):
        with pytest.raises(openai.APIStatusError) as quoting:
            way(clients(), prompt)
        assert "stupid" not in f"{quoting.value} {quoting.value.body} {quoting.value.response.text}"


async def test_a_prompt_is_judged_once_however_often_the_client_tries(
    guard: Guard, seen: Recorder, upstream: Upstream
) -> None:
    messages: Any = [{"role": "user", "content": upstream.plan(status(500))}]
    seen.outcomes.clear()
    plain = openai.OpenAI(base_url=upstream.base_url, api_key="k", max_retries=1)
    waiting = openai.AsyncOpenAI(base_url=upstream.base_url, api_key="k", max_retries=1)
    with plain:
        client = guard.wrap_openai(plain, use_case="prompts")
        with pytest.raises(openai.InternalServerError):
            client.chat.completions.create(model=MODEL, messages=messages)
    async with waiting:
        guarded = guard.wrap_openai(waiting, use_case="prompts")
        with pytest.raises(openai.InternalServerError):
            await guarded.chat.completions.create(model=MODEL, messages=messages)
    assert [one.call.kind for one in seen.outcomes] == [TextKind.PROMPT] * 2


def test_a_server_that_cannot_be_reached_raises_as_ever(
    clients: Callable[..., openai.OpenAI],
) -> None:
    with pytest.raises(openai.APIConnectionError):
        whole_chat(clients(base_url="http://127.0.0.1:9/v1"), "Hello?")


REFUSED: dict[str, Callable[[openai.OpenAI], object]] = {
    "images": lambda client: client.images.generate(prompt="a cat"),
    "speech": lambda client: client.audio.speech.create(input="x", model="m", voice="alloy"),
    "stored response": lambda client: client.responses.retrieve("resp_1"),
    "stored completions": lambda client: client.chat.completions.list(),
    "file": lambda client: client.files.content("file_1"),
    "batch": lambda client: client.batches.retrieve("batch_1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_guarded_is_refused(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], name: str
) -> None:
    before = len(upstream.requests)
    with pytest.raises(openai.PermissionDeniedError, match="is not guarded"):
        REFUSED[name](clients())
    assert len(upstream.requests) == before


def test_a_base_url_that_names_a_model_changes_nothing(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    before = len(upstream.requests)
    client = clients(base_url="http://127.0.0.1:9/models/one/v1")
    for ask in (
        lambda: client.chat.completions.retrieve("c"),
        lambda: client.responses.retrieve("r"),
        lambda: client.files.content("f"),
    ):
        with pytest.raises(openai.PermissionDeniedError, match="is not guarded"):
            ask()
    assert len(upstream.requests) == before


def test_websockets_are_refused(clients: Callable[..., openai.OpenAI]) -> None:
    client = clients().with_options(timeout=5)
    for connect in (client.realtime.connect(model="m"), client.responses.connect()):
        with pytest.raises(Exception, match="websockets are not guarded"):
            connect.enter()


def test_copies_with_other_options_are_guarded(
    upstream: Upstream, clients: Callable[..., openai.OpenAI]
) -> None:
    client = clients().with_options(timeout=20)
    assert whole_chat(client, upstream.plan(says(SECRET))) == FALLBACK


@pytest.mark.parametrize("copier", ["copy", "with_options"])
def test_no_copy_goes_past_the_guard(
    upstream: Upstream, clients: Callable[..., openai.OpenAI], copier: str
) -> None:
    original = official(upstream.base_url)
    for client in (clients(), clients().with_options(timeout=20)):
        for option in (
            {"http_client": original._client},
            {"websocket_base_url": "wss://localhost/v1"},
            {"data_residency": "eu"},
        ):
            with pytest.raises(SettingsError, match=f"keeps its {next(iter(option))}"):
                getattr(client, copier)(**option)
        copied = getattr(client, copier)(max_retries=0, http_client=None)
        assert isinstance(copied, openai.OpenAI)
        assert whole_chat(copied, upstream.plan(says(SECRET))) == FALLBACK
    original.close()


async def test_no_asynchronous_copy_does(asynchronous: openai.AsyncOpenAI) -> None:
    async with openai.DefaultAsyncHttpxClient() as other:
        with pytest.raises(SettingsError, match="keeps its http_client"):
            asynchronous.with_options(timeout=20).with_options(http_client=other)


def test_clients_of_its_kind_copy_themselves_in_the_same_way(guard: Guard) -> None:
    address = "http://localhost/v1"
    with openai.AzureOpenAI(base_url=address, api_key="k", api_version="1") as client:
        guarded = guard.wrap_openai(client, use_case="chat").with_options(api_version="2")
        assert isinstance(guarded, openai.AzureOpenAI)
        with pytest.raises(SettingsError, match="keeps its http_client"):
            guarded.with_options(http_client=client._client)
        with pytest.raises(SettingsError, match="original client"):
            guard.wrap_openai(guarded, use_case="watch")
        assert client.with_options(http_client=client._client)._client is client._client


def test_another_client_is_refused(guard: Guard) -> None:
    with pytest.raises(SettingsError, match="AsyncOpenAI"):
        guard.wrap_openai(object(), use_case="chat")


HER = "My sister Emma lost her keys number {}. What should she do? {}"
SHADOWED = """
store: {{url: "sqlite:///{folder}/store.db", spool: "{folder}/spool"}}
use_cases:
  chat: {{shadow: {{share: 1.0, attributes: [gender], max_variants: 1, generations: 2}}}}
"""


def compared(folder: Path) -> float:
    store = open_store(f"sqlite:///{folder / 'store.db'}", clock=time.time)
    try:
        found = results_of(store.evidence("chat", [SHADOW_RESULTS])[SHADOW_RESULTS])
        return found.get(("gender", "compared"), 0.0)
    finally:
        store.shut()


def wait_for_comparison(folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while compared(folder) < 1:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_shadow_requests_go_through_the_same_client(upstream: Upstream, tmp_path: Path) -> None:
    prompt = HER.format(1, upstream.plan(says(SAID)))
    settings = parse_settings(SHADOWED.format(folder=tmp_path))
    with official(upstream.base_url) as inner, Guard.open(settings) as guard:
        client = guard.wrap_openai(inner, use_case="chat")
        client.chat.completions.create(**MODEL, messages=turns(prompt), temperature=0.2)
        wait_for_comparison(tmp_path)
    bodies = [one.body for one in upstream.asked(prompt.split()[-1])]
    assert len(bodies) == 1 + 3 * 2  # with a control
    assert {(one["model"], one["temperature"]) for one in bodies} == {("scripted", 0.2)}
    asked = [one["messages"][0]["content"] for one in bodies]
    assert any(re.search(r"\b(brother|his|he)\b", one) for one in asked)


async def test_shadow_requests_of_an_asynchronous_client(
    upstream: Upstream, tmp_path: Path
) -> None:
    prompt = HER.format(2, upstream.plan(says(SAID)))
    settings = parse_settings(SHADOWED.format(folder=tmp_path))
    async with openai.AsyncOpenAI(base_url=upstream.base_url, api_key="k") as inner:
        with Guard.open(settings) as guard:
            client = guard.wrap_openai(inner, use_case="chat")
            await client.chat.completions.create(**MODEL, messages=turns(prompt))
            await asyncio.to_thread(wait_for_comparison, tmp_path)
    assert len(upstream.asked(prompt.split()[-1])) == 1 + 3 * 2  # with a control
