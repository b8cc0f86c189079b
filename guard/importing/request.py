"""What is asked of an import, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Final

from guard.errors import ModelError
from guard.importing.comparison import Cost, ModelComparison, Precision, Tolerance
from guard.importing.labels import LabelMap
from guard.importing.source import Source, SourceKind
from guard.importing.storage import ModelStorage
from guard.importing.texts import shipped_texts

STEPS: Final = ("files", "weights", "precision", "comparison", "catalogue")
"""What an import goes through, in order."""

WINDOW_TOKENS: Final = 512
OVERLAP_TOKENS: Final = 32
RUN_SECONDS: Final = 120.0
"""That loading a model, or running it over a batch of texts, may take: a hundred times what it
takes the largest ones."""


class Purpose(StrEnum):
    """What a model is imported for."""

    TOXICITY = "toxicity"
    STEREOTYPE = "stereotype"
    SENTIMENT = "sentiment"
    EMBEDDER = "embedder"
    NLI = "nli"


_LIBRARIES = {
    Purpose.EMBEDDER: SourceKind.SENTENCE_TRANSFORMERS,
    Purpose.NLI: SourceKind.NLI,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """tolerance: of the precision that is asked for; an ONNX file is taken as it is.

    name: in the catalogue. purpose: None takes all heads that the labels are. labels: what those
    are whose names say nothing. texts: on which model and original are compared, the shipped ones
    by default. window_tokens: the most that are read at once. languages: texts in others get no
    scores; none means any. licence: None is that in the model card. revision: of the hub.
    """

    source: Source
    name: str
    tolerance: Tolerance = field(default_factory=lambda: Tolerance.of(Precision.INT8))
    purpose: Purpose | None = None
    labels: LabelMap = field(default_factory=dict)
    texts: Sequence[str] = field(default_factory=shipped_texts)
    window_tokens: int = WINDOW_TOKENS
    languages: tuple[str, ...] = ()
    licence: str | None = None
    revision: str | None = None
    trust_pickle: bool = False
    replace: bool = False

    def library(self) -> SourceKind:
        """The library by which the source is read. Raises ModelError where it has no such model."""
        wanted, given = _LIBRARIES.get(self.purpose or Purpose.TOXICITY), self.source.kind
        if wanted is None or given is wanted:
            if self.purpose and given in _LIBRARIES.values() and given is not wanted:
                raise ModelError(f"{self.source}: makes no scores for --as {self.purpose.value}")
            return given
        if given is SourceKind.HUGGING_FACE:
            return wanted
        raise ModelError(f"{self.source}: cannot be imported --as {self.purpose}")

    @property
    def family(self) -> str | None:
        """The family of heads that is kept; None keeps all."""
        return None if self.purpose is None else self.purpose.value


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedModel:
    """folder: where it is. original, ours: what each side costs."""

    name: str
    folder: Path
    precision: Precision
    heads: tuple[str, ...]
    comparison: ModelComparison
    original: Cost
    ours: Cost


Progress = Callable[[str], None]
"""Told of each of the STEPS when it begins."""


def import_model(
    request: ImportRequest, storage: ModelStorage, progress: Progress = lambda _: None
) -> ImportedModel:
    """Take a model into the catalogue, unless it differs too much from its original.

    Raises ModelError; the catalogue is then as it was.
    """
    storage.check_name(request.name, replace=request.replace)
    request.library()  # raises before anything is loaded
    try:
        pipeline = import_module("guard.importing.export.pipeline")
    except ModuleNotFoundError as error:
        raise ModelError(
            f"an import needs {error.name}, which is not installed: pip install 'evenguard[export]'"
        ) from error
    imported: ImportedModel = pipeline.run_import(request, storage, progress)
    return imported
