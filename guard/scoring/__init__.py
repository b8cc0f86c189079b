"""Scores of texts: models from a catalogue, run by a batching engine."""

from guard.scoring.catalogue import IMPORTED_VARIABLE as IMPORTED_VARIABLE
from guard.scoring.catalogue import RESERVED_NAMES as RESERVED_NAMES
from guard.scoring.catalogue import Catalogue as Catalogue
from guard.scoring.catalogue import Listing as Listing
from guard.scoring.catalogue import Manifest as Manifest
from guard.scoring.catalogue import Model as Model
from guard.scoring.catalogue import ModelKind as ModelKind
from guard.scoring.catalogue import find_model as find_model
from guard.scoring.catalogue import imported_models as imported_models
from guard.scoring.catalogue import large_classifier as large_classifier
from guard.scoring.catalogue import model_at as model_at
from guard.scoring.catalogue import shipped_pair_classifier as shipped_pair_classifier
from guard.scoring.combined import CombinedEngine as CombinedEngine
from guard.scoring.combined import EnginePart as EnginePart
from guard.scoring.combined import ScoringEngine as ScoringEngine
from guard.scoring.engine import Engine as Engine
from guard.scoring.engine import EngineOptions as EngineOptions
from guard.scoring.engine import open_engine as open_engine
from guard.scoring.models import Classifier as Classifier
from guard.scoring.models import open_embedder as open_embedder
from guard.scoring.pairs import PairClassifier as PairClassifier
from guard.scoring.pairs import open_pair_classifier as open_pair_classifier
from guard.scoring.workers import usable_cores as usable_cores
