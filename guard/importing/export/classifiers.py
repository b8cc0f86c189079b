"""Classifiers of transformers: `hf:`."""

from __future__ import annotations

from typing import Any

from guard.errors import ModelError
from guard.importing.export.graphs import export_torch
from guard.importing.export.original import (
    Original,
    load_classifier,
    open_tokenizer,
    runner,
    window_of,
)
from guard.importing.folder import ModelFolder, bytes_of


def logits(model: Any, input_ids: Any, attention_mask: Any) -> Any:
    """[batch, labels]"""
    return model(input_ids=input_ids, attention_mask=attention_mask).logits


def open_classifier(folder: ModelFolder, *, window: int, revision: str) -> Original:
    """window: the most tokens it shall read at once. Raises ModelError."""
    exclusive = labels_exclude_each_other(folder)
    model = load_classifier(folder)
    config = model.config
    labels = tuple(str(config.id2label[place]) for place in range(config.num_labels))
    return original_of(model, labels, folder, exclusive=exclusive, window=window, revision=revision)


def original_of(
    model: Any,
    labels: tuple[str, ...],
    folder: ModelFolder,
    *,
    exclusive: bool,
    window: int,
    revision: str,
) -> Original:
    """A loaded model, of whose outputs the first are `labels`, with the tokenizer beside it."""
    tokenizer = open_tokenizer(folder.path, model.config.vocab_size)
    window = window_of(tokenizer, model.config, window)

    def read(model: Any, input_ids: Any, attention_mask: Any) -> Any:
        return logits(model, input_ids, attention_mask)[:, : len(labels)]

    return Original(
        graph=export_torch(model, read, output="logits"),
        labels=labels,
        exclusive=exclusive,
        tokenizer=tokenizer.backend_tokenizer.to_str(),
        window_tokens=window,
        run=runner(tokenizer, window, lambda *tokens: read(model, *tokens)),
        size_bytes=bytes_of(folder.weights),
        architecture=model.config.model_type,
        revision=revision,
    )


def labels_exclude_each_other(folder: ModelFolder) -> bool:
    """As the pipelines of transformers read config.json. Raises ModelError for a regression."""
    kind = folder.config.get("problem_type")
    if kind == "regression":
        raise ModelError(
            f"{folder.path / 'config.json'}: a regression, whose numbers are no scores in [0, 1]"
        )
    many = len(folder.config.get("id2label") or {"0": "", "1": ""}) > 1
    return many and kind != "multi_label_classification"
