"""A range of a text with the sentences beside it."""

from __future__ import annotations

from guard.records import Span
from guard.text.sentences import sentences

_REACH = 1300  # characters looked through on each side: two of the longest sentences and a bit


def with_neighbours(text: str, span: Span, *, most: int | None = None) -> Span:
    """The sentences that `span` touches, with one more on each side, as far as there are any.

    most: characters; what is beyond is left off at both ends, between words, but nothing of `span`.
    Costs about the same for any range of any text.
    """
    if span.end - span.start > _REACH:
        first = _neighbourhood(text, Span(start=span.start, end=span.start + 1))
        last = _neighbourhood(text, Span(start=span.end - 1, end=span.end))
        outer = Span(start=first.start, end=last.end)
    else:
        outer = _neighbourhood(text, span)
    return outer if most is None else _shortened(text, outer, span, most)


def _neighbourhood(text: str, span: Span) -> Span:
    start, end = max(0, span.start - _REACH), min(len(text), span.end + _REACH)
    found = [each.moved(start) for each in sentences(text[start:end])]
    touched = [at for at, each in enumerate(found) if each.overlaps(span)]
    if not touched:
        return span
    first, last = found[max(0, touched[0] - 1)], found[min(len(found) - 1, touched[-1] + 1)]
    return Span(start=min(first.start, span.start), end=max(last.end, span.end))


def _shortened(text: str, outer: Span, inner: Span, most: int) -> Span:
    """At most `most` characters of `outer`, shared out between both sides of `inner`."""
    before, after = inner.start - outer.start, outer.end - inner.end
    room = max(0, most - (inner.end - inner.start))
    left = min(before, max(room // 2, room - after))
    right = min(after, room - left)
    start, end = inner.start - left, inner.end + right
    if left < before:
        start = _next_word(text, start, inner.start)
    if right < after:
        end = max(inner.end, text.rfind(" ", inner.end, end))
    return Span(start=start, end=end)


def _next_word(text: str, start: int, limit: int) -> int:
    blank = text.find(" ", start, limit)
    return limit if blank < 0 else blank + 1
