"""Scores of texts: models from a catalogue, run by a batching engine."""

from guard.scoring.catalogue import Catalogue, Listing, Model, find_model, model_at
from guard.scoring.classifier import Classifier
from guard.scoring.embedder import Embedder, open_embedder
from guard.scoring.engine import Engine, open_engine
from guard.scoring.manifest import Manifest, ManifestHead, Task
from guard.scoring.options import EngineOptions, EngineStats

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
    "Task",
    "find_model",
    "model_at",
    "open_embedder",
    "open_engine",
]
