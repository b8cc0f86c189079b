"""Clients in front of the gateway and without it: where nothing is flagged they see the same."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import openai
import pytest
from langchain_openai import ChatOpenAI

from tests.integration.gateway_cases import CHAT, KIND, SIGNS, asking
from tests.integration.gateway_ways import (
    CALLS,
    FLAT_TOOLS,
    LANGCHAIN,
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
    langchain,
    langchain_async,
    lc_invoke,
    lc_stream,
    official,
    response,
    response_helper,
    response_stream,
    told,
    turns,
)
from tests.servers import need
from tests.servers_gateway import Gateway
from tests.servers_openai import Choice, Upstream, says


@pytest.mark.parametrize("use_case", ["chat", "watch"])
@pytest.mark.parametrize(("said", "choices"), OFFICIAL.values(), ids=OFFICIAL)
def test_the_official_client(
    upstream: Upstream, gateway: Gateway, said: Said, choices: list[Choice], use_case: str
) -> None:
    prompt = upstream.plan(says(*choices))
    assert said(gateway.base_url(use_case), prompt) == said(upstream.base_url, prompt)


def test_headers_of_an_answer(upstream: Upstream, gateway: Gateway) -> None:
    with official(gateway.base_url("chat")) as client:
        raw = client.chat.completions.with_raw_response.create(
            **MODEL, messages=turns(upstream.plan(says(SAID)))
        )
    assert raw.parse().choices[0].message.content == KIND
    assert raw.headers["x-request-id"] == "req_4f2a"
    assert raw.headers["openai-processing-ms"] == "12"
    assert "set-cookie" not in raw.headers
    assert raw.headers["x-guard-verdict"] == "released"
    assert raw.headers["x-guard-call-id"]
    assert {part.split(";")[0].strip() for part in raw.headers["server-timing"].split(",")} == {
        "upstream",
        "guard",
    }


def test_connections_are_kept(upstream: Upstream, gateway: Gateway) -> None:
    prompt = upstream.plan(says(SAID))
    with official(gateway.base_url("chat")) as client:
        client.chat.completions.create(**MODEL, messages=turns(prompt))
        before = upstream.connections
        for _ in range(5):
            client.chat.completions.create(**MODEL, messages=turns(prompt))
            for _ in client.chat.completions.create(**MODEL, messages=turns(prompt), stream=True):
                pass
    assert upstream.connections - before <= 1


@pytest.fixture
async def asynchronous(gateway: Gateway) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(
        base_url=gateway.base_url("chat"), api_key="k", max_retries=0, timeout=30
    ) as client:
        yield client


async def test_the_official_client_async(
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


async def test_helpers_async(upstream: Upstream, asynchronous: openai.AsyncOpenAI) -> None:
    prompt = upstream.plan(says(CALLS))
    client = asynchronous
    async with client.chat.completions.stream(
        **MODEL, messages=turns(prompt), tools=TOOLS
    ) as chunks:
        kinds = [event.type async for event in chunks]
        found = (await chunks.get_final_completion()).model_dump()
    assert (kinds, found) == chat_helper(upstream.base_url, prompt)
    async with client.responses.stream(**MODEL, input=prompt, tools=FLAT_TOOLS) as events:
        kinds = [event.type async for event in events]
        found = (await events.get_final_response()).model_dump()
    assert (kinds, found) == response_helper(upstream.base_url, prompt)


@pytest.mark.parametrize("responses", [False, True], ids=["chat", "responses"])
@pytest.mark.parametrize(("said", "choice"), LANGCHAIN.values(), ids=LANGCHAIN)
def test_langchain(
    upstream: Upstream,
    gateway: Gateway,
    said: Callable[[ChatOpenAI, str], Any],
    choice: Choice,
    responses: bool,
) -> None:
    prompt = upstream.plan(says(choice))
    with langchain(gateway.base_url("chat"), responses=responses) as model:
        through = said(model, prompt)
    with langchain(upstream.base_url, responses=responses) as model:
        assert through == said(model, prompt)


@pytest.mark.parametrize("responses", [False, True], ids=["chat", "responses"])
async def test_langchain_async(upstream: Upstream, gateway: Gateway, responses: bool) -> None:
    prompt = upstream.plan(says(THINKS))
    async with langchain_async(gateway.base_url("chat"), responses=responses) as model:
        message = told(await model.ainvoke(prompt))
        chunks = [told(chunk) async for chunk in model.astream(prompt)]
    with langchain(upstream.base_url, responses=responses) as model:
        assert message == lc_invoke(model, prompt)
        assert chunks == lc_stream(model, prompt)


def curl(url: str, *options: str) -> str:
    command = [need("curl", package="curl"), "-sS", "--noproxy", "*", *options, url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def test_curl(upstream: Upstream, gateway: Gateway, tmp_path: Path) -> None:
    prompt = upstream.plan(says(SIGNS))
    for streamed in (False, True):
        body = json.dumps(asking(CHAT, prompt, stream=streamed))
        options = ("-N", "-H", "content-type: application/json", "-d", body)
        through = curl(gateway.base_url("chat") + CHAT, *options)
        direct = curl(upstream.base_url + CHAT, *options)
        assert through.startswith(direct.removesuffix("data: [DONE]\n\n"))
    shown = curl(gateway.base_url("chat") + CHAT, "-i", *options)
    assert shown.lower().count("x-guard-call-id: ") == 1


def test_curl_with_a_long_prompt(upstream: Upstream, gateway: Gateway, tmp_path: Path) -> None:
    """Curl asks first whether it may send so much."""
    prompt = upstream.plan(says(KIND))
    body = tmp_path / "body.json"
    body.write_text(json.dumps(asking(CHAT, prompt + " and so on" * 200_000)))
    options = ("-H", "content-type: application/json", "--data-binary", f"@{body}")
    found = curl(gateway.base_url("chat") + CHAT, *options)
    assert json.loads(found)["choices"][0]["message"]["content"] == KIND
    assert upstream.asked(prompt)[0].raw == body.read_bytes()
    chunked = ("-H", "transfer-encoding: chunked", *options)
    assert json.loads(curl(gateway.base_url("chat") + CHAT, *chunked)) == json.loads(found)
