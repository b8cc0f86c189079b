"""USE CASE the present value of every metric, and of all that waits, in one pass over the store."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Final, Protocol

from guard.fairness import Window
from guard.fairness.measures import readings
from guard.fairness.results import RESULTS, results_of
from guard.ports import Cases, Clock, EvidenceStore, Inbox
from guard.records import (
    About,
    CaseState,
    Evidence,
    Judged,
    Reading,
    Shadowed,
    Shown,
    Snapshot,
)
from guard.report.about import about_of
from guard.report.spans import Spans

WINDOWS: Final[Mapping[str, float]] = MappingProxyType({"5m": 300.0, "1h": 3600.0, "24h": 86400.0})
"""Their names and lengths in seconds."""
SERIES_PER_READING: Final = 4
SERIES_PER_TEST: Final = 8
REST: Final = 9
"""How many times as long as making readings takes none are made."""
LONGEST_REST_SECONDS: Final = 60.0


class Kept(EvidenceStore, Inbox, Cases, Protocol):
    """The store, as far as it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many series may be shown: of each use case, and how many use cases."""

    series: int = 5_000
    use_cases: int = 200


class Readings:
    """What a store full of sums amounts to. Thread-safe; one snapshot at a time.

    Readings and evidence are made anew for every snapshot, unless making them takes long: then
    they are shown again until ten times as long has passed, or a minute. Queues and cases are
    always of now.

    clock: Unix seconds. use_cases: those declared, which alone are shown; none is all there are.
    evidence: what the tests of a use case say. judged: what people's verdicts say of it. timer:
    seconds of a clock that only goes forward.
    """

    def __init__(
        self,
        store: Kept,
        *,
        clock: Clock,
        evidence: Callable[[str], Sequence[Evidence]],
        judged: Callable[[str], Sequence[Judged]] = lambda _: (),
        use_cases: Collection[str] = (),
        limits: Limits | None = None,
        timer: Clock = time.monotonic,
    ) -> None:
        self._store = store
        self._clock = clock
        self._evidence = evidence
        self._judged = judged
        self._declared = frozenset(use_cases)
        self._limits = limits or Limits()
        self._timer = timer
        self._spans: dict[str, Spans] = {}
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
            shadowed=tuple(chain.from_iterable(map(self._shadowed, use_cases))),
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
        shown = sorted(self._shown(use_case, now), key=lambda one: _order(one.about))
        series = self._limits.series
        tests = evidence[: series // SERIES_PER_TEST]
        kept = shown[: (series - len(tests) * SERIES_PER_TEST) // SERIES_PER_READING]
        return _Page(
            readings=kept,
            evidence=tests,
            left_out=(len(evidence) - len(tests)) * SERIES_PER_TEST
            + (len(shown) - len(kept)) * SERIES_PER_READING,
        )

    def _shown(self, use_case: str, now: float) -> Iterator[Shown]:
        spans = {name: window.span(now) for name, window in self._windows().items()}
        totals = self._spans_of(use_case).totals(spans)
        for name, tally in totals.items():
            for measured, reading in readings(tally).items():
                if isinstance(reading, Reading):
                    about = about_of(use_case, measured)
                    yield Shown(about=about, window=name, reading=reading)

    def _shadowed(self, use_case: str) -> Iterator[Shadowed]:
        sums = self._store.evidence(use_case, [RESULTS])[RESULTS]
        for (attribute, result), count in sorted(results_of(sums).items()):
            yield Shadowed(use_case=use_case, attribute=attribute, result=result, calls=count)

    def _windows(self) -> dict[str, Window]:
        """Those that are no shorter than a bucket."""
        width = self._store.bucket_seconds
        return {
            name: Window(seconds=seconds, bucket_seconds=width)
            for name, seconds in WINDOWS.items()
            if seconds >= width
        }

    def _spans_of(self, use_case: str) -> Spans:
        if use_case not in self._spans:
            self._spans[use_case] = Spans(self._store, use_case)
        return self._spans[use_case]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    readings: list[Shown]
    evidence: list[Evidence]
    left_out: int


def _order(about: About) -> tuple[str, str, str]:
    return about.metric, about.attribute, about.groups


def _age(now: float, since: float | None) -> float:
    return 0.0 if since is None else max(0.0, now - since)
