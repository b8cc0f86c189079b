"""Parts of a text that begin with the same two words or signs over and over: refrains."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

_TOKEN = re.compile(r"[^\W_]+|[^\w\s\u200b]|_+")
_NUMBER = re.compile(r"\d+")
_FEWEST = 4
_NEAR = 24
"""Tokens from one beginning of a refrain to the next, at most."""

_Anchors = list[int]


def refrains(text: str) -> Iterator[list[tuple[int, int]]]:
    """For each refrain the ranges of `text` from where it begins to where it begins again, in
    order. Of refrains that overlap the one that comes most often counts."""
    tokens = list(_TOKEN.finditer(text))
    said = [_NUMBER.sub("0", token[0].lower()) for token in tokens]
    taken = list[tuple[int, int]]()
    for anchors in sorted(_repeated(said), key=lambda run: (-len(run), run[0])):
        longest = max(after - before for before, after in pairwise(anchors))
        last = min(anchors[-1] + longest, len(tokens))
        if all(last <= start or end <= anchors[0] for start, end in taken):
            taken.append((anchors[0], last))
            ends = [*(tokens[at].start() for at in anchors[1:]), tokens[last - 1].end()]
            yield list(zip((tokens[at].start() for at in anchors), ends, strict=True))


def _repeated(said: Sequence[str]) -> Iterator[_Anchors]:
    """Where two tokens stand next to each other that do so often, each time near the last."""
    counts = Counter(pairwise(said))
    often = {pair for pair, count in counts.items() if count >= _FEWEST and _has_word(pair)}
    if not often:
        return
    open_runs: dict[tuple[str, str], _Anchors] = {}
    for at, pair in enumerate(pairwise(said)):
        if pair not in often:
            continue
        run = open_runs.get(pair)
        if run is not None and at - run[-1] <= _NEAR:
            run.append(at)
            continue
        if run is not None and len(run) >= _FEWEST:
            yield run
        open_runs[pair] = [at]
    yield from (run for run in open_runs.values() if len(run) >= _FEWEST)


def _has_word(pair: tuple[str, str]) -> bool:
    return pair[0].isalnum() or pair[1].isalnum()
