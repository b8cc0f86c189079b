"""A guard put together."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from guard.bootstrap.policies import policies
from guard.bootstrap.scorers import open_scorer
from guard.errors import SettingsError
from guard.flow import Flow
from guard.ports import Observer
from guard.scoring import Engine
from guard.settings import Settings
from guard.telemetry.observers import Observers
from guard.telemetry.prometheus import Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """Everything a running guard consists of."""

    settings: Settings
    engine: Engine
    metrics: Metrics
    flow: Flow

    def close(self, *, drain_seconds: float) -> None:
        """Wait for open records, then answer what is left and stop the engine."""
        self.flow.drain(drain_seconds)
        self.engine.close()


def open_runtime(settings: Settings, *, observers: Iterable[Observer] = ()) -> Runtime:
    """Load the classifier and connect the parts. Raises SettingsError, ModelError."""
    engine = open_scorer(settings.scoring)
    try:
        policy_of = policies(settings, engine.heads)
    except SettingsError:
        engine.close()
        raise
    metrics = Metrics(engine=engine.stats, use_cases=settings.use_cases)
    flow = Flow(
        scorer=engine,
        observer=Observers([metrics, *observers], failed=metrics.observer_error),
        policy_of=policy_of,
        clock=time.perf_counter,
        new_id=lambda: uuid.uuid4().hex,
    )
    return Runtime(settings=settings, engine=engine, metrics=metrics, flow=flow)
