"""Embedders of sentence-transformers: `st:`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from guard.errors import ModelError
from guard.importing.comparison import Floats
from guard.importing.export.graphs import export_torch, with_output
from guard.importing.export.original import (
    Original,
    clear_errors,
    open_tokenizer,
    require_finite,
    window_of,
)
from guard.importing.folder import (
    ModelFolder,
    find_weights,
    look_through,
    refuse_pickle,
    refuse_pointer,
)
from guard.scoring import ModelKind

_MODULES = "modules.json"
_THEIRS = "sentence_transformers."
_PICKLE = "pytorch_model.bin"


def look_through_modules(path: Path, *, trust_pickle: bool) -> ModelFolder:
    """The folder of the encoder in one of sentence-transformers. Raises ModelError."""
    modules = _modules(path / _MODULES)
    for kind, folder in modules:
        if not kind.startswith(_THEIRS):
            raise ModelError(
                f"{path / _MODULES}: needs code of its own ({kind}), and that is never run"
            )
        for file in sorted((path / folder).glob("*")):
            refuse_pointer(file)
            if file.name == _PICKLE:
                refuse_pickle(file, trust_pickle=trust_pickle)
    return look_through(path / modules[0][1], trust_pickle=trust_pickle)


def open_embedder(path: Path, encoder: ModelFolder, *, window: int, revision: str) -> Original:
    """Pooled as its modules say, and of unit length, as all embeddings are here.

    Raises ModelError.
    """
    with clear_errors(f"{path}: cannot be loaded by sentence-transformers"):
        model = SentenceTransformer(
            str(path),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"attn_implementation": "eager", "dtype": torch.float32},
        ).eval()
    require_finite(encoder.weights, model)
    config = model[0].auto_model.config
    tokenizer = open_tokenizer(encoder.path, config.vocab_size)
    window = min(window_of(tokenizer, config, window), int(model.max_seq_length or window))
    model.max_seq_length = window

    def run(texts: Sequence[str]) -> Floats:
        found: Floats = model.encode(
            list(texts), batch_size=1, show_progress_bar=False, normalize_embeddings=True
        )
        return found

    graph = export_torch(model, _embedding, output="embedding")
    return Original(
        graph=with_output(graph, "embedding", run(["a"]).shape[1]),
        labels=(),
        exclusive=False,
        tokenizer=tokenizer.backend_tokenizer.to_str(),
        window_tokens=window,
        run=run,
        size_bytes=find_weights(encoder.path).stat().st_size,
        architecture=config.model_type,
        revision=revision,
        task=ModelKind.EMBEDDING,
    )


def _embedding(model: Any, input_ids: Any, attention_mask: Any) -> Any:
    """[batch, dimension]"""
    features = {"input_ids": input_ids, "attention_mask": attention_mask}
    return torch.nn.functional.normalize(model(features)["sentence_embedding"], dim=1)


def _modules(file: Path) -> list[tuple[str, str]]:
    """Kind and folder of each module. Raises ModelError."""
    refuse_pointer(file)
    try:
        found = [(str(one["type"]), str(one["path"])) for one in json.loads(file.read_bytes())]
    except OSError as error:
        raise ModelError(f"{file}: cannot be read; is it one of sentence-transformers?") from error
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{file}: does not name modules ({error})") from error
    if not found:
        raise ModelError(f"{file}: names no modules")
    return found
