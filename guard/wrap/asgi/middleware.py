"""The middleware, and the response of the application to one guarded request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guard.errors import Blocked
from guard.flow import Flow
from guard.records import Unread, Verdict
from guard.wrap.asgi.http import (
    App,
    BodyKind,
    Headers,
    Message,
    Receive,
    ResponseWriter,
    Scope,
    Send,
    body_kind,
    charset_of,
    is_compressed,
)
from guard.wrap.asgi.request import (
    UNSUPPORTED_EXTENSIONS,
    Guarded,
    GuardedRequest,
    GuardedRoute,
    ResponseEndedError,
    readable_request,
    route_of,
    routes_of,
)
from guard.wrap.asgi.stream_formats import stream_format
from guard.wrap.asgi.streamed_body import StreamedBody
from guard.wrap.asgi.whole_body import BodyLimits, GuardedBody, WholeBody, body_reader

if TYPE_CHECKING:
    from guard.wrap.facade import Guard

_BYTES_OF_MB = 1_000_000
_RAISES_SINCE = (2, 4)
_WITHOUT_BODY = frozenset({204, 205})
_PARTIAL = 206
_BODY = "http.response.body"
_TRAILERS = "http.response.trailers"


@dataclass(kw_only=True, eq=False)
class GuardedResponse:
    """Stands between the `send` of the application and that of the server.

    write: that of the server. raises: whether it raises an OSError once the client has left
    (ASGI 2.4).
    """

    route: GuardedRoute
    flow: Flow
    request: GuardedRequest
    write: Send
    limits: BodyLimits
    raises: bool

    def __post_init__(self) -> None:
        self._writer: ResponseWriter | None = None
        self._handler: StreamedBody | WholeBody | None = None
        self._finished = False

    async def send(self, message: Message) -> None:
        """The application's `send`."""
        if self.request.is_ended:
            self._send_too_late()
        elif message["type"] == "http.response.start" and self._writer is None:
            await self._begin(message)
        elif message["type"] == _BODY:
            await self._add(message)
        elif message["type"] in UNSUPPORTED_EXTENSIONS and message["type"] != _TRAILERS:
            raise RuntimeError(
                f"the application sent {message['type']}, which GuardASGI does not support"
            )
        elif message["type"] != _TRAILERS:
            await self.write(message)

    async def abandon(self) -> None:
        """The application has returned. Raises as `StreamedBody.abandon` does."""
        if self._handler is not None:
            await self._handler.abandon()

    async def fail(self, error: Exception) -> None:
        """The application raised."""
        if self._writer is None:
            self.flow.upstream_failed(self.route.use_case)
        elif self._handler is not None and not self._finished:
            await self._handler.fail(error)

    def _send_too_late(self) -> None:
        if self.raises:
            raise ResponseEndedError("the guard has ended this response")

    async def _begin(self, start: Message) -> None:
        self._writer = writer = ResponseWriter(self.write, start)
        if 200 <= start["status"] < 300 and start["status"] not in _WITHOUT_BODY:
            await self._guard(writer, start["status"])

    async def _guard(self, writer: ResponseWriter, status: int) -> None:
        route, request = self.route, self.request
        asked = await request.question()
        call = asked.call(route.use_case, route.lane, opted_out=request.opted_out)
        if self.flow.policy(call.use_case).off:
            call_id = self.flow.pass_unread(call)
            writer.add_headers(x_guard_call_id=call_id, x_guard_verdict=Verdict.UNSCORED)
            return
        body = GuardedBody(
            writer=writer,
            flow=self.flow,
            call=call,
            limits=self.limits,
            stop=request.end,
            notice=route.notice,
        )
        reading = writer.headers, route.field, route.blank
        why = self._unreadable(writer.headers, status)
        streamed = None if why else stream_format(*reading, self.limits.body_bytes)
        if streamed is not None:
            self._handler = StreamedBody(body, streamed)
            return
        self._handler = whole = WholeBody(body, body_reader(*reading))
        if why:
            await whole.give_up(why, more=True)
            self._end_with(writer)

    def _unreadable(self, headers: Headers, status: int) -> Unread | None:
        """Why the body cannot be read, whatever is in it."""
        kind = body_kind(headers)
        if status == _PARTIAL:
            return Unread.PARTIAL
        if is_compressed(headers):
            return Unread.COMPRESSED
        if kind is None:
            return Unread.MEDIA_TYPE
        if kind is BodyKind.TEXT and charset_of(headers) is None:
            return Unread.CHARSET
        return Unread.NO_FIELD if kind is BodyKind.JSON and self.route.field is None else None

    async def _add(self, message: Message) -> None:
        writer, handler = self._writer, self._handler
        if writer is None or self._finished:
            raise RuntimeError(f"the application sent {_BODY} before the start or after the end")
        add = writer.write if handler is None else handler.add
        more = bool(message.get("more_body", False))
        await add(bytes(message.get("body", b"")), more=more)
        self._finished = not more
        if more:
            self._end_with(writer)

    def _end_with(self, writer: ResponseWriter) -> None:
        if writer.ended:
            self.request.end()


class GuardASGI:
    """Guards texts that a model wrote in the answers of an ASGI application, on asyncio.

    `app.add_middleware(GuardASGI, guard=guard, use_case="summaries", paths={"/sum": "summary"})`
    guards the field `summary` of the JSON that `/sum` answers.
    """

    def __init__(
        self,
        app: App,
        *,
        guard: Guard,
        paths: Mapping[str, str | Guarded | None],
        use_case: str | None = None,
        body_mb: float = 10.0,
        most_texts: int = 50,
    ) -> None:
        """
        paths: as a framework writes them (`/documents/{id}/summary`, `{rest:path}` for any depth),
            to the field of the answer that is guarded, or a `Guarded` with all there is to say.
        use_case: of all paths that name none.
        body_mb: megabytes (10^6 bytes) of an answer that are read; of one that is longer nothing is
            scored but what was released by then, and `on_unscored` decides about the rest.
        most_texts: texts that are judged in one JSON answer, each on its own; more are unscored.
        Raises SettingsError and UnknownUseCase.
        """
        self._app = app
        self._flow = guard.flow
        self._routes = routes_of(paths, use_case, guard)
        self._limits = BodyLimits(body_bytes=int(body_mb * _BYTES_OF_MB), texts=most_texts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        route = _can_have_body(scope) and route_of(scope, self._routes)
        if not route:
            await self._app(scope, receive, send)
            return
        if not isinstance(scope["headers"], list):
            scope["headers"] = [*scope["headers"]]  # ASGI allows an iterator, which is read once
        request = GuardedRequest(receive, scope["headers"], route.prompt, self._limits.body_bytes)
        response = GuardedResponse(
            route=route,
            flow=self._flow,
            request=request,
            write=send,
            limits=self._limits,
            raises=_version(scope) >= _RAISES_SINCE,
        )
        if await self._is_refused(route, request, send):
            return
        with readable_request(scope):
            try:
                await self._app(scope, request.receive, response.send)
            except Exception as error:
                if not _was_ended(error):
                    await response.fail(error)
                    raise
            except BaseException:
                await response.abandon()
                raise
        await response.abandon()

    async def _is_refused(self, route: GuardedRoute, request: GuardedRequest, send: Send) -> bool:
        """Whether the prompt must not reach the application; then the client has its answer."""
        if route.prompt is None or not self._flow.judges_prompts(route.use_case):
            return False
        await request.read_ahead()
        asked = await request.question()
        call = asked.call(route.use_case, None, opted_out=True)
        refusal = await self._flow.refuses(call)
        if refusal is not None:
            await ResponseWriter(send, {}).refuse(Blocked(refusal.outcome), status=400)
        return refusal is not None


def _can_have_body(scope: Scope) -> bool:
    """Whether the answer can have a body."""
    return bool(scope["type"] == "http" and scope["method"] != "HEAD")


def _version(scope: Scope) -> tuple[int, ...]:
    given = str(scope.get("asgi", {}).get("spec_version", "2.0"))
    return tuple(int(part) for part in given.split(".") if part.isdecimal())


def _was_ended(error: BaseException | None) -> bool:
    """Whether the application failed because its answer was ended here."""
    while error is not None:
        if isinstance(error, ResponseEndedError):
            return True
        error = error.__cause__ or error.__context__
    return False
