"""One streamed answer of the model's server, split into the replies in it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from guard.errors import UpstreamError
from guard.gateway.judging.event_buffer import Event
from guard.replies.sse import DONE, EventSplitter, SseEvent, TooLongError
from guard.replies.strict_json import JsonReader, NotJsonError
from guard.upstream import Answer, Broken, TooLarge

END_SECONDS: Final = 0.1
"""How long the end of an answer that has said all may take, before its connection is closed."""


class ReportedError(UpstreamError):
    """The model's server said in mid-stream that it failed. event: what the client is told."""

    def __init__(self, event: Any) -> None:
        super().__init__("the upstream reported an error in mid-stream")
        self.event = event


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedOptions:
    """How an answer is split.

    split: the parts of an event by the number of their reply; the event itself where it is all of
    one. replies: how many there are. error_in: what the client is told of an error that an event
    reports. passes_through: events pass as they are, those that are no JSON too. where: the
    upstream, for errors. limit_bytes: of one event.
    """

    split: Callable[[Any], Iterable[tuple[int, Any]]]
    error_in: Callable[[Any], Any]
    replies: int
    passes_through: bool
    limit_bytes: int
    where: str


class EventFeed:
    """Reads no faster than the hungriest reply wants; what comes for the others waits.

    common: what belongs to no reply and says nothing. usage: the last account of tokens. done,
    ended: whether the answer ended with `[DONE]`, and without.
    """

    def __init__(self, answer: Answer, options: FeedOptions) -> None:
        self._chunks: AsyncGenerator[bytes] = answer.chunks()
        self._options = options
        self._events = EventSplitter(options.limit_bytes)
        self._reader = JsonReader()
        self._waiting: list[deque[Event]] = [deque() for _ in range(options.replies)]
        self._lock = asyncio.Lock()
        self._failure: UpstreamError | None = None
        self._over = False
        self.done = self.ended = False
        self.common: list[Event] = []
        self.usage: Mapping[str, Any] | None = None

    async def reply(self, number: int) -> AsyncGenerator[Event]:
        """The events of one reply. Raises UpstreamError where the answer breaks off."""
        waiting = self._waiting[number]
        while True:
            while waiting:
                yield waiting.popleft()
            if self._over:
                break
            async with self._lock:
                if not waiting and not self._over:
                    await self._read()
        if self._failure is not None:
            raise self._failure

    def leave(self, number: int) -> None:
        """Nobody wants the rest of this reply."""
        self._waiting[number] = deque(maxlen=0)

    async def aclose(self) -> None:
        """Read no more. Behind the last event only the end is left, mostly there already: without
        it the connection could not be used again."""
        if self._over and self._failure is None:
            with suppress(TimeoutError, UpstreamError):
                async with asyncio.timeout(END_SECONDS):
                    while await anext(self._chunks, None) is not None:
                        pass
        await self._chunks.aclose()

    async def _read(self) -> None:
        try:
            chunk = await anext(self._chunks, None)
            for event in self._events.end() if chunk is None else self._events.feed(chunk):
                self._take(event)
            if chunk is None and not self._over:
                self._over = self.ended = True
        except UpstreamError as error:
            self._failure, self._over = error, True
        except TooLongError:
            where, limit = self._options.where, self._options.limit_bytes
            self._failure = TooLarge(f"{where}: an event is larger than {limit} bytes")
            self._over = True

    def _take(self, event: SseEvent) -> None:
        if event.data is None or self._over:
            return
        if event.data.strip() == DONE:
            self._over = self.done = True
            return
        try:
            value = self._reader.read(event.text)
        except NotJsonError:
            self._take_unreadable(event)
            return
        if (error := self._options.error_in(value)) is not None:
            raise ReportedError(error)
        if isinstance(value, dict) and isinstance(usage := value.get("usage"), dict):
            self.usage = usage
        exact = self._options.passes_through or (event.exact and self._reader.exact)
        raw = _framed(event) if exact else None
        for number, part in self._options.split(value):
            one = Event(part, raw if part is value else None, event.name)
            (self.common if number < 0 else self._waiting[number]).append(one)

    def _take_unreadable(self, event: SseEvent) -> None:
        if not self._options.passes_through:
            raise Broken(f"{self._options.where}: an event of the stream is no JSON")
        self._waiting[0].append(Event(None, _framed(event)))


def _framed(event: SseEvent) -> bytes:
    """The event as it came, from its first line to a blank one."""
    raw = event.raw.lstrip(b"\r\n")
    return raw if event.ended else raw.rstrip(b"\r\n") + b"\n\n"
