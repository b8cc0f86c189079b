"""Embedders of sentence-transformers: `st:`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from sentence_transformers import SentenceTransformer

from guard.importing.comparison import Floats
from guard.importing.export.graphs import export_torch, with_output
from guard.importing.export.original import (
    Original,
    check_tokenizer,
    clear_errors,
    read_model_config,
    require_all_weights,
    require_finite,
    require_room,
    require_tokenizer,
    window_of,
)
from guard.importing.folder import ModelFolder, bytes_of
from guard.scoring import ModelKind


def open_embedder(path: Path, encoder: ModelFolder, *, window: int, revision: str) -> Original:
    """Pooled as its modules say, and of unit length, as all embeddings are here.

    Raises ModelError.
    """
    require_tokenizer(encoder.path)
    require_room(read_model_config(encoder.path), transformers.AutoModel, encoder.weights)
    with clear_errors(f"{path}: cannot be loaded by sentence-transformers"):
        model = SentenceTransformer(
            str(path),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={
                "attn_implementation": "eager",
                "dtype": torch.float32,
                "use_safetensors": not encoder.is_pickle,
                "weights_only": True,
            },
        ).eval()
    _require_encoder_weights(encoder)
    require_finite(encoder.weights, model)
    config = model[0].auto_model.config
    tokenizer = check_tokenizer(model.tokenizer, encoder.path, config.vocab_size)
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
        size_bytes=bytes_of(encoder.weights),
        architecture=config.model_type,
        revision=revision,
        task=ModelKind.EMBEDDING,
    )


def _require_encoder_weights(encoder: ModelFolder) -> None:
    """Raises ModelError where weights are missing; sentence-transformers does not say so."""
    with clear_errors(f"{encoder.weights}: cannot be loaded"):
        _, info = transformers.AutoModel.from_pretrained(
            encoder.path,
            use_safetensors=not encoder.is_pickle,
            local_files_only=True,
            trust_remote_code=False,
            weights_only=True,
            output_loading_info=True,
        )
    used = [name for name in info["missing_keys"] if not name.startswith("pooler.")]
    require_all_weights(encoder.weights, used)


def _embedding(model: Any, input_ids: Any, attention_mask: Any) -> Any:
    """[batch, dimension]"""
    features = {"input_ids": input_ids, "attention_mask": attention_mask}
    return torch.nn.functional.normalize(model(features)["sentence_embedding"], dim=1)
