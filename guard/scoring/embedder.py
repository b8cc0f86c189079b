"""Texts to vectors, with the same parts as the classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from guard.errors import ModelError
from guard.records import Span
from guard.scoring.catalogue import Model
from guard.scoring.classifier import open_parts, packed
from guard.scoring.manifest import Task
from guard.scoring.session import Session
from guard.scoring.tokens import Vocabulary, Window

_BATCH_TEXTS = 16
Vectors: TypeAlias = NDArray[np.float32]


class Embedder:
    """Gives each text a vector of unit length; of a long text its first window counts."""

    def __init__(self, *, vocabulary: Vocabulary, session: Session, dimension: int) -> None:
        self._vocabulary = vocabulary
        self._session = session
        self._dimension = dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 [texts, dimension]. Runs on the calling thread; raises what the model raises."""
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        windows = [self._first_window(text) for text in texts]
        order = sorted(range(len(texts)), key=lambda at: len(windows[at].ids))
        for start in range(0, len(order), _BATCH_TEXTS):
            chosen = order[start : start + _BATCH_TEXTS]
            vectors[chosen] = self._session(
                *packed([windows[at] for at in chosen], self._vocabulary)
            )
        return vectors

    def _first_window(self, text: str) -> Window:
        nothing = Window(span=Span(start=0, end=len(text)), ids=())
        return next(self._vocabulary.windows(text), nothing)


def open_embedder(model: Model, *, threads: int = 1) -> Embedder:
    """`model` verified and loaded. threads: per call. ModelError when it cannot be used."""
    if model.manifest.task is not Task.EMBEDDING:
        raise ModelError(f"{model.folder}: {model.manifest.name} makes no embeddings")
    vocabulary, session = open_parts(model, threads=threads)
    return Embedder(vocabulary=vocabulary, session=session, dimension=model.manifest.dimension)
