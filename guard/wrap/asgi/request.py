"""Which requests are guarded, and the request as the application inside reads it."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from guard.errors import SettingsError
from guard.records import Lane, Unread
from guard.replies.fields import Steps, UnreadableError, values_at
from guard.replies.json_text import has_few_values
from guard.replies.large import LEAST_PART_BYTES, run_beside
from guard.wrap.asgi.http import (
    FieldNotice,
    Headers,
    Message,
    Receive,
    Scope,
    header_value,
    is_compressed,
    without_headers,
)
from guard.wrap.asgi.whole_body import read_json, texts_anywhere
from guard.wrap.question import Question, question

if TYPE_CHECKING:
    from guard.wrap.facade import Guard

_UNREADABLE_IF_ASKED = ("accept-encoding", "range", "if-range")
UNSUPPORTED_EXTENSIONS = (
    "http.response.pathsend",
    "http.response.zerocopysend",
    "http.response.trailers",
)
MAX_REQUEST_VALUES: Final = 200_000
"""Values in a request of which the prompt is read: each costs time, however few bytes it has."""
_PARAMETER = re.compile(r"\{[^{}:]*(:[^{}]*)?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """How the responses on one path are guarded.

    field: where the text stands in the JSON of an answer, or of each event or line of a stream:
        keys and list numbers with dots between them, `*` for every entry of a list, "" for the
        whole. None: what is streamed as events is text itself. Answers of type text need none.
    use_case: None is that of the middleware.
    prompt: the field of the request's JSON that holds what is asked, a text or a list of messages;
        for the record, for shadowing, and to be judged where the use case judges prompts.
    blank: other fields that repeat the text: null wherever the text is withheld.
    shadow: see `Guard.wrap`.
    """

    field: str | None = None
    use_case: str | None = None
    prompt: str | None = None
    blank: tuple[str, ...] = ()
    shadow: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedRoute:
    """The same, ready for use. lane: who can ask the like again; None is nobody. notice: told of
    answers without the field."""

    pattern: re.Pattern[str]
    use_case: str
    field: Steps | None
    prompt: Steps | None
    blank: tuple[Steps, ...]
    lane: Lane | None
    notice: FieldNotice


def routes_of(
    paths: Mapping[str, str | Guarded | None], use_case: str | None, guard: Guard
) -> tuple[GuardedRoute, ...]:
    """Raises SettingsError and UnknownUseCase, naming the path."""
    if not paths:
        raise SettingsError("GuardASGI(paths=...): name at least one path that is guarded")
    return tuple(_route(path, given, use_case, guard) for path, given in paths.items())


def route_of(scope: Scope, routes: Iterable[GuardedRoute]) -> GuardedRoute | None:
    """The first route that a request takes.

    It is matched as frameworks do, and more loosely (a slash too many, a line break at the end that
    their patterns forgive), so that no spelling of a path goes round the guard.
    """
    path = _within(scope.get("root_path", ""), scope["path"])
    spellings = (_tidy(path), path)
    return next((route for route in routes if any(map(route.pattern.fullmatch, spellings))), None)


def _route(
    path: str, given: str | Guarded | None, use_case: str | None, guard: Guard
) -> GuardedRoute:
    one = given if isinstance(given, Guarded) else Guarded(field=given)
    name = one.use_case or use_case
    if name is None:
        raise SettingsError(f"GuardASGI: {path}: give `use_case`, here or for all paths")
    return GuardedRoute(
        pattern=_pattern(path),
        use_case=name,
        field=None if one.field is None else _steps(one.field),
        prompt=None if one.prompt is None else _steps(one.prompt),
        blank=tuple(map(_steps, one.blank)),
        lane=guard.lane(name, one.shadow),
        notice=FieldNotice(path, one.field),
    )


def _steps(path: str) -> Steps:
    """`choices.*.text` in steps; an empty path is the whole document."""
    return tuple(path.split(".")) if path else ()


def _pattern(path: str) -> re.Pattern[str]:
    if not path.startswith("/"):
        raise SettingsError(f"GuardASGI: {path!r}: a path begins with a slash")
    parts, end = [], 0
    for found in _PARAMETER.finditer(path := _tidy(path)):
        parts += [re.escape(path[end : found.start()]), _accepted_kind(found.group(1))]
        end = found.end()
    return re.compile("".join([*parts, re.escape(path[end:])]), re.DOTALL)


def _accepted_kind(kind: str | None) -> str:
    return ".*" if kind == ":path" else "[^/]+"


def _tidy(path: str) -> str:
    return "/" + re.sub("/{2,}", "/", path).strip("/ \t\r\n")


def _within(root: str, path: str) -> str:
    """The path as seen from where the application is mounted."""
    inside = bool(root) and path.startswith(root) and path[len(root) :][:1] in {"", "/"}
    return path[len(root) :] if inside else path


_TOO_LARGE: Final = Question(unread=frozenset({Unread.TOO_LARGE}))


class ResponseEndedError(OSError):
    """The guard has ended the response early; the application has nothing more to send."""


class GuardedRequest:
    """Hands the request on, keeps its prompt, and can tell the application that the client left.

    prompt: where in the JSON of the request; None keeps nothing. limit_bytes: a longer body is not
    kept. opted_out: whether the client does not allow shadow requests.
    """

    def __init__(
        self, receive: Receive, headers: Headers, prompt: Steps | None, limit_bytes: int
    ) -> None:
        self.opted_out = header_value(headers, "x-guard-shadow").lower() == "off"
        self._receive = receive
        self._is_compressed = is_compressed(headers)
        self._prompt = prompt
        self._limit_bytes = limit_bytes
        self._body = bytearray()
        self._keeps = prompt is not None
        self._end = asyncio.Event()
        self._ahead: deque[Message] = deque()
        self._question: tuple[int, Question] | None = None

    @property
    def is_ended(self) -> bool:
        """Whether the application is to stop."""
        return self._end.is_set()

    def end(self) -> None:
        """From now on the application is told that the client has disconnected."""
        self._end.set()

    async def read_ahead(self) -> None:
        """Read the body before the application does, which gets it afterwards as it came."""
        more = True
        while more and self._keeps:
            message = await self._receive()
            self._ahead.append(self._keep(message))
            more = message["type"] == "http.request" and message.get("more_body", False)

    async def receive(self) -> Message:
        """The application's `receive`."""
        if self._ahead:
            return self._ahead.popleft()
        message = asyncio.ensure_future(self._receive())
        end = asyncio.ensure_future(self._end.wait())
        try:
            await asyncio.wait({message, end}, return_when=asyncio.FIRST_COMPLETED)
            return self._keep(message.result()) if message.done() else {"type": "http.disconnect"}
        finally:
            message.cancel()
            end.cancel()

    async def question(self) -> Question:
        """The prompt, as far as the application has read the request.

        Where it is unclear what the application reads there, all that it may read is what the user
        said, and nothing is known as the prompt. A body that is too long, or said to be compressed,
        is unread; the latter is read all the same if it can be.
        """
        if self._prompt is None:
            return Question()
        if not self._keeps:
            return _TOO_LARGE
        so_far = len(self._body)
        if self._question is None or self._question[0] != so_far:
            body = bytes(self._body)
            weight = so_far + LEAST_PART_BYTES * body.count(b",")
            asked = await run_beside(weight, self._asked, body, self._prompt)
            self._question = so_far, asked
        return self._question[1]

    def _asked(self, body: bytes, prompt: Steps) -> Question:
        if not self._is_compressed:
            return _asked(body, prompt)
        asked = _asked(body, prompt) if _is_text(body) else Question()
        return replace(asked, unread=asked.unread | {Unread.COMPRESSED})

    def _keep(self, message: Message) -> Message:
        body = message.get("body", b"") if self._keeps else b""
        self._keeps = self._keeps and len(self._body) + len(body) <= self._limit_bytes
        if self._keeps:
            self._body += body
        return message


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _asked(body: bytes, prompt: Steps) -> Question:
    if not has_few_values(body, MAX_REQUEST_VALUES):
        return _TOO_LARGE
    try:
        found = values_at(read_json(body), prompt)
    except UnreadableError:
        return Question(user_text="\n".join(texts_anywhere(body)))
    values = [value for _, value in found]
    several = len(values) > 1  # they are asked together, as a list of texts is
    return question([values] if several else values, {})


@contextmanager
def readable_request(scope: Scope) -> Iterator[None]:
    """While this lasts, the request does not ask for compression or for a part of the body.

    It is changed in place: what the application leaves in the scope, like its route, is for the
    middlewares around.
    """
    headers, extensions = scope["headers"], scope.get("extensions")
    scope["headers"] = without_headers(list(headers), _UNREADABLE_IF_ASKED)
    if extensions is not None:
        scope["extensions"] = {
            key: extensions[key] for key in extensions if key not in UNSUPPORTED_EXTENSIONS
        }
    try:
        yield
    finally:
        scope["headers"] = headers
        if extensions is not None:
            scope["extensions"] = extensions
