"""The series of several processes as those of one, whoever of them dies."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as open_metrics
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from guard.telemetry import (
    CollectedMetrics,
    Families,
    ReplicaMetrics,
    ScrapedCollector,
    growing_families,
    read_samples,
    samples_of,
    summed_metrics,
)
from guard.telemetry import add_families as sum_of


class Process:
    """A process with a series of each kind."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.calls = Counter("calls", "Calls.", ("use_case",), registry=self.registry)
        self.seconds = Histogram("secs", "Time.", buckets=(1.0, 2.0), registry=self.registry)
        self.open = Gauge("open", "Open.", registry=self.registry)
        self.began = Gauge("process_start_time_seconds", "Start.", registry=self.registry)

    def families(self) -> Families:
        return read_samples(samples_of(self.registry))


def shown(families: Families) -> dict[str, float]:
    registry = CollectedMetrics(ScrapedCollector(lambda: summed_metrics(families))).registry
    return {
        sample.name + "".join(sample.labels.values()): sample.value
        for metric in registry.collect()
        for sample in metric.samples
    }


def test_amounts_add_up_and_beginnings_do_not() -> None:
    one, other = Process(), Process()
    one.calls.labels("chat").inc(2)
    other.calls.labels("chat").inc(3)
    other.calls.labels('a "b"\n').inc()
    one.seconds.observe(0.5)
    other.seconds.observe(1.5)
    one.open.set(4)
    other.open.set(1)
    one.began.set(100)
    other.began.set(50)
    found = shown(sum_of([one.families(), other.families()]))
    assert found == {
        "calls_totalchat": 5,
        'calls_totala "b"\n': 1,
        "secs_bucket1.0": 1,
        "secs_bucket2.0": 2,
        "secs_bucket+Inf": 2,
        "secs_count": 2,
        "secs_sum": 2.0,
        "open": 5,
        "process_start_time_seconds": 50,
    }


def test_what_a_process_had_counted_outlives_it() -> None:
    dead, alive = Process(), Process()
    dead.calls.labels("chat").inc(7)
    dead.seconds.observe(0.5)
    dead.open.set(4)
    past = growing_families(dead.families())
    alive.calls.labels("chat").inc()
    found = shown(sum_of([past, alive.families()]))
    assert found["calls_totalchat"] == 8
    assert found["secs_count"] == 1
    assert found["open"] == 0


def test_adding_up_changes_nothing_that_was_given() -> None:
    one, other = Process(), Process()
    one.calls.labels("chat").inc()
    first = one.families()
    sum_of([first, first, other.families()])
    assert first["calls"].values == one.families()["calls"].values


def test_both_formats_can_be_read() -> None:
    one = Process()
    one.calls.labels("chat").inc()
    one.seconds.observe(3)
    sums = sum_of([one.families(), one.families()])
    registry = CollectedMetrics(ScrapedCollector(lambda: summed_metrics(sums))).registry
    assert b'calls_total{use_case="chat"} 2.0' in generate_latest(registry)
    text = open_metrics(registry).decode()
    names = {family.name for family in text_string_to_metric_families(text)}
    assert {"calls", "secs", "open"} <= names


def test_the_replica_counts_the_workers_it_replaced() -> None:
    metrics = ReplicaMetrics()
    metrics.worker_replaced()
    families = read_samples(samples_of(metrics.registry))
    assert families["guard_worker_restarts"].values == {("guard_worker_restarts_total", ()): 1.0}
    assert "process_resident_memory_bytes" in families


def test_the_latest_exemplar_of_all_processes_is_shown() -> None:
    one, other = Process(), Process()
    one.seconds.observe(0.5, {"trace_id": "first"})
    other.seconds.observe(0.7, {"trace_id": "second"})
    one.calls.labels("chat").inc(exemplar={"trace_id": "third"})
    past = growing_families(one.families())
    total = sum_of([past, Process().families(), other.families()])
    registry = CollectedMetrics(ScrapedCollector(lambda: summed_metrics(total))).registry
    lines = open_metrics(registry).decode().splitlines()
    found = {line.split(" # ")[0]: line for line in lines if " # {" in line}
    assert found.keys() == {'secs_bucket{le="1.0"} 2.0', 'calls_total{use_case="chat"} 1.0'}
    assert 'trace_id="second"' in found['secs_bucket{le="1.0"} 2.0']
