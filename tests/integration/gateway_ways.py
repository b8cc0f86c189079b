"""Every way in which a test asks with the official client, and with LangChain's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import openai
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from tests.integration.gateway_cases import KIND, MANY, TIME, WEATHER
from tests.servers_openai import Choice

Said = Callable[[str, str], Any]
"""Asks at a base URL with a prompt; gives what the client made of the answer."""

MODEL = {"model": "scripted"}
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city", "days"],
                "additionalProperties": False,
            },
            "strict": True,
        },
    }
]
FLAT_TOOLS: Any = [{"type": "function", **TOOLS[0]["function"]}]


class City(BaseModel):
    """What a structured reply is made into."""

    name: str
    people: int


CITY = Choice(text='{"name": "Paris", "people": 2100000}')


def official(base_url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=base_url, api_key="k", max_retries=0, timeout=30)


def turns(prompt: str) -> Any:
    return [{"role": "user", "content": prompt}]


def chat(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        return client.chat.completions.create(**MODEL, messages=turns(prompt)).model_dump()


def chat_several(base_url: str, prompt: str) -> Any:
    more = {"n": 2, "logprobs": True, "top_logprobs": 1}
    with official(base_url) as client:
        return client.chat.completions.create(**MODEL, messages=turns(prompt), **more).model_dump()


def chat_stream(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        chunks = client.chat.completions.create(
            **MODEL,
            messages=turns(prompt),
            stream=True,
            stream_options={"include_usage": True},
        )
        return [chunk.model_dump() for chunk in chunks]


def chat_helper(base_url: str, prompt: str) -> Any:
    with (
        official(base_url) as client,
        client.chat.completions.stream(**MODEL, messages=turns(prompt), tools=TOOLS) as stream,
    ):
        kinds = [event.type for event in stream]
        return kinds, stream.get_final_completion().model_dump()


def chat_parse(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        found = client.chat.completions.parse(**MODEL, messages=turns(prompt), response_format=City)
        assert found.choices[0].message.parsed == City(name="Paris", people=2_100_000)
        return found.model_dump(warnings=False)


def chat_tools(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        found = client.chat.completions.parse(**MODEL, messages=turns(prompt), tools=TOOLS)
        (call,) = found.choices[0].message.tool_calls or ()
        assert call.function.parsed_arguments == {"city": "Paris", "days": 3}
        return found.model_dump()


def completion(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        return client.completions.create(**MODEL, prompt=prompt, logprobs=1).model_dump()


def completion_stream(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        chunks = client.completions.create(**MODEL, prompt=prompt, stream=True)
        return [chunk.model_dump() for chunk in chunks]


def response(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        return client.responses.create(**MODEL, input=prompt).model_dump()


def response_stream(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        events = client.responses.create(**MODEL, input=prompt, stream=True)
        return [event.model_dump() for event in events]


def response_helper(base_url: str, prompt: str) -> Any:
    with (
        official(base_url) as client,
        client.responses.stream(**MODEL, input=prompt, tools=FLAT_TOOLS) as stream,
    ):
        events = list(stream)
        return [event.type for event in events], events[-1].response.model_dump()


def response_parse(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        found = client.responses.parse(**MODEL, input=prompt, text_format=City)
        assert found.output_parsed == City(name="Paris", people=2_100_000)
        return found.model_dump(warnings=False)


def models(base_url: str, prompt: str) -> Any:
    with official(base_url) as client:
        listed = [model.model_dump() for model in client.models.list()]
        return listed, client.models.retrieve("other").model_dump()


SAID = Choice(text=KIND)
CALLS = Choice(tools=(WEATHER,))
THINKS = Choice(text=MANY, reasoning="They want to know when the desk opens.")
OFFICIAL: dict[str, tuple[Said, list[Choice]]] = {
    "chat": (chat, [THINKS]),
    "chat, two choices": (chat_several, [SAID, THINKS]),
    "chat stream": (chat_stream, [THINKS]),
    "chat stream of tools": (chat_stream, [Choice(tools=(WEATHER, TIME))]),
    "chat helper": (chat_helper, [SAID]),
    "chat helper with tools": (chat_helper, [CALLS]),
    "chat parsed": (chat_parse, [CITY]),
    "chat tools parsed": (chat_tools, [CALLS]),
    "chat refused": (chat, [Choice(refusal="I cannot help with that.")]),
    "completion": (completion, [SAID]),
    "completion stream": (completion_stream, [SAID]),
    "response": (response, [THINKS]),
    "response with tools": (response, [CALLS]),
    "response stream": (response_stream, [THINKS]),
    "response stream of tools": (response_stream, [CALLS]),
    "response helper": (response_helper, [THINKS]),
    "response helper with tools": (response_helper, [CALLS]),
    "response parsed": (response_parse, [CITY]),
    "response refused": (response, [Choice(refusal="I cannot help with that.")]),
    "models": (models, [SAID]),
}


@contextmanager
def langchain(base_url: str, *, responses: bool) -> Iterator[ChatOpenAI]:
    """With a connection of its own: by default all models of a process share one for each address,
    and leave it open."""
    with openai.DefaultHttpxClient() as client:
        yield _langchain(base_url, responses=responses, http_client=client)


@asynccontextmanager
async def langchain_async(base_url: str, *, responses: bool) -> AsyncIterator[ChatOpenAI]:
    """The same for asking asynchronously."""
    async with openai.DefaultAsyncHttpxClient() as client:
        yield _langchain(base_url, responses=responses, http_async_client=client)


def _langchain(base_url: str, *, responses: bool, **clients: Any) -> ChatOpenAI:
    return ChatOpenAI(
        model="scripted",
        base_url=base_url,
        api_key="k",  # type: ignore[arg-type]
        max_retries=0,
        use_responses_api=responses,
        stream_usage=True,
        timeout=30,
        **clients,
    )


def told(message: Any) -> Any:
    """A message without the id of its run, which is drawn."""
    known = message.model_dump()
    if str(known["id"]).startswith("lc_run"):
        known["id"] = None
    return known


def lc_invoke(model: ChatOpenAI, prompt: str) -> Any:
    return told(model.invoke(prompt))


def lc_stream(model: ChatOpenAI, prompt: str) -> Any:
    return [told(chunk) for chunk in model.stream(prompt)]


def lc_tools(model: ChatOpenAI, prompt: str) -> Any:
    bound = model.bind_tools(TOOLS)
    message = bound.invoke(prompt)
    assert message.tool_calls[0]["args"] == {"city": "Paris", "days": 3}
    return told(message), [told(chunk) for chunk in bound.stream(prompt)]


def lc_structured(model: ChatOpenAI, prompt: str) -> Any:
    found = model.with_structured_output(City, method="json_schema").invoke(prompt)
    assert found == City(name="Paris", people=2_100_000)
    return found


def lc_batch(model: ChatOpenAI, prompt: str) -> Any:
    return [told(message) for message in model.batch([prompt] * 4)]


LANGCHAIN: dict[str, tuple[Callable[[ChatOpenAI, str], Any], Choice]] = {
    "invoke": (lc_invoke, THINKS),
    "stream": (lc_stream, THINKS),
    "tools": (lc_tools, CALLS),
    "structured": (lc_structured, CITY),
    "batch": (lc_batch, SAID),
}
