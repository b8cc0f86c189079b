"""The outermost layer, around an application that fails or speaks of something else."""

from __future__ import annotations

from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from guard.review_web.http import HEADERS, SecurityMiddleware
from guard.review_web.options import ReviewOptions
from tests.unit.review.made import ManualClock


async def broken(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise RuntimeError("secret detail")


async def loud(_scope: Scope, _receive: Receive, send: Send) -> None:
    headers = [(b"Referrer-Policy", b"unsafe-url"), (b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"text"})


def test_an_application_that_breaks_is_a_plain_answer() -> None:
    shell = SecurityMiddleware(broken, ReviewOptions(clock=ManualClock()))
    client = TestClient(shell, base_url="http://localhost", raise_server_exceptions=False)
    answer = client.get("/")
    assert (answer.status_code, answer.text) == (500, "Something went wrong.\n")
    assert {name: answer.headers[name] for name in HEADERS} == dict(HEADERS)


def test_no_application_weakens_the_headers() -> None:
    client = TestClient(
        SecurityMiddleware(loud, ReviewOptions(clock=ManualClock())), base_url="http://localhost"
    )
    assert client.get("/").headers.get_list("referrer-policy") == ["no-referrer"]


async def test_what_is_not_http_is_not_answered() -> None:
    async def never() -> dict[str, object]:
        raise AssertionError("nothing is read")

    async def nothing(_: object) -> None:
        raise AssertionError("nothing is sent")

    await SecurityMiddleware(loud, ReviewOptions(clock=ManualClock()))(
        {"type": "websocket"}, never, nothing
    )
