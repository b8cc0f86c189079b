"""The scoring engine's own counts, read when scraped and never pushed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from guard.telemetry import names


class EngineCounts(Protocol):
    """What an engine says about itself: one consistent reading."""

    @property
    def queued(self) -> int:
        """Texts waiting now."""

    @property
    def batches(self) -> int:
        """Batches run so far."""

    @property
    def restarts(self) -> int:
        """Workers replaced so far."""

    @property
    def cache_hits(self) -> int:
        """Texts answered from the cache so far."""

    @property
    def cache_misses(self) -> int:
        """Texts not found in the cache so far."""


class EngineCollector(Collector):
    """Asks the engine once per scrape."""

    def __init__(self, read: Callable[[], EngineCounts]) -> None:
        self._read = read

    def describe(self) -> list[Metric]:
        """Nothing is promised before the first scrape, so that registering asks no engine."""
        return []

    def collect(self) -> Iterator[Metric]:
        """One reading as five series."""
        counts = self._read()
        yield _gauge(names.ENGINE_QUEUED, counts.queued)
        yield _counter(names.ENGINE_BATCHES, counts.batches)
        yield _counter(names.ENGINE_RESTARTS, counts.restarts)
        yield _counter(names.ENGINE_CACHE_HITS, counts.cache_hits)
        yield _counter(names.ENGINE_CACHE_MISSES, counts.cache_misses)


def _gauge(series: names.Series, value: int) -> Metric:
    return GaugeMetricFamily(series.name, series.help, value=value)


def _counter(series: names.Series, value: int) -> Metric:
    return CounterMetricFamily(series.name, series.help, value=value)
