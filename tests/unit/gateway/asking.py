"""The gateway's application, asked directly: no server, no network, a model that is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from types import SimpleNamespace
from typing import Any, cast

from prometheus_client import CollectorRegistry

from guard.flow import Flow
from guard.gateway.app import Gateway
from guard.gateway.auth import ApiKey, ApiKeys, Authenticator
from guard.gateway.litellm import Guardrail, GuardrailRequest
from guard.gateway.monitoring import Health, RequestLog, WholeResponse
from guard.gateway.overload import LoadLimiter
from guard.gateway.request import GenerationRequest
from guard.gateway.response import Reply
from guard.gateway.routes import Backend, Backends, Router
from guard.telemetry import GatewayMetrics
from guard.upstream import HttpClient

CHAT = "/v1/chat/completions"
JSON = ("content-type", "application/json")
BODY = b'{"model": "m", "messages": []}'

Pair = tuple[str, str]


@dataclass
class Upstream:
    """What backends ask; answers reads. asked: method, path and headers of each."""

    name: str = "main"
    asked: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)
    error: Exception | None = None

    @property
    def endpoint(self) -> Any:
        return SimpleNamespace(name=self.name)

    @asynccontextmanager
    async def send(
        self, method: str, path: str, *, headers: Mapping[str, str]
    ) -> AsyncGenerator[Any]:
        self.asked.append((method, path, headers))
        if self.error is not None:
            raise self.error
        given = {"content-type": "application/json", "set-cookie": "a=b", "x-ratelimit-left": "7"}

        async def body() -> bytes:
            return b'{"data": []}'

        yield SimpleNamespace(status=200, headers=given, body=body)


@dataclass
class Model:
    """The judging half as told. closed: how often the chunks of a reply were closed."""

    asked: list[GenerationRequest] = field(default_factory=list)
    chunks: Sequence[bytes] = (b'{"id":', b' "1"}')
    length: int | None = 11
    error: BaseException | None = None
    error_amidst: BaseException | None = None
    gate: asyncio.Event | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    closed: int = 0

    async def reply_to(self, asked: GenerationRequest, _: Flow) -> Reply:
        self.asked.append(asked)
        if self.error is not None:
            raise self.error
        headers = (("content-type", "application/json"), ("x-guard-call-id", "c1"))
        return Reply(status=200, headers=headers, chunks=self._chunks(), length=self.length)

    async def _chunks(self) -> AsyncGenerator[bytes]:
        try:
            for chunk in self.chunks:
                yield chunk
                self.begun.set()
                if self.gate is not None:
                    await self.gate.wait()
                if self.error_amidst is not None:
                    raise self.error_amidst
        finally:
            self.closed += 1


@dataclass
class TextJudge:
    """Answers LiteLLM as told. asked: what came, each with its use case."""

    asked: list[tuple[GuardrailRequest, str]] = field(default_factory=list)
    gate: asyncio.Event | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, asked: GuardrailRequest, use_case: str) -> WholeResponse:
        self.asked.append((asked, use_case))
        self.begun.set()
        if self.gate is not None:
            await self.gate.wait()
        return 200, b'{"action": "NONE"}', (("x-guard-call-id", "c1"),)


@dataclass
class Client:
    """Sends one request and hears the answer. parts: of the body, as they come; None: it leaves."""

    gateway: Gateway
    sent: list[dict[str, Any]] = field(default_factory=list)
    leaves: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(
        self,
        path: str = CHAT,
        *headers: Pair,
        body: bytes | Sequence[bytes | None] = BODY,
        method: str = "POST",
    ) -> Client:
        parts = [body] if isinstance(body, bytes) else list(body)

        async def receive() -> dict[str, Any]:
            if not parts:
                await self.leaves.wait()
                return {"type": "http.disconnect"}
            part = parts.pop(0)
            if part is None:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": part, "more_body": bool(parts)}

        async def send(message: Any) -> None:
            self.sent.append(message)

        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [
                (name.encode(), value.encode("latin-1"))
                for name, value in (("host", "localhost:8080"), *headers)
            ],
        }
        await self.gateway(scope, receive, send)
        return self

    @property
    def status(self) -> int:
        return cast("int", self.sent[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}

    @property
    def body(self) -> bytes:
        return b"".join(message["body"] for message in self.sent[1:])

    @property
    def error(self) -> dict[str, Any]:
        """The error in the words of the API, whole."""
        assert not self.sent[-1]["more_body"]
        assert self.headers["content-length"] == str(len(self.body))
        assert self.headers["content-type"] == "application/json"
        error = json.loads(self.body)["error"]
        assert set(error) == {"message", "type", "param", "code"}
        return cast("dict[str, Any]", error)


@dataclass
class House:
    """A gateway and everything around it."""

    gateway: Gateway
    model: Model
    text_judge: TextJudge
    upstreams: Mapping[str, Upstream]
    limiter: LoadLimiter
    health: Health
    registry: CollectorRegistry

    async def ask(self, *arguments: Any, **more: Any) -> Client:
        return await Client(self.gateway).ask(*arguments, **more)

    def refused(self, code: str) -> float:
        return self.registry.get_sample_value("guard_refused_total", {"code": code}) or 0.0


def key(name: str, *use_cases: str) -> ApiKey:
    """A key that is called like what it is."""
    return ApiKey(name=name, digest=sha256(name.encode()).digest(), use_cases=frozenset(use_cases))


def house(
    *keys: ApiKey,
    use_cases: Sequence[str] = ("chat",),
    passing: Sequence[str] = (),
    concurrency: int = 10,
    of_a_key: int | None = None,
    body_bytes: int = 1000,
    request_seconds: float = 5.0,
    model: Model | None = None,
    clock: Callable[[], float] = lambda: 0.0,
) -> House:
    """A gateway. use_cases: that are declared, each with an upstream of its name. passing: those
    whose upstream gets the key of the client."""
    model, text_judge = model or Model(), TextJudge()
    names = use_cases or ("default",)
    upstreams = {name: Upstream(name) for name in names}
    backends = {
        name: Backend(
            use_case=name,
            upstream=cast("HttpClient", upstreams[name]),
            lane=f"http/{name}",
            passes_key=name in passing,
        )
        for name in names
    }
    other = None if use_cases else backends["default"]
    limiter = LoadLimiter(requests=concurrency, of_a_key=of_a_key, body_bytes=body_bytes)
    registry = CollectorRegistry()
    health = Health(lambda: "reachable")
    gateway = Gateway(
        router=Router(("/models", "/models/{model}")),
        authenticator=Authenticator(ApiKeys(keys), {"localhost", "127.0.0.1"}),
        backends=Backends(backends, other),
        limiter=limiter,
        flow=cast("Flow", None),
        reply_to=model.reply_to,
        guardrail=cast("Guardrail", text_judge),
        health=health,
        log=RequestLog(GatewayMetrics(registry, open_requests=lambda: limiter.open), clock),
        body_bytes=body_bytes,
        request_seconds=request_seconds,
    )
    return House(gateway, model, text_judge, upstreams, limiter, health, registry)
