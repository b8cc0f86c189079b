"""Streamed bodies as pieces that the response path can hold back, and pieces as bytes again."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from guard.flow import Codec, Piece
from guard.records import Unread
from guard.replies.edit import blank, drop_log_probabilities, replace_texts
from guard.replies.fields import Steps, TextField, UnreadableError, fields_at
from guard.replies.json_text import json_text
from guard.replies.sse import (
    DONE,
    LINE_END,
    EventSplitter,
    FrameSplitter,
    SseEvent,
    event_of,
    write_event,
)
from guard.wrap.asgi.http import BodyKind, Headers, body_kind, charset_of, header_value
from guard.wrap.asgi.whole_body import ESCAPED, TEXT_OR_UNREAD, UnreadBytes, encode_text, read_json

_BOM = "\ufeff"
_EVENT_FIELDS = frozenset({b"", b"event", b"id", b"retry"})


class TextFormat:
    """Text in the codec `charset`; bytes that are none in it come out as they went in.

    has_comments: whether the guard can say something at the end that is no part of the text.
    """

    has_comments = False
    codec = TEXT_OR_UNREAD

    def __init__(self, charset: str) -> None:
        self._charset = charset
        self._decoder = codecs.getincrementaldecoder(charset)(ESCAPED)

    def feed(self, chunk: bytes) -> Iterator[str | UnreadBytes]:
        """The pieces that this chunk completes."""
        if text := self._decoder.decode(chunk):
            yield text

    @property
    def waiting_bytes(self) -> int:
        """How much has come of a piece that is not complete."""
        return 0

    def rest(self) -> list[str | UnreadBytes]:
        """The pieces of what is left when the body has ended."""
        text = self._decoder.decode(b"", final=True)
        return [text] if text else []

    def give_up(self, chunk: bytes, why: Unread) -> UnreadBytes:
        """What is left and this chunk, as one piece that is not read."""
        return UnreadBytes(self._decoder.getstate()[0] + chunk, why)

    def encode(self, piece: str | UnreadBytes) -> bytes:
        """The bytes of a piece that was released."""
        return piece.raw if isinstance(piece, UnreadBytes) else encode_text(piece, self._charset)

    def remainder(self) -> bytes:
        """What was released of a piece that was not released as a whole."""
        return b""

    def error(self, error: str) -> None:
        """The end of a stream that was cut; None where the format cannot say so."""
        del error


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One event or line.

    raw: as it came. text: what is judged in it; None where that cannot be found, and then `unread`
    says why. rewrite: the same frame with another text and without its copies; None where there is
    no place for one. strip: the same frame without copies of a text that stands elsewhere.
    """

    raw: bytes = field(repr=False)
    text: str | None = field(default="", repr=False)
    unread: frozenset[Unread] = frozenset()
    rewrite: Callable[[str], bytes] | None = None
    strip: Callable[[], bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPlace:
    """Where the text is in the data of a frame. field: None is all of it. blank: its copies."""

    field: Steps | None
    blank: tuple[Steps, ...] = ()

    def read(self, raw: bytes, data: str, write: Callable[[str], bytes]) -> Frame:
        """The frame with this data. write: the frame with other data."""
        if data.strip() == DONE.decode("ascii"):
            return Frame(raw=raw)
        if self.field is None:
            return Frame(raw=raw, text=data, rewrite=write)
        if not data.strip():
            return Frame(raw=raw)
        try:
            return self._read_field(raw, read_json(data.encode("utf-8", ESCAPED)), write)
        except UnreadableError as error:
            return _unread(raw, error.why)

    def new_data(self, text: str) -> str:
        """Data that says `text`, for a frame that is like no other."""
        document: object = text
        for step in reversed(self.field or ()):
            listed = step == "*" or step.isdecimal()
            document = [document] if listed else {step: document}
        return text if self.field is None else json_text(document)

    def _read_field(self, raw: bytes, document: Any, write: Callable[[str], bytes]) -> Frame:
        found = self._fields(document)
        if not found:
            return Frame(raw=raw, strip=lambda: write(json_text(self._stripped(document))))
        if len(found) > 1:
            raise UnreadableError(Unread.SEVERAL_TEXTS)
        (field,) = found

        def rewrite(text: str) -> bytes:
            return write(json_text(replace_texts(self._stripped(document), {field.path: text})))

        return Frame(raw=raw, text=field.text, rewrite=rewrite)

    def _stripped(self, document: Any) -> Any:
        """Without copies of the text; log probabilities are copies wherever they stand."""
        return drop_log_probabilities(blank(document, self.blank))

    def _fields(self, document: Any) -> list[TextField]:
        try:
            return fields_at(document, self.field or ())
        except UnreadableError as error:
            if error.why is Unread.NO_FIELD:
                return []
            raise


class EventFrames:
    """The frames of an event stream.

    A line with a field that event streams do not have makes its event unreadable: what calls itself
    an event stream is often bare text.
    """

    def __init__(self, place: TextPlace, limit_bytes: int) -> None:
        self._place = place
        self.splitter = EventSplitter(limit_bytes)

    def read(self, item: SseEvent | bytes) -> Frame | bytes:
        """The frame of an event, or of the bytes behind the last one; a comment stays bytes."""
        event = event_of(item) if isinstance(item, bytes) else item
        if event.is_unread:
            return _unread(event.raw, Unread.TOO_LARGE)
        if not event.field_names <= _EVENT_FIELDS:
            return _unread(event.raw, Unread.NOT_EVENTS)
        if event.data is None:
            return event.raw
        data = event.data.decode("utf-8", ESCAPED)
        return self._place.read(event.raw, data, lambda new: event.with_data(encode_text(new)))

    def new(self, text: str) -> bytes:
        """A frame that says `text`, like none before it."""
        return SseEvent(b"").with_data(encode_text(self._place.new_data(text)))

    def error(self, error: str) -> bytes:
        """The end of a stream that was cut."""
        return write_event(error.encode("ascii"), "error")


class LineFrames:
    """The frames of a body of JSON lines; see `EventFrames`."""

    def __init__(self, place: TextPlace, limit_bytes: int) -> None:
        self._place = place
        self.splitter = FrameSplitter(LINE_END, limit_bytes)

    def read(self, item: bytes) -> Frame:
        data = item.decode("utf-8", ESCAPED).removeprefix(_BOM)
        return self._place.read(item, data, _line)

    def new(self, text: str) -> bytes:
        return _line(self._place.new_data(text))

    def error(self, error: str) -> bytes:
        return _line(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class FramePart:
    """The characters `start` to `end` of the text of a frame.

    edited: what stands in their place. said: what is said in place of the rest of the reply.
    """

    frame: Frame
    start: int
    end: int
    edited: str | None = None
    said: str | None = None

    @property
    def text(self) -> str:
        """What is given of the frame."""
        own = (self.frame.text or "")[self.start : self.end]
        return own if self.edited is None else self.edited

    @property
    def is_last(self) -> bool:
        """Whether no other part of the frame follows."""
        return self.end >= len(self.frame.text or "")

    def joined(self, before: FramePart | None) -> FramePart:
        """With the part before it."""
        if before is None:
            return self
        unchanged = before.edited is None and self.edited is None
        edited = None if unchanged else before.text + self.text
        return replace(self, start=before.start, edited=edited)


class FrameFormat:
    """Events or lines.

    A frame leaves, as it came, when all of its text is released. Where only a part is, that part
    leaves with the end of the stream, together with what is said in place of the rest. Once
    something was redacted, frames leave without copies of their texts.
    """

    def __init__(self, frames: EventFrames | LineFrames) -> None:
        self._frames = frames
        self.has_comments = isinstance(frames, EventFrames)
        self._like: Frame | None = None
        self._has_data = False
        self._is_readable = True
        self._is_redacted = False
        self._owed: FramePart | None = None
        self.codec: Codec[FramePart] = Codec(
            read=self._read, write=self._say, cut=_cut, edit=_edited
        )

    def feed(self, chunk: bytes) -> Iterator[FramePart | bytes]:
        """The pieces that this chunk completes; comments, which are not judged, as bytes."""
        return map(self._part, self._frames.splitter.feed(chunk))

    @property
    def waiting_bytes(self) -> int:
        return self._frames.splitter.waiting_bytes

    def rest(self) -> list[FramePart | bytes]:
        """The pieces of what is left when the body has ended, with an unread one behind them where
        no frame had the field at all."""
        raw = self._frames.splitter.rest()
        parts = [self._part(raw)] if raw else []
        missing = self._has_data and self._is_readable and self._like is None
        return [*parts, _whole(_unread(b"", Unread.NO_FIELD))] if missing else parts

    def give_up(self, chunk: bytes, why: Unread) -> FramePart:
        return _whole(_unread(self._frames.splitter.rest() + chunk, why))

    def encode(self, piece: FramePart) -> bytes:
        owed, self._owed = self._owed, None
        if piece.said is not None:
            like = owed.frame if owed else piece.frame
            return self._written(like, (owed.text if owed else "") + piece.said)
        part = piece.joined(owed)
        if not part.is_last:
            self._owed = part
            return b""
        self._is_redacted = self._is_redacted or part.edited is not None
        return self._stripped(part) if self._is_redacted else part.frame.raw

    def error(self, error: str) -> bytes:
        return self._frames.error(error)

    def remainder(self) -> bytes:
        owed, self._owed = self._owed, None
        return self._written(owed.frame, owed.text) if owed else b""

    def _part(self, item: Any) -> FramePart | bytes:
        frame = self._frames.read(item)
        if isinstance(frame, bytes):
            return frame
        self._has_data = True
        self._is_readable = self._is_readable and frame.text is not None
        if frame.rewrite is not None:
            self._like = frame
        return _whole(frame)

    @staticmethod
    def _stripped(part: FramePart) -> bytes:
        frame = part.frame
        if frame.rewrite is not None:
            return frame.rewrite(part.text)
        return frame.raw if frame.strip is None else frame.strip()

    def _written(self, like: Frame, text: str) -> bytes:
        return self._frames.new(text) if like.rewrite is None else like.rewrite(text)

    def _say(self, like: FramePart | None, text: str) -> FramePart:
        frame = self._like or (like.frame if like else Frame(raw=b""))
        return FramePart(frame=frame, start=0, end=0, said=text)

    @staticmethod
    def _read(piece: FramePart) -> Piece:
        return Piece(piece.frame.text, unread=piece.frame.unread)


def _unread(raw: bytes, why: Unread) -> Frame:
    return Frame(raw=raw, text=None, unread=frozenset({why}))


def _line(data: str) -> bytes:
    return encode_text(data + "\n")


def _whole(frame: Frame) -> FramePart:
    return FramePart(frame=frame, start=0, end=len(frame.text or ""))


def _edited(piece: FramePart, text: str) -> FramePart:
    return replace(piece, edited=text)


def _cut(piece: FramePart, count: int) -> tuple[FramePart, FramePart]:
    middle = piece.start + count
    return replace(piece, end=middle), replace(piece, start=middle)


StreamFormat = TextFormat | FrameFormat


def stream_format(
    headers: Headers, field: Steps | None, blank_fields: tuple[Steps, ...], limit_bytes: int
) -> StreamFormat | None:
    """How to read a streamed body; None for one that is better judged whole.

    field, blank_fields: see `TextPlace`. limit_bytes: of one event or line.
    """
    match body_kind(headers):
        case BodyKind.EVENTS:
            place = TextPlace(field=field, blank=blank_fields)
            return FrameFormat(EventFrames(place, limit_bytes))
        case BodyKind.LINES:
            place = TextPlace(field=field or (), blank=blank_fields)
            return FrameFormat(LineFrames(place, limit_bytes))
        case BodyKind.TEXT if not header_value(headers, "content-length"):
            return TextFormat(charset_of(headers) or "utf-8")
    return None
