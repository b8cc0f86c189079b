"""The store and what is read of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from guard.ports import Store
from guard.records import Snapshot
from guard.report import EvidenceOf, Limits, Readings
from guard.review.judged import judged_in
from guard.settings import Settings
from guard.shadow.watch import epoch_name, epochs_of


def open_readings(
    store: Store, settings: Settings, *, limits: Limits | None = None
) -> Callable[[], Snapshot]:
    """What makes a snapshot of a store; it raises StoreError while that is away.

    Give it to `telemetry.publish` (an embedded server) or `telemetry.GlobalMetrics` (an exporter).
    """

    def tolerance_of(use_case: str) -> float:
        return settings.use_cases.get(use_case, settings.defaults).shadow.tolerance

    evidence = EvidenceOf(store, epochs=epochs_of, name_of=epoch_name, tolerance_of=tolerance_of)
    return Readings(
        store,
        clock=time.time,
        evidence=evidence,
        judged=judged_in(store),
        use_cases=settings.use_cases,
        limits=limits,
    ).snapshot
