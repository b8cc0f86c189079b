"""Texts of a reply with a marker in place of what is withheld of them. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
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

    def edit(self, text: str, starts: Iterable[int]) -> str:
        """`text`, which stands at each of `starts` in the judged text, as it is to be said.

        A range that reaches into several texts is marked in the first of them.
        """
        behind, parts = 0, []
        for begin, end in sorted(one for start in starts for one in self._within(text, start)):
            if end > behind:
                parts.append(text[behind : max(begin, behind)])
                parts.append(self.marker if begin >= behind else "")
                behind = end
        return "".join([*parts, text[behind:]])

    def _within(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        """The ranges in `text`; one that began in the text before it begins before it."""
        for span in self.spans[bisect_right(self.spans, start, key=_end) :]:
            if span.start >= start + len(text):
                return
            yield max(span.start - start, -1), min(span.end - start, len(text))
