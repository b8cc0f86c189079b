"""Scores of texts: models from a catalogue, run by a batching engine."""

from guard.scoring.catalogue import (
    Catalogue,
    Listing,
    Manifest,
    ManifestHead,
    Model,
    ModelKind,
    find_model,
    model_at,
)
from guard.scoring.engine import Engine, EngineOptions, EngineStats, open_engine
from guard.scoring.models import Classifier, Embedder, open_embedder
from guard.scoring.workers import usable_cores

__all__ = [
    "Catalogue",
    "Classifier",
    "Embedder",
    "Engine",
    "EngineOptions",
    "EngineStats",
    "Listing",
    "Manifest",
    "ManifestHead",
    "Model",
    "ModelKind",
    "find_model",
    "model_at",
    "open_embedder",
    "open_engine",
    "usable_cores",
]
