"""Cut a text into pieces that can be tokenised one by one, with the same tokens as the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guard.records import Span

_LONGEST_WORD = 100  # WordPiece turns anything longer into one unknown token: it would go unscored
_LONGEST_FOREIGN = 33  # a character outside ASCII can become three when it is normalised
_BREAKS = (
    r"\s!-/:-@\[-`{-~"  # space and ASCII punctuation: a word ends there by itself,
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"  # as it does at Han characters
)
_RUN = re.compile(rf"[^{_BREAKS}]{{{_LONGEST_FOREIGN + 1},}}")


def segments(text: str, *, size: int) -> Iterator[Span]:
    """Ranges that lie end to end over the whole of `text`, each at most `size` characters.

    They end after white space wherever there is some; words that are too long for WordPiece
    are broken into pieces. Lazy: a long text costs only as far as it is consumed.
    """
    start = 0
    while start < len(text):
        end = _segment_end(text, start, size)
        yield from _without_long_words(text, start, end)
        start = end


def _segment_end(text: str, start: int, size: int) -> int:
    limit = start + size
    if limit >= len(text):
        return len(text)
    blank = max(text.rfind(" ", start, limit), text.rfind("\n", start, limit))
    return blank + 1 if blank > start else limit


def _without_long_words(text: str, start: int, end: int) -> Iterator[Span]:
    if max(map(len, text[start:end].split()), default=0) <= _LONGEST_FOREIGN:
        yield Span(start=start, end=end)
        return
    for run in _RUN.finditer(text, start, end):
        step = _LONGEST_WORD if run[0].isascii() else _LONGEST_FOREIGN
        for cut in range(run.start() + step, run.end(), step):
            yield Span(start=start, end=cut)
            start = cut
    yield Span(start=start, end=end)
