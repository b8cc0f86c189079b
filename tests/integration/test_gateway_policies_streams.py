"""Streams that stream, as far as the hold allows, and clients that leave."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable

import openai
import pytest

from tests.integration.gateway_cases import (
    BEFORE,
    CHAT,
    KIND,
    OPERATIONS,
    PATIENCE_SECONDS,
    Pair,
    asking,
    opened,
    request,
)
from tests.integration.gateway_ways import MODEL, official, turns
from tests.servers_openai import Gate, Upstream, hangs, says, spoken, waits_after


class Reader:
    """Reads a stream off a socket as far as it is wanted."""

    def __init__(self, pair: Pair, operation: str, prompt: str, at: str) -> None:
        url = pair.gateway.base_url(at) + operation
        body = json.dumps(asking(operation, prompt, stream=True)).encode()
        self.connection = opened(url)
        self.connection.sendall(request("POST", url, body))
        self.wire = b""

    def until(self, done: Callable[[bytes], bool]) -> bytes:
        """Everything so far, once that is enough. Fails where it does not come in time."""
        while not done(self.wire):
            piece = self.connection.recv(65_536)
            assert piece, self.wire
            self.wire += piece
        return self.wire


def words(wire: bytes) -> str:
    """What was said so far, as far as a test needs to know."""
    said = []
    for line in wire.decode(errors="replace").splitlines():
        if line.startswith("data: {"):
            try:
                said.append(json.loads(line.removeprefix("data: ")))
            except ValueError:
                continue
    return spoken(said)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_sentence_arrives_before_the_rest_is_written(pair: Pair, operation: str) -> None:
    """The upstream goes on when the sentence is here: without that, nothing would end."""
    gate = Gate()
    prompt = pair.upstream.plan(waits_after("Two more", gate, f"{BEFORE} Two more words."))
    reader = Reader(pair, operation, prompt, "chat")
    with reader.connection:
        early = reader.until(lambda wire: BEFORE in words(wire))
        assert "Two" not in words(early)
        gate.open()
        reader.until(lambda wire: words(wire) == f"{BEFORE} Two more words.")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_not_held_each_word_arrives_at_once(pair: Pair, operation: str) -> None:
    gate = Gate()
    prompt = pair.upstream.plan(waits_after("Two more", gate, f"{BEFORE} Two more words."))
    reader = Reader(pair, operation, prompt, "none")
    with reader.connection:
        reader.until(lambda wire: words(wire) == f"{BEFORE} Two more")
        gate.open()
        reader.until(lambda wire: words(wire) == f"{BEFORE} Two more words.")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_held_in_full_nothing_arrives_before_the_end(pair: Pair, operation: str) -> None:
    gate = Gate()
    prompt = pair.upstream.plan(waits_after("Two more", gate, f"{BEFORE} Two more words."))
    reader = Reader(pair, operation, prompt, "full")
    with reader.connection:
        reader.connection.settimeout(0.5)
        with pytest.raises(TimeoutError):
            reader.until(lambda wire: "Hello" in words(wire))
        gate.open()
        reader.connection.settimeout(PATIENCE_SECONDS)
        reader.until(lambda wire: words(wire) == f"{BEFORE} Two more words.")


@pytest.mark.parametrize("use_case", ["chat", "full", "none", "watch", "unread"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_who_leaves_a_stream_ends_it_upstream(pair: Pair, operation: str, use_case: str) -> None:
    prompt = pair.upstream.plan(waits_after("Two", Gate(), f"{BEFORE} Two more words."))
    reader = Reader(pair, operation, prompt, use_case)
    with reader.connection:
        if use_case == "full":
            came(pair.upstream, prompt)
        else:
            reader.until(lambda wire: BEFORE in words(wire))
    (asked,) = pair.upstream.asked(prompt)
    assert asked.left.wait(PATIENCE_SECONDS)


def came(upstream: Upstream, prompt: str) -> None:
    """Wait until it has been asked."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not upstream.asked(prompt):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("use_case", ["chat", "unread"])
def test_who_leaves_before_the_answer_ends_it_upstream(pair: Pair, use_case: str) -> None:
    gate = Gate()
    prompt = pair.upstream.plan(lambda _: [gate])
    url = pair.gateway.base_url(use_case) + CHAT
    with opened(url) as connection:
        connection.sendall(request("POST", url, json.dumps(asking(CHAT, prompt)).encode()))
        came(pair.upstream, prompt)
    (asked,) = pair.upstream.asked(prompt)
    assert asked.left.wait(PATIENCE_SECONDS)


def test_the_official_client_leaves(pair: Pair) -> None:
    prompt = pair.upstream.plan(waits_after("Two", Gate(), f"{BEFORE} Two more words."))
    with official(pair.gateway.base_url("chat")) as client:
        stream = client.chat.completions.create(**MODEL, messages=turns(prompt), stream=True)
        next(stream)
        stream.close()
    (asked,) = pair.upstream.asked(prompt)
    assert asked.left.wait(PATIENCE_SECONDS)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_a_client_that_waits_no_longer_leaves(pair: Pair, streamed: bool) -> None:
    prompt = pair.upstream.plan(hangs)
    with official(pair.gateway.base_url("chat")) as client, pytest.raises(openai.APITimeoutError):
        client.with_options(timeout=0.5).chat.completions.create(
            **MODEL, messages=turns(prompt), stream=streamed
        )
    (asked,) = pair.upstream.asked(prompt)
    assert asked.left.wait(PATIENCE_SECONDS)


async def test_a_cancelled_task_leaves(pair: Pair) -> None:
    prompt = pair.upstream.plan(lambda _: [Gate()])
    base_url = pair.gateway.base_url("chat")
    async with openai.AsyncOpenAI(base_url=base_url, api_key="k", max_retries=0) as client:
        asking_so = client.chat.completions.create(**MODEL, messages=turns(prompt))
        task = asyncio.create_task(asking_so)
        while not pair.upstream.asked(prompt):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    (asked,) = pair.upstream.asked(prompt)
    assert await asyncio.to_thread(asked.left.wait, PATIENCE_SECONDS)


def test_a_client_that_shuts_only_its_writing_side_gets_its_answer(pair: Pair) -> None:
    """Some do, as `nc -N`; a server may take it for leaving, but then it must not hang."""
    prompt = pair.upstream.plan(says(KIND))
    url = pair.gateway.base_url("chat") + CHAT
    with opened(url) as connection:
        connection.sendall(request("POST", url, json.dumps(asking(CHAT, prompt)).encode()))
        connection.shutdown(socket.SHUT_WR)
        wire = connection.recv(1)
    assert wire in {b"", b"H"}


async def test_streams_at_once_are_not_mixed_up(pair: Pair) -> None:
    """Each has words of its own. A gateway that is late may ask some to come again."""

    async def one(client: openai.AsyncOpenAI, prompt: str) -> str:
        stream = await client.chat.completions.create(**MODEL, messages=turns(prompt), stream=True)
        chunks = [chunk async for chunk in stream]
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)

    texts = [f"This is number {i}. {KIND} Goodbye, number {i}." for i in range(64)]
    prompts = [pair.upstream.plan(says(text)) for text in texts]
    base_url = pair.gateway.base_url("chat")
    async with openai.AsyncOpenAI(base_url=base_url, api_key="k", max_retries=9) as client:
        found = await asyncio.gather(*(one(client, prompt) for prompt in prompts))
    assert found == texts
