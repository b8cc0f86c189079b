"""The route of LiteLLM's guardrail: keys, use cases and limits as everywhere."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from guard.gateway.litellm.messages import InputType
from tests.unit.gateway.asking import JSON, Client, House, house, key

PATH = "/beta/litellm_basic_guardrail_api"
REPLY = {"input_type": "response", "texts": ["Hello."], "litellm_call_id": "c"}


def encoded(**more: Any) -> bytes:
    return json.dumps({**REPLY, **more}).encode()


async def ask(
    made: House, *headers: tuple[str, str], path: str = PATH, body: bytes | None = None
) -> Client:
    return await made.ask(path, JSON, *headers, body=encoded() if body is None else body)


async def refused(made: House, *headers: tuple[str, str], **more: Any) -> tuple[int, str]:
    answer = await ask(made, *headers, **more)
    return answer.status, answer.error["code"]


async def test_the_texts_reach_the_judge_and_its_answer_the_proxy() -> None:
    made = house()
    answer = await ask(made)
    assert (answer.status, json.loads(answer.body)) == (200, {"action": "NONE"})
    assert answer.headers["x-guard-call-id"] == "c1"
    ((asked, use_case),) = made.text_judge.asked
    assert (asked.input_type, asked.texts, use_case) == (InputType.RESPONSE, ("Hello.",), "chat")
    assert (made.limiter.open, made.model.asked) == (0, [])


@pytest.mark.parametrize("header", ["x-api-key", "x-guard-key"])
async def test_the_key_comes_as_litellm_sends_it_or_as_anybody_does(header: str) -> None:
    made = house(key("sk-right"))
    assert (await ask(made, (header, "sk-right"))).status == 200
    assert (await ask(made, ("authorization", "Bearer sk-right"))).status == 200
    assert await refused(made, (header, "sk-wrong")) == (401, "invalid_api_key")
    assert await refused(made) == (401, "invalid_api_key")


async def test_elsewhere_x_api_key_is_no_key_of_ours() -> None:
    answer = await house(key("sk-right")).ask("/v1/completions", JSON, ("x-api-key", "sk-right"))
    assert answer.error["code"] == "invalid_api_key"


async def test_the_use_case_is_named_by_path_header_or_parameter() -> None:
    made = house(use_cases=("chat", "sums"))
    named = encoded(additional_provider_specific_params={"use_case": "sums"})
    await ask(made, path=f"/sums{PATH}")
    await ask(made, ("x-guard-use-case", "sums"))
    await ask(made, body=named)
    await ask(made, ("x-guard-use-case", "sums"), path=f"/sums{PATH}", body=named)
    assert [use_case for _, use_case in made.text_judge.asked] == ["sums"] * 4
    assert await refused(made) == (400, "use_case_missing")
    assert await refused(made, path=f"/other{PATH}") == (404, "unknown_use_case")
    assert await refused(made, path=f"/chat{PATH}", body=named) == (400, "use_case_unclear")
    assert await refused(made, ("x-guard-use-case", "chat"), body=named) == (
        400,
        "use_case_unclear",
    )


async def test_a_key_is_good_for_its_use_cases_alone() -> None:
    made = house(key("chat-key", "chat"), use_cases=("chat", "sums"))
    assert (await ask(made, ("x-api-key", "chat-key"))).status == 200
    body = encoded(additional_provider_specific_params={"use_case": "sums"})
    assert await refused(made, ("x-api-key", "chat-key"), body=body) == (
        403,
        "use_case_not_allowed",
    )


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "bad_body"),
        (b"[]", 400, "bad_body"),
        (b'{"texts": [], "texts": []}', 400, "bad_body"),
        (b'{"input_type": "response", "texts": [NaN]}', 400, "bad_body"),
        (b"\xff{}", 400, "bad_body"),
        (b"[" * 200 + b"]" * 200, 400, "bad_body"),
        (b"{}", 400, "bad_value"),
        (b'{"input_type": "response", "texts": [1]}', 400, "bad_value"),
        (encoded(texts=["x" * 2000]), 413, "body_too_large"),
    ],
)
async def test_what_cannot_be_judged_is_an_error(body: bytes, status: int, code: str) -> None:
    made = house()
    assert await refused(made, body=body) == (status, code)
    assert made.refused(code) == 1
    assert (made.text_judge.asked, made.limiter.open) == ([], 0)


async def test_only_plain_json_is_read() -> None:
    answer = await house().ask(PATH, ("content-type", "text/plain"), body=encoded())
    assert answer.error["code"] == "bad_content_type"


async def test_an_overloaded_gateway_is_unreachable_for_the_proxy() -> None:
    """LiteLLM has a setting for 503, and none for 429."""
    made = house(concurrency=1)
    made.text_judge.gate = asyncio.Event()
    first = asyncio.create_task(ask(made))
    await made.text_judge.begun.wait()
    answer = await ask(made)
    assert (answer.status, answer.error["code"]) == (503, "overloaded")
    assert answer.headers["retry-after"] == "1"
    made.text_judge.gate.set()
    assert (await first).status == 200


async def test_a_proxy_that_leaves_ends_the_work_for_it() -> None:
    made = house()
    made.text_judge.gate = asyncio.Event()
    client = Client(made.gateway)
    asking = asyncio.create_task(client.ask(PATH, JSON, body=encoded()))
    await made.text_judge.begun.wait()
    client.leaves.set()
    await asking
    assert (client.sent, made.limiter.open) == ([], 0)
