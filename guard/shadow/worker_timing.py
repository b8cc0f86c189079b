"""How a worker of shadow jobs takes its time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerTiming:
    """How a worker takes its time, in seconds.

    longest_pause_seconds: a model that asks for longer is asked again then. longest_outage_seconds:
    between two looks at a store that fails.
    """

    concurrency: int = 16
    lease_seconds: float = 15.0
    idle_seconds: float = 1.0
    backoff_seconds: float = 2.0
    longest_backoff_seconds: float = 300.0
    longest_pause_seconds: float = 3600.0
    longest_outage_seconds: float = 5.0
    drain_seconds: float = 3.0
