"""A guard put together."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from guard.bootstrap.keeping import Kept, open_kept, shows_readings, store_settings
from guard.bootstrap.policies import policies
from guard.bootstrap.readings import open_readings
from guard.bootstrap.reviewing import kept_text
from guard.bootstrap.scorers import open_scorer
from guard.bootstrap.shadowing import Shadowing, shadowed, versions
from guard.flow import Flow
from guard.ports import Observer, Upstream
from guard.scoring import Engine
from guard.settings import Settings
from guard.shadow.recorder import Recorder
from guard.telemetry import SpoolCollector, publish
from guard.telemetry.observers import Observers
from guard.telemetry.prometheus import Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """Everything a running guard consists of. kept, shadowing: None where nothing is."""

    settings: Settings
    engine: Engine
    metrics: Metrics
    flow: Flow
    kept: Kept | None = None
    shadowing: Shadowing | None = None

    def lane(self, use_case: str, shadow: Callable[[Any], Any] | Upstream | None) -> str:
        """Who asks again about calls of a use case; see `Shadowing.lane`."""
        return "" if self.shadowing is None else self.shadowing.lane(use_case, shadow)

    def kept_state(self) -> str:
        """How it is with what is kept: `none` is, the store is `reachable`, or what waits for it is
        `spooling` on the disk."""
        return "none" if self.kept is None else self.kept.state()

    def close(self, *, drain_seconds: float) -> None:
        """Wait for open records, ship them, and stop all parts, the engine last."""
        self.flow.drain(drain_seconds)
        if self.shadowing is not None:
            self.shadowing.close(timeout_seconds=drain_seconds)
        if self.kept is not None:
            self.kept.close(drain_seconds=drain_seconds)
        self.engine.close()


def open_runtime(
    settings: Settings, *, observers: Iterable[Observer] = (), readings: bool = True
) -> Runtime:
    """Load the classifier and connect the parts.

    readings: False where another process shows the readings of all of them, whatever is set.
    Raises SettingsError, ModelError, StoreError.
    """
    with ExitStack() as opened:
        engine = open_scorer(settings.scoring)
        opened.callback(engine.close)
        policy_of = policies(settings, engine.heads)
        kept = _kept(settings, opened)
        shadowing = Shadowing(settings, kept.store, engine) if kept and shadowed(settings) else None
        metrics = _metrics(settings, engine, kept, readings=readings)
        recorders = [_recorder(settings, engine, kept, shadowing)] if kept else []
        flow = Flow(
            scorer=engine,
            observer=Observers([metrics, *recorders, *observers], failed=metrics.observer_error),
            policy_of=policy_of,
            clock=time.perf_counter,
            new_id=lambda: uuid.uuid4().hex,
        )
        opened.pop_all()
    return Runtime(
        settings=settings,
        engine=engine,
        metrics=metrics,
        flow=flow,
        kept=kept,
        shadowing=shadowing,
    )


def _kept(settings: Settings, opened: ExitStack) -> Kept | None:
    where = store_settings(settings)
    if where is None:
        return None
    kept = open_kept(where)
    opened.callback(lambda: kept.close(drain_seconds=0.0))
    return kept


def _metrics(settings: Settings, engine: Engine, kept: Kept | None, *, readings: bool) -> Metrics:
    metrics = Metrics(engine=engine.stats, use_cases=settings.use_cases)
    if kept is not None:
        metrics.registry.register(SpoolCollector(kept.spool_counts))
        if readings and shows_readings(settings):
            publish(metrics.registry, open_readings(kept.store, settings))
    return metrics


def _recorder(
    settings: Settings, engine: Engine, kept: Kept, shadowing: Shadowing | None
) -> Recorder:
    def reviewers(use_case: str) -> int:
        return settings.use_cases.get(use_case, settings.defaults).shadow.reviewers

    return Recorder(
        keep=kept.spool.put,
        heads=engine.heads,
        samplings=shadowing.samplings if shadowing else {},
        versions=versions(settings),
        reviewers=reviewers,
        clock=time.time,
        kept_text=kept_text(settings.review),
    )
