"""What the response path asks of its driver, one step at a time, and where a reply waits.

A driver keeps the pieces of a reply in a `ReplyBuffer`; `Release`, `Redact` and `Say` take
them out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar, cast

from guard.errors import may_be_signal
from guard.records import Action, Assessment, Outcome, Span, Unread, Verdict
from guard.replies.redactions import Redactions


@dataclass(frozen=True, slots=True)
class CallModel:
    """Call the model, or call it again."""


@dataclass(frozen=True, slots=True)
class Pull:
    """Wait for the model's next piece. Answered with a `Piece`, or None at the end."""


@dataclass(frozen=True, slots=True)
class ScoreText:
    """Score `text`. Answered with an `Assessment`.

    deadline_seconds: how long somebody waits for it; None where nobody does. second: by the second
    scorer.
    """

    text: str = field(repr=False)
    deadline_seconds: float | None
    second: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    """Give the caller the model's own pieces up to character `end` of its reply."""

    end: int


@dataclass(frozen=True, slots=True)
class Redact:
    """The same, with `marker` in place of `spans`: ranges of the reply before `end`, in order.

    No span begins or ends with white space, or before what was released already.
    """

    end: int
    spans: tuple[Span, ...]
    marker: str


@dataclass(frozen=True, slots=True)
class Say:
    """Give the caller `text`, which is none of the model's, in place of the rest of its reply."""

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Finish:
    """The caller has all it will get. What follows is for the record only.

    owes_exception: a reply was withheld and nothing said in its place: `Blocked` must be raised.
    action: what was done to the reply. verdict: what the record will say, by the scores so far;
    None where nothing has been looked at yet.
    """

    owes_exception: bool = False
    action: Action = Action.RELEASE
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a reply: its text, or None when it is not text.

    structured: the text has its place in something else (the arguments of a tool): it can be
    withheld, but no other text can stand for it. unread: what is in the piece beside its text and
    is not read, or why it has no text. finish_reason: why the model stopped, where the piece says.
    mixed: it is several pieces, of which some are text and some are not.
    """

    text: str | None = field(repr=False)
    structured: bool = False
    unread: frozenset[Unread] = frozenset()
    finish_reason: str = ""
    mixed: bool = False


Given = Release | Redact | Say
"""What the caller gets by one step."""
Step = CallModel | Pull | ScoreText | Given | Finish
Answer = Piece | Assessment | None
Steps = Generator[Step, Answer, Outcome | None]
"""The response path: yields steps, is sent their answers, returns the outcome.

None is returned when there is nothing to record: the model failed before it said anything.
"""


T = TypeVar("T")
From = TypeVar("From", contravariant=True)
To = TypeVar("To", covariant=True)


class ReplyBuffer(Protocol[From, To]):
    """What has come of a reply and waits: pieces go in as the model gives them, and come out as the
    caller gets them."""

    def add(self, piece: From) -> Piece:
        """Keep a piece; answers with what is in it."""

    def take(self, step: Given) -> Sequence[To]:
        """What the caller gets by this step."""

    def clear(self) -> None:
        """Forget everything: the model is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Codec(Generic[T]):
    """How to see the text in a piece, and how to make a piece that says something else.

    read: what is in a piece. write: a piece like the given one with another text; the given one is
    None before the first. cut: the two parts of a piece whose first is this many characters of its
    text; by default both are written. edit: a piece with another text in place of its own; by
    default it is written.
    """

    read: Callable[[T], Piece]
    write: Callable[[T | None, str], T]
    cut: Callable[[T, int], tuple[T, T]] | None = None
    edit: Callable[[T, str], T] | None = None


def plain_text(_like: object, text: str) -> str:
    """The `write` of pieces that are strings."""
    return text


def _string_or_none(piece: object) -> Piece:
    return Piece(piece if isinstance(piece, str) else None)


STRINGS: Codec[str] = Codec(read=_string_or_none, write=plain_text)


class Pieces(Generic[T]):
    """Pieces in order. Characters are counted over the texts of all pieces added."""

    def __init__(self, codec: Codec[T]) -> None:
        self._codec = codec
        self.clear()

    def clear(self) -> None:
        """Forget everything: the model is asked again."""
        self._waiting: deque[tuple[T, str]] = deque()
        self._start = 0
        self._like: T | None = None

    def add(self, piece: T) -> Piece:
        """Keep a piece; answers with what is in it."""
        found = self._read(piece)
        self._waiting.append((piece, found.text or ""))
        if found.text or self._like is None:  # a chunk of usage has no place for a text
            self._like = piece
        return found

    def take(self, step: Given) -> list[T]:
        """What the caller gets by this step.

        The pieces up to character `end`, one that goes on beyond it cut in two, those of which
        something is redacted with another text; or one like those the model gave.
        """
        if isinstance(step, Say):
            return [self._codec.write(self._like, step.text)]
        start, taken = self._start, self._up_to(step.end)
        if isinstance(step, Release):
            return [piece for piece, _ in taken]
        return self._edited(taken, start, Redactions(step.spans, step.marker))

    def _up_to(self, end: int) -> list[tuple[T, str]]:
        out: list[tuple[T, str]] = []
        while self._waiting:
            piece, text = self._waiting[0]
            if self._start + len(text) > end:
                break
            self._waiting.popleft()
            self._start += len(text)
            out.append((piece, text))
        return out + self._head(end)

    def _edited(self, taken: list[tuple[T, str]], start: int, redactions: Redactions) -> list[T]:
        """start: of the first piece in the reply."""
        edit, out = self._codec.edit or self._codec.write, []
        for piece, text in taken:
            new = redactions.edit(text, (start,))
            out.append(piece if new == text else edit(piece, new))
            start += len(text)
        return out

    def _read(self, piece: T) -> Piece:
        try:
            found = self._codec.read(piece)
        except Exception as error:  # a reader that fails has found no text
            if may_be_signal(error):
                raise
            return Piece(None)
        return found if isinstance(cast("object", found.text), str) else replace(found, text=None)

    def _head(self, end: int) -> list[tuple[T, str]]:
        if not self._waiting or end <= self._start:
            return []
        piece, text = self._waiting.popleft()
        count = end - self._start
        self._start = end
        head, tail = self._cut(piece, text, count)
        self._waiting.appendleft((tail, text[count:]))
        return [(head, text[:count])]

    def _cut(self, piece: T, text: str, count: int) -> tuple[T, T]:
        if self._codec.cut is not None:
            return self._codec.cut(piece, count)
        write = self._codec.write
        return write(piece, text[:count]), write(piece, text[count:])
