"""The scoring engine's own counts, read when scraped and never pushed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from guard.telemetry import names


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


class EngineCollector(Collector):
    """Asks the engine once per scrape."""

    def __init__(self, read: Callable[[], EngineCounts]) -> None:
        self._read = read

    def describe(self) -> list[Metric]:
        """Nothing is promised before the first scrape, so that registering asks no engine."""
        return []

    def collect(self) -> Iterator[Metric]:
        """One reading as many series."""
        counts = self._read()
        yield _gauge(names.ENGINE_OPEN_REQUESTS, counts.open_requests)
        yield _gauge(names.ENGINE_OPEN_TOKENS, counts.open_tokens)
        yield _counter(names.ENGINE_BATCHES, counts.batches)
        yield _counter(names.ENGINE_TOKENS, counts.tokens)
        yield _counter(names.ENGINE_PADDED_TOKENS, counts.padded_tokens)
        yield _counter(names.ENGINE_RESTARTS, counts.restarts)
        yield _counter(names.ENGINE_CANCELLED, counts.cancelled)
        yield _counter(names.ENGINE_CACHE_HITS, counts.cache_hits)
        yield _counter(names.ENGINE_CACHE_MISSES, counts.cache_misses)
        yield _gauge(names.ENGINE_CACHE_BYTES, counts.cache_bytes)


def _gauge(series: names.Series, value: int) -> Metric:
    return GaugeMetricFamily(series.name, series.help, value=value)


def _counter(series: names.Series, value: int) -> Metric:
    return CounterMetricFamily(series.name, series.help, value=value)
