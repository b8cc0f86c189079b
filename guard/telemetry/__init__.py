"""What the guard tells the outside about its work: metrics, logs and the fan-out to observers."""

from __future__ import annotations

from guard.telemetry.engine import EngineCounts
from guard.telemetry.fairness import FairnessCollector, GlobalMetrics, publish
from guard.telemetry.gateway import GatewayMetrics, ReplicaMetrics
from guard.telemetry.log import LogObserver
from guard.telemetry.metrics_server import MetricsServer, serve
from guard.telemetry.observers import Observers
from guard.telemetry.prometheus import Metrics
from guard.telemetry.spool import SpoolCollector
from guard.telemetry.summing import Families, Summed, lasting, read_samples, samples_of, summed

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
    "Summed",
    "lasting",
    "publish",
    "read_samples",
    "samples_of",
    "serve",
    "summed",
]
