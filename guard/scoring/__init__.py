"""Scores of texts: models from a catalogue, run by a batching engine."""

from guard.scoring.catalogue import Catalogue as Catalogue
from guard.scoring.catalogue import Listing as Listing
from guard.scoring.catalogue import Manifest as Manifest
from guard.scoring.catalogue import Model as Model
from guard.scoring.catalogue import ModelKind as ModelKind
from guard.scoring.catalogue import find_model as find_model
from guard.scoring.catalogue import large_classifier as large_classifier
from guard.scoring.engine import Engine as Engine
from guard.scoring.engine import EngineOptions as EngineOptions
from guard.scoring.engine import open_engine as open_engine
from guard.scoring.models import Classifier as Classifier
from guard.scoring.models import open_embedder as open_embedder
from guard.scoring.workers import usable_cores as usable_cores
