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
from itertools import chain
from types import MappingProxyType
from typing import Final, Protocol

from guard.fairness import CATALOGUE, Measured, MetricCatalogue, RollingWindow
from guard.fairness.catalogue import ALARM_POSTS, SHADOW_RESULTS, results_of
from guard.ports import Cases, Clock, EvidenceStore, Inbox
from guard.records import (
    AlarmPosts,
    CaseState,
    Evidence,
    Judged,
    Reading,
    Shadowed,
    Shown,
    Snapshot,
    VoteTimes,
)
from guard.report.bucket_sums import BucketSums
from guard.report.evidence import about_of
from guard.report.selection import (
    MetricOrder,
    Selection,
    SeriesLimits,
    is_pair,
    readings_without_mirrors,
    select,
)

WINDOWS: Final[Mapping[str, float]] = MappingProxyType({"5m": 300.0, "1h": 3600.0, "24h": 86400.0})
"""Their names and lengths in seconds."""
REST: Final = 9
"""How many times as long as making readings takes none are made."""
LONGEST_REST_SECONDS: Final = 60.0


class ReadableStore(EvidenceStore, Inbox, Cases, Protocol):
    """The store, as far as it is read."""


class Readings:
    """What a store full of sums amounts to. Thread-safe; one snapshot at a time.

    Readings and evidence are made anew for every snapshot, unless making them takes long: then
    they are shown again until ten times as long has passed, or a minute. Queues and cases are
    always of now.

    clock: Unix seconds. use_cases: those declared, which alone are shown; none is all there are.
    evidence: what the tests of a use case say. alarm_line: log10 e from which on one of its tests
    of all groups together raises an alarm; None without tests. judged: what people's verdicts say
    of it; vote_times: how long they took. timer: seconds of a clock that only goes forward.
    catalogue: the metrics that are read.
    """

    def __init__(
        self,
        store: ReadableStore,
        *,
        clock: Clock,
        evidence: Callable[[str], Sequence[Evidence]],
        alarm_line: Callable[[str], float | None] = lambda _: None,
        judged: Callable[[str], Sequence[Judged]] = lambda _: (),
        vote_times: Callable[[str], VoteTimes | None] = lambda _: None,
        use_cases: Collection[str] = (),
        limits: SeriesLimits | None = None,
        timer: Clock = time.monotonic,
        catalogue: MetricCatalogue = CATALOGUE,
    ) -> None:
        self._store = store
        self._clock = clock
        self._evidence = evidence
        self._alarm_line = alarm_line
        self._judged = judged
        self._vote_times = vote_times
        self._declared = frozenset(use_cases)
        self._limits = limits or SeriesLimits()
        self._timer = timer
        self._catalogue = catalogue
        self._order = MetricOrder(catalogue)
        self._sums: dict[str, BucketSums] = {}
        self._pages: dict[str, Selection] = {}
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
        lines = {use_case: self._alarm_line(use_case) for use_case in use_cases}
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
            vote_times=tuple(one for one in map(self._vote_times, use_cases) if one is not None),
            alarm_lines={one: line for one, line in lines.items() if line is not None},
            left_out={
                (use_case, what): count
                for use_case, page in pages.items()
                for what, count in page.left_out.items()
            },
            use_cases_left_out=len(known) - len(use_cases),
            unreadable=self._store.unreadable,
        )

    def _present_pages(self, use_cases: Sequence[str], now: float) -> Mapping[str, Selection]:
        begun = self._timer()
        if begun >= self._good_until or self._pages.keys() != set(use_cases):
            self._pages = {use_case: self._page(use_case, now) for use_case in use_cases}
            ended = self._timer()
            self._good_until = ended + min(LONGEST_REST_SECONDS, REST * (ended - begun))
        return self._pages

    def _known(self, cases: Mapping[tuple[str, CaseState], int]) -> list[str]:
        found = {*self._store.use_cases(), *(use_case for use_case, _ in cases)}
        return sorted(self._declared or found)

    def _page(self, use_case: str, now: float) -> Selection:
        """One use case, cut to the limit."""
        shown = readings_without_mirrors(self._collect_shown(use_case, now), self._catalogue)
        return select(self._evidence(use_case), shown, self._limits, self._order)

    def _collect_shown(self, use_case: str, now: float) -> Iterator[Shown]:
        spans = {name: window.span(now) for name, window in self._windows().items()}
        totals = self._sums_of(use_case).totals(spans)
        for name, tally in totals.items():
            for measured, reading in self._catalogue.readings(tally, of=self._is_wanted).items():
                if isinstance(reading, Reading):
                    about = about_of(use_case, measured)
                    yield Shown(about=about, window=name, reading=reading)

    def _is_wanted(self, measured: Measured) -> bool:
        return self._limits.pairs or not is_pair(measured.groups)

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


def _age(now: float, since: float | None) -> float:
    return 0.0 if since is None else max(0.0, now - since)
