"""What the response path asks of its driver, one step at a time."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from guard.records import Action, Assessment, Outcome, Span, Unread, Verdict


@dataclass(frozen=True, slots=True)
class CallModel:
    """Call the model, or call it again."""


@dataclass(frozen=True, slots=True)
class Pull:
    """Wait for the model's next piece. Answered with a `Piece`, or None at the end."""


@dataclass(frozen=True, slots=True)
class ScoreText:
    """Score `text`. Answered with an `Assessment`.

    waiting: somebody waits for it, so the deadline counts.
    """

    text: str
    waiting: bool


@dataclass(frozen=True, slots=True)
class Release:
    """Give the caller the model's own pieces up to character `end` of its reply."""

    end: int


@dataclass(frozen=True, slots=True)
class Say:
    """Give the caller `text` in place of what the model said.

    cleaned: the ranges of the reply for which a marker stands in `text`, in order; empty where
    `text` is none of the model's.
    """

    text: str
    cleaned: tuple[Span, ...] = ()


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
    is not read, or why it has no text.
    """

    text: str | None
    structured: bool = False
    unread: frozenset[Unread] = frozenset()


class Left(Exception):  # noqa: N818 - not an error: thrown in when caller or model went away
    """The exchange ended early: the caller left, or the model failed.

    failed: the model raised.
    """

    def __init__(self, *, failed: bool) -> None:
        super().__init__()
        self.failed = failed


Step = CallModel | Pull | ScoreText | Release | Say | Finish
Answer = Piece | Assessment | None
Steps = Generator[Step, Answer, Outcome | None]
"""The response path: yields steps, is sent their answers, returns the outcome.

None is returned when there is nothing to record: the model failed before it said anything.
"""
