"""Other people's models into the catalogue: Detoxify, Hugging Face, sentence-transformers, ONNX."""

from guard.importing.comparison import Precision as Precision
from guard.importing.comparison import ScoreDifference as ScoreDifference
from guard.importing.comparison import Tolerance as Tolerance
from guard.importing.folder import LEAST_WINDOW as LEAST_WINDOW
from guard.importing.labelled_texts import ChosenThresholds as ChosenThresholds
from guard.importing.labelled_texts import choose_thresholds as choose_thresholds
from guard.importing.labelled_texts import described as described
from guard.importing.request import STEPS as STEPS
from guard.importing.request import WINDOW_TOKENS as WINDOW_TOKENS
from guard.importing.request import ImportedModel as ImportedModel
from guard.importing.request import ImportRequest as ImportRequest
from guard.importing.request import Purpose as Purpose
from guard.importing.request import import_model as import_model
from guard.importing.source import Source as Source
from guard.importing.source import SourceKind as SourceKind
from guard.importing.source import parse_source as parse_source
from guard.importing.storage import ModelStorage as ModelStorage
from guard.importing.texts import labelled_rows as labelled_rows
from guard.importing.texts import read_texts as read_texts
from guard.importing.texts import shipped_texts as shipped_texts
