"""Global readings, computed when scraped: one exporter has them, so that sum() never doubles."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from guard.errors import StoreError
from guard.records import About, CaseState, Evidence, Judged, Shown, Snapshot
from guard.telemetry import names
from guard.telemetry.patience import Late, Patience

PATIENCE_SECONDS: Final = 8.0
FAILURES: Final = ("unreachable", "late", "fault")

JUDGED: Final[Mapping[str, tuple[names.Series, ...]]] = {
    "precision": (
        names.FLAG_PRECISION,
        names.FLAG_PRECISION_LOW,
        names.FLAG_PRECISION_HIGH,
        names.FLAG_PRECISION_SAMPLES,
    ),
    "agreement": (
        names.REVIEW_AGREEMENT,
        names.REVIEW_AGREEMENT_LOW,
        names.REVIEW_AGREEMENT_HIGH,
        names.REVIEW_AGREEMENT_SAMPLES,
    ),
}

_log = logging.getLogger("guard.telemetry")

Samples: TypeAlias = Iterable[tuple[Sequence[str], float]]


class FairnessCollector(Collector):
    """Asks for a snapshot once per scrape, and answers in time whether or not one comes.

    read: makes the snapshot; raises StoreError when the store is away. Called from threads of the
    collector's own, one call at a time. Without a snapshot there are no readings, `guard_store_up`
    is 0 and the reason is counted.
    """

    def __init__(
        self, read: Callable[[], Snapshot], *, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self._patience = Patience(read, patience_seconds)
        self._failed = dict.fromkeys(FAILURES, 0)
        self._failing = ""

    def describe(self) -> list[Metric]:
        """Nothing is promised before the first scrape, so that registering reads no store."""
        return []

    def collect(self) -> Iterator[Metric]:
        """One snapshot as many series."""
        snapshot = self._snapshot()
        yield _gauge(names.STORE_UP, [((), float(snapshot is not None))])
        failed = [((reason,), float(count)) for reason, count in self._failed.items()]
        yield _counter(names.READINGS_FAILED, failed)
        if snapshot is not None:
            yield from _readings(snapshot.readings)
            yield from _evidence(snapshot.evidence)
            yield from _queues(snapshot)
            yield from _cases(snapshot)
            yield from _judged(snapshot.judged)
            yield from _left_out(snapshot)

    def _snapshot(self) -> Snapshot | None:
        try:
            snapshot = self._patience.result()
        except Exception as error:
            self._fail(_reason(error), error)
            return None
        self._failing = ""
        return snapshot

    def _fail(self, reason: str, error: Exception) -> None:
        """Count it, and log it unless the last scrape failed likewise."""
        self._failed[reason] += 1
        if reason != self._failing:
            self._failing = reason
            fault = error if reason == "fault" else None
            _log.warning("scrapes are without readings (%s): %s", reason, error, exc_info=fault)


def _reason(error: Exception) -> str:
    if isinstance(error, Late):
        return "late"
    return "unreachable" if isinstance(error, StoreError) else "fault"


def publish(
    registry: CollectorRegistry,
    read: Callable[[], Snapshot],
    *,
    patience_seconds: float = PATIENCE_SECONDS,
) -> None:
    """Add the global readings to what a registry exposes."""
    registry.register(FairnessCollector(read, patience_seconds=patience_seconds))


class GlobalMetrics:
    """The global readings and nothing else, in a registry of their own: what an exporter serves."""

    def __init__(
        self, read: Callable[[], Snapshot], *, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self.registry = CollectorRegistry()
        publish(self.registry, read, patience_seconds=patience_seconds)


def _readings(shown: Sequence[Shown]) -> Iterator[Metric]:
    def samples(part: Callable[[Shown], float]) -> Samples:
        return [((*_about(one.about), one.window), part(one)) for one in shown]

    yield _gauge(names.FAIRNESS, samples(lambda one: one.reading.value))
    yield _gauge(names.FAIRNESS_LOW, samples(lambda one: one.reading.low))
    yield _gauge(names.FAIRNESS_HIGH, samples(lambda one: one.reading.high))
    yield _gauge(names.FAIRNESS_SAMPLES, samples(lambda one: one.reading.n))


def _evidence(tests: Sequence[Evidence]) -> Iterator[Metric]:
    estimates = [(_about(one.about), one.estimate) for one in tests if one.estimate is not None]
    yield _gauge(names.EVIDENCE, [(_about(one.about), one.log10_e) for one in tests])
    yield _gauge(names.EVIDENCE_ESTIMATE, [(about, one.value) for about, one in estimates])
    yield _gauge(names.EVIDENCE_LOW, [(about, one.low) for about, one in estimates])
    yield _gauge(names.EVIDENCE_HIGH, [(about, one.high) for about, one in estimates])
    yield _gauge(names.EVIDENCE_SAMPLES, [(about, one.n) for about, one in estimates])
    yield _gauge(names.EPOCH, [(_about(one.about), one.epoch) for one in tests])
    yield _counter(names.ALARMS, [(_about(one.about), one.alarms) for one in tests])
    raised = [(_about(one.about), one.alarm_log10_e) for one in tests if one.alarms]
    yield _gauge(names.ALARM_EVIDENCE, raised)


def _queues(snapshot: Snapshot) -> Iterator[Metric]:
    jobs = snapshot.jobs
    by_state = {
        "ready": jobs.ready,
        "delayed": jobs.delayed,
        "leased": jobs.leased,
        "buried": jobs.dead_letters,
    }
    shadowed = [((one.use_case, one.attribute, one.result), one.calls) for one in snapshot.shadowed]
    yield _counter(names.SHADOW, shadowed)
    yield _gauge(names.INBOX_JOBS, [((state,), count) for state, count in by_state.items()])
    yield _counter(names.INBOX_DROPPED, [((), jobs.full)])
    yield _gauge(names.SHADOW_LAG_SECONDS, [((), snapshot.lag_seconds)])


def _cases(snapshot: Snapshot) -> Iterator[Metric]:
    use_cases = sorted({use_case for use_case, _ in snapshot.cases})
    counts = [
        ((use_case, state.value), snapshot.cases.get((use_case, state), 0))
        for use_case in use_cases
        for state in CaseState
    ]
    yield _gauge(names.CASES, counts)
    yield _gauge(names.OLDEST_CASE_SECONDS, [((), snapshot.oldest_case_seconds)])


def _judged(found: Sequence[Judged]) -> Iterator[Metric]:
    for what, series in JUDGED.items():
        known = [((one.use_case, one.of), one.reading) for one in found if one.what == what]
        value, low, high, samples = series
        yield _gauge(value, [(labels, reading.value) for labels, reading in known])
        yield _gauge(low, [(labels, reading.low) for labels, reading in known])
        yield _gauge(high, [(labels, reading.high) for labels, reading in known])
        yield _gauge(samples, [(labels, reading.n) for labels, reading in known])


def _left_out(snapshot: Snapshot) -> Iterator[Metric]:
    by_use_case = [((use_case,), count) for use_case, count in snapshot.left_out.items()]
    yield _gauge(names.READINGS_DROPPED, by_use_case)
    yield _gauge(names.USE_CASES_DROPPED, [((), snapshot.use_cases_left_out)])


def _about(about: About) -> tuple[str, str, str, str]:
    return about.use_case, about.metric, about.attribute, about.groups


def _gauge(series: names.Series, samples: Samples) -> Metric:
    return _filled(GaugeMetricFamily(series.name, series.help, labels=series.labels), samples)


def _counter(series: names.Series, samples: Samples) -> Metric:
    return _filled(CounterMetricFamily(series.name, series.help, labels=series.labels), samples)


def _filled(
    family: GaugeMetricFamily | CounterMetricFamily, samples: Samples
) -> GaugeMetricFamily | CounterMetricFamily:
    """What is no number is left out: a metric without a value is absent."""
    for labels, value in samples:
        if not math.isnan(value):
            family.add_metric([_encodable(label) for label in labels], value)
    return family


def _encodable(label: str) -> str:
    return label.encode("utf-8", "replace").decode("utf-8")
