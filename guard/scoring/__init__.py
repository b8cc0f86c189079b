"""Scores of texts: models from a catalogue, run by a batching engine."""

from guard.scoring.catalogue import Catalogue, Listing, Manifest, Model, ModelKind, find_model
from guard.scoring.engine import Engine, EngineOptions, open_engine
from guard.scoring.models import Classifier, open_embedder
from guard.scoring.workers import usable_cores

__all__ = [
    "Catalogue",
    "Classifier",
    "Engine",
    "EngineOptions",
    "Listing",
    "Manifest",
    "Model",
    "ModelKind",
    "find_model",
    "open_embedder",
    "open_engine",
    "usable_cores",
]
