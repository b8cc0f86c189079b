"""A part of a stream whose pieces are of one kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from guard.flow import Piece, Redact, Release
from guard.flow.steps import ReplyBuffer
from guard.records import Span


@dataclass(slots=True, kw_only=True)
class StreamSegment:
    """Some pieces in a row, texts or objects of one library, in the buffer for their kind.

    start: where its text begins in that of the whole reply. characters: how long it is so far.
    """

    buffer: ReplyBuffer[Any, Any]
    start: int
    characters: int = 0

    @property
    def end(self) -> int:
        """Where its text ends in that of the whole reply, so far."""
        return self.start + self.characters

    def add(self, piece: Any) -> Piece:
        """Keep a piece; answers with what is in it."""
        found = self.buffer.add(piece)
        self.characters += len(found.text or "")
        return found

    def take(self, step: Release | Redact) -> Sequence[Any]:
        """What of it the caller gets by a step for the whole reply."""
        end = min(step.end - self.start, self.characters)
        if end < 0:
            return ()
        spans = () if isinstance(step, Release) else tuple(self._within(step.spans))
        if isinstance(step, Release) or not spans:
            return self.buffer.take(Release(end))
        return self.buffer.take(replace(step, end=end, spans=spans))

    def _within(self, spans: Sequence[Span]) -> Iterator[Span]:
        """The parts of these ranges of the reply that are in it."""
        for span in spans:
            start = max(span.start - self.start, 0)
            end = min(span.end - self.start, self.characters)
            if start < end:
                yield Span(start=start, end=end)


def is_silent(piece: object) -> bool:
    """Whether a piece of a stream says nothing, not even of what kind the stream is."""
    return piece is None or (isinstance(piece, str) and not piece)
