"""What the guard tells the outside about its work: metrics, logs and the fan-out to observers."""

from __future__ import annotations

from guard.telemetry.engine import EngineCounts
from guard.telemetry.fairness import FairnessCollector, GlobalMetrics, publish
from guard.telemetry.log import LogObserver
from guard.telemetry.observers import Observers
from guard.telemetry.prometheus import Metrics
from guard.telemetry.serving import MetricsServer, serve
from guard.telemetry.spool import SpoolCollector

__all__ = [
    "EngineCounts",
    "FairnessCollector",
    "GlobalMetrics",
    "LogObserver",
    "Metrics",
    "MetricsServer",
    "Observers",
    "SpoolCollector",
    "publish",
    "serve",
]
