"""The scoring engine that settings ask for."""

from __future__ import annotations

import os
from pathlib import Path

from guard.scoring import Catalogue, Engine, EngineOptions, Model, model_at, open_engine
from guard.settings import ModelSettings


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
