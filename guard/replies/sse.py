"""Parses server-sent events and JSON lines from chunks of bytes, and writes events.

The frames do not depend on how the bytes are cut into chunks; concatenated, they are the bytes.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from guard.replies.schema import is_name

EVENT_END = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r(?!\Z))")
"""Two line ends. A carriage return that came last may be half of one, so more is waited for."""
LINE_END = re.compile(rb"(?>\r\n|\n)")
DONE = b"[DONE]"
BOM = b"\xef\xbb\xbf"
_BLANK_LINES = (b"\n\n", b"\n\r", b"\n\r\n", b"\r\r", b"\r\r\n")
_LINE_BREAK = re.compile(rb"\r\n|\n|\r")
_LONGEST_END = 4
MOST_LINES = 20_000
"""Line ends of an event that is parsed."""


class TooLongError(Exception):
    """A frame is larger than allowed."""


class FrameSplitter:
    """Cuts chunks of bytes into frames, each with what ends it.

    limit_bytes: of one frame; raises TooLongError above it.
    """

    def __init__(self, end: re.Pattern[bytes], limit_bytes: int) -> None:
        self._end = end
        self._limit_bytes = limit_bytes
        self._kept = bytearray()
        self._searched = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The frames that end in `chunk`."""
        self._kept += chunk
        found, start, longest = [], 0, 0
        for end in self._end.finditer(self._kept, self._searched):
            found.append(bytes(self._kept[start : end.end()]))
            longest = max(longest, end.end() - start)
            start = end.end()
        del self._kept[:start]
        self._searched = max(0, len(self._kept) - _LONGEST_END + 1)
        if max(longest, len(self._kept)) > self._limit_bytes:
            raise TooLongError
        return found

    @property
    def waiting_bytes(self) -> int:
        """How much there is of the frame that has not ended."""
        return len(self._kept)

    def rest(self) -> bytes:
        """Remove and return the incomplete last frame."""
        kept, self._kept, self._searched = bytes(self._kept), bytearray(), 0
        return kept


class SseEvent(NamedTuple):
    """A frame of an event stream.

    raw: as it came. data: its `data` lines joined; None where there is none, as in a comment.
    others: its other lines. is_unread: it has too many lines to be parsed.
    """

    raw: bytes
    data: bytes | None = None
    others: tuple[bytes, ...] = ()
    is_unread: bool = False

    @property
    def text(self) -> str:
        """The data as text, with a replacement character for bytes that are no UTF-8."""
        return (self.data or b"").decode("utf-8", "replace")

    @property
    def name(self) -> str:
        """The name of the event, where it looks like one; else empty."""
        called = self._called
        return called if called and is_name(called) else ""

    @property
    def exact(self) -> bool:
        """Whether `raw` says nothing but the data and names, so that it may go out as it is."""
        if self.data is None or not _is_utf8(self.data):
            return False
        return all(map(_is_plain, self.others))

    @property
    def ended(self) -> bool:
        """Whether a blank line ended it."""
        return self.raw.endswith(_BLANK_LINES)

    @property
    def field_names(self) -> frozenset[bytes]:
        """The names of its other lines; a comment has an empty one."""
        return frozenset(line.partition(b":")[0] for line in self.others)

    def with_data(self, data: bytes) -> bytes:
        """The same event with other data, of any number of lines."""
        lines = [b"data: " + line for line in _LINE_BREAK.split(data)]
        return b"\n".join([*self.others, *lines, b"", b""])

    @property
    def _called(self) -> str:
        if not self.others:
            return ""
        named = [line for line in self.others if line.partition(b":")[0] == b"event"]
        return _value(named[-1]).decode("utf-8", "replace") if named else ""


class EventSplitter:
    """Parses an event stream. A byte order mark at the start is a frame of its own."""

    def __init__(self, limit_bytes: int) -> None:
        self._frames = FrameSplitter(EVENT_END, limit_bytes)
        self._start: bytes | None = b""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that end in `chunk`. Raises TooLongError."""
        if self._start is None:
            return [event_of(raw) for raw in self._frames.feed(chunk)]
        start = self._start + chunk
        if len(start) < len(BOM) and BOM.startswith(start):
            self._start = start
            return []
        self._start = None
        marks = [SseEvent(BOM)] if start.startswith(BOM) else []
        return marks + self.feed(start.removeprefix(BOM))

    @property
    def waiting_bytes(self) -> int:
        """How much there is of the event that has not ended."""
        return self._frames.waiting_bytes

    def end(self) -> list[SseEvent]:
        """The last event, if no blank line ended it."""
        raw = self.rest()
        return [event_of(raw)] if raw else []

    def rest(self) -> bytes:
        """Remove and return the incomplete last frame."""
        start, self._start = self._start or b"", None
        return start + self._frames.rest()


def event_of(raw: bytes) -> SseEvent:
    """Parses one frame of at most MOST_LINES lines."""
    if line_ends(raw) > MOST_LINES:
        return SseEvent(raw, is_unread=True)
    data, others = [], []
    for line in raw.splitlines():
        if line.startswith(b"data:") or line == b"data":
            data.append(_value(line))
        elif line:
            others.append(line)
    return SseEvent(raw, b"\n".join(data) if data else None, tuple(others))


def line_ends(raw: bytes) -> int:
    """How many line ends there are; one of two characters counts twice."""
    return raw.count(b"\n") + raw.count(b"\r")


def write_event(data: bytes, name: str = "") -> bytes:
    """An event with this data, which holds no line end."""
    return (f"event: {name}\n".encode() if name else b"") + b"data: " + data + b"\n\n"


def _value(line: bytes) -> bytes:
    return line.partition(b":")[2].removeprefix(b" ")


def _is_plain(line: bytes) -> bool:
    """Whether a line beside the data is harmless: a name or a number."""
    field = line.partition(b":")[0]
    value = _value(line).decode("utf-8", "replace")
    if field == b"event" and not value:
        return True
    return field in {b"event", b"id", b"retry"} and is_name(value)


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def verdict_comment(call_ids: str, verdict: str) -> bytes:
    """A comment with the verdict, for the end of an event stream; clients ignore comments."""
    fields = {"call_id": call_ids, "verdict": verdict}
    return b": guard " + json.dumps(fields).encode("ascii") + b"\n\n"
