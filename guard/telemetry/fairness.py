"""Global readings, computed when scraped: one exporter has them, so that sum() never doubles."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from typing import Final, Generic, TypeVar

from prometheus_client.core import Metric

from guard.errors import StoreContentError, StoreError
from guard.records import (
    About,
    AlarmPosts,
    CaseState,
    Estimate,
    Evidence,
    Judged,
    Reading,
    Shown,
    Snapshot,
    VoteTimes,
)
from guard.telemetry import names
from guard.telemetry.collectors import ScrapedCollector, family, labelled_family, labels_of

PATIENCE_SECONDS: Final = 8.0
FAILURES: Final = ("unreachable", "unreadable", "late", "fault")

JUDGED: Final[Mapping[str, names.EstimateSeries]] = {
    "precision": names.FLAG_PRECISION,
    "agreement": names.REVIEW_AGREEMENT,
}

_log = logging.getLogger("guard.telemetry")

Result = TypeVar("Result")


class LateError(Exception):
    """There is no result in time."""


class BoundedWait(Generic[Result]):
    """Makes results in a thread of its own, and waits `seconds` for each at most.

    One is made at a time: who asks while one is being made waits for that one. The thread is a
    daemon's, so that a maker that hangs for good keeps no process alive.
    """

    def __init__(self, make: Callable[[], Result], seconds: float) -> None:
        self._make = make
        self._seconds = seconds
        self._lock = threading.Lock()
        self._present: Future[Result] | None = None

    def result(self) -> Result:
        """A result that was not there before this was called.

        Raises LateError when there is none in time, and whatever `make` raises.
        """
        future = self._compute()
        wait([future], self._seconds)
        if not future.done():
            raise LateError(f"not done after {self._seconds:g} s")
        return future.result()

    def _compute(self) -> Future[Result]:
        with self._lock:
            if self._present is None or self._present.done():
                self._present = Future()
                threading.Thread(
                    target=self._run, args=(self._present,), name="guard-readings", daemon=True
                ).start()
            return self._present

    def _run(self, future: Future[Result]) -> None:
        try:
            future.set_result(self._make())
        except BaseException as error:
            future.set_exception(error)


class FairnessCollector(ScrapedCollector):
    """Asks for a snapshot once per scrape, and answers in time whether or not one comes.

    read: makes the snapshot; raises StoreError when the store is away. Called from threads of the
    collector's own, one call at a time. Without a snapshot there are no readings, `guard_store_up`
    is 0 and the reason is counted.
    """

    def __init__(
        self, read: Callable[[], Snapshot], *, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        super().__init__(self._metrics)
        self._wait = BoundedWait(read, patience_seconds)
        self._failed = dict.fromkeys(FAILURES, 0)
        self._failing = ""
        self._passed_over = 0

    def _metrics(self) -> Iterator[Metric]:
        """One snapshot as many series."""
        snapshot = self._snapshot()
        yield family(names.STORE_UP, [((), float(snapshot is not None))])
        failed = [((reason,), float(count)) for reason, count in self._failed.items()]
        yield family(names.READINGS_FAILED, failed)
        if snapshot is not None:
            yield from _readings(snapshot.readings)
            yield from _evidence(snapshot.evidence)
            yield from _alarms(snapshot)
            yield from _queues(snapshot)
            yield from _cases(snapshot)
            yield from _judged(snapshot.judged)
            yield from _vote_times(snapshot.vote_times)
            yield from _left_out(snapshot)

    def _snapshot(self) -> Snapshot | None:
        try:
            snapshot = self._wait.result()
        except Exception as error:
            self._fail(_reason(error), error)
            return None
        self._failing = ""
        self._failed["unreadable"] += max(snapshot.unreadable - self._passed_over, 0)
        self._passed_over = snapshot.unreadable
        return snapshot

    def _fail(self, reason: str, error: Exception) -> None:
        """Count it, and log it unless the last scrape failed likewise."""
        self._failed[reason] += 1
        if reason != self._failing:
            self._failing = reason
            fault = error if reason == "fault" else None
            _log.warning("scrapes are without readings (%s): %s", reason, error, exc_info=fault)


def _reason(error: Exception) -> str:
    if isinstance(error, LateError):
        return "late"
    if isinstance(error, StoreContentError):
        return "unreadable"
    return "unreachable" if isinstance(error, StoreError) else "fault"


def _estimates(
    series: names.EstimateSeries, found: Sequence[tuple[Sequence[str], Reading | Estimate]]
) -> Iterator[Metric]:
    labelled = [(labels_of(series.value, said), one) for said, one in found]
    yield labelled_family(series.value, ((labels, one.value) for labels, one in labelled))
    yield labelled_family(series.low, ((labels, one.low) for labels, one in labelled))
    yield labelled_family(series.high, ((labels, one.high) for labels, one in labelled))
    yield labelled_family(series.samples, ((labels, one.n) for labels, one in labelled))


def _readings(shown: Sequence[Shown]) -> Iterator[Metric]:
    found = [((*_about(one.about), one.window), one.reading) for one in shown]
    return _estimates(names.FAIRNESS, found)


def _evidence(tests: Sequence[Evidence]) -> Iterator[Metric]:
    yield family(names.EVIDENCE, [(_about(one.about), one.log10_e) for one in tests])
    estimates = [(_about(one.about), one.estimate) for one in tests if one.estimate is not None]
    yield from _estimates(names.TESTED, estimates)
    needed = [(_about(one.about), one.needed) for one in tests if one.needed is not None]
    yield family(names.NEEDED, needed)
    sizes = {
        (one.about.use_case, one.about.metric): one.material
        for one in tests
        if one.material is not None
    }
    yield family(names.MATERIAL, sizes.items())
    yield _epochs(one for one in tests if not one.about.groups)


def _epochs(tests: Iterable[Evidence]) -> Metric:
    """tests: of all groups together; those of single groups have the same epochs."""
    begun = Counter[tuple[str, str]]()
    for one in tests:
        begun[one.about.use_case, one.about.attribute] += one.epoch
    return family(names.EPOCHS, begun.items())


def _alarms(snapshot: Snapshot) -> Iterator[Metric]:
    lines = snapshot.alarm_lines.items()
    yield family(names.ALARM_LINE, [((use_case,), line) for use_case, line in lines])
    raised = [(_about(one.about), one) for one in snapshot.evidence if one.alarms]
    yield family(names.ALARMS, [(about, one.alarms) for about, one in raised])
    yield family(names.ALARM_STANDS, [(about, float(one.alarmed)) for about, one in raised])
    yield family(names.ALARM_EVIDENCE, [(about, one.alarm_log10_e) for about, one in raised])
    yield _alarm_posts(snapshot.alarm_posts)


def _alarm_posts(found: Sequence[AlarmPosts]) -> Metric:
    """Both results of every use case from the start, so that a rate sees the first failure."""
    posts = [
        ((one.use_case, result), count)
        for one in found
        for result, count in (("sent", one.sent), ("failed", one.failed))
    ]
    return family(names.ALARM_POSTS, posts)


def _queues(snapshot: Snapshot) -> Iterator[Metric]:
    jobs = snapshot.jobs
    by_state = {
        "ready": jobs.ready,
        "delayed": jobs.delayed,
        "leased": jobs.leased,
        "buried": jobs.dead_letters,
    }
    shadowed = [((one.use_case, one.attribute, one.result), one.calls) for one in snapshot.shadowed]
    yield family(names.SHADOW, shadowed)
    yield family(names.INBOX_JOBS, [((state,), count) for state, count in by_state.items()])
    yield family(names.INBOX_DROPPED, [((), jobs.full)])
    yield family(names.SHADOW_LAG_SECONDS, [((), snapshot.lag_seconds)])


def _cases(snapshot: Snapshot) -> Iterator[Metric]:
    use_cases = sorted({use_case for use_case, _ in snapshot.cases})
    counts = [
        ((use_case, state.value), snapshot.cases.get((use_case, state), 0))
        for use_case in use_cases
        for state in CaseState
    ]
    yield family(names.CASES, counts)
    yield family(names.OLDEST_CASE_SECONDS, [((), snapshot.oldest_case_seconds)])


def _judged(found: Sequence[Judged]) -> Iterator[Metric]:
    for what, series in JUDGED.items():
        known = [((one.use_case, one.of), one.reading) for one in found if one.what == what]
        yield from _estimates(series, known)


def _vote_times(found: Sequence[VoteTimes]) -> Iterator[Metric]:
    yield family(names.VERDICTS, [((one.use_case,), one.votes) for one in found])
    yield family(names.VERDICT_SECONDS, [((one.use_case,), one.seconds) for one in found])


def _left_out(snapshot: Snapshot) -> Iterator[Metric]:
    yield family(names.READINGS_DROPPED, snapshot.left_out.items())
    yield family(names.USE_CASES_DROPPED, [((), snapshot.use_cases_left_out)])


def _about(about: About) -> tuple[str, str, str, str]:
    return about.use_case, about.metric, about.attribute, about.groups
