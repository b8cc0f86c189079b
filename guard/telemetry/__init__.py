"""What the guard tells the outside about its work: metrics, logs and the fan-out to observers."""

from __future__ import annotations

from guard.telemetry.collectors import EngineCounts, SpoolCollector
from guard.telemetry.fairness import FairnessCollector, GlobalMetrics, publish
from guard.telemetry.metrics import GatewayMetrics, Metrics, ReplicaMetrics
from guard.telemetry.metrics_server import MetricsServer, serve
from guard.telemetry.multiprocess import (
    Families,
    SummedMetrics,
    add_families,
    growing_families,
    read_samples,
    samples_of,
)
from guard.telemetry.observers import LogObserver, Observers

__all__ = [
    "EngineCounts",
    "FairnessCollector",
    "Families",
    "GatewayMetrics",
    "GlobalMetrics",
    "LogObserver",
    "Metrics",
    "MetricsServer",
    "Observers",
    "ReplicaMetrics",
    "SpoolCollector",
    "SummedMetrics",
    "add_families",
    "growing_families",
    "publish",
    "read_samples",
    "samples_of",
    "serve",
]
