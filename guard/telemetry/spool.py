"""What waits in a process's own spool: a series of the replica, never of the exporter."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from guard.records import SpoolCounts
from guard.telemetry import names


class SpoolCollector(Collector):
    """Asks the spool once per scrape."""

    def __init__(self, read: Callable[[], SpoolCounts]) -> None:
        self._read = read

    def describe(self) -> list[Metric]:
        """Nothing is promised before the first scrape, so that registering reads no disk."""
        return []

    def collect(self) -> Iterator[Metric]:
        """One reading as three series."""
        counts = self._read()
        size, records, dropped = names.SPOOL_BYTES, names.SPOOL_RECORDS, names.SPOOL_DROPPED
        yield GaugeMetricFamily(size.name, size.help, value=counts.bytes)
        yield CounterMetricFamily(records.name, records.help, value=counts.accepted)
        yield CounterMetricFamily(dropped.name, dropped.help, value=counts.dropped)
