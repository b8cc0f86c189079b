"""The gateway as an ASGI application: from a request to its answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

from guard.errors import UpstreamError
from guard.flow import Flow
from guard.gateway.auth import ApiKey, Authenticator
from guard.gateway.errors import RefusedRequest, upstream_refusal
from guard.gateway.litellm import Guardrail, GuardrailRequest, read_request
from guard.gateway.monitoring import Health, RequestLog, WholeResponse
from guard.gateway.overload import LoadLimiter, OverloadedError
from guard.gateway.request import (
    GenerationRequest,
    Operation,
    RequestBody,
    RequestHeaders,
    check_content_type,
)
from guard.gateway.response import (
    CancelOnDisconnect,
    ClientLeftError,
    ClientResponse,
    Receive,
    Reply,
    Send,
    request_id,
)
from guard.gateway.routes import Backend, Backends, GatewayRoute, Router
from guard.replies.answer_headers import passed_headers

Scope = MutableMapping[str, Any]
ReplyTo = Callable[[GenerationRequest, Flow], Awaitable[Reply]]

_log = logging.getLogger("guard.gateway")
_INTERNAL_ERROR: Final = RefusedRequest(
    500, "internal_error", "something went wrong in the gateway; its log says what"
)
_SHUTTING_DOWN: Final = RefusedRequest(
    503, "shutting_down", "the gateway is shutting down", retry_after_seconds=1
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClientRequest:
    """A request whose key and use case are known, and who waits for its answer."""

    headers: RequestHeaders
    backend: Backend
    receive: Receive
    response: ClientResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Answers the requests of one worker.

    body_bytes: of one request, at most. request_seconds: for a body to arrive.
    """

    router: Router
    authenticator: Authenticator
    backends: Backends
    limiter: LoadLimiter
    flow: Flow
    reply_to: ReplyTo
    guardrail: Guardrail
    health: Health
    log: RequestLog
    body_bytes: int
    request_seconds: float

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; other protocols than HTTP are ignored."""
        if scope["type"] != "http":
            return
        response = ClientResponse(send)
        with self.log.request(scope, response):
            try:
                await self._answer(scope, receive, response)
            except ClientLeftError:
                pass
            except RefusedRequest as refusal:
                await self._refuse(scope, response, refusal)
            except asyncio.CancelledError:
                await self._refuse(scope, response, _SHUTTING_DOWN)
            except Exception:
                _log.exception("a request could not be answered")
                await self._refuse(scope, response, _INTERNAL_ERROR)

    async def _answer(self, scope: Scope, receive: Receive, response: ClientResponse) -> None:
        method, path = scope["method"], _raw_path(scope)
        if health := self.health.response(method, path):
            await response.whole(*health, head_only=method == "HEAD")
            return
        route, headers = self.router.find(method, path), RequestHeaders(scope["headers"])
        if route.is_guardrail:
            await self._judge_texts(route, headers, receive, response)
            return
        backend = self._backend(route, headers, response)
        request = _ClientRequest(
            headers=headers, backend=backend, receive=receive, response=response
        )
        try:
            if route.operation is None:
                await self._read(route.path, request)
            else:
                await self._generate(route.operation, request)
        except UpstreamError as error:
            name = backend.upstream.endpoint.name
            self.log.upstream_fault(name, error)
            raise upstream_refusal(error, name) from error

    def _backend(
        self, route: GatewayRoute, headers: RequestHeaders, response: ClientResponse
    ) -> Backend:
        """The upstream of an authenticated request. Raises RefusedRequest."""
        key = self._key(headers, response)
        named = headers.text(b"x-guard-use-case")
        backend = self.backends.find(route.use_case, named, key)
        response.use_case = backend.use_case
        if backend.passes_key:
            self.authenticator.check_passed_key(headers)
        return backend

    def _key(
        self, headers: RequestHeaders, response: ClientResponse, *also: bytes
    ) -> ApiKey | None:
        key = self.authenticator.key_of(headers, *also)
        response.key = "" if key is None else key.name
        return key

    async def _judge_texts(
        self,
        route: GatewayRoute,
        headers: RequestHeaders,
        receive: Receive,
        response: ClientResponse,
    ) -> None:
        """Answer LiteLLM's proxy, whose own setting decides what becomes of a reply on a 503."""
        key = self._key(headers, response, b"x-api-key")
        try:
            with self._body(headers, response.key) as body:
                raw = await body.read(receive, headers.get(b"content-length"))
                parsed = await body.parse(raw)
                asked = read_request(parsed, len(raw))
                use_case = self.backends.find(_named(route, headers, asked), None, key).use_case
                response.use_case = use_case
                with self.limiter.under_way(response.key):
                    async with CancelOnDisconnect(receive) as client:
                        answer = await self.guardrail.answer(asked, use_case)
                        client.stop()
                        await response.whole(*answer)
        except OverloadedError as error:
            raise RefusedRequest(
                503, error.code, str(error), retry_after_seconds=error.retry_after_seconds
            ) from error

    def _body(self, headers: RequestHeaders, key: str) -> RequestBody:
        """The body that is going to be read. Raises RefusedRequest where it must not be. key: the
        name of the one that asks."""
        self.limiter.check(key)
        check_content_type(headers.text(b"content-type"), headers.text(b"content-encoding"))
        return RequestBody(
            self.limiter, limit=self.body_bytes, seconds=self.request_seconds, key=key
        )

    async def _generate(self, operation: Operation, request: _ClientRequest) -> None:
        headers, backend, key = request.headers, request.backend, request.response.key
        with self._body(headers, key) as body:
            raw = await body.read(request.receive, headers.get(b"content-length"))
            parsed = await body.parse(raw)
            asked = GenerationRequest(
                operation=operation,
                use_case=backend.use_case,
                raw=raw,
                body=_without_background(parsed),
                upstream=backend.upstream,
                headers=headers.forwarded(with_key=backend.passes_key),
                lane=backend.lane,
                never_shadowed=_never_shadowed(headers, backend),
            )
            with self.limiter.under_way(key):
                async with CancelOnDisconnect(request.receive) as client:
                    reply = await self.reply_to(asked, self.flow)
                    await request.response.stream(reply, client)

    async def _read(self, path: str, request: _ClientRequest) -> None:
        with self.limiter.under_way(request.response.key):
            async with CancelOnDisconnect(request.receive) as client:
                answer = await _read_upstream(path, request.headers, request.backend)
                client.stop()
                await request.response.whole(*answer)

    async def _refuse(
        self, scope: Scope, response: ClientResponse, refusal: RefusedRequest
    ) -> None:
        """An answer that has begun cannot be changed: it breaks off, so that this is seen."""
        self.log.refused(refusal.code)
        if not response.status:
            await response.refuse(refusal, request_id(scope["headers"]))


async def _read_upstream(path: str, headers: RequestHeaders, backend: Backend) -> WholeResponse:
    """What may be read without being judged: lists of models and the like. Raises UpstreamError.

    path: after the version, as the upstream gets it.
    """
    forwarded = headers.forwarded(with_key=backend.passes_key)
    del forwarded["content-type"]
    async with backend.upstream.send("GET", path, headers=forwarded) as answer:
        return answer.status, await answer.body(), passed_headers(answer.headers.items())


def _raw_path(scope: Scope) -> str:
    raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8")
    return raw.decode("latin-1")


def _named(route: GatewayRoute, headers: RequestHeaders, asked: GuardrailRequest) -> str | None:
    """The use case that path, header or parameter name; None where none does.

    Raises RefusedRequest where they contradict each other.
    """
    given = (route.use_case, headers.text(b"x-guard-use-case"), asked.use_case)
    names = {name for name in given if name is not None}
    if len(names) > 1:
        raise RefusedRequest(
            400,
            "use_case_unclear",
            "the path, the header x-guard-use-case and additional_provider_specific_params.use_case"
            " name different use cases",
            param="x-guard-use-case",
        )
    return next(iter(names), None)


def _without_background(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same body. Raises RefusedRequest for a reply that would be generated later."""
    if body.get("background"):
        raise RefusedRequest(
            400,
            "background_not_supported",
            "background: true is not passed on: what is generated after the answer would come back"
            " unguarded",
            param="background",
        )
    return body


def _never_shadowed(headers: RequestHeaders, backend: Backend) -> str:
    """Why a call must not be shadowed, by its headers; empty where it may be."""
    wish = (headers.text(b"x-guard-shadow") or "on").lower()
    if wish not in {"on", "off"}:
        raise RefusedRequest(
            400, "bad_header", "x-guard-shadow must be on or off", param="x-guard-shadow"
        )
    if backend.passes_key:
        return "client_key"
    return "opted_out" if wish == "off" else ""
