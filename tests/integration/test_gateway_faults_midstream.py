"""A stream that fails half-way: what each client sees of it, without the gateway and through it.

The table is part of docs/gateway.md. "ends" is a stream that ends as if nothing were missing.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from typing import Any

import openai
import pytest

from tests.integration.gateway_cases import (
    AFTER,
    BEFORE,
    CHAT,
    KIND,
    OPERATIONS,
    SECRET,
    Pair,
    asking,
    leaks,
)
from tests.integration.gateway_ways import MODEL, langchain, official, turns
from tests.servers import need
from tests.servers_openai import Act, Behaviour, Ending, Wire, breaks_off, spoken

SAID = f"{BEFORE} {KIND} {AFTER}"
SO_FAR = "Thank you"
HALF = b'data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choi'
ERROR = b'data: {"error": {"message": "overloaded", "type": "server_error", "code": "busy"}}\n\n'
NO_JSON = b"data: {nonsense\n\n"
NO_UTF8 = b'data: {"choices": [{"index": 0, "delta": {"content": "\xff\xfe"}}]}\n\n'
ENDLESS = b"data: " + b" " * 2_000_000

BROKEN, TOLD, ENDS = "APIConnectionError", "APIError", "ends"
TABLE: dict[str, tuple[str, str, str]] = {
    # what happens: what clients see without the gateway, what curl does, what they see through it
    "the connection is closed": (BROKEN, "exit 18", TOLD),
    "the connection is reset": (BROKEN, "exit 56", TOLD),
    "it falls silent": ("", "", TOLD),
    "an event with an error": (TOLD, ENDS, TOLD),
    "half an event, closed": (BROKEN, "exit 18", TOLD),
    "half an event, ended": (ENDS, ENDS, TOLD),
    "an event that is no JSON": ("JSONDecodeError", ENDS, TOLD),
    "an event that is not UTF-8": ("UnicodeDecodeError", ENDS, ENDS),
    "an event of 2 MB": (ENDS, ENDS, TOLD),
    "it ends too early": (ENDS, ENDS, ENDS),
    "the same, unframed": (ENDS, ENDS, ENDS),
}


def faults(said: str, so_far: str) -> dict[str, Behaviour]:
    """Streams that say `said` and fail when they have said `so_far`."""
    ways: dict[str, tuple[Act, ...]] = {
        "the connection is closed": (Ending.CLOSE,),
        "the connection is reset": (Ending.RESET,),
        "it falls silent": (Ending.HANG,),
        "an event with an error": (ERROR,),
        "half an event, closed": (HALF, Ending.CLOSE),
        "half an event, ended": (HALF,),
        "an event that is no JSON": (NO_JSON,),
        "an event that is not UTF-8": (NO_UTF8,),
        "an event of 2 MB": (ENDLESS,),
        "it ends too early": (),
    }
    known = {name: breaks_off(so_far, *acts, said=said) for name, acts in ways.items()}
    unframed = breaks_off(so_far, said=said, wire=Wire(chunked=False))
    return {**known, "the same, unframed": unframed}


FAULTS = faults(SAID, SO_FAR)

Seen = tuple[str, str]
"""What was said, and how it ended: "ends", or the exception."""


def seen(ask: Callable[[list[str]], None]) -> Seen:
    """`ask` puts what it gets into the list."""
    said: list[str] = []
    try:
        ask(said)
    except Exception as error:
        return "".join(said), known_as(error)
    return "".join(said), "ends"


def known_as(error: Exception) -> str:
    """The class of the official client that it is one of, or its own."""
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "openai"]
    return kinds[0] if kinds else type(error).__name__


def by_openai(base_url: str, prompt: str) -> Seen:
    def ask(said: list[str]) -> None:
        with official(base_url) as client:
            for chunk in client.chat.completions.create(
                **MODEL, messages=turns(prompt), stream=True
            ):
                said.extend(choice.delta.content or "" for choice in chunk.choices)

    return seen(ask)


def by_openai_async(base_url: str, prompt: str) -> Seen:
    async def asked(said: list[str]) -> None:
        async with openai.AsyncOpenAI(base_url=base_url, api_key="k", max_retries=0) as client:
            stream = await client.chat.completions.create(
                **MODEL, messages=turns(prompt), stream=True
            )
            async for chunk in stream:
                said.extend(choice.delta.content or "" for choice in chunk.choices)

    return seen(lambda said: asyncio.run(asked(said)))


def by_langchain(base_url: str, prompt: str) -> Seen:
    def ask(said: list[str]) -> None:
        with langchain(base_url, responses=False) as model:
            said.extend(chunk.text for chunk in model.stream(prompt))

    return seen(ask)


def by_curl(base_url: str, prompt: str) -> Seen:
    body = json.dumps(asking(CHAT, prompt, stream=True))
    command = [need("curl", package="curl"), "-sSN", "-m", "20", "--noproxy", "*"]
    command += ["-H", "content-type: application/json", "-d", body, base_url + CHAT]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    found = [line for line in done.stdout.splitlines() if line.startswith(b'data: {"id"')]
    return spoken(_parsed(found)), f"exit {done.returncode}" if done.returncode else "ends"


def _parsed(lines: list[bytes]) -> list[Any]:
    found = []
    for line in lines:
        try:
            found.append(json.loads(line.removeprefix(b"data: ")))
        except ValueError:
            continue
    return found


def by_openai_responses(base_url: str, prompt: str) -> Seen:
    def ask(said: list[str]) -> None:
        with official(base_url) as client:
            for event in client.responses.create(**MODEL, input=prompt, stream=True):
                if event.type == "response.output_text.delta":
                    said.append(event.delta)

    return seen(ask)


CLIENTS = {
    "openai": by_openai,
    "openai async": by_openai_async,
    "openai responses": by_openai_responses,
    "langchain": by_langchain,
}


def place_of(fault: str) -> str:
    """The use case whose limits the fault meets."""
    return "chat" if "2 MB" in fault else "quick"


@pytest.mark.parametrize("fault", [fault for fault, (direct, _, _) in TABLE.items() if direct])
def test_without_the_gateway(pair: Pair, fault: str) -> None:
    seen_by_clients, seen_by_curl, _ = TABLE[fault]
    for client in CLIENTS.values():
        said, end = client(pair.upstream.base_url, pair.upstream.plan(FAULTS[fault]))
        assert (said, end) == (f"{BEFORE} {SO_FAR}", seen_by_clients)
    assert by_curl(pair.upstream.base_url, pair.upstream.plan(FAULTS[fault]))[1] == seen_by_curl


@pytest.mark.parametrize("fault", TABLE)
def test_through_the_gateway(pair: Pair, fault: str) -> None:
    """What has passed arrives, and then the client is told; half a sentence is not released."""
    base_url = pair.gateway.base_url(place_of(fault))
    for client in CLIENTS.values():
        said, end = client(base_url, pair.upstream.plan(FAULTS[fault]))
        assert end == TABLE[fault][2]
        assert said.startswith(BEFORE)
        assert (SO_FAR in said) == (end == ENDS)
    assert by_curl(base_url, pair.upstream.plan(FAULTS[fault]))[1] == ENDS


@pytest.mark.parametrize("fault", TABLE)
def test_held_in_full_nothing_of_a_broken_reply_arrives(pair: Pair, fault: str) -> None:
    at = "full" if place_of(fault) == "chat" else "quick-full"
    said, end = by_openai(pair.gateway.base_url(at), pair.upstream.plan(FAULTS[fault]))
    assert end == TABLE[fault][2]
    assert bool(said) == (end == ENDS)


@pytest.mark.parametrize("fault", [fault for fault, (direct, _, _) in TABLE.items() if direct])
def test_unread_it_is_as_without_the_gateway(pair: Pair, fault: str) -> None:
    prompt = pair.upstream.plan(FAULTS[fault])
    assert by_openai(pair.gateway.base_url("unread"), prompt) == by_openai(
        pair.upstream.base_url, prompt
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("fault", TABLE)
def test_no_fault_lets_the_secret_out(pair: Pair, fault: str, operation: str) -> None:
    broken = faults(f"{BEFORE} {SECRET} {AFTER}", "xylocarp")[fault]
    found = pair.ask(operation, broken, at=place_of(fault), stream=True)
    assert (found.status, found.complete) == (200, True)
    assert not leaks(found)
    told = [one for one in found.objects if one.get("error")]
    assert bool(told) == (TABLE[fault][2] == TOLD)
