"""The end of a judged text, of which nothing has left yet, and what to redact in it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from guard.policy import redacted
from guard.records import Span
from guard.text import merged, within_tags

Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreleased:
    """Ranges are of `text`, and neither begin nor end with white space.

    text: what was judged. start: where in it that end begins; before it stands what the caller
    has already. offset: where in the reply it begins.
    """

    text: str = field(repr=False)
    start: int
    offset: int

    def inside(self, spans: Iterable[Span]) -> Spans:
        """What lies in it of these ranges, but for tags of HTML around them; empty where all of
        them have left already."""
        return self._trimmed(within_tags(self.text, one) for one in self._trimmed(spans))

    @property
    def everything(self) -> Spans:
        """All of it."""
        return self._trimmed([Span(start=self.start, end=len(self.text))])

    def redacted(self, spans: Spans, marker: str) -> str:
        """That end with `marker` in place of these ranges of `text`."""
        inside = [span.moved(-self.start) for span in spans]
        return redacted(self.text[self.start :], inside, marker)

    def _trimmed(self, spans: Iterable[Span]) -> Spans:
        """What lies in that end of these ranges, without the white space at their ends."""
        return merged(one for span in spans if (one := self._trim(span)).start < one.end)

    def _trim(self, span: Span) -> Span:
        start, end = max(span.start, self.start), min(span.end, len(self.text))
        inside = self.text[start:end]
        blank = len(inside) - len(inside.lstrip())
        return Span(start=start + blank, end=start + len(inside.rstrip()))
