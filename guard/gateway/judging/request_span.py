"""The span around one request to an upstream, which is that of the call where it has one reply."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from threading import Lock
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from guard.flow import Exchange, Flow, Refusal
from guard.gateway.request import GenerationRequest, Operation
from guard.records import Call, RequestedModel

_OPERATIONS: Final = {Operation.COMPLETIONS: "text_completion"}
_PORTS: Final = {"https": 443, "http": 80}
_LONGEST_NAME: Final = 256


class RequestSpan:
    """Begins with the request and ends with the last of its calls, or with the context where no
    call began. Calls end on any thread.

    asked: as it came, and from then on with the headers for the upstream. replies: how many calls
    come of it; each of several has a span of its own within this one.
    """

    def __init__(self, asked: GenerationRequest, flow: Flow, call: Call, *, replies: int) -> None:
        self._flow = flow
        self._span = flow.tracer.begin(call, asked.headers)
        self._is_alone = replies == 1
        self._lock = Lock()
        self._open = 1
        self._error = ""
        self.asked = replace(asked, headers=self._span.headers(asked.headers))

    def begin(self, call: Call, *, streamed: bool) -> Exchange:
        """An exchange for one of the replies."""
        if self._is_alone:
            self._open += 1  # the exchange ends it, whatever becomes of it
            return self._flow.begin(call, streamed=streamed, span=self._span)
        with self._span.current():
            exchange = self._flow.begin(call, streamed=streamed)
        with self._lock:
            self._open += 1
        exchange.outcome.add_done_callback(self._close_one)
        return exchange

    async def refuses(self, call: Call) -> Refusal | None:
        """Judge the prompt of the request, within this span."""
        with self._span.current():
            return await self._flow.refuses(call)

    def pass_unread(self, call: Call) -> str:
        """The id of a call whose reply nobody looks at."""
        return self._flow.pass_unread(call, self._span)

    def fail(self, error: str) -> None:
        """What kind of error it ended in, unless a call tells of a better one."""
        self._error = error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._error = self._error or kind.__name__
        self._close_one()

    def _close_one(self, _: Future[Any] | None = None) -> None:
        with self._lock:
            self._open -= 1
            is_last = self._open == 0
        if is_last:
            self._span.end(None, error=self._error)


def requested_model(asked: GenerationRequest, *, replies: int) -> RequestedModel:
    """What the request says of the model, and where it goes."""
    server = urlsplit(asked.upstream.endpoint.base_url)
    return RequestedModel(
        operation=_OPERATIONS.get(asked.operation, "chat"),
        model=_name(asked.body.get("model")),
        conversation_id=_conversation(asked.body),
        server=server.hostname or "",
        port=server.port or _PORTS.get(server.scheme, 0),
        replies=replies,
        streamed=bool(asked.body.get("stream")),
    )


def _conversation(body: Mapping[str, Any]) -> str:
    """Of the Responses API: an id, or an object that has one."""
    found = body.get("conversation")
    return _name(found.get("id") if isinstance(found, Mapping) else found)


def _name(value: object) -> str:
    return value[:_LONGEST_NAME] if isinstance(value, str) else ""
