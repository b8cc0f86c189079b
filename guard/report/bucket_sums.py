"""The sums of one use case over windows, from time buckets that overlap from scrape to scrape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from sys import intern
from typing import Final, TypeAlias

from guard.fairness import Tally
from guard.fairness.tally import merged
from guard.ports import EvidenceStore

CHUNK: Final = 10
RUN: Final = 10
REREAD: Final = 4

Run: TypeAlias = tuple[range, ...]
"""Pieces side by side."""


class BucketSums:
    """The sums of one use case over spans of time buckets, which overlap from scrape to scrape.

    A day is 1,440 buckets of a minute, and a scrape comes every few seconds. The latest buckets are
    read every time, one by one. Older ones are read once, as sums over aligned chunks, and
    remembered, as are the sums over runs of ten chunks. What arrives late for them (a spool that
    was held up) is not missed: at every look the chunks that were read longest ago are read again,
    a few of them, so that all have been within `spans / (reread * looks)`. Not thread-safe.

    chunk: buckets that are remembered as one sum. reread: remembered sums that are read again at
    each look, those read longest ago first.
    """

    def __init__(
        self, store: EvidenceStore, use_case: str, *, chunk: int = CHUNK, reread: int = REREAD
    ) -> None:
        self._store = store
        self._use_case = use_case
        self._chunk = chunk
        self._run = RUN * chunk
        self._reread = reread
        self._remembered: dict[range, Tally] = {}
        self._runs: dict[Run, Tally] = {}

    def totals(self, spans: Mapping[str, range]) -> dict[str, dict[str, float]]:
        """The sum over each span, by its name. All spans end at the same bucket."""
        for stale in tuple(self._remembered)[: self._reread]:
            del self._remembered[stale]
        latest = self._latest(spans)
        recent = self._store.series(self._use_case, latest)
        cuts = {name: self._cut_runs(span, latest.start) for name, span in spans.items()}
        self._keep({run for runs in cuts.values() for run in runs})
        return {
            name: merged(
                [
                    *(self._runs[run] for run in cuts[name]),
                    *(sums for number, sums in sorted(recent.items()) if number in span),
                ]
            )
            for name, span in spans.items()
        }

    def _latest(self, spans: Mapping[str, range]) -> range:
        """What is read bucket by bucket: the shortest span, from the chunk it begins in."""
        shortest = min(spans.values(), key=len)
        return range(shortest.start - shortest.start % self._chunk, shortest.stop)

    def _cut_runs(self, span: range, end: int) -> list[Run]:
        """The part of a span before `end` in runs of pieces."""
        pieces = groupby(self._cut(span, end), key=lambda piece: piece.start // self._run)
        return [tuple(run) for _, run in pieces]

    def _cut(self, span: range, end: int) -> Iterator[range]:
        """The part of a span before `end` in pieces, of which all but the first are chunks."""
        start = span.start
        while start < end:
            stop = min(end, start - start % self._chunk + self._chunk)
            yield range(start, stop)
            start = stop

    def _keep(self, runs: set[Run]) -> None:
        """Read the pieces that are not remembered, add up their runs, and forget all others."""
        pieces = {piece for run in runs for piece in run}
        for gone in self._remembered.keys() - pieces:
            del self._remembered[gone]
        read = set(self._remembered)
        self._runs = {
            run: sums for run, sums in self._runs.items() if run in runs and read.issuperset(run)
        }
        for piece in sorted(pieces - read, key=lambda one: one.start):
            sums = self._store.total(self._use_case, piece)
            self._remembered[piece] = {intern(name): value for name, value in sums.items()}
        for run in runs - self._runs.keys():
            self._runs[run] = merged(self._remembered[piece] for piece in run)
