"""Windows of a model's own length over a row of tokens."""

from __future__ import annotations

from collections.abc import Sequence


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
