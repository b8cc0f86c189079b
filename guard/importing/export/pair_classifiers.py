"""Classifiers of pairs: `nli:`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from guard.errors import ModelError
from guard.importing.export.graphs import export_torch, with_output
from guard.importing.export.original import (
    Original,
    load_classifier,
    open_tokenizer,
    runner,
    window_of,
)
from guard.importing.folder import ModelFolder, bytes_of
from guard.importing.labels import LabelMap
from guard.scoring import ModelKind
from guard.scoring.pairs import PAIR_LABELS

_STEMS = {"entail": "entailment", "neutral": "neutral", "contradict": "contradiction"}


def open_pairs(folder: ModelFolder, given: LabelMap, *, window: int, revision: str) -> Original:
    """given: what labels are whose names say nothing. Raises ModelError."""
    model = load_classifier(folder)
    config = model.config
    order = pair_order([str(config.id2label[at]) for at in range(config.num_labels)], given)
    tokenizer = open_tokenizer(folder.path, config.vocab_size)
    window = window_of(tokenizer, config, window)
    separator = tokenizer.sep_token_id if _has_types(tokenizer, config) else None

    def read(model: Any, input_ids: Any, attention_mask: Any) -> Any:
        types = {} if separator is None else {"token_type_ids": types_of(input_ids, separator)}
        return model(input_ids=input_ids, attention_mask=attention_mask, **types).logits[:, order]

    graph = export_torch(model, read, output="logits")
    return Original(
        graph=with_output(graph, "logits", len(PAIR_LABELS)),
        labels=PAIR_LABELS,
        exclusive=True,
        tokenizer=tokenizer.backend_tokenizer.to_str(),
        window_tokens=window,
        run=runner(tokenizer, window, lambda *tokens: read(model, *tokens)),
        size_bytes=bytes_of(folder.weights),
        architecture=config.model_type,
        revision=revision,
        task=ModelKind.NLI,
    )


def pair_order(labels: Sequence[str], given: LabelMap) -> list[int]:
    """Where each of `PAIR_LABELS` stands. Raises ModelError where that is not clear."""
    meanings = [_meaning(label, given) for label in labels]
    if sorted(meanings) != sorted(PAIR_LABELS):
        raise ModelError(
            f"the labels {', '.join(map(repr, labels))} do not say which is entailment, neutral and"
            " contradiction; say it in a file for --map, as in `LABEL_0: contradiction`"
        )
    return [meanings.index(name) for name in PAIR_LABELS]


def types_of(input_ids: Any, separator: int) -> Any:
    """0 up to the first separator, 1 after it, as BERT tells two texts apart."""
    ends = (input_ids == separator).long()
    return (ends.cumsum(1) - ends).clamp(max=1)


def _meaning(label: str, given: LabelMap) -> str:
    if label in given:
        return next(iter(given[label]), "")
    name = re.sub(r"[^a-z]", "", label.lower())
    return next((meaning for stem, meaning in _STEMS.items() if name.startswith(stem)), "")


def _has_types(tokenizer: Any, config: Any) -> bool:
    has_two = getattr(config, "type_vocab_size", 0) > 1
    return has_two and "token_type_ids" in tokenizer.model_input_names
