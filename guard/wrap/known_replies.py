"""The replies of a wrapped function while they wait: texts, and objects of known libraries."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from guard.flow import STRINGS, Codec, Given, Piece, Pieces, Redact, Say
from guard.flow.steps import ReplyBuffer
from guard.policy import Hold, Policy
from guard.records import Unread
from guard.replies.assemble import Assembly
from guard.replies.edit import drop_copies, replace_texts
from guard.replies.fields import Path, ReadOptions, extract
from guard.replies.known import KnownReply, choice_index, known_reply, single_choices
from guard.wrap.reply_objects import (
    UnknownObjectError,
    built_event,
    built_like,
    edited,
    own_copy,
    plain_value,
)
from guard.wrap.segment import StreamSegment, is_silent
from guard.wrap.text_pieces import STREAMED_TEXTS, TEXTS, is_text

END = object()
"""Comes after the last piece of a reply."""
_LANGCHAIN = "langchain_core.messages"
_MESSAGES = ("ai", "AIMessageChunk")
_log = logging.getLogger("guard.wrap")


class UnreadNotice:
    """Says once for each type that replies of it are not read.

    where: what the user called. remedy: what can be done about it.
    """

    def __init__(self, where: str, remedy: str) -> None:
        self._where = where
        self._remedy = remedy
        self._told: set[type] = set()

    def tell(self, piece: object) -> None:
        """About this piece."""
        if piece is None or type(piece) in self._told:
            return
        self._told.add(type(piece))
        _log.warning(
            "%s: replies of the type %s are not read, so they are not scored and `on_unscored`"
            " decides about them; %s",
            self._where,
            f"{type(piece).__module__}.{type(piece).__qualname__}{_unknown_in(piece)}",
            self._remedy,
        )


class EndedPieces(Pieces[Any]):
    """Pieces after which END may come. notice: told of those that are not read."""

    def __init__(self, codec: Codec[Any], notice: UnreadNotice) -> None:
        super().__init__(codec)
        self._notice = notice

    def add(self, piece: Any) -> Piece:
        if piece is END:
            return Piece("")
        found = super().add(piece)
        if found.text is None:
            self._notice.tell(piece)
        return found


class AnyReplyBuffer:
    """Takes the pieces of one reply, then END; the first that is recognised says what they are.

    Those ahead of it are given unread; they count as such, unless they belong to a stream and say
    nothing. Where texts and objects alternate in a stream, each run of one kind is a segment.
    streamed: the reply comes in pieces. A `flow.ReplyBuffer`.
    """

    def __init__(self, policy: Policy, notice: UnreadNotice, *, streamed: bool) -> None:
        self._policy = policy
        self._notice = notice
        self._copies = streamed and policy.may_withhold and policy.hold is not Hold.NONE
        self._options = ReadOptions(
            reads_reasoning=policy.reads_reasoning,
            reads_tool_calls=policy.reads_tool_calls,
            streamed=streamed,
        )
        self.clear()

    def clear(self) -> None:
        self._segments: deque[StreamSegment] = deque()
        self._ahead: list[Any] = []

    def add(self, piece: Any) -> Piece:
        if self._copies and (isinstance(piece, bytearray | memoryview) or _is_langchain(piece)):
            piece = own_copy(piece)
        if piece is not END and (buffer := self._begun_by(piece)) is not None:
            ended = [self._segments[-1].add(END)] if self._segments else []
            start = self._segments[-1].end if self._segments else 0
            self._segments.append(StreamSegment(buffer=buffer, start=start))
            return _joined([*ended, self._segments[-1].add(piece)])
        if self._segments:
            return self._segments[-1].add(piece)
        if piece is END:
            return Piece("")
        self._ahead.append(piece)
        if self._options.streamed and self._says_nothing(piece):
            return Piece("")
        self._notice.tell(piece)
        return Piece(None)

    def take(self, step: Given) -> Sequence[Any]:
        ahead, self._ahead = self._ahead, []
        if isinstance(step, Say):
            said = self._segments[-1].buffer if self._segments else Pieces(STRINGS)
            return said.take(step)
        taken = [piece for one in self._segments for piece in one.take(step)]
        while len(self._segments) > 1 and self._segments[0].end <= step.end:
            self._segments.popleft()
        return [*ahead, *taken]

    def _begun_by(self, piece: Any) -> ReplyBuffer[Any, Any] | None:
        """The buffer of the segment that begins with this piece; None where none does."""
        if not self._segments:
            return None if self._is_silent(piece) else self._choose(piece)
        follows_texts = isinstance(self._segments[-1].buffer, EndedPieces)
        if is_text(piece) is follows_texts or self._is_silent(piece):
            return None
        return self._choose(piece)

    def _choose(self, piece: Any) -> ReplyBuffer[Any, Any] | None:
        if is_text(piece):
            return EndedPieces(STREAMED_TEXTS if self._options.streamed else TEXTS, self._notice)
        if _is_langchain(piece) and (made := _message_buffer(self._policy)) is not None:
            return made
        value = _value_of(piece)
        known = None if value is None else known_reply(value, self._options)
        if known is None:
            return None
        return ObjectBuffer(known, self._policy, self._notice, streamed=self._options.streamed)

    def _is_silent(self, piece: Any) -> bool:
        return self._options.streamed and is_silent(piece)

    def _says_nothing(self, piece: Any) -> bool:
        value = _value_of(piece)
        return is_silent(piece) or (value is not None and extract(value, self._options).is_empty)


@dataclass(frozen=True, slots=True)
class _Item:
    """A piece and what is in it; None for one that is not read."""

    thing: Any
    value: Mapping[str, Any] | None


class ObjectBuffer:
    """Takes the objects of a known API, and gives objects of the same types.

    Of the choices of a stream the first one is judged as it comes. The others wait for its end:
    what is judged is one text, and in it nothing may come between the words of a choice.
    """

    def __init__(
        self, known: KnownReply, policy: Policy, notice: UnreadNotice, *, streamed: bool
    ) -> None:
        self._known = known
        self._notice = notice
        self._withholds = policy.may_withhold and policy.hold is not Hold.NONE
        self._copies = self._withholds and streamed
        self._splits = self._copies and known.in_events
        self.clear()

    def clear(self) -> None:
        self._assembly: Assembly[_Item] = Assembly(_edit)
        self._last: Mapping[str, Any] = {}
        self._seen: dict[type, Any] = {}
        self._first: int | None = None
        self._others: list[_Item] = []

    def add(self, piece: Any) -> Piece:
        if piece is END:
            return self._finish()
        value = _value_of(piece)
        if value is None:
            self._assembly.add_unreadable(_Item(piece, None))
            if self._known.in_events and is_silent(piece):
                return Piece("")
            self._notice.tell(piece)
            return Piece(None, unread=frozenset({Unread.NOT_TEXT}))
        piece = own_copy(piece) if self._copies else piece
        self._seen.pop(type(piece), None)
        self._seen[type(piece)] = piece
        self._last = value
        if not self._splits:
            return self._put(_Item(piece, value))
        items = [_Item(edited(piece, value, one), one) for one in single_choices(value)]
        return _joined([self._put(item) for item in items if not self._waits(item)])

    def _waits(self, item: _Item) -> bool:
        """Keep what is not of the first choice, and what comes behind it and is of none."""
        index = choice_index(item.value)
        if self._first is None:
            self._first = index
        if index == self._first or (index is None and not self._others):
            return False
        self._known.format.read(item.value)  # so that its choice is ended too where all is withheld
        self._others.append(item)
        return True

    def _put(self, item: _Item) -> Piece:
        found = self._known.format.read(item.value)
        text = self._assembly.add(item, found)
        reason = self._known.format.finish_reason(item.value)
        structured = found.is_structured or self._assembly.cuts_words
        return Piece(text, structured=structured, unread=found.unread, finish_reason=reason)

    def _finish(self) -> Piece:
        others = sorted(self._others, key=_choice_last)
        self._others = []
        last = _joined([self._put(item) for item in others])
        return replace(last, text=(last.text or "") + self._assembly.finish())

    def take(self, step: Given) -> Sequence[Any]:
        if isinstance(step, Say):
            return list(self._withheld(step.text))
        if isinstance(step, Redact):
            self._assembly.redact(step.spans, step.marker)
        waiting = self._assembly.release(step.end) if self._withholds else self._assembly.drop()
        return [self._given(item) for item in waiting]

    def _withheld(self, text: str) -> Iterator[Any]:
        if not self._known.in_events:
            self._assembly.drop()
            yield built_like(self._latest, self._known.format.withheld_body(self._last, text))
            return
        for item in self._assembly.release_silent():
            yield self._given(item)
        self._assembly.drop()
        self._others = []
        said = text[self._assembly.ends_blank and text[:1] == " " :]
        for event in self._known.format.withheld_events(self._last, said):
            yield built_event(reversed(self._seen.values()), self._known.format.track(event))

    @property
    def _latest(self) -> Any:
        return next(reversed(self._seen.values()), {})

    def _given(self, item: _Item) -> Any:
        if item.value is None or not self._known.in_events:
            return item.thing
        return edited(item.thing, item.value, self._known.format.track(item.value))


def _joined(pieces: Sequence[Piece]) -> Piece:
    """Some pieces as one."""
    if len(pieces) == 1:
        return pieces[0]
    return Piece(
        "".join(one.text or "" for one in pieces),
        structured=any(one.structured for one in pieces),
        unread=frozenset().union(*map(_unread_in, pieces)),
        finish_reason=next((one.finish_reason for one in pieces if one.finish_reason), ""),
        mixed=any(one.text is None or one.mixed for one in pieces),
    )


def _unread_in(piece: Piece) -> frozenset[Unread]:
    return piece.unread or frozenset({Unread.NOT_TEXT} if piece.text is None else ())


def _choice_last(item: _Item) -> float:
    """By choice; what is of none comes last."""
    index = choice_index(item.value)
    return inf if index is None else index


def _edit(item: _Item, texts: Mapping[Path, str]) -> _Item:
    value = drop_copies(replace_texts(item.value, texts))
    return _Item(edited(item.thing, item.value, value), value)


def _value_of(piece: object) -> dict[str, Any] | None:
    """What is in an object; None for what is no object that can be read."""
    try:
        value = plain_value(piece)
    except UnknownObjectError:
        return None
    return value if isinstance(value, dict) else None


def _unknown_in(piece: object) -> str:
    """What in the piece is the reason that it is not read."""
    try:
        plain_value(piece)
    except UnknownObjectError as error:
        return "" if str(error).endswith(type(piece).__qualname__) else f" with {error} in it"
    return ""


def _is_langchain(piece: object) -> bool:
    """Whether it is a message of a model, or a chunk of one."""
    ours = any(kind.__module__.startswith(_LANGCHAIN) for kind in type(piece).__mro__)
    return ours and getattr(piece, "type", None) in _MESSAGES


def _message_buffer(policy: Policy) -> ReplyBuffer[Any, Any] | None:
    """None where only a part of LangChain is installed."""
    try:
        from guard.wrap.langchain.message_buffer import MessageBuffer  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        return None
    return MessageBuffer(policy, end=END)
