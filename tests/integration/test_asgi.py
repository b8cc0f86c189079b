"""GuardASGI around FastAPI and Starlette, on a real server, asked by real clients."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import BackgroundTasks, FastAPI
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Mount, Route

from guard import Guard, SettingsError
from guard.records import Outcome
from guard.settings import parse_settings
from guard.testing import Recorder
from guard.wrap.asgi import GuardASGI, Guarded
from tests.servers import PATIENCE_SECONDS, free_port

FALLBACK = "I am not able to share that answer."
HARM = "You are a stupid, worthless idiot and I hate you."
KIND = "The council will repair the bridge in May. Buses take another road until then."
TOLD = ["The bridge is closed. ", "It opens in May. ", HARM + " ", "Take the bus. "]
PATHS = {
    "/summarize": Guarded(field="summary", prompt="document"),
    "/stream": None,
    "/events": "delta",
    "/file": None,
    "/in/summarize": "summary",
}


class Ask(BaseModel):
    document: str


class Server:
    """uvicorn in a thread, for as long as a test lasts."""

    def __init__(self, app: Any) -> None:
        config = uvicorn.Config(app, port=free_port(), log_config=None, ws="none", lifespan="on")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)
        self.url = f"http://127.0.0.1:{config.port}"

    def __enter__(self) -> Server:
        self._thread.start()
        wait_until(lambda: self._server.started)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(30)


def wait_until(true: Callable[[], Any], seconds: float = 20) -> None:
    give_up = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up, "it never happened"
        time.sleep(0.005)


@pytest.fixture(scope="module")
def seen() -> Recorder:
    return Recorder()


@pytest.fixture(scope="module")
def guard(seen: Recorder) -> Iterator[Guard]:
    settings = parse_settings("{version: 1, defaults: {policy: {toxicity: {block: 0.8}}}}")
    with Guard.open(settings, observers=[seen]) as opened:
        yield opened


class Happened:
    """What an application got to do."""

    def __init__(self) -> None:
        self.background: list[str] = []
        self.said: list[str] = []


async def say(happened: Happened, texts: list[str], form: str = "{}") -> AsyncIterator[str]:
    for text in texts:
        happened.said.append(text)
        yield form.format(json.dumps({"delta": text})) if form != "{}" else text
        await asyncio.sleep(0.01)


def fastapi_app(happened: Happened) -> FastAPI:
    app = FastAPI()

    @app.post("/summarize")
    async def summarize(ask: Ask, background: BackgroundTasks) -> dict[str, str]:
        background.add_task(happened.background.append, ask.document)
        return {"summary": ask.document, "model": "m"}

    @app.get("/stream")
    async def stream(endless: bool = False) -> StreamingResponse:
        texts = TOLD + ["More and more. "] * (100_000 if endless else 0)
        done = BackgroundTask(happened.background.append, "streamed")
        return StreamingResponse(say(happened, texts), media_type="text/plain", background=done)

    @app.get("/events")
    async def events(kind: bool = False) -> StreamingResponse:
        texts = KIND.split(" ") if kind else TOLD
        said = [text + " " if kind else text for text in texts]
        body = say(happened, said, "data: {}\n\n")
        return StreamingResponse(body, media_type="text/event-stream")

    return app


def starlette_app(happened: Happened) -> Starlette:
    async def summarize(request: Any) -> PlainTextResponse:
        text = (await request.json())["document"]
        done = BackgroundTask(happened.background.append, text)
        body = json.dumps({"summary": text, "model": "m"})
        return PlainTextResponse(body, media_type="application/json", background=done)

    async def stream(request: Any) -> StreamingResponse:
        texts = TOLD + ["More and more. "] * (100_000 if "endless" in request.query_params else 0)
        done = BackgroundTask(happened.background.append, "streamed")
        return StreamingResponse(say(happened, texts), media_type="text/plain", background=done)

    async def events(request: Any) -> StreamingResponse:
        kind = "kind" in request.query_params
        said = [f"{word} " for word in KIND.split(" ")] if kind else TOLD
        body = say(happened, said, "data: {}\n\n")
        return StreamingResponse(body, media_type="text/event-stream")

    routes = [
        Route("/summarize", summarize, methods=["POST"]),
        Route("/stream", stream),
        Route("/events", events),
        Mount("/in", routes=[Route("/summarize", summarize, methods=["POST"])]),
    ]
    return Starlette(routes=routes)


def passing(request: Any, call_next: Any) -> Any:
    return call_next(request)


KINDS = ["fastapi", "starlette", "between"]


@pytest.fixture
def happened() -> Happened:
    return Happened()


@pytest.fixture(params=KINDS)
def served(request: pytest.FixtureRequest, guard: Guard, happened: Happened) -> Iterator[Server]:
    """`between`: other middlewares inside and outside."""
    app: Any = (fastapi_app if request.param == "fastapi" else starlette_app)(happened)
    if request.param == "between":
        app.add_middleware(GZipMiddleware, minimum_size=10)
        app.add_middleware(BaseHTTPMiddleware, dispatch=passing)
    app.add_middleware(GuardASGI, guard=guard, use_case="test", paths=PATHS)
    if request.param == "between":
        app.add_middleware(GZipMiddleware, minimum_size=10)
        app.add_middleware(BaseHTTPMiddleware, dispatch=passing)
    with Server(app) as server:
        yield server


@contextmanager
def around(guard: Guard, app: Any) -> Iterator[Server]:
    with Server(GuardASGI(app, guard=guard, use_case="test", paths=PATHS)) as server:
        yield server


def last(seen: Recorder, answer: httpx.Response) -> Outcome:
    call_id = answer.headers["x-guard-call-id"]
    wait_until(lambda: any(one.call.id == call_id for one in seen.outcomes))
    return next(one for one in seen.outcomes if one.call.id == call_id)


def test_a_field(served: Server, seen: Recorder, happened: Happened) -> None:
    kind = httpx.post(f"{served.url}/summarize", json={"document": KIND}, timeout=PATIENCE_SECONDS)
    assert kind.json() == {"summary": KIND, "model": "m"}
    assert kind.headers["x-guard-verdict"] == "released"
    bad = httpx.post(f"{served.url}/summarize", json={"document": HARM}, timeout=PATIENCE_SECONDS)
    assert (bad.status_code, bad.json()) == (200, {"summary": FALLBACK, "model": "m"})
    assert bad.headers["x-guard-verdict"] == "blocked"
    assert last(seen, bad).call.prompt == HARM
    wait_until(lambda: happened.background == [KIND, HARM])


def test_requests_the_application_refuses(served: Server, seen: Recorder) -> None:
    before = len(seen.outcomes)
    assert httpx.get(f"{served.url}/summarize", timeout=PATIENCE_SECONDS).status_code == 405
    assert httpx.get(f"{served.url}/nothing", timeout=PATIENCE_SECONDS).status_code == 404
    assert len(seen.outcomes) == before


def test_a_text_stream(served: Server, seen: Recorder, happened: Happened) -> None:
    with httpx.stream("GET", f"{served.url}/stream?endless=1", timeout=30) as answer:
        text = "".join(answer.iter_text())
    assert text.startswith("The bridge is closed. It opens in May.")
    assert text.endswith(FALLBACK)
    assert "idiot" not in text
    assert last(seen, answer).text == text
    wait_until(lambda: happened.background == ["streamed"])
    assert len(happened.said) < 1000


def test_events(served: Server, seen: Recorder) -> None:
    bad = httpx.get(f"{served.url}/events", timeout=PATIENCE_SECONDS)
    data = [json.loads(line[6:])["delta"] for line in bad.text.split("\n") if line[:5] == "data:"]
    assert "".join(data).endswith(FALLBACK)
    assert "idiot" not in bad.text
    assert bad.text.rstrip().endswith('"verdict": "blocked"}')
    kind = httpx.get(f"{served.url}/events?kind=1", timeout=PATIENCE_SECONDS)
    expected = "".join(f"data: {json.dumps({'delta': word + ' '})}\n\n" for word in KIND.split(" "))
    assert kind.text.startswith(expected)
    assert kind.text.removeprefix(expected).startswith(": guard ")


def test_streams_stream(guard: Guard) -> None:
    """The first sentence arrives before the application has said the last."""
    first, more = threading.Event(), threading.Event()

    async def body() -> AsyncIterator[str]:
        yield "The bridge is closed. "
        yield "It opens "
        assert await asyncio.to_thread(first.wait, 20)
        yield "in May."
        more.set()

    async def stream(request: Any) -> StreamingResponse:
        return StreamingResponse(body(), media_type="text/plain")

    app = Starlette(routes=[Route("/stream", stream)])
    with (
        around(guard, app) as server,
        httpx.stream("GET", f"{server.url}/stream", timeout=PATIENCE_SECONDS) as answer,
    ):
        chunks = answer.iter_text()
        got = next(chunks)
        assert got.strip() == "The bridge is closed."
        assert not more.is_set()
        first.set()
        assert got + "".join(chunks) == "The bridge is closed. It opens in May."


@pytest.mark.parametrize("media", ["text/plain", "text/event-stream"])
def test_a_client_that_leaves_stops_the_application(
    media: str, guard: Guard, seen: Recorder, happened: Happened
) -> None:
    form = "data: {}\n\n" if "event" in media else "{}"

    async def stream(request: Any) -> StreamingResponse:
        body = say(happened, ["More and more of it. "] * 100_000, form)
        done = BackgroundTask(happened.background.append, "stopped")
        return StreamingResponse(body, media_type=media, background=done)

    path = "/events" if "event" in media else "/stream"
    with around(guard, Starlette(routes=[Route(path, stream)])) as server:
        with httpx.stream("GET", server.url + path, timeout=PATIENCE_SECONDS) as answer:
            next(answer.iter_raw())
        wait_until(lambda: happened.background == ["stopped"])
        assert last(seen, answer).text.startswith("More and more of it.")
    assert len(happened.said) < 1000


def test_many_streams_at_once_are_not_mixed(guard: Guard) -> None:
    async def stream(request: Any) -> StreamingResponse:
        name = request.query_params["name"]

        async def body() -> AsyncIterator[str]:
            for count in range(10):
                yield f"Number {count} of {name} is here. "
                await asyncio.sleep(0.001)

        return StreamingResponse(body(), media_type="text/plain")

    async def all_of(url: str) -> list[str]:
        limits = httpx.Limits(max_connections=40)
        async with httpx.AsyncClient(limits=limits, timeout=60) as client:
            asked = [client.get(f"{url}/stream?name=n{index}") for index in range(40)]
            return [answer.text for answer in await asyncio.gather(*asked)]

    with around(guard, Starlette(routes=[Route("/stream", stream)])) as server:
        found = asyncio.run(all_of(server.url))
    for index, text in enumerate(found):
        assert text == "".join(f"Number {count} of n{index} is here. " for count in range(10))


def test_what_is_compressed_inside_is_not_read(guard: Guard, seen: Recorder) -> None:
    body = gzip.compress(json.dumps({"summary": HARM}).encode())

    async def summarize(request: Any) -> PlainTextResponse:
        headers = {"content-encoding": "gzip"}
        return PlainTextResponse(body, headers=headers, media_type="application/json")

    with around(guard, Starlette(routes=[Route("/summarize", summarize)])) as server:
        answer = httpx.get(f"{server.url}/summarize", timeout=PATIENCE_SECONDS)
    assert answer.json() == {"summary": HARM}
    assert answer.headers["x-guard-verdict"] == "unscored"
    assert last(seen, answer).unread == {"compressed"}


def test_a_file_is_read_whole(guard: Guard, tmp_path: Path) -> None:
    (tmp_path / "said.txt").write_text(f"{KIND} {HARM}", encoding="utf-8")

    async def file(request: Any) -> FileResponse:
        return FileResponse(tmp_path / "said.txt")

    with around(guard, Starlette(routes=[Route("/file", file)])) as server:
        answer = httpx.get(
            f"{server.url}/file", headers={"range": f"bytes={len(KIND)}-"}, timeout=PATIENCE_SECONDS
        )
        head = httpx.head(f"{server.url}/file")
    assert (answer.status_code, answer.text) == (200, FALLBACK)
    assert {"etag", "last-modified", "accept-ranges"}.isdisjoint(answer.headers)
    assert head.headers["content-length"] == str(len(f"{KIND} {HARM}"))


@pytest.mark.parametrize("path", ["/summarize%0A", "//summarize", "/summarize/", "/in/summarize"])
def test_no_spelling_of_a_path_goes_round(path: str, guard: Guard, happened: Happened) -> None:
    app = starlette_app(happened)
    app.add_middleware(GuardASGI, guard=guard, use_case="test", paths=PATHS)
    with Server(app) as server:
        answer = httpx.post(
            server.url + path,
            json={"document": HARM},
            follow_redirects=True,
            timeout=PATIENCE_SECONDS,
        )
    assert "idiot" not in answer.text


def test_an_application_that_fails_in_mid_stream_breaks_off(guard: Guard) -> None:
    async def body() -> AsyncIterator[str]:
        yield "The bridge is closed. It opens"
        raise RuntimeError("the model is gone")

    async def stream(request: Any) -> StreamingResponse:
        return StreamingResponse(body(), media_type="text/plain")

    got: list[str] = []
    with (
        around(guard, Starlette(routes=[Route("/stream", stream)])) as server,
        pytest.raises(httpx.RemoteProtocolError),
        httpx.stream("GET", f"{server.url}/stream", timeout=PATIENCE_SECONDS) as answer,
    ):
        got += answer.iter_text()
    assert "opens" not in "".join(got)


def test_a_shadowed_use_case_is_asked_again_about_another_group(tmp_path: Path) -> None:
    settings = parse_settings(
        f"""
store: {{url: "sqlite:///{tmp_path / "store.db"}", spool: "{tmp_path / "spool"}"}}
use_cases:
  chat: {{shadow: {{share: 1.0, attributes: [gender], max_variants: 1}}}}
"""
    )
    asked: list[Any] = []

    def again(messages: Any) -> str:
        asked.append(messages)
        return "Look under the desk."

    async def answer(request: Any) -> PlainTextResponse:
        await request.json()
        body = json.dumps({"reply": "Look under the desk."})
        return PlainTextResponse(body, media_type="application/json")

    app = Starlette(routes=[Route("/chat", answer, methods=["POST"])])
    messages = [{"role": "user", "content": "My sister Emma lost her keys. What should she do?"}]
    with Guard.open(settings) as opened:
        with pytest.raises(SettingsError, match="nobody can be asked again"):
            GuardASGI(app, guard=opened, use_case="chat", paths={"/chat": "reply"})
        given = Guarded(field="reply", prompt="messages", shadow=again)
        guarded = GuardASGI(app, guard=opened, use_case="chat", paths={"/chat": given})
        with Server(guarded) as server:
            reply = httpx.post(
                f"{server.url}/chat", json={"messages": messages}, timeout=PATIENCE_SECONDS
            )
        assert reply.headers["x-guard-verdict"] == "released"
        wait_until(lambda: any("brother" in one[0]["content"] for one in asked), 60)
