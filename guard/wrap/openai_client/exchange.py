"""One request of a client and its answer, as far as no bytes are sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NoReturn, TypeVar

from guard.counterfactual.eligible import never_shadowed, shadow_parameters
from guard.errors import Blocked, Broken, TooLarge, UpstreamError
from guard.flow import Flow, wait_on_loop
from guard.flow.waiting import Wait
from guard.records import Call, Lane, RequestedModel
from guard.replies.answer_headers import passed_headers
from guard.replies.choices import ChatFormat, CompletionFormat
from guard.replies.fields import ReadOptions, extract
from guard.replies.json_text import JsonReader, NotJsonError, json_bytes
from guard.replies.known import EveryChoice, KnownReply
from guard.replies.refused import refused_body, refused_events
from guard.replies.requests import (
    chat_messages,
    conversation_turns,
    prompt_text,
    read_options,
    response_messages,
    unread_prompt,
    user_text,
)
from guard.replies.responses import ResponseFormat
from guard.replies.sse import (
    DONE,
    MOST_LINES,
    EventSplitter,
    SseEvent,
    TooLongError,
    write_event,
)
from guard.text import asked_in
from guard.wrap.callables import WrapOptions, wrap_function
from guard.wrap.known_replies import UnreadNotice

F = TypeVar("F", bound=Callable[..., Any])

CHAT: Final = "/chat/completions"
RESPONSES: Final = "/responses"
_OPERATIONS: Final = (CHAT, "/completions", RESPONSES)
_PASSED: Final = {
    "GET": re.compile(r"(?!.*/(chat|completions|responses|files|batches)(/|$)).*/models(/.+)?"),
    "POST": re.compile(r".*/(embeddings|moderations)"),
}
"""What gives no reply of a model."""
_BEFORE_THE_MODEL: Final = frozenset({401, 402, 403, 404, 405, 408, 413, 415, 429, 502, 503, 504})
_STREAMS: Final = frozenset({"text/event-stream", "text/plain", ""})
_EVENT_BYTES: Final = 64_000_000
_ONCE: Final = ("x-should-retry", "false")
_RETRY_COUNT: Final = "x-stainless-retry-count"
_JSON: Final = ("content-type", "application/json")
_EVENT_STREAM: Final = ("content-type", "text/event-stream")
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientAnswer:
    """An answer whose body is complete."""

    status: int
    headers: Headers
    body: bytes = field(repr=False)

    @property
    def is_stream(self) -> bool:
        """Whether it is one of events."""
        kinds = (value for name, value in self.headers if name.lower() == "content-type")
        return any(kind.strip().lower().startswith(_EVENT_STREAM[1]) for kind in kinds)


class AnswerError(Exception):
    """The server answered with an error."""

    def __init__(self, answer: ClientAnswer) -> None:
        super().__init__(f"HTTP {answer.status}")
        self.answer = answer


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientGuard:
    """How the replies to one client are guarded. lane: see `WrapOptions`."""

    flow: Flow
    use_case: str
    lane: Lane | None = None
    notice: UnreadNotice = field(
        default_factory=lambda: UnreadNotice("wrap_openai()", "they are none of the API")
    )

    def exchange(self, method: str, url: Any, content: bytes) -> ClientExchange | None:
        """What a request asks; None for one that asks for no reply of a model.

        url: of httpx. Raises AnswerError for whatever else is not guarded.
        """
        path = url.path.rstrip("/")
        pattern = _PASSED.get(method)
        if pattern is not None and pattern.fullmatch(path):
            return None
        operation = next((one for one in _OPERATIONS if path.endswith(one)), None)
        if method != "POST" or operation is None:
            _refuse(
                403,
                "not_guarded",
                f"wrap_openai(): {method} {path} is not guarded, so it is refused: what comes back"
                " could be a reply that nobody judged. The client that was wrapped can do it",
            )
        try:
            body = JsonReader().read(content)
        except NotJsonError:
            body = None
        if not isinstance(body, dict):
            _refuse(400, "bad_body", "wrap_openai(): the body of the request is no JSON object")
        return ClientExchange(self, operation, body, host=url.host, port=url.port or 0)


class ClientExchange:
    """A request for a reply, and how its answer is read and written."""

    def __init__(
        self, guard: ClientGuard, operation: str, body: Mapping[str, Any], *, host: str, port: int
    ) -> None:
        self._guard = guard
        self._policy = guard.flow.policy(guard.use_case)
        self._operation = operation
        self._body = body
        self._host, self._port = host, port
        self._streamed: bool | None = None

    def wrap(self, ask: F) -> F:
        """`ask` guarded: it returns the value of a whole answer, or an iterator of events."""
        guard = self._guard
        options = WrapOptions(
            flow=guard.flow,
            use_case=guard.use_case,
            notice=guard.notice,
            call=self._call,
            judges_prompts=False,
            known=self._known,
        )
        return wrap_function(ask, options)

    async def refused_prompt(self, wait: Wait = wait_on_loop) -> ClientAnswer | None:
        """In place of the answer to a prompt that must not reach the model; None where it may."""
        flow = self._guard.flow
        if not flow.judges_prompts(self._guard.use_case):
            return None
        refusal = await flow.refuses(self._call(), wait)
        if refusal is None:
            return None
        if refusal.raises:
            return self.refusal(Blocked(refusal.outcome))
        call_id, streamed = refusal.outcome.call.id, bool(self._body.get("stream"))
        about = (self._known(streamed).format, call_id, self._body.get("model"), refusal.text)
        if streamed:
            body = b"".join(map(self.event, refused_events(*about))) + self.end
            return ClientAnswer(status=200, headers=(_EVENT_STREAM,), body=body)
        return ClientAnswer(status=200, headers=(_JSON,), body=json_bytes(refused_body(*about)))

    def is_stream(self, answer: Any) -> bool:
        """Whether an answer of httpx is the stream that was asked for.

        Raises Broken where the reply was asked for again and comes in another form than before.
        """
        if not answer.is_success:
            return False
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        found = bool(self._body.get("stream")) and kind in _STREAMS
        if self._streamed not in {None, found}:
            raise Broken(f"{self._host}: the reply that was asked for again comes in another form")
        self._streamed = found
        return found

    def value_of(self, answer: Any, content: bytes) -> Any:
        """A whole answer; the bytes, where they cannot be read and nothing may be withheld.

        Raises Broken where something may, and AnswerError for an answer that is an error.
        """
        if not answer.is_success:
            headers = kept_headers(answer)
            raise AnswerError(
                ClientAnswer(status=answer.status_code, headers=headers, body=content)
            )
        try:
            value = JsonReader().read(content)
        except NotJsonError:
            value = None
        if isinstance(value, dict):
            return value
        return self._unreadable(content)

    def events(self) -> EventReader:
        """A reader of one stream."""
        return EventReader(self._unreadable)

    def whole(self, given: Any) -> bytes:
        """The body of a whole answer."""
        return given if isinstance(given, bytes) else self._written(given)

    def event(self, given: Any) -> bytes:
        """An event of a stream."""
        if isinstance(given, bytes):
            return write_event(given)
        name = str(given.get("type", "")) if self._operation == RESPONSES else ""
        return write_event(self._written(given), name)

    def _written(self, value: Any) -> bytes:
        try:
            return json_bytes(value)
        except NotJsonError as error:
            raise Broken(f"{self._host}: the answer cannot be written again: {error}") from error

    @property
    def end(self) -> bytes:
        """What comes after the last event."""
        return b"" if self._operation == RESPONSES else write_event(DONE)

    def refusal(self, error: Blocked | UpstreamError) -> ClientAnswer:
        """In place of an answer that is withheld or cannot be read."""
        if isinstance(error, Blocked):
            return _error(400, "content_filter", str(error))
        return _error(502, "upstream_broken", str(error), _ONCE)

    def error_event(self, answer: ClientAnswer) -> bytes:
        """In place of the rest of a stream: the error that this answer is."""
        try:
            value = JsonReader().read(answer.body)
        except NotJsonError:
            value = None
        error = value.get("error") if isinstance(value, dict) else None
        if not isinstance(error, dict):
            message = f"{self._host} answered with the status {answer.status}"
            error = _error_object(answer.status, "upstream_error", message)
        if self._operation != RESPONSES:
            return write_event(json_bytes({"error": error}))
        event = {**error, "error": error, "type": "error", "sequence_number": 0}
        return write_event(json_bytes(event), "error")

    def texts_to_judge(self, answer: ClientAnswer) -> str:
        """What an error says that may quote the reply; empty for one before the model was asked,
        which is no stream of events."""
        if answer.status in _BEFORE_THE_MODEL and not answer.is_stream:
            return ""
        try:
            value = JsonReader().read(answer.body)
        except NotJsonError:
            value = answer.body.decode("utf-8", "replace")
        return "\n\n".join(found.text for found in extract(value, self._options).fields)

    @staticmethod
    def withheld_error(answer: ClientAnswer) -> ClientAnswer:
        """In place of an error whose words are withheld."""
        message = "the model's server reported an error whose words were withheld by policy"
        return _error(answer.status, "upstream_error_withheld", message, _ONCE)

    def _unreadable(self, content: bytes) -> bytes:
        if self._policy.may_withhold:
            raise Broken(f"{self._host}: the answer is none of {self._operation}")
        return content

    @property
    def _options(self) -> ReadOptions:
        policy = self._policy
        return read_options(
            self._body,
            reads_reasoning=policy.reads_reasoning,
            reads_tool_calls=policy.reads_tool_calls,
        )

    def _known(self, streamed: bool) -> KnownReply:
        options = replace(self._options, streamed=streamed)
        if self._operation == RESPONSES:
            return KnownReply(ResponseFormat(options, self._body), streamed)
        kind = ChatFormat if self._operation == CHAT else CompletionFormat
        return KnownReply(EveryChoice(kind, options), streamed)

    def _call(self) -> Call:
        body, lane = self._body, self._guard.lane
        never = never_shadowed(body) or ""
        call = Call(
            id="",
            use_case=self._guard.use_case,
            lane=lane,
            as_messages=lane is not None and lane.is_local,
            parameters={} if never else shadow_parameters(body),
            never_shadowed=never,
            requested=self._requested(),
        )
        if self._operation not in {CHAT, RESPONSES}:
            prompt = body.get("prompt")
            asked = prompt if isinstance(prompt, str) else ""
            unread = unread_prompt(body)
            return replace(call, prompt=asked, user_text=prompt_text(body), user_unread=unread)
        messages = (chat_messages if self._operation == CHAT else response_messages)(body)
        return replace(
            call,
            prompt=asked_in(messages),
            turns=conversation_turns(messages),
            user_text=user_text(body, messages),
        )

    def _requested(self) -> RequestedModel:
        model = self._body.get("model")
        is_chat = self._operation in {CHAT, RESPONSES}
        return RequestedModel(
            operation="chat" if is_chat else "text_completion",
            model=model if isinstance(model, str) else "",
            server=self._host,
            port=self._port,
            streamed=bool(self._body.get("stream")),
        )


class EventReader:
    """The values of the events of a stream. done: the stream has said that it is over."""

    def __init__(self, unreadable: Callable[[bytes], bytes]) -> None:
        self._unreadable = unreadable
        self._splitter = EventSplitter(_EVENT_BYTES)
        self._reader = JsonReader()
        self.done = False

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Of the events that end in this chunk. Raises TooLarge, and Broken for what is no JSON."""
        try:
            events = self._splitter.feed(chunk)
        except TooLongError as error:
            raise TooLarge(f"an event is larger than {_EVENT_BYTES} bytes") from error
        return self._values(events)

    def rest(self) -> Iterator[Any]:
        """Of an event that nothing ended."""
        return self._values(self._splitter.end())

    def _values(self, events: list[SseEvent]) -> Iterator[Any]:
        for event in events:
            if event.is_unread:
                raise TooLarge(f"an event has more than {MOST_LINES} lines")
            if self.done or event.data is None:
                continue
            if event.data.strip() == DONE:
                self.done = True
                return
            try:
                value = self._reader.read(event.text)
            except NotJsonError:
                value = None
            yield value if isinstance(value, dict) else self._unreadable(event.data)


def is_retry(headers: Any) -> bool:
    """Whether a client sends a request once more by itself. Its prompt was judged the first time.

    headers: of httpx, of the request.
    """
    return str(headers.get(_RETRY_COUNT, "0")) != "0"


def kept_headers(answer: Any) -> Headers:
    """Those of an answer of httpx that a caller gets; also where a redirection leads, which the
    client follows."""
    pairs = [(name.lower(), value) for name, value in answer.headers.multi_items()]
    leads = [pair for pair in pairs if answer.has_redirect_location and pair[0] == "location"]
    return (*passed_headers(pairs), *leads[:1])


def _refuse(status: int, code: str, message: str) -> NoReturn:
    raise AnswerError(_error(status, code, message))


def _error_object(status: int, code: str, message: str) -> dict[str, Any]:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"message": message, "type": kind, "param": None, "code": code}


def _error(status: int, code: str, message: str, *headers: tuple[str, str]) -> ClientAnswer:
    body = json_bytes({"error": _error_object(status, code, message)})
    return ClientAnswer(status=status, headers=(_JSON, *headers), body=body)
