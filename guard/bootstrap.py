"""The only place where ports meet mechanisms."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from guard.errors import SettingsError, UnknownUseCase
from guard.flow import Flow
from guard.policy import Policy, Rule
from guard.ports import Observer
from guard.records import Action, Head
from guard.scoring import Catalogue, Engine, EngineOptions, Model, model_at, open_engine
from guard.settings import BUILT_IN, ModelSettings, Settings, UseCase, use_case_name
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


def open_scorer(settings: ModelSettings) -> Engine:
    """The scoring engine these settings ask for. Raises ModelError."""
    return open_engine(find_model(settings.model), engine_options(settings))


def find_model(name: str) -> Model:
    """`bundled`, an installed model by its name, or the one in a folder. Raises ModelError."""
    in_folder = os.sep in name or (Path(name) / "manifest.json").is_file()
    return model_at(Path(name)) if in_folder else Catalogue.installed().find(name)


def engine_options(settings: ModelSettings) -> EngineOptions:
    """Settings in the engine's own words."""
    return EngineOptions(
        workers=settings.workers,
        max_open_tokens=settings.max_open_tokens,
        max_text_characters=settings.max_text_characters,
        cache_bytes=int(settings.cache_mb * 1_000_000),
    )


def policies(settings: Settings, heads: Mapping[str, Head]) -> Callable[[str], Policy]:
    """The policy of each use case, thresholds filled in. Raises SettingsError."""
    declared = {
        name: _policy(f"use_cases.{name}", use_case, heads)
        for name, use_case in settings.use_cases.items()
    }
    if not declared:
        return _for_any(_policy("defaults", settings.defaults, heads))

    def policy_of(use_case: str) -> Policy:
        if use_case not in declared:
            names = ", ".join(sorted(declared))
            raise UnknownUseCase(
                f"use case {use_case!r} is not declared; add it under `use_cases` in the settings "
                f"(declared: {names})"
            )
        return declared[use_case]

    return policy_of


def _for_any(default: Policy) -> Callable[[str], Policy]:
    def policy_of(use_case: str) -> Policy:
        try:
            use_case_name(use_case)
        except (TypeError, ValueError) as error:
            raise UnknownUseCase(f"use case {use_case!r:.80}: {error}") from None
        return default

    return policy_of


def _policy(path: str, use_case: UseCase, heads: Mapping[str, Head]) -> Policy:
    built_in = {score: actions for score, actions in BUILT_IN.items() if score in heads}
    rules = [
        Rule(
            score=score,
            action=Action(action),
            threshold=_threshold(f"{path}.policy.{score}", heads, score, given),
        )
        for score, actions in {**built_in, **use_case.policy}.items()
        for action, given in actions.items()
    ]
    return Policy(
        rules=tuple(rules),
        enforce=use_case.mode == "enforce",
        on_unscored=use_case.on_unscored,
        deadline_seconds=use_case.deadline_ms / 1000,
        fallback=use_case.fallback,
        redaction=use_case.redaction,
        regenerations=use_case.regenerate,
        raises=use_case.on_block == "raise",
        hold=use_case.stream.hold,
    )


def _threshold(path: str, heads: Mapping[str, Head], score: str, given: float | str) -> float:
    harms = sorted(key for key, head in heads.items() if head.harm)
    if score not in harms:
        close = get_close_matches(score, harms, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"known scores: {', '.join(harms)}"
        raise SettingsError(f"{path}: not a harm score of this classifier; {hint}")
    shipped = heads[score].threshold
    if isinstance(given, float):
        return given
    if shipped is None:
        raise SettingsError(f"{path}: this classifier ships no threshold; give one in (0, 1]")
    return shipped
