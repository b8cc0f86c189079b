"""Series that are read when scraped: the counts of the scoring engine and of a process's spool."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from guard.records import SpoolCounts
from guard.telemetry import names

Samples: TypeAlias = Iterable[tuple[Sequence[str], float]]
"""Values of labels, and the number."""
Labels: TypeAlias = dict[str, str]


class ScrapedCollector(Collector):
    """Reads once per scrape and never before: registering asks no engine, disk or store."""

    def __init__(self, read: Callable[[], Iterable[Metric]]) -> None:
        self._read = read

    def describe(self) -> list[Metric]:
        """Nothing is promised before the first scrape."""
        return []

    def collect(self) -> Iterable[Metric]:
        """Called by the registry."""
        return self._read()


class Registry(CollectorRegistry):
    """One that leaves out when each series was made: a series more for every one that counts."""

    def collect(self) -> Iterator[Metric]:
        """All metrics, without `_created`."""
        for metric in super().collect():
            metric.samples = [one for one in metric.samples if not one.name.endswith("_created")]
            yield metric


class CollectedMetrics:
    """What one collector gives, in a registry of its own."""

    def __init__(self, collector: Collector) -> None:
        self.registry = Registry()
        self.registry.register(collector)


def engine_metrics(counts: object) -> Iterator[Metric]:
    """One reading of an engine, which has an attribute for each key of `names.ENGINE`."""
    for count, series in names.ENGINE.items():
        yield family(series, [((), getattr(counts, count))])


def spool_metrics(counts: SpoolCounts) -> Iterator[Metric]:
    """What waits in a process's own spool: series of the replica, never of the exporter."""
    yield family(names.SPOOL_BYTES, [((), counts.bytes)])
    yield family(names.SPOOL_RECORDS, [((), counts.accepted)])
    yield family(names.SPOOL_DROPPED, [((), counts.dropped)])


def family(series: names.Series, samples: Samples) -> Metric:
    """A counter or a gauge with these samples."""
    return labelled_family(series, ((labels_of(series, said), value) for said, value in samples))


def labelled_family(series: names.Series, samples: Iterable[tuple[Labels, float]]) -> Metric:
    """The same; NaN is left out: without a value it is absent."""
    kind = CounterMetricFamily if series.kind == "counter" else GaugeMetricFamily
    made: Metric = kind(series.name, series.help, labels=series.labels)
    name = series.exposed
    for labels, value in samples:
        if not math.isnan(value):
            made.add_sample(name, labels, value)
    return made


def labels_of(series: names.Series, said: Sequence[str]) -> Labels:
    """The labels of a sample; what cannot be encoded in them is replaced."""
    texts = [text.encode("utf-8", "replace").decode("utf-8") for text in said]
    return dict(zip(series.labels, texts, strict=True))
