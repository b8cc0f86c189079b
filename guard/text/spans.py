"""Arithmetic of ranges."""

from __future__ import annotations

from collections.abc import Iterable

from guard.records import Span


def gaps(text: str, covered: Iterable[Span]) -> tuple[Span, ...]:
    """The ranges of `text` outside `covered` that hold more than white space, in order."""
    found: list[Span] = []
    at = 0
    for span in sorted(covered, key=_start):
        if span.start > at:
            found.append(Span(start=at, end=span.start))
        at = max(at, span.end)
    found.append(Span(start=at, end=len(text)))
    return tuple(span for span in found if not _blank(text, span))


def _start(span: Span) -> int:
    return span.start


def _blank(text: str, span: Span) -> bool:
    return not text[span.start : span.end].strip()
