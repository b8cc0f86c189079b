"""ONNX files of somebody else, taken as they are: `onnx:`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from tokenizers import Tokenizer

from guard.errors import ModelError
from guard.importing.comparison import Floats
from guard.importing.export.graphs import read_graph, with_our_inputs
from guard.importing.export.original import Original, clear_errors
from guard.importing.folder import check_files, positions_of, read_json, refuse_pointer
from guard.importing.request import RUN_SECONDS
from guard.scoring.models import Session, open_session

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"


def open_folder(path: Path, *, window: int) -> Original:
    """A classifier: model.onnx, tokenizer.json and the labels in config.json. Raises ModelError."""
    check_files(path)
    config = read_json(path / "config.json", "its id2label names the outputs of the model")
    content, tokenizer = _read(path / MODEL), _tokenizer(path / TOKENIZER)
    graph = with_our_inputs(read_graph(content, str(path / MODEL)), str(path / MODEL))
    labels = _labels(config, path / "config.json")
    window = min(window, positions_of(config, path / "config.json") or window)
    run = _runner(graph, tokenizer, window, len(labels), path / MODEL)
    run(["a"])  # whether it ever ends, before anything is made of it
    return Original(
        graph=graph,
        labels=labels,
        exclusive=len(labels) > 1 and config.get("problem_type") != "multi_label_classification",
        tokenizer=tokenizer.to_str(),
        window_tokens=window,
        run=run,
        size_bytes=len(content),
        architecture=str(config.get("model_type", "unknown")),
        revision=hashlib.sha256(content).hexdigest()[:12],
    )


def _read(file: Path) -> bytes:
    refuse_pointer(file)
    try:
        return file.read_bytes()
    except OSError as error:
        raise ModelError(f"{file}: cannot be read ({error.strerror})") from error


def _tokenizer(file: Path) -> Any:
    content = _read(file)
    with clear_errors(f"{file}: not a tokenizer that can be read"):
        tokenizer = Tokenizer.from_buffer(content)
    tokenizer.no_padding()
    return tokenizer


def _labels(config: Mapping[str, Any], file: Path) -> tuple[str, ...]:
    names = config.get("id2label")
    if not isinstance(names, dict) or sorted(names) != sorted(map(str, range(len(names)))):
        raise ModelError(f"{file}: no id2label that names the outputs from 0 on")
    return tuple(str(names[str(place)]) for place in range(len(names)))


def _runner(
    graph: onnx.ModelProto, tokenizer: Any, window: int, labels: int, file: Path
) -> Callable[[Sequence[str]], Floats]:
    content = graph.SerializeToString()
    session: Session = open_session(content, threads=1, name=str(file), run_seconds=RUN_SECONDS)
    cut = Tokenizer.from_str(tokenizer.to_str())
    cut.enable_truncation(window)

    def run(texts: Sequence[str]) -> Floats:
        rows = []
        for text in texts:
            with clear_errors(f"{file}: does not run"):
                ids = np.array([cut.encode(text).ids], dtype=np.int64)
                rows.append(session(ids, np.ones_like(ids)))
        if rows[0].shape != (1, labels):
            raise ModelError(f"{file}: gives {rows[0].shape} for one text, not (1, {labels})")
        return np.concatenate(rows)

    return run
