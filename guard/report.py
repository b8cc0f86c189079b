"""The present value of every metric, and of all that waits, in one pass over the store.

What the sequential tests say is read without changing anything: alarms are raised elsewhere, by
whoever adds evidence, and looking here opens no epoch.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from sys import intern
from types import MappingProxyType
from typing import Final, Protocol

from guard.fairness import (
    CATALOGUE,
    Epoch,
    Measured,
    MetricCatalogue,
    Published,
    RollingWindow,
    Tally,
)
from guard.fairness.catalogue import ALARM_POSTS, SHADOW_RESULTS, results_of
from guard.fairness.tally import merged
from guard.ports import Cases, Clock, EvidenceStore, Inbox
from guard.records import (
    About,
    AlarmPosts,
    CaseState,
    Evidence,
    Judged,
    Reading,
    Shadowed,
    Shown,
    Snapshot,
)

WINDOWS: Final[Mapping[str, float]] = MappingProxyType({"5m": 300.0, "1h": 3600.0, "24h": 86400.0})
"""Their names and lengths in seconds."""
SERIES_PER_READING: Final = 4
SERIES_PER_TEST: Final = 10
REST: Final = 9
"""How many times as long as making readings takes none are made."""
LONGEST_REST_SECONDS: Final = 60.0
CHUNK: Final = 10
REREAD: Final = 4


class ReadableStore(EvidenceStore, Inbox, Cases, Protocol):
    """The store, as far as it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesLimits:
    """How many series may be shown: of each use case, and how many use cases."""

    series: int = 20_000
    use_cases: int = 200


class Readings:
    """What a store full of sums amounts to. Thread-safe; one snapshot at a time.

    Readings and evidence are made anew for every snapshot, unless making them takes long: then
    they are shown again until ten times as long has passed, or a minute. Queues and cases are
    always of now.

    clock: Unix seconds. use_cases: those declared, which alone are shown; none is all there are.
    evidence: what the tests of a use case say. judged: what people's verdicts say of it. timer:
    seconds of a clock that only goes forward. catalogue: the metrics that are read.
    """

    def __init__(
        self,
        store: ReadableStore,
        *,
        clock: Clock,
        evidence: Callable[[str], Sequence[Evidence]],
        judged: Callable[[str], Sequence[Judged]] = lambda _: (),
        use_cases: Collection[str] = (),
        limits: SeriesLimits | None = None,
        timer: Clock = time.monotonic,
        catalogue: MetricCatalogue = CATALOGUE,
    ) -> None:
        self._store = store
        self._clock = clock
        self._evidence = evidence
        self._judged = judged
        self._declared = frozenset(use_cases)
        self._limits = limits or SeriesLimits()
        self._timer = timer
        self._catalogue = catalogue
        self._sums: dict[str, BucketSums] = {}
        self._pages: dict[str, _Page] = {}
        self._good_until = -math.inf
        self._lock = threading.Lock()

    def snapshot(self) -> Snapshot:
        """All of it now. Raises StoreError when the store cannot be reached."""
        with self._lock:
            return self._snapshot(self._clock())

    def _snapshot(self, now: float) -> Snapshot:
        cases = self._store.case_counts()
        known = self._known(cases)
        use_cases = known[: self._limits.use_cases]
        pages = self._present_pages(use_cases, now)
        jobs, oldest = self._store.job_counts(), self._store.oldest_open_at()
        return Snapshot(
            readings=tuple(chain.from_iterable(page.readings for page in pages.values())),
            evidence=tuple(chain.from_iterable(page.evidence for page in pages.values())),
            shadowed=tuple(chain.from_iterable(map(self._collect_shadowed, use_cases))),
            alarm_posts=tuple(map(self._alarm_posts, use_cases)),
            jobs=jobs,
            lag_seconds=_age(now, jobs.oldest_at),
            cases={where: count for where, count in cases.items() if where[0] in pages},
            oldest_case_seconds=_age(now, oldest),
            judged=tuple(chain.from_iterable(map(self._judged, use_cases))),
            left_out={use_case: page.left_out for use_case, page in pages.items()},
            use_cases_left_out=len(known) - len(use_cases),
        )

    def _present_pages(self, use_cases: Sequence[str], now: float) -> Mapping[str, _Page]:
        begun = self._timer()
        if begun >= self._good_until or self._pages.keys() != set(use_cases):
            self._pages = {use_case: self._page(use_case, now) for use_case in use_cases}
            ended = self._timer()
            self._good_until = ended + min(LONGEST_REST_SECONDS, REST * (ended - begun))
        return self._pages

    def _known(self, cases: Mapping[tuple[str, CaseState], int]) -> list[str]:
        found = {*self._store.use_cases(), *(use_case for use_case, _ in cases)}
        return sorted(self._declared or found)

    def _page(self, use_case: str, now: float) -> _Page:
        """One use case, cut to the limit: tests first, then readings in the order of names."""
        evidence = sorted(self._evidence(use_case), key=lambda one: _order(one.about))
        shown = sorted(self._collect_shown(use_case, now), key=lambda one: _order(one.about))
        series = self._limits.series
        tests = evidence[: series // SERIES_PER_TEST]
        kept = shown[: (series - len(tests) * SERIES_PER_TEST) // SERIES_PER_READING]
        return _Page(
            readings=kept,
            evidence=tests,
            left_out=(len(evidence) - len(tests)) * SERIES_PER_TEST
            + (len(shown) - len(kept)) * SERIES_PER_READING,
        )

    def _collect_shown(self, use_case: str, now: float) -> Iterator[Shown]:
        spans = {name: window.span(now) for name, window in self._windows().items()}
        totals = self._sums_of(use_case).totals(spans)
        for name, tally in totals.items():
            for measured, reading in self._catalogue.readings(tally).items():
                if isinstance(reading, Reading):
                    about = about_of(use_case, measured)
                    yield Shown(about=about, window=name, reading=reading)

    def _collect_shadowed(self, use_case: str) -> Iterator[Shadowed]:
        sums = self._store.evidence(use_case, [SHADOW_RESULTS])[SHADOW_RESULTS]
        for (attribute, result), count in sorted(results_of(sums).items()):
            yield Shadowed(use_case=use_case, attribute=attribute, result=result, calls=count)

    def _alarm_posts(self, use_case: str) -> AlarmPosts:
        counts = Counter[str]()
        sums = self._store.evidence(use_case, [ALARM_POSTS])[ALARM_POSTS]
        for (_, result), count in results_of(sums).items():
            counts[result] += round(count)
        return AlarmPosts(use_case=use_case, sent=counts["sent"], failed=counts["failed"])

    def _windows(self) -> dict[str, RollingWindow]:
        """Those that are no shorter than a bucket."""
        width = self._store.bucket_seconds
        return {
            name: RollingWindow(seconds=seconds, bucket_seconds=width)
            for name, seconds in WINDOWS.items()
            if seconds >= width
        }

    def _sums_of(self, use_case: str) -> BucketSums:
        if use_case not in self._sums:
            self._sums[use_case] = BucketSums(self._store, use_case)
        return self._sums[use_case]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    readings: list[Shown]
    evidence: list[Evidence]
    left_out: int


def _order(about: About) -> tuple[str, str, str]:
    return about.metric, about.attribute, about.groups


def _age(now: float, since: float | None) -> float:
    return 0.0 if since is None else max(0.0, now - since)


class BucketSums:
    """The sums of one use case over spans of time buckets, which overlap from scrape to scrape.

    A day is 1,440 buckets of a minute, and a scrape comes every few seconds. The latest buckets are
    read every time, one by one. Older ones are read once, as sums over aligned chunks, and
    remembered. What arrives late for them (a spool that was held up) is not missed: at every look
    the chunks that were read longest ago are read again, a few of them, so that all have been
    within `spans / (reread * looks)`. Not thread-safe.

    chunk: buckets that are remembered as one sum. reread: remembered sums that are read again at
    each look, those read longest ago first.
    """

    def __init__(
        self, store: EvidenceStore, use_case: str, *, chunk: int = CHUNK, reread: int = REREAD
    ) -> None:
        self._store = store
        self._use_case = use_case
        self._chunk = chunk
        self._reread = reread
        self._remembered: dict[range, Tally] = {}

    def totals(self, spans: Mapping[str, range]) -> dict[str, dict[str, float]]:
        """The sum over each span, by its name. All spans end at the same bucket."""
        for stale in tuple(self._remembered)[: self._reread]:
            del self._remembered[stale]
        latest = self._latest(spans)
        recent = self._store.series(self._use_case, latest)
        cuts = {name: tuple(self._cut(span, latest.start)) for name, span in spans.items()}
        self._keep({piece for pieces in cuts.values() for piece in pieces})
        return {
            name: merged(
                [
                    *(self._remembered[piece] for piece in cuts[name]),
                    *(sums for number, sums in sorted(recent.items()) if number in span),
                ]
            )
            for name, span in spans.items()
        }

    def _latest(self, spans: Mapping[str, range]) -> range:
        """What is read bucket by bucket: the shortest span, from the chunk it begins in."""
        shortest = min(spans.values(), key=len)
        return range(shortest.start - shortest.start % self._chunk, shortest.stop)

    def _cut(self, span: range, end: int) -> Iterator[range]:
        """The part of a span before `end` in pieces, of which all but the first are chunks."""
        start = span.start
        while start < end:
            stop = min(end, start - start % self._chunk + self._chunk)
            yield range(start, stop)
            start = stop

    def _keep(self, pieces: set[range]) -> None:
        """Read the pieces that are not remembered, and forget all others."""
        for piece in sorted(pieces - self._remembered.keys(), key=lambda one: one.start):
            sums = self._store.total(self._use_case, piece)
            self._remembered[piece] = {intern(name): value for name, value in sums.items()}
        for gone in self._remembered.keys() - pieces:
            del self._remembered[gone]


class EvidenceReader:
    """Reads evidence.

    epochs: of a use case, by the name of the test. published: the state of its tests with data.
    """

    def __init__(
        self,
        *,
        epochs: Callable[[str], Mapping[str, Epoch]],
        published: Callable[[str], Mapping[str, Published]],
    ) -> None:
        self._epochs = epochs
        self._published = published

    def __call__(self, use_case: str) -> Sequence[Evidence]:
        """Every test of a group and of all groups that ever had data. Raises StoreError."""
        epochs = {test: one for test, one in self._epochs(use_case).items() if is_test(test)}
        found = self._published(use_case) if epochs else {}
        return [
            _evidence(about_of(use_case, Measured.parse(test)), epoch, found.get(test))
            for test, epoch in epochs.items()
        ]


def _evidence(about: About, epoch: Epoch, found: Published | None) -> Evidence:
    return Evidence(
        about=about,
        log10_e=found.log10_e if found else 0.0,
        epoch=epoch.number,
        alarms=epoch.alarms,
        alarmed=epoch.alarmed,
        alarm_log10_e=epoch.alarm_log10_e,
        estimate=found.estimate if found else None,
        material=found.material if found else None,
        is_material=bool(found and found.is_material),
    )


def about_of(use_case: str, measured: Measured) -> About:
    """What is measured, of which use case."""
    return About(
        use_case=use_case,
        metric=measured.metric,
        attribute=measured.attribute,
        groups=measured.groups,
    )


def is_test(name: str) -> bool:
    """Whether this is the name of a test. Pairs of groups were tested up to version 0.4."""
    try:
        measured = Measured.parse(name)
    except ValueError:
        return False
    return measured.attribute != "" and len(measured.between) < 2
