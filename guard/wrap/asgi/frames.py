"""Cuts a streamed body into events or lines, and says where the text in each of them is. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from guard.records import Unread
from guard.wrap.asgi.fields import Steps, Unreadable, blanked, parsed, replaced, texts, written

EVENT_END = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r(?!\Z))")
"""Two line ends. A carriage return that came last may be half of one, so more is waited for."""
LINE_END = re.compile(rb"(?>\r\n|\n)")
_BREAK = re.compile(r"\r\n|\n|\r")
_BOM = "\ufeff"
_LAST = "[DONE]"
_OTHERS = frozenset({"", "event", "id", "retry"})
ESCAPED = "surrogateescape"
"""How bytes that are no text are kept, so that they come out as they went in."""


class Splitter:
    """Frames, each with what ends it, from chunks cut anywhere. Together they are the body."""

    def __init__(self, end: re.Pattern[bytes]) -> None:
        self._end = end
        self._kept = bytearray()
        self._seen = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The frames that this chunk completes."""
        self._kept += chunk
        found, start = [], 0
        for end in self._end.finditer(self._kept, self._seen):
            found.append(bytes(self._kept[start : end.end()]))
            start = end.end()
        del self._kept[:start]
        self._seen = max(0, len(self._kept) - 3)
        return found

    def rest(self) -> bytes:
        """What stands behind the last end; for the end of the body, or to give up reading."""
        kept, self._kept, self._seen = bytes(self._kept), bytearray(), 0
        return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One event or line.

    raw: as it came. text: what is judged in it; None where that cannot be found, and then `unread`
    says why. aside: it holds no data at all, like a comment that keeps a connection
    open. rewrite: the same frame with another text; None where there is no place for one.
    """

    raw: bytes
    text: str | None = ""
    unread: frozenset[Unread] = frozenset()
    aside: bool = False
    rewrite: Callable[[str], bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the text is in the data of a frame. field: None is all of it."""

    field: Steps | None
    blank: tuple[Steps, ...] = ()

    def read(self, raw: bytes, data: str, whole: Callable[[str], bytes]) -> Frame:
        """whole: the frame with other data."""
        if data.strip() == _LAST:
            return Frame(raw=raw)
        if self.field is None:
            return Frame(raw=raw, text=data, rewrite=whole)
        if not data.strip():
            return Frame(raw=raw)
        try:
            return self._json(raw, data, whole)
        except Unreadable as fault:
            if fault.why is Unread.NO_FIELD:
                return Frame(raw=raw)
            return Frame(raw=raw, text=None, unread=frozenset({fault.why}))

    def made(self, text: str) -> str:
        """Data for a frame that has no other to be like."""
        document: object = text
        for step in reversed(self.field or ()):
            listed = step == "*" or step.isdecimal()
            document = [document] if listed else {step: document}
        return text if self.field is None else written(document)

    def _json(self, raw: bytes, data: str, whole: Callable[[str], bytes]) -> Frame:
        document = parsed(data)
        found = texts(document, self.field or ())
        if not found:
            return Frame(raw=raw)
        if len(found) > 1:
            raise Unreadable(Unread.SEVERAL_TEXTS)
        ((place, text),) = found

        def rewrite(other: str) -> bytes:
            return whole(written(replaced(blanked(document, self.blank), place, other)))

        return Frame(raw=raw, text=text, rewrite=rewrite)


def event(raw: bytes, layout: Layout) -> Frame:
    """An event of an event stream (`data:` lines, a blank line at the end).

    Lines of a name that event streams do not have make it unreadable: what calls itself an event
    stream is often bare text.
    """
    lines = _lines(raw)
    data = [_value(line) for line in lines if _name(line) == "data"]
    others = [line for line in lines if line and _name(line) != "data"]
    if not _OTHERS.issuperset(map(_name, others)):
        return Frame(raw=raw, text=None, unread=frozenset({Unread.NOT_EVENTS}))
    if not data:
        return Frame(raw=raw, aside=True)
    return layout.read(raw, "\n".join(data), lambda said: _event_of(said, others))


def line(raw: bytes, layout: Layout) -> Frame:
    """A line of JSON."""
    data = raw.decode("utf-8", ESCAPED).removeprefix(_BOM)
    return layout.read(raw, data, lambda said: encoded(said + "\n"))


def new_event(layout: Layout, text: str) -> bytes:
    """An event that says `text`, like none before it."""
    return _event_of(layout.made(text), ())


def new_line(layout: Layout, text: str) -> bytes:
    """The same as a line of JSON."""
    return encoded(layout.made(text) + "\n")


def encoded(text: str, charset: str = "utf-8") -> bytes:
    """The text as bytes, with a question mark for what the codec does not have."""
    try:
        return text.encode(charset, ESCAPED)
    except UnicodeEncodeError:
        return text.encode(charset, "replace")


def _event_of(data: str, others: Iterable[str]) -> bytes:
    told = [f"data: {line}" for line in _BREAK.split(data)]
    return encoded("\n".join([*others, *told, "", ""]))


def _lines(raw: bytes) -> list[str]:
    return _BREAK.split(raw.decode("utf-8", ESCAPED).removeprefix(_BOM))


def _name(line: str) -> str:
    return line.partition(":")[0]


def _value(line: str) -> str:
    return line.partition(":")[2].removeprefix(" ")
