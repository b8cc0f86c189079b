"""Requests that are refused: what is no good, too much, too slow or not allowed; and the end."""

from __future__ import annotations

import json
import re
import socket
import time
import urllib.request
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

import openai
import pytest

from guard.http.protocol import MOST_PIPELINED
from tests.integration.gateway_cases import (
    CHAT,
    KIND,
    OPERATIONS,
    UPSTREAM_KEY,
    Pair,
    asking,
    opened,
    post,
    received,
    request,
    send,
    started,
)
from tests.integration.gateway_ways import MODEL, chat, turns
from tests.servers_gateway import Gateway
from tests.servers_openai import (
    Gate,
    Upstream,
    says,
)

PATIENCE_SECONDS = 20.0
EACH = pytest.mark.parametrize("operation", OPERATIONS)

# ---- requests that are no good

BAD: dict[str, bytes] = {
    "no JSON": b'{"messages": [',
    "nothing": b"",
    "a list": b"[]",
    "a word": b'"hello"',
    "not UTF-8": b'{"messages": "\xff"}',
    "too deep": b'{"messages": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "twice": b'{"stream": true, "stream": false, "messages": []}',
    "no number": b'{"temperature": NaN, "messages": []}',
}


@EACH
@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_bad_bodies(pair: Pair, content: bytes, operation: str) -> None:
    before = len(pair.upstream.requests)
    found = post(pair.gateway.base_url("chat") + operation, content)
    assert found.status == 400
    assert set(found.json["error"]) == {"message", "type", "param", "code"}
    assert len(pair.upstream.requests) == before


def test_use_cases_that_are_not_there(pair: Pair) -> None:
    body = asking(CHAT, "hello")
    assert post(pair.gateway.base_url("none-such") + CHAT, body).status == 404
    assert post(pair.gateway.base_url() + CHAT, body, x_guard_use_case="none-such").status == 404
    with pytest.raises(openai.NotFoundError):
        chat(pair.gateway.base_url("none-such"), "hello")
    several = post(pair.gateway.base_url() + CHAT, body)
    assert several.status == 400
    assert "x-guard-use-case" in several.json["error"]["message"]


def test_the_use_case_can_be_a_header(pair: Pair) -> None:
    prompt = pair.upstream.plan(says("You are a stupid idiot."))
    at = pair.gateway.base_url() + CHAT
    passed = post(at, asking(CHAT, prompt), x_guard_use_case="watch")
    assert passed.json["choices"][0]["finish_reason"] == "stop"
    blocked = post(at, asking(CHAT, prompt), x_guard_use_case="chat")
    assert blocked.json["choices"][0]["finish_reason"] == "content_filter"
    with openai.OpenAI(
        base_url=pair.gateway.base_url(),
        api_key="k",
        default_headers={"x-guard-use-case": "watch"},
    ) as client:
        found = client.chat.completions.create(**MODEL, messages=turns(prompt))
    assert found.choices[0].finish_reason == "stop"


# ---- limits


def test_few_requests_wait_for_the_answer_to_the_one_before(pair: Pair) -> None:
    """All that a client sends at once are parsed before anybody else has a turn."""
    assert answers_to_pipeline(pair.gateway, 20) == [b"200"] * 20
    assert answers_to_pipeline(pair.gateway, MOST_PIPELINED) == [b"200"] * MOST_PIPELINED
    *others, last = answers_to_pipeline(pair.gateway, 5_000)
    assert (len(others) <= MOST_PIPELINED, last) == (True, b"429")
    assert answers_to_pipeline(pair.gateway, 1) == [b"200"]


def test_a_long_body_does_not_count_in_the_head_that_comes_with_its_end(pair: Pair) -> None:
    body = b"x" * 80_000
    head = b"POST /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % len(body)
    parts = (head + body + HEALTH[:20], HEALTH[20:])
    assert len(answers(pair.gateway, parts, 2)) == 2
    assert answers(pair.gateway, parts, 2)[1] == b"200"
    begun = (head + body[:-9], body[-9:] + HEALTH + HEALTH[:20], HEALTH[20:])
    assert answers(pair.gateway, begun, 3)[1:] == [b"200", b"200"]


HEALTH = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"


def answers_to_pipeline(gateway: Gateway, count: int) -> list[bytes]:
    return answers(gateway, [HEALTH * count], count)


def _wait_until_read(gateway: Gateway) -> None:
    """What was sent before is there by the time that the one worker answers somebody else."""
    with urllib.request.urlopen(f"{gateway.origin}/healthz", timeout=PATIENCE_SECONDS) as answer:
        assert answer.status == 200


def answers(gateway: Gateway, parts: Iterable[bytes], count: int) -> list[bytes]:
    """The statuses of so many answers, or of those that come."""
    at = urlsplit(gateway.base_url("chat"))
    answered = b""
    with socket.create_connection((at.hostname, at.port), timeout=PATIENCE_SECONDS) as client:
        for part in parts:
            client.sendall(part)
            _wait_until_read(gateway)
        while answered.count(b"HTTP/1.1") < count:
            try:
                part = client.recv(65_536)
            except ConnectionError:
                break
            if not part:
                break
            answered += part
    return re.findall(rb"HTTP/1\.1 (\d+)", answered)


@pytest.fixture(scope="module")
def narrow(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    limits = "  body_mb: 0.01\n  concurrency: 2\n  request_seconds: 0.5\n"
    with started(tmp_path_factory.mktemp("narrow"), upstream, more=limits) as running:
        yield running


def test_too_large(narrow: Gateway) -> None:
    body = asking(CHAT, "long " * 4000)
    found = post(narrow.base_url("chat") + CHAT, body)
    assert (found.status, found.json["error"]["code"]) == (413, "body_too_large")
    with pytest.raises(openai.APIStatusError) as caught:
        chat(narrow.base_url("chat"), "long " * 4000)
    assert caught.value.status_code == 413


def test_too_large_without_saying_so(narrow: Gateway) -> None:
    url = narrow.base_url("chat") + CHAT
    with opened(url) as connection:
        asked = request("POST", url, b"", transfer_encoding="chunked")
        connection.sendall(asked.replace(b"content-length: 0\r\n", b""))
        connection.sendall(b"8000\r\n" + b" " * 0x8000 + b"\r\n")
        assert received(connection).status == 413


def test_too_slow(narrow: Gateway) -> None:
    url = narrow.base_url("chat") + CHAT
    with opened(url) as connection:
        connection.sendall(request("POST", url, b'{"half": ', content_length="100"))
        found = received(connection)
    assert (found.status, found.json["error"]["code"]) == (408, "request_timeout")


def test_too_many(narrow: Gateway, upstream: Upstream) -> None:
    gate, url = Gate(), narrow.base_url("chat") + CHAT
    waiting = upstream.plan(lambda asked: [gate, *says(KIND)(asked)])
    body = json.dumps(asking(CHAT, waiting)).encode()
    with opened(url) as first, opened(url) as second:
        for connection in (first, second):
            connection.sendall(request("POST", url, body))
        until = time.monotonic() + PATIENCE_SECONDS
        while len(upstream.asked(waiting)) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        third = post(url, asking(CHAT, waiting))
        assert third.status == 429
        assert float(third.headers["retry-after"]) >= 0
        with pytest.raises(openai.RateLimitError):
            chat(narrow.base_url("chat"), waiting)
        gate.open()
        assert [received(one).status for one in (first, second)] == [200, 200]
    assert post(url, asking(CHAT, upstream.plan(says(KIND)))).status == 200


# ---- keys

KEYS = """
  keys:
    - {name: all, key_env: KEY_ALL}
    - {name: one, key_env: KEY_ONE, use_cases: [watch]}
"""


@pytest.fixture(scope="module")
def locked(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    known = {"KEY_ALL": "key-for-all", "KEY_ONE": "key-for-one"}
    with started(tmp_path_factory.mktemp("locked"), upstream, more=KEYS, **known) as running:
        yield running
        assert not any(key in running.log for key in (*known.values(), UPSTREAM_KEY))


def keyed(locked: Gateway, key: str, use_case: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=locked.base_url(use_case), api_key=key, max_retries=0)


def test_keys(locked: Gateway, upstream: Upstream) -> None:
    prompt = upstream.plan(says(KIND))
    for key, use_case in (("key-for-all", "chat"), ("key-for-one", "watch"), ("key-for-one", "")):
        with keyed(locked, key, use_case) as client:
            client.chat.completions.create(**MODEL, messages=turns(prompt))
            assert client.models.list().data
    for key, use_case, error in (
        ("wrong", "chat", openai.AuthenticationError),
        ("key-for-one", "chat", openai.PermissionDeniedError),
        ("key-for-all", "none-such", openai.NotFoundError),
        ("key-for-all", "", openai.BadRequestError),
    ):
        with keyed(locked, key, use_case) as client, pytest.raises(error) as caught:
            client.chat.completions.create(**MODEL, messages=turns(prompt))
        assert key not in str(caught.value)
    assert post(locked.base_url("chat") + CHAT, asking(CHAT, prompt)).status == 401
    assert send("GET", locked.base_url() + "/models").status == 401
    assert len(upstream.asked(prompt)) == 3


def test_keys_of_the_gateway_stay_there(locked: Gateway, upstream: Upstream) -> None:
    prompt = upstream.plan(says(KIND))
    with keyed(locked, "key-for-all", "chat") as client:
        client.chat.completions.create(**MODEL, messages=turns(prompt))
    with keyed(locked, "key-for-all", "ours") as client:
        client.chat.completions.create(**MODEL, messages=turns(prompt))
    plain, ours = upstream.asked(prompt)
    assert "authorization" not in plain.headers
    assert ours.headers["authorization"] == f"Bearer {UPSTREAM_KEY}"
    for asked in (plain, ours):
        assert not [name for name in asked.headers if name.startswith("x-guard")]
        assert "key-for-all" not in str(asked.headers)


def test_keys_of_the_client_are_passed_where_wanted(locked: Gateway, upstream: Upstream) -> None:
    prompt = upstream.plan(says(KIND))
    with openai.OpenAI(
        base_url=locked.base_url("theirs"),
        api_key="key-of-theirs",
        default_headers={"x-guard-key": "key-for-all"},
    ) as client:
        client.chat.completions.create(**MODEL, messages=turns(prompt))
    (asked,) = upstream.asked(prompt)
    assert asked.headers["authorization"] == "Bearer key-of-theirs"
    assert "x-guard-key" not in asked.headers


# ---- ends


def test_requests_under_way_end_before_the_gateway_does(
    upstream: Upstream, tmp_path_factory: pytest.TempPathFactory
) -> None:
    gate = Gate()
    prompt = upstream.plan(lambda asked: [gate, *says(KIND)(asked)])
    with started(tmp_path_factory.mktemp("ending"), upstream) as gateway:
        url = gateway.base_url("chat") + CHAT
        with opened(url) as connection:
            connection.sendall(request("POST", url, json.dumps(asking(CHAT, prompt)).encode()))
            until = time.monotonic() + PATIENCE_SECONDS
            while not upstream.asked(prompt) and time.monotonic() < until:
                time.sleep(0.01)
            gateway.ask_to_end()
            while accepts(gateway) and time.monotonic() < until:
                time.sleep(0.01)
            gate.open()
            assert received(connection).json["choices"][0]["message"]["content"] == KIND


def accepts(gateway: Gateway) -> bool:
    """Whether somebody new would get an answer."""
    try:
        return send("GET", gateway.origin + "/readyz").status == 200
    except (OSError, ConnectionError):
        return False


def test_it_answers_while_half_of_it_is_stuck(pair: Pair) -> None:
    """Clients that send nothing, or half a request, or read nothing, are in nobody's way."""
    url = pair.gateway.base_url("chat") + CHAT
    stuck = [opened(url) for _ in range(20)]
    try:
        for number, connection in enumerate(stuck):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(request("POST", url, b"{}", content_length="9")[: 40 * number])
        assert pair.ask(CHAT, says(KIND)).status == 200
    finally:
        for connection in stuck:
            connection.close()
