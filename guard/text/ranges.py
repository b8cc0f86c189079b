"""Ranges of a text: pieces to tokenise, windows of a model's own length, and what is uncovered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from guard.records import Span
from guard.text.invisible import is_unseen

_LONGEST_WORD = 100  # WordPiece turns anything longer into one unknown token: it would go unscored
_LONGEST_FOREIGN = 33  # a character outside ASCII can become three when it is normalised
PUNCTUATION = (
    r"!-/:-@\[-`{-~\xa1\xa7\xab\xb6\xb7\xbb\xbf\u2010-\u2027\u2030-\u2043"
    r"\u2045-\u2051\u2053-\u205e\u3001-\u3003\u3008-\u3011"
)
"""For a class of characters: each is a token of its own."""
_BREAKS = (
    rf"\s{PUNCTUATION}"  # a word ends there by itself,
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"  # as it does at Han characters
)
_BREAK = re.compile(f"[{_BREAKS}]")
_RUN = re.compile(rf"[^{_BREAKS}]{{{_LONGEST_FOREIGN + 1},}}")


def segments(text: str, *, size: int) -> Iterator[Span]:
    """Pieces of `text` that can be tokenised one by one, with the same tokens as the whole.

    They lie end to end over all of it, each at most `size` characters.

    They end after a blank wherever there is one, else where a word ends by itself; words that are
    too long for WordPiece are broken into pieces. Lazy: a long text costs only as far as it is
    consumed.
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
    if blank > start:
        return blank + 1
    return max((found.end() for found in _BREAK.finditer(text, start, limit)), default=limit)


def _without_long_words(text: str, start: int, end: int) -> Iterator[Span]:
    if max(map(len, text[start:end].split()), default=0) <= _LONGEST_FOREIGN:
        yield Span(start=start, end=end)
        return
    for run in _RUN.finditer(text, start, end):
        for cut in _cuts(run):
            yield Span(start=start, end=cut)
            start = cut
    yield Span(start=start, end=end)


def _cuts(run: re.Match[str]) -> list[int]:
    """Where a long word is to be cut; signs that nobody sees make it no longer."""
    if run[0].isascii():
        return list(range(run.start() + _LONGEST_WORD, run.end(), _LONGEST_WORD))
    shown = [at for at, sign in enumerate(run[0], run.start()) if not is_unseen(sign)]
    ascii_only = all(run.string[at].isascii() for at in shown)
    step = _LONGEST_WORD if ascii_only else _LONGEST_FOREIGN
    return shown[step::step]


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same characters as ordered spans that neither overlap nor touch."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        if joined and span.start <= joined[-1].end:
            last = joined.pop()
            joined.append(Span(start=last.start, end=max(last.end, span.end)))
        else:
            joined.append(span)
    return tuple(joined)


def windows(words: Sequence[int], *, size: int, overlap: int) -> list[range]:
    """Ranges of tokens that together cover all of them, each at most `size` long.

    words: for each token a number that is the same for the tokens of one word.
    overlap: how many tokens a window shares with the one before it, at most `size // 2`.
    Cuts fall between words where one ends within reach. The ranges up to the last one do not
    change when more tokens follow. Raises ValueError for sizes that cannot work.
    """
    if size < 1 or not 0 <= overlap <= size // 2:
        raise ValueError(f"overlap {overlap} must be between 0 and half of size {size}")
    found: list[range] = []
    stop = 0
    while stop < len(words):
        start = _restart(words, stop, overlap) if found else 0
        stop = _stop(words, start, size)
        found.append(range(start, stop))
    return found


def _stop(words: Sequence[int], start: int, size: int) -> int:
    limit = start + size
    if limit >= len(words):
        return len(words)
    between = (at for at in range(limit, start + size // 2, -1) if words[at] != words[at - 1])
    return next(between, limit)


def _restart(words: Sequence[int], stop: int, overlap: int) -> int:
    wanted = stop - overlap
    between = (at for at in range(wanted, stop) if words[at] != words[at - 1])
    return next(between, wanted)


def gaps(text: str, covered: Iterable[Span]) -> tuple[Span, ...]:
    """The ranges of `text` outside `covered` that hold more than white space, in order."""
    found: list[Span] = []
    at = 0
    for span in sorted(covered, key=attrgetter("start")):
        if span.start > at:
            found.append(Span(start=at, end=span.start))
        at = max(at, span.end)
    found.append(Span(start=at, end=len(text)))
    return tuple(span for span in found if not _blank(text, span))


def _blank(text: str, span: Span) -> bool:
    return not text[span.start : span.end].strip()
