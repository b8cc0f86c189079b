"""Texts cut into segments, and folded where there is nothing to see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from guard.counterfactual.masks import MARK, PERSON
from guard.records import Span
from guard.review.views import SegmentedText, SegmentKind, TextSegment
from guard.text.differences import TextRun

CONTEXT_WORDS = 40
"""Words that stay beside a mark, and at either end of a text without any."""
MARK_EDGE_WORDS = 400
"""Words that stay at either end of a mark: a whole reply may differ."""
MIN_FOLDED_WORDS = 30
_MASKED = re.compile(rf"\b({MARK}|{PERSON}\d+)\b", re.IGNORECASE)
_WORD = re.compile(r"\S{1,64}\s{0,64}|\s{1,64}")  # no longer: one word may be a megabyte


def plain_text(text: str) -> SegmentedText:
    """A text in which nothing is marked, folded in the middle when it is long."""
    return fold([TextSegment(text=text)] if text else [])


def mark_masks(text: str) -> SegmentedText:
    """A masked text with its masks."""
    return fold(_masks(text, SegmentKind.SAME))


def mark_pieces(pieces: Iterable[TextRun], *, masks: bool) -> SegmentedText:
    """A text with its differences, and its masks where it has any."""
    kinds = {True: SegmentKind.CHANGED, False: SegmentKind.SAME}
    cut = _masks if masks else _whole
    found = (cut(piece.text, kinds[piece.differs]) for piece in pieces)
    return fold(list(chain.from_iterable(found)))


def mark_spans(text: str, marks: Sequence[tuple[SegmentKind, Iterable[Span]]]) -> SegmentedText:
    """A text with ranges of several kinds; where they overlap, the kind that is named first."""
    kinds = [SegmentKind.SAME] * len(text)
    for kind, spans in reversed(marks):
        for span in spans:
            kinds[span.start : span.end] = [kind] * (span.end - span.start)
    return fold(list(_runs(text, kinds)))


def fold(segments: Sequence[TextSegment]) -> SegmentedText:
    """Long stretches without marks shortened to the words beside the marks, and huge marks too."""
    last = len(segments) - 1
    return tuple(
        chain.from_iterable(
            _fold(one, CONTEXT_WORDS, CONTEXT_WORDS * (number < last or last == 0))
            if one.kind is SegmentKind.SAME
            else _fold(one, MARK_EDGE_WORDS, MARK_EDGE_WORDS)
            for number, one in enumerate(segments)
        )
    )


def _fold(segment: TextSegment, start: int, end: int) -> list[TextSegment]:
    """With so many words kept at its start and end."""
    words = list(_WORD.finditer(segment.text))
    hidden = len(words) - start - end
    if hidden < MIN_FOLDED_WORDS:
        return [segment]
    left, right = words[start].start(), words[len(words) - end - 1].end()
    text = segment.text
    middle = TextSegment(text=text[left:right], kind=SegmentKind.FOLDED, hidden_words=hidden)
    around = replace(segment, text=text[:left]), replace(segment, text=text[right:])
    return [one for one in (around[0], middle, around[1]) if one.text]


def _whole(text: str, kind: SegmentKind) -> list[TextSegment]:
    return [TextSegment(text=text, kind=kind)]


def _masks(text: str, kind: SegmentKind) -> list[TextSegment]:
    parts = _MASKED.split(text)  # masks in the odd places
    shown = (part.replace("_", " ") if at % 2 else part for at, part in enumerate(parts))
    kinds = (kind, SegmentKind.MASKED)
    return [TextSegment(text=one, kind=kinds[at % 2]) for at, one in enumerate(shown) if one]


def _runs(text: str, kinds: Sequence[SegmentKind]) -> Iterator[TextSegment]:
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or kinds[at] is not kinds[start]:
            yield TextSegment(text=text[start:at], kind=kinds[start])
            start = at
