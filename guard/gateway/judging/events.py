"""The events of a streamed response: split by reply, and buffered until they are released."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from guard.errors import Broken, TooLarge, UpstreamError
from guard.flow import Given, Piece, Redact, Say
from guard.gateway.judging.context import Context, write_json
from guard.records import Unread
from guard.replies.assemble import Assembly
from guard.replies.edit import drop_copies, replace_texts, take_head
from guard.replies.fields import Path
from guard.replies.json_text import MAX_REPLY_VALUES, JsonReader, NotJsonError
from guard.replies.large import LEAST_PART_BYTES, Turns, run_beside
from guard.replies.reply_format import ReplyFormat
from guard.replies.sse import (
    DONE,
    MOST_LINES,
    EventSplitter,
    SseEvent,
    TooLongError,
    write_event,
)
from guard.upstream import Answer

END_SECONDS: Final = 0.1
"""How long to wait for the end of the body after the last event, before closing it."""
_UNKNOWN_BYTES = 500
_NO_JSON: Final = f"is no JSON, or has more than {MAX_REPLY_VALUES:,} values"


@dataclass(frozen=True, slots=True)
class Event:
    """An event for one reply.

    value: of its JSON; None where it has none. raw: its bytes, None where it has to be written.
    name: of the event. size: its memory in bytes, as far as that is known. read_bytes: what it was
    read from.
    """

    value: Any
    raw: bytes | None = None
    name: str = ""
    size: int = _UNKNOWN_BYTES
    read_bytes: int = 0


END = Event(None, b"")
"""Marks the end of a reply."""


class EventBuffer:
    """Keeps events and gives bytes; a `flow.ReplyBuffer`.

    limit: of the characters of a reply, and of the bytes that wait. like: the last event.
    """

    def __init__(self, reply_format: ReplyFormat, *, limit: int) -> None:
        self._format = reply_format
        self._limit = limit
        self.like: Any = None
        self.clear()

    def clear(self) -> None:
        self._ahead: tuple[Event, Piece] | None = None
        self._assembly = Assembly(_edit)
        self._length = self._held = self._passed = 0

    def add(self, event: Event) -> Piece:
        """Buffer an event; returns the text in it that is judged. Raises TooLarge."""
        ahead, self._ahead = self._ahead, None
        return ahead[1] if ahead is not None and ahead[0] is event else self._add(event)

    async def read_ahead(self, event: Event) -> None:
        """What `add` does, ahead of it: that may take long. Raises TooLarge."""
        self._ahead = event, await run_beside(event.read_bytes, self._add, event)

    def _add(self, event: Event) -> Piece:
        if event is END:
            return Piece(self._assembly.finish())
        if event.value is None:
            self._assembly.add_unreadable(event)
            return Piece(None, unread=frozenset({Unread.NOT_JSON}))
        found = self._format.read(event.value)
        self.like = event.value
        text = self._assembly.add(event, found)
        self._length += len(text)
        self._held += event.size
        if max(self._length, self._held) > self._limit:
            raise TooLarge(f"a stream has a reply of more than {self._limit} bytes to hold")
        reason = self._format.finish_reason(event.value)
        structured = found.is_structured or self._assembly.cuts_words
        return Piece(text, structured=structured, unread=found.unread, finish_reason=reason)

    def take(self, step: Given) -> Sequence[bytes]:
        if isinstance(step, Say):
            return self._block(step.text)
        if isinstance(step, Redact):
            self._assembly.redact(step.spans, step.marker)
        return self._release(step.end)

    def write(self, value: Any) -> bytes:
        """An event made by the guard, as bytes. Only events of the Responses API are named."""
        return self._write(Event(value, None, str(value.get("type", ""))))

    def _release(self, end: int) -> list[bytes]:
        self._passed = end
        events = self._assembly.release(end)
        self._held -= sum(event.size for event in events)
        out = [self._write(event) for event in events]
        return out + self._release_head() if self._assembly.next_is_long else out

    def _release_head(self) -> list[bytes]:
        """The released beginning of the next event, if it can be split."""
        split = self._assembly.split_next(self._passed)
        if split is None:
            return []
        event, first, rest = split
        head = Event(take_head(event.value, first), None, event.name)
        rest_of = replace(event, value=replace_texts(event.value, rest), raw=None)
        self._assembly.replace_next(rest_of)
        return [self._write(head)]

    def _block(self, text: str) -> list[bytes]:
        out = [self._write(event) for event in self._assembly.release_silent()]
        out += self._release_head()
        self._assembly.drop()
        said = text[self._assembly.ends_blank and text[:1] == " " :]
        return out + [self.write(one) for one in self._format.withheld_events(self.like, said)]

    def _write(self, event: Event) -> bytes:
        value = event.value if event.value is None else self._format.track(event.value)
        return event_bytes(event if value is event.value else Event(value, None, event.name))


def _edit(event: Event, texts: Mapping[Path, str]) -> Event:
    return replace(event, value=drop_copies(replace_texts(event.value, texts)), raw=None)


def event_bytes(event: Event) -> bytes:
    """The original bytes of an event, or else its value as JSON."""
    if event.raw is not None:
        return event.raw
    return write_event(write_json(event.value), event.name)


class ReportedError(UpstreamError):
    """The upstream reported an error in mid-stream. event: what the client gets for it."""

    def __init__(self, event: Any) -> None:
        super().__init__("the upstream reported an error in mid-stream")
        self.event = event


class EventFeed:
    """Reads the body on demand of whichever reply is first to need an event; others are queued.

    common: what belongs to no reply and says nothing. usage: the last account of tokens. done,
    ended: whether the answer ended with `[DONE]`, and without. For each reply there may be as many
    bytes as in an answer that is read whole, each event counting as LEAST_PART_BYTES at least.
    """

    def __init__(self, answer: Answer, context: Context, *, replies: int) -> None:
        self._chunks: AsyncGenerator[bytes] = answer.chunks()
        self._context = context
        self._replies = replies
        self._limit_bytes = context.asked.upstream.limits.body_bytes
        self._left_bytes = self._limit_bytes * replies
        self._events = EventSplitter(self._limit_bytes)
        self._turns = Turns()
        self._reader = JsonReader()
        self._waiting: list[deque[Event]] = [deque() for _ in range(replies)]
        self._lock = asyncio.Lock()
        self._failure: UpstreamError | None = None
        self._over = self._began = False
        self.done = self.ended = False
        self.common: list[Event] = []
        self.usage: Mapping[str, Any] | None = None

    async def reply(self, number: int) -> AsyncGenerator[Event]:
        """The events of one reply. Raises UpstreamError where the answer breaks off."""
        waiting = self._waiting[number]
        while True:
            while waiting:
                yield waiting.popleft()
                await self._turns.give_way()
            if self._over:
                break
            async with self._lock:
                if not waiting and not self._over:
                    await self._read()
        if self._failure is not None:
            raise self._failure

    def leave(self, number: int) -> None:
        """Discard the rest of this reply."""
        self._waiting[number] = deque(maxlen=0)

    async def aclose(self) -> None:
        """Stop reading. After the last event, the end of the body is read first (it is mostly there
        already), so that the connection can be reused."""
        if self._over and self._failure is None:
            with suppress(TimeoutError, UpstreamError):
                async with asyncio.timeout(END_SECONDS):
                    while await anext(self._chunks, None) is not None:
                        pass
        await self._chunks.aclose()

    async def _read(self) -> None:
        try:
            chunk = await anext(self._chunks, None)
            await self._take_all(self._events.end() if chunk is None else self._events.feed(chunk))
            if chunk is None and not self._over:
                self._over = self.ended = True
            if self._over and not self._began:
                self._take_unreadable(b"", "the stream has no event")
        except UpstreamError as error:
            self._failure, self._over = error, True
        except TooLongError:
            where, limit = self._context.where, self._limit_bytes
            self._failure = TooLarge(f"{where}: an event is larger than {limit} bytes")
            self._over = True

    async def _take_all(self, events: Iterable[SseEvent]) -> None:
        """Raises TooLarge for what goes beyond the bytes of all replies."""
        for event in events:
            self._left_bytes -= max(len(event.raw), LEAST_PART_BYTES)
            if self._left_bytes < 0 and not self._over:
                raise TooLarge(
                    f"{self._context.where}: a stream has more than {self._limit_bytes} bytes for"
                    f" each reply; an event counts as {LEAST_PART_BYTES} at least"
                )
            await run_beside(len(event.raw), self._take, event)
            await self._turns.give_way()

    def _take(self, event: SseEvent) -> None:
        if self._over:
            return
        if event.is_unread:
            self._take_unreadable(_raw_bytes(event), f"an event has more than {MOST_LINES} lines")
            return
        if event.data is None:
            return
        if event.data.strip() == DONE:
            self._over = self.done = True
            return
        self._began = True
        try:
            value = self._reader.read(event.text)
        except NotJsonError:
            self._take_unreadable(_raw_bytes(event), f"an event of the stream {_NO_JSON}")
            return
        if (error := self._context.dialect.error_in(value)) is not None:
            raise ReportedError(error)
        if isinstance(value, dict) and isinstance(usage := value.get("usage"), dict):
            self.usage = usage
        exact = self._context.passes_through or (event.exact and self._reader.exact)
        raw = _raw_bytes(event) if exact else None
        for number, part in self._split(value):
            own = raw if part is value else None
            size = len(own) if own else _UNKNOWN_BYTES
            one = Event(part, own, event.name, size, len(event.raw))
            (self.common if number < 0 else self._waiting[number]).append(one)

    def _split(self, value: Any) -> Iterable[tuple[int, Any]]:
        return self._context.dialect.split(value, self._replies, self._context.options)

    def _take_unreadable(self, raw: bytes, what: str) -> None:
        """Something, or nothing at all, that cannot be read. Raises Broken where that matters."""
        if not self._context.passes_through:
            raise Broken(f"{self._context.where}: {what}")
        for waiting in self._waiting[:1] if self._began else self._waiting:
            waiting.append(Event(None, raw, size=len(raw)))


def _raw_bytes(event: SseEvent) -> bytes:
    """The original bytes of an event, from its first line to a blank line."""
    raw = event.raw.lstrip(b"\r\n")
    return raw if event.ended else raw.rstrip(b"\r\n") + b"\n\n"
