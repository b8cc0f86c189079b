"""The events of one reply that wait until their characters may be released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from guard.flow import Piece, Release, Say
from guard.gateway.judging.context import write_json
from guard.gateway.judging.formats import ReplyFormat
from guard.records import Span, Unread
from guard.replies.assemble import Assembly
from guard.replies.edit import drop_tokens, replace_texts, take_head
from guard.replies.fields import Extraction
from guard.replies.kinds import ReplyKind
from guard.replies.sse import write_event
from guard.upstream import TooLarge

_UNKNOWN_BYTES = 500


@dataclass(frozen=True, slots=True)
class Event:
    """An event for one reply.

    value: of its JSON; None where it has none. raw: its bytes, None where it has to be written.
    name: of the event.
    """

    value: Any
    raw: bytes | None = None
    name: str = ""

    @property
    def size(self) -> int:
        """About how much memory it takes, in bytes."""
        return len(self.raw) if self.raw else _UNKNOWN_BYTES


END = Event(None, b"")
"""Comes after the last event of a reply."""


class EventBuffer:
    """Keeps events and gives bytes; a `flow.ReplyBuffer`.

    marker: for what is redacted. limit: of the characters of a reply, and of the bytes that wait.
    like: the last event.
    """

    def __init__(self, reply_format: ReplyFormat, *, marker: str, limit: int) -> None:
        self._format = reply_format
        self._marker = marker
        self._limit = limit
        self.like: Any = None
        self.clear()

    def clear(self) -> None:
        self._assembly: Assembly[Event] = Assembly()
        self._length = self._held = self._passed = 0

    def add(self, event: Event) -> Piece:
        """Keep an event; what is in it, as far as it is judged. Raises TooLarge."""
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
        return piece_of(found, text)

    def take(self, step: Release | Say) -> Sequence[bytes]:
        if isinstance(step, Release):
            return self._release(step.end)
        return self._redact(step.cleaned) if step.cleaned else self._block(step.text)

    def write(self, value: Any) -> bytes:
        """An event of our own; only those of the Responses API have a name."""
        return self._write(Event(value, None, str(value.get("type", ""))))

    def _release(self, end: int) -> list[bytes]:
        self._passed = end
        events = self._assembly.release(end)
        self._held -= sum(event.size for event in events)
        out = [self._write(event) for event in events]
        return out + self._release_head() if self._assembly.next_is_long else out

    def _release_head(self) -> list[bytes]:
        """What may leave ahead of the event that waits next."""
        split = self._assembly.split_next(self._passed)
        if split is None:
            return []
        event, first, rest = split
        head = Event(take_head(event.value, first), None, event.name)
        self._assembly.replace_next(Event(replace_texts(event.value, rest), None, event.name))
        return [self._write(head)]

    def _redact(self, spans: Sequence[Span]) -> list[bytes]:
        return [
            self._write(Event(drop_tokens(replace_texts(event.value, texts)), None, event.name))
            for event, texts in self._assembly.redact(spans, self._marker)
        ]

    def _block(self, text: str) -> list[bytes]:
        out = [self._write(event) for event in self._assembly.release_silent()]
        out += self._release_head()
        self._assembly.drop()
        said = text[self._assembly.ends_blank and text[:1] == " " :]
        return out + [self.write(one) for one in self._format.withheld_events(self.like, said)]

    def _write(self, event: Event) -> bytes:
        value = event.value if event.value is None else self._format.track(event.value)
        return event_bytes(event if value is event.value else Event(value, None, event.name))


def event_bytes(event: Event) -> bytes:
    """An event as it came, or else as it is written."""
    return event.raw or write_event(write_json(event.value), event.name)


def piece_of(found: Extraction, text: str) -> Piece:
    """What is told of `found`, by which the judged text grows by `text`. Neither the arguments of a
    tool nor something spoken can be said in other words."""
    structured = Unread.AUDIO in found.unread
    for field in found.fields:
        structured = structured or field.fixed or field.kind is ReplyKind.TOOL
    return Piece(text, structured=structured, unread=found.unread)
