"""A guard put together from its settings."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from guard.bootstrap.candidates import candidate_policy
from guard.bootstrap.readings import open_readings
from guard.bootstrap.review import kept_text
from guard.bootstrap.scorers import open_models
from guard.bootstrap.second_look import check_heads, open_second_look, second_version
from guard.bootstrap.shadow import Shadowing, versions
from guard.bootstrap.storage import (
    MEGABYTE,
    Storage,
    open_storage,
    shows_readings,
    store_settings,
)
from guard.bootstrap.tracing import Tracing, application_outlets, open_tracing
from guard.bootstrap.use_cases import UNDECLARED, policies, shadowed
from guard.flow import Flow
from guard.flow.bounded_scorer import BoundedScorer
from guard.policy import Policy, Rule
from guard.ports import Observer, Scorer, Upstream
from guard.records import Lane
from guard.scoring import Engine, EngineOptions, ScoringEngine
from guard.settings import ModelSettings, Settings
from guard.shadow.daily_texts import DailyTexts
from guard.shadow.drafts import DraftRecorder
from guard.shadow.recorder import CallRecorder
from guard.telemetry import FairnessCollector, ScrapedCollector, spool_metrics
from guard.telemetry.metrics import Metrics
from guard.telemetry.observers import Observers

if TYPE_CHECKING:
    from guard.telemetry.opentelemetry.outlets import TraceOutlets


HANDOVER_SECONDS: Final = 1.0
"""For calls that the engine has answered unscored to be recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """Everything a running guard consists of.

    storage: None where nothing is kept. shadowing: None where no use case is shadowed.
    second_look: scores the second looks of its calls; None without any. tracing: of its calls and
    shadow jobs. drafts: of calls of which more may come; None where nothing is kept.
    """

    settings: Settings
    engine: ScoringEngine
    metrics: Metrics
    flow: Flow
    storage: Storage | None = None
    shadowing: Shadowing | None = None
    second_look: Engine | BoundedScorer | None = None
    tracing: Tracing = field(default_factory=Tracing)
    drafts: DraftRecorder | None = None

    def lane(self, use_case: str, shadow: Callable[[Any], Any] | Upstream | None) -> Lane | None:
        """The lane for shadow requests of a use case; see `Shadowing.lane`."""
        return None if self.shadowing is None else self.shadowing.lane(use_case, shadow)

    def storage_state(self) -> str:
        """`none` where nothing is kept; otherwise as `Storage.state`."""
        return "none" if self.storage is None else self.storage.state()

    def close(self, *, drain_seconds: float, judging_seconds: float | None = None) -> None:
        """Wait for open records, ship them, and stop all parts.

        judging_seconds: how long open calls have until they are judged, by default drain_seconds.
        Those that are not are recorded as unscored, those that wait for a second look without it.
        """
        with ExitStack() as parts:
            parts.callback(self.engine.close)
            parts.callback(self.tracing.close, drain_seconds=drain_seconds)
            if self.storage is not None:
                parts.callback(self.storage.close, drain_seconds=drain_seconds)
            if self.shadowing is not None:
                parts.callback(self.shadowing.close, timeout_seconds=drain_seconds)
            drained = self.flow.drain(drain_seconds if judging_seconds is None else judging_seconds)
            if self.second_look is not None:
                self.second_look.close()
            if not drained:
                self.engine.close()
                self.flow.drain(min(drain_seconds, HANDOVER_SECONDS))


def open_runtime(
    settings: Settings,
    *,
    observers: Iterable[Observer] = (),
    readings: bool = True,
    second_look: Scorer | None = None,
    outlets: TraceOutlets | None = None,
    needs_store: bool = True,
) -> Runtime:
    """Load the classifiers and connect the parts.

    readings: False where another process shows the readings of all of them, whatever is set.
    second_look: stands for `scoring.second_look`; whoever made it closes it. outlets: for spans and
    events, by default those of the application's OpenTelemetry SDK. needs_store: False where calls
    are to be answered whatever the store says; see `open_storage`.
    Raises SettingsError, ModelError, StoreError.
    """
    with ExitStack() as opened:
        engine = open_scorer(settings.scoring)
        opened.callback(engine.close)
        second = _second_look(settings, second_look, opened)
        policy_of = _policies(settings, engine, second)
        storage = _storage(settings, opened, needs_store=needs_store)
        rules_of = partial(_rules_of, policy_of)
        metrics = _metrics(settings, engine, storage, rules_of, readings=readings)
        tracing = open_tracing(
            settings,
            outlets or application_outlets(),
            scorers=(engine, second),
            rules_of=rules_of,
            failed=metrics.observer_error,
        )
        shadowing = _shadowing(settings, storage, engine, tracing)
        record = partial(_recorder, rules_of=rules_of, second_look=second, metrics=metrics)
        drafts = record(settings, engine, storage, shadowing) if storage else None
        flow = _flow(engine, second, policy_of, _observers(metrics, drafts, observers), tracing)
        opened.pop_all()
    return Runtime(
        settings=settings,
        engine=engine,
        metrics=metrics,
        flow=flow,
        storage=storage,
        shadowing=shadowing,
        second_look=second,
        tracing=tracing,
        drafts=drafts,
    )


def _observers(
    metrics: Metrics, drafts: DraftRecorder | None, more: Iterable[Observer]
) -> Observers:
    recorders = [drafts] if drafts else []
    return Observers([metrics, *recorders, *more], failed=metrics.observer_error)


def _flow(
    engine: ScoringEngine,
    second: Scorer | None,
    policy_of: Callable[[str], Policy],
    observer: Observer,
    tracing: Tracing,
) -> Flow:
    return Flow(
        scorer=engine,
        observer=observer,
        policy_of=policy_of,
        clock=time.perf_counter,
        new_id=lambda: uuid.uuid4().hex,
        second=second,
        tracer=tracing.calls,
    )


def _second_look(
    settings: Settings, given: Scorer | None, opened: ExitStack
) -> Engine | BoundedScorer | None:
    """The given scorer, which may do anything, or the engine that the settings name."""
    if given is not None:
        return BoundedScorer(given)
    engine = open_second_look(settings.scoring)
    if engine is not None:
        opened.callback(engine.close)
    return engine


def _policies(
    settings: Settings, engine: ScoringEngine, second: Scorer | None
) -> Callable[[str], Policy]:
    if second is None:
        return policies(settings, engine.heads)
    check_heads(engine.heads, second.heads)
    # One of the user's own hears the passage among its neighbours, and may be paid by the call.
    return policies(
        settings, engine.heads, second.heads, reads_alone=not isinstance(second, BoundedScorer)
    )


def _storage(settings: Settings, opened: ExitStack, *, needs_store: bool) -> Storage | None:
    where = store_settings(settings)
    if where is None:
        return None
    storage = open_storage(where, needs_store=needs_store)
    opened.callback(lambda: storage.close(drain_seconds=0.0))
    return storage


def _shadowing(
    settings: Settings, storage: Storage | None, engine: ScoringEngine, tracing: Tracing
) -> Shadowing | None:
    if storage is None or not shadowed(settings):
        return None
    return Shadowing(settings, storage.store, engine, tracer=tracing.jobs)


RulesOf = Callable[[str], Sequence[Rule]]


def _rules_of(policy_of: Callable[[str], Policy], use_case: str) -> Sequence[Rule]:
    return policy_of(use_case).rules


def _metrics(
    settings: Settings,
    engine: ScoringEngine,
    storage: Storage | None,
    rules_of: RulesOf,
    *,
    readings: bool,
) -> Metrics:
    use_cases = settings.use_cases or (UNDECLARED,)
    metrics = Metrics(
        engine=engine.stats,
        use_cases=settings.use_cases,
        rules_of=rules_of,
        thresholds={rule.threshold for use_case in use_cases for rule in rules_of(use_case)},
    )
    if storage is not None:
        metrics.registry.register(ScrapedCollector(lambda: spool_metrics(storage.spool_counts())))
        if readings and shows_readings(settings):
            readings_of_all = open_readings(storage.store, settings)
            metrics.registry.register(FairnessCollector(readings_of_all))
    return metrics


def _recorder(
    settings: Settings,
    engine: ScoringEngine,
    storage: Storage,
    shadowing: Shadowing | None,
    *,
    rules_of: RulesOf,
    second_look: Scorer | None,
    metrics: Metrics,
) -> DraftRecorder:
    def reviewers(use_case: str) -> int:
        return settings.use_cases.get(use_case, settings.defaults).shadow.reviewers

    @lru_cache(maxsize=1024)
    def candidate_epoch(use_case: str) -> str:
        found = candidate_policy(settings, use_case)
        return found.epoch if found else ""

    recorder = CallRecorder(
        keep=storage.spool.put,
        heads=engine.heads,
        samplings=shadowing.samplings if shadowing else {},
        versions=versions(settings) | second_version(settings.scoring, second_look),
        reviewers=reviewers,
        clock=time.time,
        kept_text=kept_text(settings.review),
        rule_scores=lambda use_case: {rule.score for rule in rules_of(use_case)},
        candidate_epoch=candidate_epoch,
        texts=DailyTexts(settings.review.texts_mb_per_day * MEGABYTE),
    )
    return DraftRecorder(recorder, storage.spool, metrics.observer_error)


def open_scorer(
    settings: ModelSettings, *, pads: bool = True, only_scores: bool = False
) -> ScoringEngine:
    """The scoring engine that settings ask for. pads, only_scores: see `EngineOptions`. Raises
    SettingsError, ModelError."""
    options = EngineOptions(
        workers=settings.workers,
        max_open_tokens=settings.max_open_tokens,
        max_text_characters=settings.max_text_characters,
        cache_bytes=int(settings.cache_mb * MEGABYTE),
        pads=pads,
        only_scores=only_scores,
    )
    return open_models(settings, options)
