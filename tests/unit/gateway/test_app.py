"""The application as a whole: what gets through, what is refused, and what is left behind."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from guard.errors import AllInUse, Broken, TimedOut, TooLarge, UpstreamBusy, UpstreamError
from guard.gateway.request import Operation
from tests.unit.gateway.asking import BODY, CHAT, JSON, Client, House, Model, house, key


def bearer(name: str) -> tuple[str, str]:
    return "authorization", f"Bearer {name}"


async def test_a_request_reaches_the_model_and_its_reply_the_client() -> None:
    made = house()
    answer = await made.ask(CHAT, JSON, ("x-request-id", "r1"), ("cookie", "a=b"))
    assert (answer.status, json.loads(answer.body)) == (200, {"id": "1"})
    assert answer.headers["content-length"] == "11"
    assert answer.headers["x-guard-call-id"] == "c1"
    assert not answer.sent[-1]["more_body"]
    (asked,) = made.model.asked
    assert (asked.operation, asked.use_case, asked.raw) == (Operation.CHAT, "chat", BODY)
    assert (asked.lane, asked.never_shadowed) == ("http/chat", "")
    assert asked.body == {"model": "m", "messages": []}
    assert asked.headers == {"content-type": "application/json", "x-request-id": "r1"}
    assert (made.limiter.open, made.model.closed) == (0, 1)


async def test_a_whole_answer_in_pieces_stays_whole() -> None:
    chunks = (b'{"id"', b"", b': "', b'1"}')
    answer = await house(model=Model(chunks=chunks)).ask(CHAT, JSON)
    assert answer.body == b"".join(chunks)
    assert not answer.sent[-1]["more_body"]


async def test_a_stream_has_no_length() -> None:
    answer = await house(model=Model(length=None)).ask(CHAT, JSON)
    assert "content-length" not in answer.headers
    assert [message["body"] for message in answer.sent[1:]] == [b'{"id":', b' "1"}', b""]


async def test_of_the_clients_headers_only_harmless_ones_go_on() -> None:
    made = house(key("mine"), key("both"))
    passed = {
        "accept": "text/event-stream",
        "openai-beta": "x",
        "traceparent": "00-1-2-01",
        "user-agent": "OpenAI/Python",
        "x-request-id": "r1",
    }
    kept = {
        "connection": "x-secret",
        "cookie": "a=b",
        "forwarded": "for=1",
        "openai-organization": "org",
        "openai-project": "p",
        "transfer-encoding": "chunked",
        "x-api-key": "k",
        "x-forwarded-for": "1",
        "x-guard-use-case": "chat",
    }
    await made.ask(CHAT, JSON, bearer("mine"), *passed.items(), *kept.items())
    assert dict(made.model.asked[0].headers) == {**passed, "content-type": "application/json"}
    await made.ask(CHAT, JSON, bearer("mine"), ("user-agent", "n\xefce"))
    assert "user-agent" not in made.model.asked[1].headers


async def test_the_key_decides_for_what() -> None:
    made = house(key("chat-key", "chat"), key("all-key"), use_cases=("chat", "sums"))

    async def status(*headers: tuple[str, str], path: str = CHAT) -> tuple[int, str]:
        answer = await made.ask(path, JSON, *headers)
        return answer.status, "" if answer.status == 200 else answer.error["code"]

    assert await status(bearer("chat-key")) == (200, "")
    assert made.model.asked[-1].use_case == "chat"
    assert await status(("x-guard-key", "chat-key"), bearer("of nobody")) == (200, "")
    assert await status(bearer("all-key"), path="/sums/v1/completions") == (200, "")
    assert made.model.asked[-1].use_case == "sums"
    assert await status(bearer("all-key"), ("x-guard-use-case", "sums")) == (200, "")
    assert await status(bearer("all-key")) == (400, "use_case_missing")
    assert await status(bearer("all-key"), path="/other/v1/completions") == (
        404,
        "unknown_use_case",
    )
    assert await status(bearer("chat-key"), path="/sums/v1/completions") == (
        403,
        "use_case_not_allowed",
    )
    unclear = await status(
        bearer("all-key"), ("x-guard-use-case", "chat"), path="/sums/v1/completions"
    )
    assert unclear == (400, "use_case_unclear")
    for headers in ([], [bearer("wrong")], [("authorization", "Basic chat-key")], [bearer("")]):
        assert await status(*headers) == (401, "invalid_api_key")
    assert await status(("x-guard-key", "wrong"), bearer("chat-key")) == (401, "invalid_api_key")
    assert made.refused("invalid_api_key") == 5


async def test_a_refusal_says_how_to_do_better_and_no_key() -> None:
    answer = await house(key("sk-right")).ask(CHAT, JSON, bearer("sk-wrong"), ("x-request-id", "7"))
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["x-request-id"] == "7"
    assert answer.error["type"] == "authentication_error"
    assert b"sk-" not in answer.body


async def test_where_no_use_case_is_declared_any_name_will_do_and_many_are_counted_as_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("guard.gateway.routes.MAX_UNDECLARED", 3)
    made = house(use_cases=())
    assert (await made.ask(CHAT, JSON)).status == 200
    assert made.model.asked[-1].use_case == "default"
    for name in ("one", "two", "one"):
        assert (await made.ask(f"/{name}/v1/completions", JSON)).status == 200
        assert made.model.asked[-1].use_case == name
    for name in ("three", "four"):
        assert (await made.ask(f"/{name}/v1/completions", JSON)).status == 200
        assert made.model.asked[-1].use_case == "other"
    assert (await made.ask("/one/v1/completions", JSON)).status == 200
    assert made.model.asked[-1].use_case == "one"
    for name in ("Bad", "a%20b", "%00"):
        answer = await made.ask(f"/{name}/v1/completions", JSON)
        assert (answer.status, answer.error["code"]) == (404, "unknown_use_case")
        assert answer.error["param"] is None
    answer = await made.ask(CHAT, JSON, ("x-guard-use-case", "Bad"))
    assert answer.error["param"] == "x-guard-use-case"


async def test_made_up_names_are_few_series() -> None:
    made = house(use_cases=())
    for number in range(999):
        assert (await made.ask(f"/name-{number}/v1/completions", JSON)).status == 200
    names = {asked.use_case for asked in made.model.asked}
    assert len(names) <= 50
    assert "other" in names


async def test_a_key_makes_no_names_but_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guard.gateway.routes.MAX_UNDECLARED", 2)
    made = house(key("bound", "mine"), key("free"), use_cases=())
    for number in range(5):
        path = f"/other-{number}/v1/completions"
        assert (await made.ask(path, JSON, bearer("bound"))).status == 403
    assert (await made.ask("/new/v1/completions", JSON, bearer("free"))).status == 200
    assert made.model.asked[-1].use_case == "new"


async def test_a_key_of_the_client_goes_on_and_ours_never_does() -> None:
    made = house(key("ours"), passing=("chat",))
    theirs = ("authorization", "Bearer sk-theirs")
    await made.ask(CHAT, JSON, ("x-guard-key", "ours"), theirs, ("openai-project", "p"))
    (asked,) = made.model.asked
    assert asked.headers["authorization"] == "Bearer sk-theirs"
    assert asked.headers["openai-project"] == "p"
    assert "x-guard-key" not in asked.headers
    assert asked.never_shadowed == "client_key"
    for headers in (
        [bearer("ours")],
        [("x-guard-key", "ours"), bearer("ours")],
        [("x-guard-key", "ours"), ("authorization", "ours")],
        [("x-guard-key", "ours"), ("authorization", "Token  ours")],
    ):
        answer = await made.ask(CHAT, JSON, *headers)
        assert (answer.status, answer.error["code"]) == (401, "invalid_api_key")
        assert "x-guard-key" in answer.error["message"]
    assert len(made.model.asked) == 1


async def test_a_client_may_keep_its_call_from_being_asked_again() -> None:
    made = house()
    await made.ask(CHAT, JSON, ("x-guard-shadow", "OFF"))
    await made.ask(CHAT, JSON, ("x-guard-shadow", "on"))
    assert [asked.never_shadowed for asked in made.model.asked] == ["opted_out", ""]
    answer = await made.ask(CHAT, JSON, ("x-guard-shadow", "no"))
    assert (answer.status, answer.error["param"]) == (400, "x-guard-shadow")


async def test_a_gateway_without_keys_answers_to_this_machine_only() -> None:
    made = house()
    scopes = [("host", "evil.example"), ("host", "localhost.evil.example:8080"), ("host", "")]
    for headers in scopes:
        client = Client(made.gateway)
        await client.ask(CHAT, JSON, headers)
        assert client.status == 400  # it stands twice
    for host, status in (("evil.example:8080", 421), ("127.0.0.1", 200), ("LOCALHOST:1", 200)):
        assert (await asked_as(made, host)).status == status
    assert (await asked_as(house(key("k")), "evil.example", bearer("k"))).status == 200


async def asked_as(made: House, host: str, *headers: tuple[str, str]) -> Client:
    client = Client(made.gateway)

    async def renamed(scope: object, receive: object, send: object) -> None:
        assert isinstance(scope, dict)
        scope["headers"][0] = (b"host", host.encode())
        await made.gateway(scope, receive, send)  # type: ignore[arg-type]

    client.gateway = renamed  # type: ignore[assignment]
    return await client.ask(CHAT, JSON, *headers)


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b"{", (JSON,), 400, "bad_body"),
        (BODY, (), 400, "bad_content_type"),
        (BODY, (JSON, JSON), 400, "bad_header"),
        (BODY, (JSON, ("content-encoding", "br")), 400, "bad_content_encoding"),
        (b'{"background": true}', (JSON,), 400, "background_not_supported"),
        (b'{"background": "yes"}', (JSON,), 400, "background_not_supported"),
        (b"[" * 990, (JSON,), 400, "bad_body"),
        (b'{"a": "%s"}' % (b"x" * 1000), (JSON,), 413, "body_too_large"),
        ([b"{" * 600, b"{" * 600, b"never read"], (JSON,), 413, "body_too_large"),
        (BODY, (JSON, ("content-length", "1001")), 413, "body_too_large"),
        (BODY, (JSON, ("content-length", "9" * 400)), 413, "body_too_large"),
    ],
)
async def test_what_cannot_be_passed_on_is_refused(
    body: bytes, headers: tuple[tuple[str, str], ...], status: int, code: str
) -> None:
    made = house()
    answer = await made.ask(CHAT, *headers, body=body)
    assert (answer.status, answer.error["code"]) == (status, code)
    assert (made.model.asked, made.refused(code), made.limiter.open) == ([], 1.0, 0)


async def test_stored_responses_and_conversations_are_passed_on() -> None:
    made = house()
    body = b'{"input": "x", "store": true, "previous_response_id": "r", "background": false}'
    assert (await made.ask("/v1/responses", JSON, body=body)).status == 200
    assert made.model.asked[0].raw == body


async def test_a_body_that_does_not_come_is_given_up() -> None:
    made = house(request_seconds=0.01)
    client = Client(made.gateway)

    async def never() -> dict[str, object]:
        return await asyncio.Event().wait()  # type: ignore[return-value]

    async def waiting(scope: object, _: object, send: object) -> None:
        await made.gateway(scope, never, send)  # type: ignore[arg-type]

    client.gateway = waiting  # type: ignore[assignment]
    answer = await client.ask(CHAT, JSON)
    assert (answer.status, answer.error["code"]) == (408, "request_timeout")


async def test_who_leaves_with_half_a_request_is_not_answered() -> None:
    made = house()
    client = await made.ask(CHAT, JSON, body=[b"{", None])
    assert (client.sent, made.model.asked, made.limiter.open) == ([], [], 0)


async def test_one_key_does_not_take_the_room_of_another() -> None:
    made = house(key("a"), key("b"), of_a_key=1, model=Model(gate=asyncio.Event()))
    first, mine, yours = (("x-guard-key", name) for name in "aab")
    client, other = Client(made.gateway), Client(made.gateway)
    asking = asyncio.create_task(client.ask(CHAT, JSON, first))
    await made.model.begun.wait()
    made.model.begun.clear()
    refused = await made.ask(CHAT, JSON, mine)
    assert (refused.status, refused.error["code"]) == (429, "key_share_used")
    assert refused.headers["retry-after"] == "1"
    waiting = asyncio.create_task(other.ask(CHAT, JSON, yours))
    await made.model.begun.wait()
    for one, task in ((client, asking), (other, waiting)):
        one.leaves.set()
        await task
    made.model.gate = None
    assert (await made.ask(CHAT, JSON, mine)).status == 200


async def test_who_leaves_in_the_middle_ends_what_is_done_for_him() -> None:
    made = house(model=Model(gate=asyncio.Event()))
    client = Client(made.gateway)
    asking = asyncio.create_task(client.ask(CHAT, JSON))
    await made.model.begun.wait()
    assert made.limiter.open == 1
    client.leaves.set()
    await asking
    assert (made.model.closed, made.limiter.open) == (1, 0)
    assert client.sent[-1].get("more_body", True)


async def test_who_stays_hears_the_end_though_he_would_have_left_after_it() -> None:
    made = house(model=Model(gate=asyncio.Event()))
    client = Client(made.gateway)
    asking = asyncio.create_task(client.ask(CHAT, JSON))
    await made.model.begun.wait()
    assert made.model.gate is not None
    made.model.gate.set()
    await asking
    assert not client.sent[-1]["more_body"]
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    await asyncio.gather(*left, return_exceptions=True)
    assert all(task.cancelled() for task in left)


async def test_more_than_there_is_room_for_is_told_so_at_once() -> None:
    made = house(concurrency=2, model=Model(gate=asyncio.Event()))
    waiting = [asyncio.create_task(made.ask(CHAT, JSON)) for _ in range(2)]
    await made.model.begun.wait()
    answer = await made.ask(CHAT, JSON, body=[b"{", b"never read"])
    assert (answer.status, answer.error["code"]) == (429, "overloaded")
    assert answer.headers["retry-after"] == "1"
    assert made.refused("overloaded") == 1.0
    assert made.registry.get_sample_value("guard_open_requests") == 2.0
    assert (await made.ask("/readyz", method="GET")).status == 200
    assert made.model.gate is not None
    made.model.gate.set()
    assert [(await one).status for one in waiting] == [200, 200]
    assert (await made.ask(CHAT, JSON)).status == 200


async def test_bodies_together_have_a_bound_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guard.gateway.overload.LEAST_BYTES", 0)
    monkeypatch.setattr("guard.gateway.overload.BODIES", 1)
    monkeypatch.setattr("guard.gateway.request.VALUE_BYTES", 0)
    made = house(body_bytes=len(BODY) + 5, model=Model(gate=asyncio.Event()))
    first = asyncio.create_task(made.ask(CHAT, JSON))
    await made.model.begun.wait()
    assert (await made.ask(CHAT, JSON)).error["code"] == "overloaded"
    assert made.model.gate is not None
    made.model.gate.set()
    await first
    assert (await made.ask(CHAT, JSON)).status == 200


@pytest.mark.parametrize(
    ("error", "status", "code", "retry"),
    [
        (UpstreamBusy("upstreams.main (http://10.0.0.7): no"), 502, "upstream_unreachable", "1"),
        (UpstreamBusy("10.0.0.7", retry_after_seconds=2.5), 502, "upstream_unreachable", "3"),
        (AllInUse("10.0.0.7"), 503, "upstream_busy", "1"),
        (TimedOut("10.0.0.7"), 504, "upstream_timeout", None),
        (Broken("10.0.0.7"), 502, "upstream_broken", None),
        (TooLarge("10.0.0.7"), 502, "upstream_answer_too_large", None),
        (UpstreamError("10.0.0.7"), 502, "upstream_broken", None),
    ],
)
async def test_a_model_that_gives_no_answer_is_named_and_its_address_is_not(
    error: UpstreamError,
    status: int,
    code: str,
    retry: str | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = house(model=Model(error=error))
    answer = await made.ask(CHAT, JSON)
    assert (answer.status, answer.error["code"]) == (status, code)
    assert (answer.headers.get("retry-after"), answer.error["type"]) == (retry, "server_error")
    assert "'chat'" in answer.error["message"]
    assert b"10.0.0.7" not in answer.body
    assert "10.0.0.7" in caplog.text


async def test_the_same_fault_is_logged_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    made = house(model=Model(error=TimedOut("gone")), clock=lambda: now[0])
    for seconds in (0.0, 1.0, 9.0, 11.0, 12.0):
        now[0] = seconds
        await made.ask(CHAT, JSON)
    assert caplog.text.count("gone") == 2


async def test_a_fault_of_our_own_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    made = house(model=Model(error=RuntimeError("secret detail")))
    answer = await made.ask(CHAT, JSON)
    assert (answer.status, answer.error["code"]) == (500, "internal_error")
    assert b"secret" not in answer.body
    assert "secret detail" in caplog.text


@pytest.mark.parametrize("error", [TimedOut("gone"), RuntimeError("oops")])
@pytest.mark.parametrize("length", [None, 11])
async def test_an_answer_that_has_begun_breaks_off(error: Exception, length: int | None) -> None:
    made = house(model=Model(error_amidst=error, length=length))
    client = await made.ask(CHAT, JSON)
    assert client.status == 200
    assert client.sent[-1].get("more_body", True)
    assert (made.model.closed, made.limiter.open) == (1, 0)


async def test_what_the_end_cuts_off_is_told_so() -> None:
    made = house(model=Model(error=asyncio.CancelledError()))
    answer = await made.ask(CHAT, JSON)
    assert (answer.status, answer.error["code"]) == (503, "shutting_down")


async def test_reads_are_passed_on_without_cookies_and_queries() -> None:
    made = house(key("ours"))
    answer = await made.ask("/v1/models", bearer("ours"), ("accept", "a/b"), method="GET")
    assert (answer.status, answer.body) == (200, b'{"data": []}')
    assert "set-cookie" not in answer.headers
    assert answer.headers["x-ratelimit-left"] == "7"
    assert made.upstreams["chat"].asked == [("GET", "/models", {"accept": "a/b"})]
    assert (await made.ask("/v1/models", method="GET")).status == 401
    assert (await made.ask("/v1/responses/r", bearer("ours"), method="GET")).status == 403
    made.upstreams["chat"].error = TimedOut("gone")
    assert (await made.ask("/v1/models", bearer("ours"), method="GET")).status == 504


async def test_health_needs_no_key_and_tells_when_the_end_begins() -> None:
    made = house(key("ours"))
    assert (await made.ask("/healthz", method="GET")).status == 200
    ready = await made.ask("/readyz", method="GET")
    assert (ready.status, json.loads(ready.body)) == (200, {"ready": True, "store": "reachable"})
    assert (await made.ask("/readyz", method="HEAD")).body == b""
    assert (await made.ask("/readyz")).status == 405
    made.health.draining = True
    assert (await made.ask("/readyz", method="GET")).status == 503
    assert (await made.ask("/healthz", method="GET")).status == 200


async def test_requests_are_logged_where_somebody_listens(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = house(key("ours-secret"))
    await made.ask(CHAT, JSON, bearer("ours-secret"))
    assert caplog.text == ""
    with caplog.at_level(logging.INFO, "guard.gateway.access"):
        await made.ask(CHAT, JSON, bearer("ours-secret"), ("x-request-id", "r\n1"), body=b"{secret")
    (record,) = caplog.records
    assert json.loads(record.getMessage()) == {
        "method": "POST",
        "path": CHAT,
        "status": 400,
        "complete": True,
        "use_case": "chat",
        "key": "ours-secret",
        "request_id": None,
        "seconds": 0.0,
    }


async def test_what_is_not_http_is_not_answered() -> None:
    async def nothing(*_: object) -> None:
        raise AssertionError("nothing is sent or read")

    await house().gateway({"type": "websocket"}, nothing, nothing)  # type: ignore[arg-type]
