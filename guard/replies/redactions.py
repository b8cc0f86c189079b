"""Texts of a reply with a marker in place of what is withheld of them. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import attrgetter

from guard.records import Span

_end = attrgetter("end")


@dataclass(frozen=True, slots=True)
class Redactions:
    """spans: ranges of the judged text, in order; none begins with white space."""

    spans: tuple[Span, ...]
    marker: str

    def with_more(self, spans: Iterable[Span]) -> Redactions:
        """With further ranges, which lie behind those before."""
        return replace(self, spans=(*self.spans, *spans))

    def edit(self, text: str, start: int) -> str:
        """`text`, which stands at `start` of the judged text, as it is to be said.

        A range that reaches into several texts is marked in the first of them.
        """
        end, behind, parts = start + len(text), start, []
        for span in self.spans[bisect_right(self.spans, start, key=_end) :]:
            if span.start >= end:
                break
            parts.append(text[behind - start : max(span.start - start, 0)])
            parts.append(self.marker if span.start >= start else "")
            behind = min(span.end, end)
        return "".join([*parts, text[behind - start :]])
