"""Streamed bodies as pieces that the response path can hold back, and pieces as bytes again."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

from guard.flow import Codec, Exchange, Piece, call_ids, worst_verdict
from guard.records import Unread
from guard.replies.sse import verdict_comment
from guard.wrap.asgi.frames import (
    ESCAPED,
    EVENT_END,
    LINE_END,
    Frame,
    Layout,
    Splitter,
    encoded,
    event,
    line,
    new_event,
    new_line,
)


class StreamFormat(Protocol):
    """How one kind of stream is read and written. For one body."""

    @property
    def codec(self) -> Codec[Any]:
        """How the text in its pieces is seen."""
        ...

    def feed(self, chunk: bytes) -> Iterable[Any]:
        """The pieces that this chunk completes, each read when it is wanted."""
        ...

    def rest(self) -> Iterable[Any]:
        """The pieces of what is left when the body has ended."""
        ...

    def give_up(self, chunk: bytes, why: Unread) -> Any:
        """What is left and this chunk, as one piece that nobody reads."""
        ...

    def unjudged(self, piece: Any) -> bytes:
        """The bytes of a piece that nobody has to judge; nothing for every other."""
        ...

    def encode(self, piece: Any) -> bytes:
        """The bytes of a piece that was released."""
        ...

    def remainder(self) -> bytes:
        """What was released of a piece that was not released as a whole."""
        ...

    def trailer(self, exchange: Exchange) -> bytes:
        """What the guard has to say at the end, where there is room."""
        ...

    def error(self, error: str) -> bytes | None:
        """The end of a stream that was cut; None where a stream cannot say so."""
        ...


@dataclass(frozen=True, slots=True)
class UnreadBytes:
    """Bytes that are not read, and why."""

    raw: bytes
    why: Unread


class TextFormat:
    """Text in the codec `charset`; bytes that are none in it come out as they went in."""

    def __init__(self, charset: str) -> None:
        self._charset = charset
        self._decoder = codecs.getincrementaldecoder(charset)(ESCAPED)
        self.codec: Codec[str | UnreadBytes] = Codec(read=self._read, write=lambda _, text: text)

    def feed(self, chunk: bytes) -> list[str | UnreadBytes]:
        text = self._decoder.decode(chunk)
        return [text] if text else []

    def rest(self) -> list[str | UnreadBytes]:
        text = self._decoder.decode(b"", final=True)
        return [text] if text else []

    def give_up(self, chunk: bytes, why: Unread) -> UnreadBytes:
        return UnreadBytes(self._decoder.getstate()[0] + chunk, why)

    def unjudged(self, piece: str | UnreadBytes) -> bytes:
        del piece
        return b""

    def encode(self, piece: str | UnreadBytes) -> bytes:
        return piece.raw if isinstance(piece, UnreadBytes) else encoded(piece, self._charset)

    def remainder(self) -> bytes:
        return b""

    def trailer(self, exchange: Exchange) -> bytes:
        del exchange
        return b""

    def error(self, error: str) -> None:
        del error

    @staticmethod
    def _read(piece: str | UnreadBytes) -> Piece:
        if isinstance(piece, UnreadBytes):
            return Piece(None, unread=frozenset({piece.why}))
        return Piece(piece)


@dataclass(frozen=True, slots=True, kw_only=True)
class FramePart:
    """The characters `start` to `end` of the text of a frame. said: what stands in their place."""

    frame: Frame
    start: int
    end: int
    said: str | None = None


class FrameFormat:
    """Events or lines.

    A frame leaves, as it came, when all of its text is released. Where only a part is, that part
    leaves with the end of the stream, together with what is said in place of the rest.
    """

    def __init__(self, layout: Layout, *, events: bool) -> None:
        self._layout = layout
        self._events = events
        self._read_frame: Callable[[bytes, Layout], Frame] = event if events else line
        self._splitter = Splitter(EVENT_END if events else LINE_END)
        self._like: Frame | None = None
        self._other = False
        self._understood = True
        self._owed: FramePart | None = None
        self.codec: Codec[FramePart] = Codec(read=self._read, write=self._said, cut=_cut)

    def feed(self, chunk: bytes) -> Iterator[FramePart]:
        return map(self._part, self._splitter.feed(chunk))

    def rest(self) -> list[FramePart]:
        """Ends in an unread piece where no frame had the field at all."""
        raw = self._splitter.rest()
        parts = [self._part(raw)] if raw else []
        missing = self._other and self._understood and self._like is None
        return [*parts, _whole(_unread_frame(b"", Unread.NO_FIELD))] if missing else parts

    def give_up(self, chunk: bytes, why: Unread) -> FramePart:
        return _whole(_unread_frame(self._splitter.rest() + chunk, why))

    def unjudged(self, piece: FramePart) -> bytes:
        return piece.frame.raw if piece.frame.aside else b""

    def encode(self, piece: FramePart) -> bytes:
        owed, self._owed = self._owed, None
        if piece.said is not None:
            like = owed.frame if owed else piece.frame
            return self._made(like, _passed(owed) + piece.said)
        if piece.end < len(piece.frame.text or ""):
            self._owed = replace(piece, start=0)
            return b""
        return piece.frame.raw

    def trailer(self, exchange: Exchange) -> bytes:
        if not self._events:
            return b""
        return verdict_comment(call_ids([exchange]), worst_verdict([exchange]).value)

    def error(self, error: str) -> bytes:
        kind = "event: error\ndata: " if self._events else ""
        return f"{kind}{error}\n".encode("ascii") + b"\n" * self._events

    def remainder(self) -> bytes:
        owed, self._owed = self._owed, None
        return self._made(owed.frame, _passed(owed)) if owed else b""

    def _part(self, raw: bytes) -> FramePart:
        frame = self._read_frame(raw, self._layout)
        self._other = self._other or not frame.aside
        self._understood = self._understood and frame.text is not None
        if frame.rewrite is not None:
            self._like = frame
        return _whole(frame)

    def _made(self, like: Frame, text: str) -> bytes:
        if like.rewrite is not None:
            return like.rewrite(text)
        return (new_event if self._events else new_line)(self._layout, text)

    def _said(self, like: FramePart | None, text: str) -> FramePart:
        frame = self._like or (like.frame if like else Frame(raw=b""))
        return FramePart(frame=frame, start=0, end=0, said=text)

    @staticmethod
    def _read(piece: FramePart) -> Piece:
        return Piece(piece.frame.text, unread=piece.frame.unread)


def _unread_frame(raw: bytes, why: Unread) -> Frame:
    return Frame(raw=raw, text=None, unread=frozenset({why}))


def _whole(frame: Frame) -> FramePart:
    return FramePart(frame=frame, start=0, end=len(frame.text or ""))


def _passed(owed: FramePart | None) -> str:
    return (owed.frame.text or "")[: owed.end] if owed else ""


def _cut(piece: FramePart, count: int) -> tuple[FramePart, FramePart]:
    middle = piece.start + count
    return replace(piece, end=middle), replace(piece, start=middle)
