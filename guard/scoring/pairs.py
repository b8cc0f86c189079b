"""Whether one text follows from another: natural language inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from tokenizers import Tokenizer

from guard.errors import ModelError
from guard.scoring.catalogue import Model, ModelKind, read_files
from guard.scoring.models import Output, Session, open_session
from guard.scoring.vocabulary import padding_id
from guard.text import clean

PAIR_LABELS: Final = ("entailment", "neutral", "contradiction")
_BATCH_PAIRS = 16

Pair = tuple[str, str]
"""Premise and hypothesis."""


class PairClassifier:
    """Says of pairs of texts whether the second follows from the first. Thread-safe."""

    def __init__(self, *, tokenizer: Tokenizer, padding: int, session: Session) -> None:
        self._tokenizer = tokenizer
        self._padding = padding
        self._session = session

    def probabilities(self, pairs: Sequence[Pair]) -> Output:
        """float32 [pairs, 3]: of entailment, neutral and contradiction; each row sums to 1.

        Of a pair that is longer than the model's window, the longer text is cut at its end. Runs on
        the calling thread; raises what the model raises.
        """
        cleaned = [(clean(premise), clean(hypothesis)) for premise, hypothesis in pairs]
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(cleaned)]
        found = np.zeros((len(rows), len(PAIR_LABELS)), dtype=np.float32)
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        for start in range(0, len(order), _BATCH_PAIRS):
            chosen = order[start : start + _BATCH_PAIRS]
            found[chosen] = self._batch([rows[at] for at in chosen])
        return found

    def _batch(self, rows: Sequence[Sequence[int]]) -> Output:
        longest = max(map(len, rows))
        ids = np.full((len(rows), longest), self._padding, dtype=np.int64)
        mask = np.zeros_like(ids)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        logits = self._session(ids, mask)
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float32)


def open_pair_classifier(model: Model, *, threads: int = 1) -> PairClassifier:
    """`model` verified and loaded. threads: per call. ModelError when it cannot be used."""
    manifest = model.manifest
    if manifest.task is not ModelKind.NLI:
        raise ModelError(f"{model.folder}: {manifest.name} is no classifier of pairs")
    files = read_files(model)
    try:
        tokenizer = Tokenizer.from_buffer(files["tokenizer.json"])
    except Exception as error:  # the library raises plain exceptions
        raise ModelError(f"{model.folder / 'tokenizer.json'}: cannot be read: {error}") from error
    padding = padding_id(tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(manifest.window_tokens)
    tokenizer.encode_special_tokens = True
    name = str(model.folder / "model.onnx")
    session = open_session(files["model.onnx"], threads=threads, name=name)
    return PairClassifier(tokenizer=tokenizer, padding=padding, session=session)
