"""The events of one reply that wait until their characters may be released."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guard.flow import Piece, Release, Say
from guard.gateway.judging.carving import beginning, replaced, without_copies
from guard.gateway.judging.json_text import json_bytes
from guard.gateway.judging.known import Kind
from guard.gateway.judging.placing import Text
from guard.gateway.judging.redacting import cleaned
from guard.gateway.judging.sse import written
from guard.gateway.judging.strings import UNPLACED, Found
from guard.records import Span, Unread
from guard.upstream import TooLarge

_UNKNOWN_BYTES = 500
LONGEST_UNCUT = 32
"""Characters of an event that is given whole or not at all, while nothing is withheld: so streams
of tokens stay as they are, and one of long pieces does not wait for the end of the next."""


@dataclass(slots=True)
class Event:
    """An event for one reply.

    value: of its JSON; None where it has none. raw: its bytes, None where it has to be written.
    name: of the event.
    """

    value: Any
    raw: bytes | None = None
    name: str = ""


class Voice(Protocol):
    """How one reply is read, and how it is ended in its stead."""

    def read(self, value: Any) -> Found:
        """The strings of an event."""

    def gave(self, value: Any) -> Any:
        """The event as it has to be written, now that the client gets it."""

    def blocked(self, value: Any, text: str) -> Iterable[Any]:
        """The events with which `text` is said in place of what is withheld. value: of an event of
        the stream, like which they are to be."""

    def blocked_whole(self, value: Any, text: str) -> Any:
        """A whole answer that says `text`, and nothing of what the model said. value: its own."""


END = Event(None, b"")
"""Comes after the last event of a reply."""


@dataclass(slots=True)
class _Part:
    """An event that waits. found: what is in it."""

    event: Event
    found: Found

    def passed(self, end: int) -> bool:
        """Whether it may be given where the text before `end` may."""
        return all(leaf.passed(end) for leaf in self.found.leaves)

    @property
    def is_early(self) -> bool:
        """Whether it holds tokens without their text, which must not leave before that does."""
        return self.found.encoded and not self.found.leaves

    @property
    def says_nothing(self) -> bool:
        """Whether it can be given where everything else is withheld."""
        found = self.found
        silent = not (found.leaves or found.unread or found.encoded)
        return silent and self.event.value is not None


class Waiting:
    """Keeps events and hands out bytes; see `flow.ReplyBuffer`.

    marker: for what is redacted. limit: of the characters of a reply, and of the bytes that wait.
    like: the last event.
    """

    def __init__(self, voice: Voice, *, marker: str, limit: int) -> None:
        self._voice = voice
        self._marker = marker
        self._limit = limit
        self.like: Any = None
        self.clear()

    def clear(self) -> None:
        """Forget everything: the model is asked again."""
        self._text = Text()
        self._parts: deque[_Part] = deque()
        self._length = self._passed = self._held = 0
        self._complete = self._ends_blank = False

    def add(self, event: Event) -> Piece:
        """Keep an event; what is in it, as far as it is judged. Raises TooLarge."""
        if event is END:
            self._complete = True
            return Piece(self._text.finish())
        if event.value is None:
            self._parts.append(_Part(event, Found()))
            return Piece(None)
        found = self._voice.read(event.value)
        self.like = event.value
        text = self._text.place(found.leaves)
        self._length += sum(len(leaf.text) for leaf in found.leaves)
        self._held += _size(event)
        if max(self._length, self._held) > self._limit:
            raise TooLarge(f"a stream has a reply of more than {self._limit} bytes to hold")
        self._parts.append(_Part(event, found))
        return piece_of(found, text)

    def take(self, step: Release | Say) -> Sequence[bytes]:
        """What the client gets by this step."""
        if isinstance(step, Release):
            return self._up_to(step.end)
        if step.cleaned:
            return self._cleaned(step.cleaned)
        return self._blocked(step.text)

    def written(self, value: Any) -> bytes:
        """An event of our own; only those of the Responses API have a name."""
        return self._written(Event(value, None, str(value.get("type", ""))))

    def _up_to(self, end: int) -> list[bytes]:
        self._passed = end
        out = []
        while (count := self._ready(end)) > 0:
            for _ in range(count):
                part = self._parts.popleft()
                self._held -= _size(part.event)
                if leaves := part.found.leaves:
                    self._ends_blank = leaves[-1].text[-1:].isspace()
                out.append(self._written(part.event))
        if self._parts and _length(self._parts[0]) > LONGEST_UNCUT:
            out += self._ahead()
        return out

    def _ready(self, end: int) -> int:
        """How many events may be given at once: the next one, and with tokens that come ahead of
        their text the one that has it."""
        for count, part in enumerate(self._parts, 1):
            if not part.passed(end):
                return 0
            if not part.is_early:
                return count
        return len(self._parts) if self._complete else 0

    def _ahead(self) -> list[bytes]:
        """What may leave ahead of the event that waits next."""
        head = _head(self._parts[0], self._passed)
        if head is None:
            return []
        self._ends_blank = False
        return [self._written(head)]

    def _cleaned(self, spans: Sequence[Span]) -> list[bytes]:
        leaves = [leaf for part in self._parts for leaf in part.found.leaves]
        texts = iter(cleaned(leaves, spans, self._marker))
        out = []
        for part in self._parts:
            new = {leaf.path: next(texts) for leaf in part.found.leaves}
            value = without_copies(replaced(part.event.value, new))
            out.append(self._written(Event(value, None, part.event.name)))
        self._parts.clear()
        return out

    def _blocked(self, text: str) -> list[bytes]:
        out = []
        while self._parts and self._parts[0].says_nothing:
            out.append(self._written(self._parts.popleft().event))
        out += self._ahead() if self._parts else []
        self._parts.clear()
        said = self._voice.blocked(self.like, text[self._ends_blank and text[:1] == " " :])
        return out + [self.written(value) for value in said]

    def _written(self, event: Event) -> bytes:
        value = event.value if event.value is None else self._voice.gave(event.value)
        return event_bytes(event if value is event.value else Event(value, None, event.name))


def _size(event: Event) -> int:
    """About how much memory it takes, in bytes."""
    return len(event.raw) if event.raw else _UNKNOWN_BYTES


def event_bytes(event: Event) -> bytes:
    """An event as it came, or else as it is written."""
    return event.raw or written(json_bytes(event.value), event.name)


def piece_of(found: Found, text: str) -> Piece:
    """What is told of `found`, whose place in the reply is `text`. Neither the arguments of a tool
    nor something spoken can be said in other words."""
    fixed = any(leaf.kind is Kind.TOOL or leaf.fixed for leaf in found.leaves)
    return Piece(
        text,
        structured=fixed or Unread.AUDIO in found.unread,
        unread=frozenset(found.unread),
    )


def _length(part: _Part) -> int:
    return sum(len(leaf.text) for leaf in part.found.leaves if not leaf.repeats)


def _head(part: _Part, end: int) -> Event | None:
    """What may leave ahead of `part` when the characters before `end` may; the rest stays in it."""
    leaves = part.found.leaves
    ahead = [leaf for leaf in leaves if leaf.text and UNPLACED < leaf.start < end]
    if not ahead or any(leaf.whole for leaf in ahead) or any(leaf.fixed for leaf in leaves):
        return None
    first = {leaf.path: leaf.text[: end - leaf.start] for leaf in ahead}
    rest = {leaf.path: leaf.text[end - leaf.start :] for leaf in ahead}
    value = beginning(part.event.value, first)
    part.event = Event(replaced(part.event.value, rest), None, part.event.name)
    for leaf in ahead:
        leaf.text = rest[leaf.path]
        leaf.start = max(leaf.start, end)
    return Event(value, None, part.event.name)
