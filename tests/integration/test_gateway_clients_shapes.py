"""What servers of many makers add to an answer passes as it is where nothing in it is flagged."""

from __future__ import annotations

import base64
import json
import random
from typing import Any

import pytest

from tests.integration.gateway_cases import CHAT, RESPONSES, Pair, asking, post
from tests.integration.gateway_shapes import (
    beside,
    chunk,
    frame,
    item,
    message,
    stream,
    whole,
    with_choices,
)


def noise(count: int) -> str:
    """So many bytes that are no text."""
    return base64.b64encode(random.Random(count).randbytes(count)).decode()


def extended(**more: Any) -> bytes:
    return frame({**chunk(), **more})


PICTURE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{noise(60_000)}"}}
LINK = {"type": "image_url", "image_url": {"url": "https://a.example/cat.png?size=large&sig=ab"}}
SOURCE = {"title": "Opening hours", "url": "https://a.example/b c", "start_index": 0}
THOUGHT = {"type": "reasoning.encrypted", "data": "ab+/cd==", "id": "r", "index": 0}
PRICE = {"prompt_tokens": 1, "total_tokens": 3, "cost": 0.001, "cost_details": {"upstream": None}}
ENDED = {"finish_reason": "stop", "native_finish_reason": "STOP", "logprobs": None}
CHUNKS: dict[str, bytes] = {
    "a picture": frame(chunk(images=[PICTURE])),
    "a link to a picture": frame(chunk(images=[LINK])),
    "sound": frame(chunk(audio={"id": "audio_1", "data": noise(3000)})),
    "the end of sound": frame(chunk(audio={"expires_at": 5})),
    "a source": frame(chunk(annotations=[{"type": "url_citation", "url_citation": SOURCE}])),
    "encrypted thoughts": frame(chunk(reasoning_details=[THOUGHT])),
    "no tools": frame(chunk(tool_calls=[])),
    "nothing": frame(chunk(content=None, tool_calls=None, refusal=None)),
    "a provider": extended(provider="DeepInfra Turbo", x_groq={"id": "req_01jb"}),
    "links": extended(citations=["https://a.example/b", "https://c.example/d e"]),
    "what was found": extended(search_results=[{"title": "A page", "date": "2024-05-01"}]),
    "a price": extended(choices=[], usage=PRICE),
    "padding": extended(p="abcdefghijk"),
    "an end of its own": frame(with_choices({"index": 0, "delta": {"content": ""}, **ENDED})),
    "an empty object": b"data: {}\n\n",
    "a ping": b'event: ping\ndata: {"type": "ping"}\n\n',
}


@pytest.mark.parametrize("use_case", ["chat", "full", "strict"])
@pytest.mark.parametrize("more", CHUNKS.values(), ids=CHUNKS)
def test_chunks(pair: Pair, more: bytes, use_case: str) -> None:
    pair.compare(CHAT, stream(more), use_case, stream=True)


MESSAGES: dict[str, dict[str, Any]] = {
    "a picture": {"images": [PICTURE]},
    "sound": {"audio": {"id": "audio_1", "data": noise(3000), "transcript": "Hello."}},
    "a source": {"annotations": [{"type": "url_citation", "url_citation": SOURCE}]},
    "a function call of old": {"function_call": {"name": "x", "arguments": "{}"}},
}


@pytest.mark.parametrize("more", MESSAGES.values(), ids=MESSAGES)
def test_messages(pair: Pair, more: dict[str, Any]) -> None:
    pair.compare(CHAT, whole({**message(**more), "provider": "DeepInfra Turbo"}), "strict")


TOOL = {"name": "read", "description": "Reads a page.", "input_schema": {"type": "object"}}
ITEMS = {
    "a picture": item(
        type="image_generation_call", result=noise(3000), revised_prompt="A cat on a chair."
    ),
    "half a picture": beside(
        type="image_generation_call.partial_image", partial_image_b64=noise(3000)
    ),
    "a search": item(
        type="web_search_call", action={"type": "search", "query": "opening hours of the desk"}
    ),
    "encrypted thoughts": item(type="reasoning", summary=[], encrypted_content=noise(300)),
    "code": beside(type="code_interpreter_call_code.delta", delta="print(1 + 1)\n"),
    "what was found": item(
        type="file_search_call", results=[{"file_id": "file-1", "text": "Open at eight."}]
    ),
    "a click": item(type="computer_call", action={"type": "click", "x": 1, "button": "left"}),
    "the tools of a server": item(type="mcp_list_tools", server_label="x", tools=[TOOL]),
}


@pytest.mark.parametrize("behaviour", ITEMS.values(), ids=ITEMS)
def test_items(pair: Pair, behaviour: Any) -> None:
    pair.compare(RESPONSES, behaviour, "chat", stream=True)


def test_what_is_asked_is_passed_on_as_it_was_written(pair: Pair) -> None:
    """Pictures, sounds, schemas, spaces and escapes: the model gets the very bytes."""
    prompt = pair.upstream.plan(whole(message()))
    sound = {"type": "input_audio", "input_audio": {"data": noise(300), "format": "wav"}}
    parts = [{"type": "text", "text": f"\u0041 {prompt}"}, PICTURE, sound]
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
    asked = {"messages": [{"role": "user", "content": parts}], "response_format": schema}
    body = json.dumps({**asked, "seed": 2**60 + 1, "temperature": 1e-7}, indent=1).encode()
    assert post(pair.gateway.base_url("chat") + CHAT, body).json == message()
    assert pair.upstream.asked(prompt)[0].raw == body


def test_headers_that_go_to_the_model(pair: Pair) -> None:
    prompt = pair.upstream.plan(whole(message()))
    url = pair.gateway.base_url("chat") + CHAT
    passed = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01", "user_agent": "mine"}
    kept = {"cookie": "a=b", "authorization": "Bearer x", "x_guard_shadow": "off", "x_own": "1"}
    others = {"x_forwarded_for": "1.2.3.4", "accept_encoding": "gzip", "te": "trailers"}
    assert post(url, asking(CHAT, prompt), **passed, **kept, **others).status == 200
    (asked,) = pair.upstream.asked(prompt)
    for name, value in passed.items():
        assert asked.headers[name.replace("_", "-")] == value
    assert not {name.replace("_", "-") for name in (*kept, "x_forwarded_for", "te")} & {
        *asked.headers
    }
    assert asked.headers["accept-encoding"] == "identity"
