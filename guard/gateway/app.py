"""The gateway as an ASGI application: who asks for what, and may they."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

from guard.errors import UpstreamError
from guard.flow import Flow
from guard.gateway.admission import Admission
from guard.gateway.answering import Answering, Send
from guard.gateway.arriving import Attended, Body, ClientLeftError, Receive
from guard.gateway.bodies import checked_type, parsed
from guard.gateway.entrance import Entrance
from guard.gateway.errors import RefusedRequest
from guard.gateway.faults import refusal_of
from guard.gateway.headers import MOST_HEADERS, Headers, request_id
from guard.gateway.health import Health
from guard.gateway.journal import Journal
from guard.gateway.reading import reading
from guard.gateway.records import Asked, Operation, Reply
from guard.gateway.routes import Routes
from guard.gateway.targets import Target

Scope = MutableMapping[str, Any]
ReplyTo = Callable[[Asked, Flow], Awaitable[Reply]]

_log = logging.getLogger("guard.gateway")
_BROKEN: Final = RefusedRequest(
    500, "internal_error", "something went wrong in the gateway; its log says what"
)
_ENDING: Final = RefusedRequest(
    503, "shutting_down", "the gateway is shutting down", retry_after_seconds=1
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the gateway consists of.

    body_bytes: of one request, at most. request_seconds: it may take to arrive.
    """

    routes: Routes
    entrance: Entrance
    admission: Admission
    flow: Flow
    reply_to: ReplyTo
    health: Health
    journal: Journal
    body_bytes: int
    request_seconds: float


class Gateway:
    """Answers the requests of one worker."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; what is not HTTP is not answered."""
        if scope["type"] != "http":
            return
        answering = Answering(send)
        with self._parts.journal.request(scope, answering):
            try:
                await self._answer(scope, receive, answering)
            except ClientLeftError:
                pass
            except RefusedRequest as refusal:
                await self._refuse(scope, answering, refusal)
            except asyncio.CancelledError:
                await self._refuse(scope, answering, _ENDING)
            except Exception:
                _log.exception("a request could not be answered")
                await self._refuse(scope, answering, _BROKEN)

    async def _answer(self, scope: Scope, receive: Receive, answering: Answering) -> None:
        method, path = scope["method"], _raw_path(scope)
        if told := self._parts.health.at(method, path):
            await answering.whole(*told, empty=method == "HEAD")
            return
        if len(scope["headers"]) > MOST_HEADERS:
            raise RefusedRequest(431, "too_many_headers", f"more than {MOST_HEADERS} headers")
        wanted, headers = self._parts.routes.find(method, path), Headers(scope["headers"])
        target = self._parts.entrance.admitted(wanted, headers, answering)
        try:
            if wanted.operation is None:
                await self._read(wanted.path, headers, target, receive, answering)
            else:
                await self._generate(wanted.operation, headers, target, receive, answering)
        except UpstreamError as error:
            name = target.upstream.endpoint.name
            self._parts.journal.fault(name, error)
            raise refusal_of(error, name) from error

    async def _generate(
        self,
        operation: Operation,
        headers: Headers,
        target: Target,
        receive: Receive,
        answering: Answering,
    ) -> None:
        parts = self._parts
        parts.admission.check()
        checked_type(headers.text(b"content-type"), headers.text(b"content-encoding"))
        body = Body(parts.admission, limit=parts.body_bytes, seconds=parts.request_seconds)
        with body:
            raw = await body.read(receive, headers.get(b"content-length"))
            asked = Asked(
                operation=operation,
                use_case=target.use_case,
                raw=raw,
                body=_passable(parsed(raw)),
                upstream=target.upstream,
                headers=headers.passed(with_key=target.passes_key),
                lane=target.lane,
                never_shadowed=_never_shadowed(headers, target),
            )
            with parts.admission:
                async with Attended(receive) as attended:
                    reply = await parts.reply_to(asked, parts.flow)
                    await answering.give(reply, attended)

    async def _read(
        self,
        path: str,
        headers: Headers,
        target: Target,
        receive: Receive,
        answering: Answering,
    ) -> None:
        with self._parts.admission:
            async with Attended(receive) as attended:
                told = await reading(path, headers, target)
                attended.over()
                await answering.whole(*told)

    async def _refuse(self, scope: Scope, answering: Answering, refusal: RefusedRequest) -> None:
        """An answer that has begun cannot be changed: it breaks off, so that this is seen."""
        self._parts.journal.refused(refusal.code)
        if not answering.status:
            await answering.refuse(refusal, request_id(scope["headers"]))


def _raw_path(scope: Scope) -> str:
    raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8")
    return raw.decode("latin-1")


def _passable(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same body. Raises RefusedRequest for what would be generated after the answer."""
    if body.get("background"):
        raise RefusedRequest(
            400,
            "background_not_supported",
            "background: true is not passed on: what is generated after the answer would come back"
            " unguarded",
            param="background",
        )
    return body


def _never_shadowed(headers: Headers, target: Target) -> str:
    """Why nobody must be asked again, by what came beside the body."""
    said = (headers.text(b"x-guard-shadow") or "on").lower()
    if said not in {"on", "off"}:
        raise RefusedRequest(
            400, "bad_header", "x-guard-shadow must be on or off", param="x-guard-shadow"
        )
    if target.passes_key:
        return "client_key"
    return "opted_out" if said == "off" else ""
