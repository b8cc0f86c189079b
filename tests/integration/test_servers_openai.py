"""The upstream of our own is what the official client and its types take for the real one."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any

import openai
import pytest
from openai.types import Completion
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from tests.servers_openai import (
    Choice,
    Ending,
    Gate,
    Tool,
    Upstream,
    Wire,
    breaks_off,
    bytewise,
    closes,
    hangs,
    read_events,
    says,
    spoken,
    status,
    waits_after,
)

PATIENCE_SECONDS = 20.0
WEATHER = Tool(name="weather", arguments='{"city": "Paris"}')
ANSWERS = {
    "text": Choice(text="Hello, naïve 漢字 👩‍👩‍👧‍👦 world. Well met."),
    "short": Choice(text="Cut", finish="length"),
    "refusal": Choice(refusal="I cannot help with that."),
    "reasoning": Choice(text="Yes.", reasoning="They want a yes."),
    "tools": Choice(tools=(WEATHER, Tool(name="time", arguments="{}", id="call_2"))),
}
CHAT = {"stream_options": {"include_usage": True}, "logprobs": True, "top_logprobs": 1}
RESPONSES = {"include": ["message.output_text.logprobs"], "top_logprobs": 1}


@pytest.fixture(scope="module")
def client(upstream: Upstream) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=upstream.base_url, api_key="k", max_retries=0) as opened:
        yield opened


def post(upstream: Upstream, path: str, body: dict[str, Any]) -> bytes:
    """The body of an answer, read by nothing that knows the interface."""
    connection = http.client.HTTPConnection(upstream.origin.removeprefix("http://"))
    try:
        connection.request("POST", path, json.dumps(body))
        return connection.getresponse().read()
    finally:
        connection.close()


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_chat_is_of_the_types_of_the_client(upstream: Upstream, answer: Choice) -> None:
    body = {"model": "m", "messages": [{"content": upstream.plan(says(answer, answer))}], **CHAT}
    whole = ChatCompletion.model_validate_json(post(upstream, "/v1/chat/completions", body))
    assert [one.message.content for one in whole.choices] == [answer.text] * 2
    events, _ = read_events(post(upstream, "/v1/chat/completions", {**body, "stream": True}))
    chunks = [ChatCompletionChunk.model_validate_json(one.data) for one in events[:-1]]
    assert events[-1].data == "[DONE]"
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].usage == whole.usage
    assert spoken([one.json for one in events[:-1]], index=1) == (answer.text or "")


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_responses_are_of_the_types_of_the_client(upstream: Upstream, answer: Choice) -> None:
    body = {"model": "m", "input": upstream.plan(says(answer)), **RESPONSES}
    whole = Response.model_validate_json(post(upstream, "/v1/responses", body))
    assert whole.output_text == (answer.text or "")
    events, _ = read_events(post(upstream, "/v1/responses", {**body, "stream": True}))
    any_event: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    found = [any_event.validate_json(one.data) for one in events]
    assert [one.type for one in found] == [one.event for one in events]
    assert [one.sequence_number for one in found] == list(range(len(found)))
    assert found[-1].response == whole


def test_completions_are_of_the_types_of_the_client(upstream: Upstream) -> None:
    body = {"model": "m", "prompt": upstream.plan(says("One.", "Two words.")), "logprobs": 1}
    whole = Completion.model_validate_json(post(upstream, "/v1/completions", body))
    assert [one.text for one in whole.choices] == ["One.", "Two words."]
    events, _ = read_events(post(upstream, "/v1/completions", {**body, "stream": True}))
    assert spoken((one.json for one in events[:-1]), index=1) == "Two words."
    ended = Completion.model_validate_json(events[-2].data)
    assert ended.choices[0].finish_reason == "stop"


WIRES = {
    "bytewise": Wire(chop=bytewise),
    "CRLF": Wire(newline="\r\n", comments=True),
    "CR": Wire(newline="\r", chop=bytewise),
    "no chunks": Wire(chunked=False, done=False),
}


@pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
def test_the_client_reads_every_way_of_writing_events(
    upstream: Upstream, client: openai.OpenAI, wire: Wire
) -> None:
    prompt = upstream.plan(says(ANSWERS["text"], wire=wire))
    stream = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": prompt}], stream=True
    )
    chunks = [chunk.to_dict() for chunk in stream]
    assert spoken(chunks) == ANSWERS["text"].text


def test_a_gate_holds_the_rest_back(upstream: Upstream, client: openai.OpenAI) -> None:
    gate = Gate()
    prompt = upstream.plan(waits_after("One.", gate, "One. Two."))
    stream = client.completions.create(model="m", prompt=prompt, stream=True)
    first = [next(stream).to_dict() for _ in range(2)]
    assert spoken(first) == "One."
    gate.open()
    assert spoken(chunk.to_dict() for chunk in stream) == " Two."


def test_who_leaves_is_seen(upstream: Upstream, client: openai.OpenAI) -> None:
    prompt = upstream.plan(waits_after("One.", Gate(), "One. Two."))
    with client.completions.create(model="m", prompt=prompt, stream=True) as stream:
        next(stream)
    (asked,) = upstream.asked(prompt)
    assert asked.left.wait(PATIENCE_SECONDS)


FAULTS = {
    "error": (status(429, retry_after="7"), openai.RateLimitError),
    "no answer": (closes, openai.APIConnectionError),
    "closed": (breaks_off("One", Ending.CLOSE, said="One two"), openai.APIConnectionError),
    "reset": (breaks_off("One", Ending.RESET, said="One two"), openai.APIConnectionError),
    "silent": (breaks_off("One", Ending.HANG, said="One two"), openai.APITimeoutError),
    "hangs": (hangs, openai.APITimeoutError),
}


@pytest.mark.parametrize(("behaviour", "error"), FAULTS.values(), ids=FAULTS)
def test_faults_are_seen_by_the_client(
    upstream: Upstream, client: openai.OpenAI, behaviour: Callable[..., Any], error: type[Exception]
) -> None:
    prompt = upstream.plan(behaviour)
    with pytest.raises(error):
        list(
            client.with_options(timeout=0.3).completions.create(
                model="m", prompt=prompt, stream=True
            )
        )


def test_models_are_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["scripted", "other"]
    assert client.models.retrieve("other").id == "other"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("none")


def test_connections_are_used_again(upstream: Upstream, client: openai.OpenAI) -> None:
    prompt = upstream.plan(says("Yes."))
    client.completions.create(model="m", prompt=prompt)
    before = upstream.connections
    for _ in range(5):
        assert client.completions.create(model="m", prompt=prompt).choices[0].text == "Yes."
    assert upstream.connections == before
