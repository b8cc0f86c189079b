"""The application's answer to one guarded request, from its first word on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from guard.adapters.callables import AS_MESSAGES
from guard.bootstrap.shadow import LOCAL
from guard.flow import Flow
from guard.records import Call, Unread, Verdict
from guard.wrap.asgi.asking import Asking, CutShort
from guard.wrap.asgi.frames import Layout
from guard.wrap.asgi.framings import FrameFraming, Framing, TextFraming
from guard.wrap.asgi.headers import Kind, charset_of, compressed, kind_of, value_of
from guard.wrap.asgi.out import Out
from guard.wrap.asgi.routes import Route
from guard.wrap.asgi.streamed import Streamed
from guard.wrap.asgi.types import Headers, Message, Send
from guard.wrap.asgi.whole import Body, JsonBody, Limits, TextBody, Whole

_WITHOUT_BODY = frozenset({204, 205})
_PARTIAL = 206
_BODY = "http.response.body"
_NOT_OFFERED = frozenset({"http.response.pathsend", "http.response.zerocopysend"})


class Taking(Protocol):
    """What takes the body."""

    async def take(self, body: bytes, *, more: bool) -> None:
        """More of it."""
        ...

    async def left(self) -> None:
        """There will be no more, though the end was not sent."""
        ...

    async def failed(self, error: Exception) -> None:
        """The same, because the application failed."""
        ...


class Passing:
    """Passes the body on as it is."""

    def __init__(self, out: Out) -> None:
        self._out = out

    async def take(self, body: bytes, *, more: bool) -> None:
        """See `Taking`."""
        await self._out.give(body, more=more)

    async def left(self) -> None:
        """See `Taking`."""

    async def failed(self, error: Exception) -> None:
        """See `Taking`."""
        del error


class Answer:
    """Stands between the application's `send` and the server's."""

    def __init__(
        self, route: Route, flow: Flow, asking: Asking, send: Send, limits: Limits, *, raises: bool
    ) -> None:
        """raises: whether the application expects an OSError once nobody listens (ASGI 2.4)."""
        self._route = route
        self._flow = flow
        self._asking = asking
        self._send = send
        self._limits = limits
        self._raises = raises
        self._out: Out | None = None
        self._taking: Taking | None = None
        self._finished = False

    async def send(self, message: Message) -> None:
        """The application's `send`."""
        if self._asking.cut:
            self._too_late()
        elif message["type"] == "http.response.start" and self._out is None:
            await self._begin(message)
        elif message["type"] == _BODY:
            await self._body(message)
        elif message["type"] in _NOT_OFFERED:
            raise RuntimeError(
                f"{message['type']} was sent, though a guarded path does not offer it"
            )
        elif message["type"] != "http.response.trailers":
            await self._send(message)

    async def left(self) -> None:
        """The application has returned. Raises as `Streamed.left` does."""
        if self._taking is not None:
            await self._taking.left()

    async def failed(self, error: Exception) -> None:
        """The application raised."""
        if self._finished:
            return
        if self._taking is None:
            self._flow.upstream_failed(self._route.use_case)
        else:
            await self._taking.failed(error)

    def _too_late(self) -> None:
        if self._raises:
            raise CutShort("the guard has ended this answer")

    async def _begin(self, start: Message) -> None:
        self._out = out = Out(self._send, start)
        self._taking = Passing(out)
        if 200 <= start["status"] < 300 and start["status"] not in _WITHOUT_BODY:
            await self._guard(out, self._call(), start["status"])

    async def _guard(self, out: Out, call: Call, status: int) -> None:
        if self._flow.policy(call.use_case).off:
            out.say(x_guard_call_id=self._flow.pass_unread(call), x_guard_verdict=Verdict.UNSCORED)
            return
        kind = kind_of(out.headers)
        why = self._unreadable(out.headers, kind, status)
        framing = None if why else self._framing(out.headers, kind)
        if framing is not None:
            self._taking = self._streamed(out, call, framing)
            return
        self._taking = whole = Whole(
            out, self._flow, call, self._reader(out.headers, kind), self._limits
        )
        if why:
            await whole.give_up(why, more=True)
            self._stop_if_ended(out)

    def _unreadable(self, headers: Headers, kind: Kind | None, status: int) -> Unread | None:
        """Why nobody can read the body, whatever is in it."""
        if status == _PARTIAL:
            return Unread.PARTIAL
        if compressed(headers):
            return Unread.COMPRESSED
        if kind is None:
            return Unread.MEDIA_TYPE
        if kind is Kind.TEXT and charset_of(headers) is None:
            return Unread.CHARSET
        return Unread.NO_FIELD if kind is Kind.JSON and self._route.field is None else None

    def _framing(self, headers: Headers, kind: Kind | None) -> Framing | None:
        """How to read a stream; None for a body that is better judged whole."""
        route = self._route
        if kind is Kind.EVENTS:
            return FrameFraming(Layout(field=route.field, blank=route.blank), events=True)
        if kind is Kind.LINES:
            return FrameFraming(Layout(field=route.field or (), blank=route.blank), events=False)
        if kind is Kind.TEXT and not value_of(headers, "content-length"):
            return TextFraming(charset_of(headers) or "utf-8")
        return None

    def _streamed(self, out: Out, call: Call, framing: Framing) -> Streamed:
        return Streamed(
            out,
            self._flow,
            call,
            framing,
            limit_bytes=self._limits.body_bytes,
            cut=self._asking.cut_short,
        )

    def _reader(self, headers: Headers, kind: Kind | None) -> Callable[[bytes], Body]:
        def read(body: bytes) -> Body:
            if kind is Kind.TEXT:
                return TextBody(body, charset_of(headers) or "utf-8")
            return JsonBody(body, self._route.field or (), self._route.blank)

        return read

    async def _body(self, message: Message) -> None:
        out, taking = self._out, self._taking
        if out is None or taking is None or self._finished:
            raise RuntimeError(f"{_BODY} was sent before the answer began, or after its end")
        more = bool(message.get("more_body", False))
        await taking.take(bytes(message.get("body", b"")), more=more)
        self._finished = not more
        if more:
            self._stop_if_ended(out)

    def _stop_if_ended(self, out: Out) -> None:
        if out.ended:
            self._asking.cut_short()

    def _call(self) -> Call:
        asked, lane = self._asking.question(), self._route.lane
        return Call(
            id="",
            use_case=self._route.use_case,
            prompt=asked.prompt,
            turns=asked.turns,
            lane=lane,
            parameters={AS_MESSAGES: True} if asked.listed and lane.startswith(LOCAL) else {},
            never_shadowed="opted_out" if self._asking.opted_out else "",
        )
