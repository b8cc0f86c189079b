"""Series that are read when scraped: the counts of the scoring engine and of a process's spool."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from guard.records import SpoolCounts
from guard.telemetry import names

Samples: TypeAlias = Iterable[tuple[Sequence[str], float]]
"""Values of labels, and the number."""


class EngineCounts(Protocol):
    """What an engine says about itself: one consistent reading, totals since it began."""

    @property
    def open_requests(self) -> int:
        """Texts submitted and not yet answered."""

    @property
    def open_tokens(self) -> int:
        """Their tokens, estimated."""

    @property
    def batches(self) -> int:
        """Calls of the model."""

    @property
    def tokens(self) -> int:
        """Tokens that went through the model."""

    @property
    def padded_tokens(self) -> int:
        """Fillers beside those tokens."""

    @property
    def restarts(self) -> int:
        """Workers replaced."""

    @property
    def cancelled(self) -> int:
        """Texts dropped because nobody waited."""

    @property
    def cache_hits(self) -> int:
        """Texts answered from the cache."""

    @property
    def cache_misses(self) -> int:
        """Texts not found in the cache."""

    @property
    def cache_bytes(self) -> int:
        """Memory the cache holds."""


class ScrapedCollector(Collector):
    """Reads once per scrape and never before: registering asks no engine, disk or store."""

    def describe(self) -> list[Metric]:
        """Nothing is promised before the first scrape."""
        return []


class EngineCollector(ScrapedCollector):
    """One reading of the engine as many series."""

    def __init__(self, read: Callable[[], EngineCounts]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        """Called by the registry."""
        counts = self._read()
        for count, series in names.ENGINE.items():
            yield family(series, [((), getattr(counts, count))])


class SpoolCollector(ScrapedCollector):
    """What waits in a process's own spool: series of the replica, never of the exporter."""

    def __init__(self, read: Callable[[], SpoolCounts]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        """Called by the registry."""
        counts = self._read()
        yield family(names.SPOOL_BYTES, [((), counts.bytes)])
        yield family(names.SPOOL_RECORDS, [((), counts.accepted)])
        yield family(names.SPOOL_DROPPED, [((), counts.dropped)])


def family(series: names.Series, samples: Samples) -> Metric:
    """A counter or a gauge with these samples; NaN is left out: without a value it is absent."""
    kind = CounterMetricFamily if series.kind == "counter" else GaugeMetricFamily
    made: Metric = kind(series.name, series.help, labels=series.labels)
    for labels, value in samples:
        if not math.isnan(value):
            texts = [_encodable(label) for label in labels]
            made.add_sample(series.exposed, dict(zip(series.labels, texts, strict=True)), value)
    return made


def _encodable(label: str) -> str:
    return label.encode("utf-8", "replace").decode("utf-8")
