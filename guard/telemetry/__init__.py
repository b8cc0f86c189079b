"""What the guard tells the outside about its work: metrics, logs and the fan-out to observers."""

from __future__ import annotations

from guard.telemetry.engine import EngineCounts
from guard.telemetry.log import LogObserver
from guard.telemetry.observers import Observers
from guard.telemetry.prometheus import Metrics
from guard.telemetry.serving import MetricsServer, serve

__all__ = ["EngineCounts", "LogObserver", "Metrics", "MetricsServer", "Observers", "serve"]
