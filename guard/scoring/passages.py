"""The sentences of the windows that deserve a second look."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from guard.records import Span
from guard.scoring.tokens import Vocabulary, Window
from guard.text import sentences, settled_end

_CHUNK_CHARACTERS = 4096


def within(text: str, ranges: Iterable[Span]) -> Iterator[Span]:
    """The sentences of `text` that touch one of the ranges, which come in order of the text."""
    waiting = deque(ranges)
    for sentence in _sentences(text):
        while waiting and waiting[0].end <= sentence.start:
            waiting.popleft()
        if not waiting:
            return
        if waiting[0].start < sentence.end:
            yield sentence


def as_windows(text: str, sentence: Span, vocabulary: Vocabulary) -> Iterator[Window]:
    """`sentence` as the model reads it: one window, or several when it is too long for one."""
    for window in vocabulary.windows(text[sentence.start : sentence.end]):
        yield Window(span=_moved(window.span, sentence.start), ids=window.ids)


def _sentences(text: str) -> Iterator[Span]:
    """The sentences of `text`, found piece by piece: a long text never holds up other threads."""
    start, size = 0, _CHUNK_CHARACTERS
    while start + size < len(text):
        chunk = text[start : start + size]
        end = settled_end(chunk, 0)
        yield from (_moved(span, start) for span in sentences(chunk) if span.end <= end)
        size = _CHUNK_CHARACTERS if end else 2 * size
        start += end
    yield from (_moved(span, start) for span in sentences(text[start:]))


def _moved(span: Span, by: int) -> Span:
    return Span(start=span.start + by, end=span.end + by)
