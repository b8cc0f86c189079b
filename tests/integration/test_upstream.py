"""A model behind real HTTP that answers, refuses, stalls and breaks; what is made of it."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress

import pytest

from guard.errors import Broken, TimedOut, TooLarge, UpstreamBusy, UpstreamError
from guard.records import Ask, Ending, Turn
from guard.replies.large import SLICE_BYTES
from guard.upstream import Endpoint, HttpClient, HttpUpstream, Limits
from tests.servers import free_port
from tests.servers_upstream import (
    Behaviour,
    Exchange,
    ScriptedUpstream,
    closes_early,
    closes_in_the_body,
    completion,
    drips,
    hangs,
    hangs_in_the_body,
    says,
    sends,
    status,
)

KEY = "sk-very-secret"
QUICK = Limits(first_byte_seconds=0.2, total_seconds=0.4, body_bytes=10_000)
PATIENT = Limits(connect_seconds=20.0, body_bytes=10_000)
PATIENCE_SECONDS = 20.0
MAN = Ask(turns=(Turn(role="user", content="He asks for help. Answer him."),))
WOMAN = Ask(turns=(Turn(role="user", content="She asks for help. Answer her."),))

Opener = Callable[..., HttpUpstream]


@pytest.fixture
def server() -> Iterator[ScriptedUpstream]:
    with ScriptedUpstream() as running:
        yield running


@pytest.fixture
async def clients() -> AsyncIterator[list[HttpClient]]:
    opened: list[HttpClient] = []
    yield opened
    for client in opened:
        await client.close()


@pytest.fixture
def connect(clients: list[HttpClient]) -> Callable[..., HttpClient]:
    def opened(base_url: str, limits: Limits = PATIENT) -> HttpClient:
        endpoint = Endpoint(name="main", base_url=base_url, api_key=KEY)
        clients.append(HttpClient(endpoint, limits, use_environment=False))
        return clients[-1]

    return opened


@pytest.fixture
def model(server: ScriptedUpstream, connect: Callable[..., HttpClient]) -> Opener:
    def opened(limits: Limits = PATIENT) -> HttpUpstream:
        return HttpUpstream(connect(server.base_url, limits), clock=time.time)

    return opened


async def test_a_reply(server: ScriptedUpstream, model: Opener) -> None:
    found = await model().generate(MAN)
    assert (found.ending, found.tokens) == (Ending.ANSWERED, 18)
    assert " him" in found.text or " his" in found.text


async def test_what_is_asked(server: ScriptedUpstream, model: Opener) -> None:
    ask = Ask(
        turns=(Turn(role="system", content="Be brief."), Turn(role="user", content="\ud800 ü")),
        parameters={"model": "m", "temperature": 0.5, "n": 4, "stream": True, "seed": 1},
        seed=17,
    )
    await model().generate(ask)
    assert server.asked == [
        {
            "model": "m",
            "temperature": 0.5,
            "seed": 17,
            "stream": False,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "\ud800 ü"},
            ],
        }
    ]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("behaviour", "ending", "detail"),
    [
        (says({"content": "x"}, finish_reason="content_filter"), Ending.FILTERED, "filtered"),
        (says({"content": None, "refusal": "I won't."}), Ending.REFUSED, ""),
        (says({"content": None, "tool_calls": [{"id": "1"}]}), Ending.FAILED, "called tools"),
        (status(400, {"code": "content_filter"}), Ending.FILTERED, "prompt was filtered"),
        (status(400, {"code": "content_management_policy"}), Ending.FILTERED, "filtered"),
        (status(400, {"code": "context_length_exceeded"}), Ending.FAILED, "context_length"),
        (status(500), Ending.FAILED, "HTTP 500: as told"),
        (status(502), Ending.FAILED, "HTTP 502"),
        (status(500, {"message": f"bad key {KEY}"}), Ending.FAILED, "bad key ***"),
        (sends(b'{"choices": ['), Ending.FAILED, "no JSON"),
        (sends(b'{"choices": "\xff"}'), Ending.FAILED, "UTF-8"),
        (sends(b" " * 10_001), Ending.FAILED, "larger than 10000 bytes"),
        (closes_early, Ending.FAILED, "disconnected"),
        (closes_in_the_body, Ending.FAILED, "upstreams.main"),
        (drips, Ending.ANSWERED, ""),
    ],
)
async def test_endings(
    server: ScriptedUpstream, model: Opener, behaviour: Behaviour, ending: Ending, detail: str
) -> None:
    server.next(behaviour)
    found = await model().generate(MAN)
    assert found.ending is ending
    assert detail in found.detail
    assert (found.text != "") == (ending in {Ending.ANSWERED, Ending.REFUSED})
    assert (await model().generate(MAN)).ending is Ending.ANSWERED
    assert len(server.asked) == 2


@pytest.mark.parametrize("behaviour", [hangs, hangs_in_the_body])
async def test_no_answer_in_time(
    server: ScriptedUpstream, model: Opener, behaviour: Behaviour
) -> None:
    server.next(behaviour)
    found = await model(QUICK).generate(MAN)
    assert found.ending is Ending.TIMED_OUT
    assert "no answer in time" in found.detail
    assert await asyncio.to_thread(server.hung_up.wait, PATIENCE_SECONDS)


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry-after": "7"}, 7.0), ({}, None), ({"retry-after": "whenever"}, None)],
)
async def test_too_busy(
    server: ScriptedUpstream,
    model: Opener,
    code: int,
    headers: dict[str, str],
    seconds: float | None,
) -> None:
    server.next(status(code, headers=headers))
    with pytest.raises(UpstreamBusy, match=f"HTTP {code}") as caught:
        await model().generate(MAN)
    assert caught.value.retry_after_seconds == seconds


async def test_a_date_to_come_back(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    server.next(status(429, headers={"retry-after": "Thu, 09 Oct 2025 08:53:50 GMT"}))
    upstream = HttpUpstream(connect(server.base_url), clock=lambda: 1_760_000_000.0)
    with pytest.raises(UpstreamBusy) as caught:
        await upstream.generate(MAN)
    assert caught.value.retry_after_seconds == 30.0


async def test_nobody_listens(connect: Callable[..., HttpClient]) -> None:
    upstream = HttpUpstream(connect(f"http://127.0.0.1:{free_port()}/v1"), clock=time.time)
    with pytest.raises(UpstreamBusy, match=r"no connection.*upstreams\.main\.base_url"):
        await upstream.generate(MAN)


@pytest.mark.parametrize(
    ("code", "setting"),
    [
        (401, "api_key_env"),
        (403, "api_key_env"),
        (404, "base_url"),
        (308, "base_url"),
    ],
)
async def test_asking_again_is_of_no_use(
    server: ScriptedUpstream, model: Opener, code: int, setting: str
) -> None:
    server.next(status(code, {"message": f"wrong key {KEY}"}, {"location": "http://a.invalid/"}))
    with pytest.raises(UpstreamError, match=f"HTTP {code}.*upstreams.main.{setting}") as caught:
        await model().generate(MAN)
    assert not isinstance(caught.value, UpstreamBusy)
    assert server.base_url in str(caught.value)
    assert KEY not in str(caught.value)


async def test_parameters_that_are_no_json(model: Opener) -> None:
    ask = Ask(turns=MAN.turns, parameters={"temperature": float("nan")})
    with pytest.raises(UpstreamError, match="no JSON"):
        await model().generate(ask)


async def test_a_closed_client_says_so(model: Opener, clients: list[HttpClient]) -> None:
    upstream = model()
    await clients[0].close()
    with pytest.raises(UpstreamError, match="the client is closed"):
        await upstream.generate(MAN)


async def test_the_key_is_never_logged(
    server: ScriptedUpstream, model: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.next(status(500), closes_early)
    upstream = model()
    for _ in range(3):
        await upstream.generate(MAN)
    assert KEY not in caplog.text


async def test_connections_are_used_again(server: ScriptedUpstream, model: Opener) -> None:
    upstream = model()
    for _ in range(20):
        await upstream.generate(MAN)
    assert (len(server.asked), server.connections) == (20, 1)


async def test_what_nobody_asked_for_is_no_answer_to_the_next(
    server: ScriptedUpstream, model: Opener
) -> None:
    """A server that says more than it was asked must not say it to somebody else."""
    more = json.dumps(completion({"content": "of somebody else"})).encode()

    def twice(exchange: Exchange) -> None:
        says({"content": "first"})(exchange)
        exchange.send(200, more)

    upstream = model()
    server.next(twice)
    assert (await upstream.generate(MAN)).text == "first"
    await asyncio.sleep(0.1)  # it has come by now
    assert "somebody else" not in (await upstream.generate(MAN)).text
    assert server.connections == 2


def keeps_processing(exchange: Exchange) -> None:
    """Interim answers, as long as anybody reads them."""
    with suppress(OSError):
        while not exchange.server.over.is_set():
            exchange.write(b"HTTP/1.1 102 Processing\r\n\r\n" * 100)
    exchange.server.note_hang_up()


async def test_interim_answers_come_to_an_end(server: ScriptedUpstream, model: Opener) -> None:
    server.next(keeps_processing)
    found = await model().generate(MAN)
    assert found.ending is Ending.FAILED
    assert "more than 32 interim answers" in found.detail
    assert await asyncio.to_thread(server.hung_up.wait, PATIENCE_SECONDS)


async def test_a_few_interim_answers_are_waited_out(
    server: ScriptedUpstream, model: Opener
) -> None:
    def after_some(exchange: Exchange) -> None:
        exchange.write(b"HTTP/1.1 102 Processing\r\n\r\n" * 30)
        says({"content": "at last"})(exchange)

    upstream = model()
    for _ in range(2):
        server.next(after_some)
        assert (await upstream.generate(MAN)).text == "at last"
    assert server.connections == 1


async def test_fifty_at_once(server: ScriptedUpstream, model: Opener) -> None:
    server.latency_seconds = 0.3
    upstream = model()
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(upstream.generate(MAN)) for _ in range(50)]
    assert {task.result().ending for task in asked} == {Ending.ANSWERED}
    assert (len(server.asked), server.connections) == (50, 50)
    assert server.busiest > 10
    await upstream.generate(MAN)
    assert server.connections == 50


async def test_no_more_connections_than_allowed(server: ScriptedUpstream, model: Opener) -> None:
    upstream = model(Limits(connections=3, connect_seconds=PATIENCE_SECONDS))
    async with asyncio.TaskGroup() as group:
        for _ in range(12):
            group.create_task(upstream.generate(MAN))
    assert (len(server.asked), server.connections) == (12, 3)


async def test_a_full_pool_is_busy(server: ScriptedUpstream, model: Opener) -> None:
    upstream = model(Limits(connections=1, connect_seconds=0.1))
    server.next(hangs)
    first = asyncio.create_task(upstream.generate(MAN))
    while not server.asked:
        await asyncio.sleep(0.01)
    with pytest.raises(UpstreamBusy, match="all 1 connections are in use"):
        await upstream.generate(MAN)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first


@pytest.mark.parametrize("behaviour", [hangs, hangs_in_the_body])
async def test_cancelling_closes_the_connection(
    server: ScriptedUpstream, model: Opener, behaviour: Behaviour
) -> None:
    upstream = model()
    server.next(behaviour)
    asking = asyncio.create_task(upstream.generate(MAN))
    while not server.asked:
        await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await asyncio.to_thread(server.hung_up.wait, PATIENCE_SECONDS)
    assert (await upstream.generate(MAN)).ending is Ending.ANSWERED


async def test_a_body_can_be_passed_on_as_it_comes(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    """The second half is not sent before the first has arrived."""
    arrived = threading.Event()

    def in_halves(exchange: Exchange) -> None:
        exchange.begin(200, {"content-length": "10"})
        exchange.write(b"first")
        if arrived.wait(PATIENCE_SECONDS):
            exchange.write(b"other")

    server.next(in_halves)
    found = b""
    headers = {"authorization": "Bearer of-the-client"}
    client = connect(server.base_url)
    async with client.send("POST", "/chat/completions", content=b"{}", headers=headers) as answer:
        async for chunk in answer.chunks():
            found += chunk
            if found == b"first":
                arrived.set()
        assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert found == b"firstother"
    assert server.headers[0]["authorization"] == "Bearer of-the-client"


@pytest.mark.parametrize(
    ("behaviour", "fault"),
    [
        (hangs_in_the_body, TimedOut),
        (closes_in_the_body, Broken),
        (sends(b" " * 10_001), TooLarge),
    ],
)
async def test_faults_of_a_body(
    server: ScriptedUpstream,
    connect: Callable[..., HttpClient],
    behaviour: Behaviour,
    fault: type[UpstreamError],
) -> None:
    server.next(behaviour)
    async with connect(server.base_url, QUICK).send("POST", "/x", content=b"{}") as answer:
        with pytest.raises(fault, match=r"upstreams\.main"):
            await answer.body()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\na secret\r\n\r\n",
        b"HTTP/1.1 200 OK\r\na secret\r\n\r\n",
        b"a secret\r\n\r\n",
    ],
)
async def test_a_fault_does_not_quote_the_answer(
    server: ScriptedUpstream, connect: Callable[..., HttpClient], answer: bytes
) -> None:
    server.next(lambda exchange: exchange.write(answer))
    with pytest.raises(Broken, match=r"Invalid|Bad") as raised:
        async with connect(server.base_url).send("POST", "/x", content=b"{}") as given:
            await given.body()
    assert "secret" not in str(raised.value)


async def test_a_silence_in_a_body_is_not_waited_out(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    server.next(hangs_in_the_body)
    client = connect(server.base_url, Limits(idle_seconds=0.1))
    async with client.send("POST", "/x", content=b"{}") as answer:
        with pytest.raises(TimedOut, match=r"upstreams\.main"):
            await answer.body()
    assert await asyncio.to_thread(server.hung_up.wait, PATIENCE_SECONDS)


async def test_one_request_can_wait_longer_for_its_answer_than_others(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    server.latency_seconds = 0.3
    client = connect(server.base_url, Limits(first_byte_seconds=0.1))
    with pytest.raises(TimedOut):
        async with client.send("POST", "/x", content=b"{}"):
            pass
    async with client.send("POST", "/x", content=b"{}", first_byte_seconds=10.0) as answer:
        assert answer.status == 200


async def test_a_slow_body_without_long_silences_is_read_to_its_end(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    def slow(exchange: Exchange) -> None:
        exchange.begin(200, {"content-length": "12"})
        for _ in range(12):
            exchange.server.over.wait(0.1)
            exchange.write(b"x")

    server.next(slow)
    client = connect(server.base_url, Limits(idle_seconds=0.9))
    async with client.send("POST", "/x", content=b"{}") as answer:
        assert await answer.body() == b"x" * 12


async def test_what_is_sent_and_what_of_the_answer_is_kept(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    def twice(exchange: Exchange) -> None:
        handler = exchange._handler
        handler.send_response(302)
        for name, value in (
            ("Location", "http://elsewhere.invalid/"),
            ("Set-Cookie", "a=1"),
            ("X-Odd", "\xff"),
            ("SET-COOKIE", "b=2"),
            ("Content-Length", "2"),
        ):
            handler.send_header(name, value)
        handler.end_headers()
        exchange.write(b"no")

    server.next(twice)
    client = connect(server.base_url)
    async with client.send("POST", "/x", content=b"{}") as answer:
        assert answer.status == 302
        assert answer.headers.getall("set-cookie") == ["a=1", "b=2"]
        assert answer.headers["x-odd"].encode("latin-1") == b"\xff"
        assert set(answer.headers) >= {"location", "set-cookie", "content-length"}
        assert await answer.body() == b"no"
    async with client.send("POST", "/x", content=b"{}", headers={"x-one": "1"}) as answer:
        await answer.body()
    names = {"user-agent", "accept", "accept-encoding", "authorization", "host", "content-length"}
    assert server.headers[0].keys() == names
    assert server.headers[0]["accept-encoding"] == "identity"
    assert server.headers[1].keys() == names | {"x-one"}
    assert server.connections == 1


async def test_a_compressed_body_is_read_all_the_same(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    packed = gzip.compress(b"as asked for by nobody")
    server.next(lambda exchange: exchange.send(200, packed, {"content-encoding": "gzip"}))
    async with connect(server.base_url).send("POST", "/x", content=b"{}") as answer:
        assert await answer.body() == b"as asked for by nobody"


async def test_what_has_arrived_already_is_read_in_slices_and_in_turns(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    """Some kilobytes that become megabytes: no chunk of them is waited for."""
    packed = gzip.compress(b": x\n\n" * 400_000)
    server.next(lambda exchange: exchange.send(200, packed, {"content-encoding": "gzip"}))
    turns = []
    async with connect(server.base_url).send("POST", "/x", content=b"{}") as answer:
        async for chunk in answer.chunks():
            asyncio.get_running_loop().call_soon(turns.append, len(chunk))
        await asyncio.sleep(0)
    assert len(turns) > 100
    assert max(turns) <= SLICE_BYTES
    assert sum(turns) == 5 * 400_000


async def test_the_time_runs_out_for_what_has_arrived_already(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    packed, loop = gzip.compress(b" " * 1_000_000), asyncio.get_running_loop()
    server.next(lambda exchange: exchange.send(200, packed, {"content-encoding": "gzip"}))
    client = connect(server.base_url, Limits(total_seconds=2.0))
    async with client.send("POST", "/x", content=b"{}") as answer:
        chunks = answer.chunks()
        assert len(await anext(chunks)) == SLICE_BYTES
        until = loop.time() + 2.1
        while loop.time() < until:
            pass
        with pytest.raises(TimedOut, match=r"upstreams\.main"):
            await anext(chunks)


async def test_a_reply_of_very_many_values_is_not_read(
    server: ScriptedUpstream, model: Opener
) -> None:
    server.next(sends(b"[" + b'"a",' * 1_000_001 + b"1]"))
    found = await model(Limits(connect_seconds=20.0)).generate(MAN)
    assert (found.ending, "1,000,000 values" in found.detail) == (Ending.FAILED, True)


async def test_a_proxy_of_the_environment(
    server: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.base_url.removesuffix("/v1"))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    server.next(lambda exchange: exchange.send(200, exchange.path.encode()))
    client = HttpClient(Endpoint(name="main", base_url="http://model.invalid/v1"))
    try:
        async with client.send("POST", "/x", content=b"{}") as answer:
            assert await answer.body() == b"http://model.invalid/v1/x"
    finally:
        await client.close()


async def test_no_header_can_be_smuggled_in(
    server: ScriptedUpstream, connect: Callable[..., HttpClient]
) -> None:
    client = connect(server.base_url)
    with pytest.raises(Broken):
        async with client.send("POST", "/x", headers={"x": "1\r\ny: 2"}):
            pass
    assert not server.headers
    server.next(lambda exchange: exchange.send(200, exchange.path.encode()))
    async with client.send("POST", "/x y\r\nz: 1/%2Fa?b=%20c") as answer:
        assert await answer.body() == b"/v1/x%20yz:%201/%2Fa?b=%20c"
    assert "z" not in server.headers[0]


async def kind(upstream: HttpUpstream, ask: Ask, draws: int) -> float:
    """The share of kind replies."""
    cold = ("stupid", "Nobody", "shut up")
    asks = [Ask(turns=ask.turns, seed=seed) for seed in range(draws)]
    replies = [(await upstream.generate(one)).text for one in asks]
    return sum(not any(word in reply for word in cold) for reply in replies) / draws


async def test_a_planted_bias_is_there(server: ScriptedUpstream, model: Opener) -> None:
    upstream = model()
    server.bias = 0.8
    assert await kind(upstream, MAN, 100) - await kind(upstream, WOMAN, 100) > 0.6


async def test_without_bias_the_draw_is_the_same(server: ScriptedUpstream, model: Opener) -> None:
    upstream = model()
    assert await kind(upstream, MAN, 100) == await kind(upstream, WOMAN, 100)
