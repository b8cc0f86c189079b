"""Checkpoints of Detoxify: `detoxify:`.

A dictionary with the weights, the names of the classes and that of the encoder, whose config.json
and tokenizer lie beside it or on the Hugging Face hub. Of the 16 outputs of `unbiased` and
`multilingual` the classes are the first 7; the others are identities.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import transformers

from guard.errors import ModelError
from guard.importing.export.classifiers import original_of
from guard.importing.export.original import (
    Original,
    clear_errors,
    read_model_config,
    require_all_weights,
    require_finite,
    require_room,
)
from guard.importing.folder import ModelFolder, check_files, read_config


def find_checkpoint(path: Path) -> Path:
    """The one checkpoint in a folder. Raises ModelError."""
    check_files(path)
    found = sorted(path.glob("*.ckpt"))
    if len(found) != 1:
        raise ModelError(f"{path}: {len(found)} files *.ckpt there; expected one checkpoint")
    return found[0]


def encoder_name(checkpoint: Path) -> str:
    """What the encoder is called on the hub. Raises ModelError."""
    return str(_arguments(read_checkpoint(checkpoint), checkpoint)["model_type"])


def read_checkpoint(checkpoint: Path) -> Mapping[str, Any]:
    """Tensors, numbers and names, and nothing else. Raises ModelError."""
    with clear_errors(f"{checkpoint}: cannot be loaded as a checkpoint of tensors alone"):
        loaded = torch.load(checkpoint, map_location="cpu", weights_only=True)
    if not isinstance(loaded, dict) or not {"config", "state_dict"} <= loaded.keys():
        raise ModelError(f"{checkpoint}: no checkpoint of Detoxify: no config and state_dict in it")
    return loaded


def open_checkpoint(checkpoint: Path, encoder: Path, *, window: int, revision: str) -> Original:
    """encoder: the folder with config.json and tokenizer. Raises ModelError."""
    folder = ModelFolder(path=encoder, config=read_config(encoder), weights=checkpoint)
    loaded = read_checkpoint(checkpoint)
    classes = _classes(loaded, checkpoint)
    model = _model(loaded, checkpoint, encoder)
    return original_of(model, classes, folder, exclusive=False, window=window, revision=revision)


def _model(loaded: Mapping[str, Any], checkpoint: Path, encoder: Path) -> Any:
    outputs = int(_arguments(loaded, checkpoint)["num_classes"])
    kind = transformers.AutoModelForSequenceClassification
    config = read_model_config(encoder, num_labels=outputs)
    require_room(config, kind, checkpoint)
    with clear_errors(f"{checkpoint}: does not fit {encoder / 'config.json'}"):
        model = kind.from_config(config, attn_implementation="eager", trust_remote_code=False)
        missing, _ = model.load_state_dict(loaded["state_dict"], strict=False)
    require_all_weights(checkpoint, missing)
    require_finite(checkpoint, model)
    return model.float().eval()


def _classes(loaded: Mapping[str, Any], checkpoint: Path) -> tuple[str, ...]:
    try:
        classes = tuple(map(str, loaded["config"]["dataset"]["args"]["classes"]))
    except (KeyError, TypeError) as error:
        raise ModelError(f"{checkpoint}: does not name its classes") from error
    outputs = int(_arguments(loaded, checkpoint)["num_classes"])
    if not 0 < len(classes) <= outputs:
        raise ModelError(f"{checkpoint}: names {len(classes)} classes for {outputs} outputs")
    return classes


def _arguments(loaded: Mapping[str, Any], checkpoint: Path) -> Mapping[str, Any]:
    try:
        arguments: Mapping[str, Any] = loaded["config"]["arch"]["args"]
        arguments["model_type"], int(arguments["num_classes"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{checkpoint}: does not say what its encoder is") from error
    return arguments
