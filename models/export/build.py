"""The exports, from weights to a finished folder."""

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import onnx
from tokenizers import Tokenizer

from export.activations import Ranges, measure
from export.calibrate import Line, platt, threshold
from export.calibration import Calibration
from export.compare import (
    Tolerance,
    cosines,
    difference,
    require_close,
    require_parallel,
)
from export.manifest import (
    CLASSIFIER,
    EMBEDDER,
    MODEL,
    TOKENIZER,
    HeadReading,
    Identity,
    readings,
    write_manifest,
)
from export.outputs import classifier_graph, embedder_graph
from export.quantise import Floats
from export.scorer import Scorer, open_session, outputs, whole
from export.texts import ODD, Material, first_by_hash
from train.model import Classifier
from train.rows import Row

log = logging.getLogger(__name__)
CHECKED = 300


def bare_tokenizer(base: Path) -> Tokenizer:
    """Without truncation or padding: the engine cuts its own windows."""
    content = json.loads((base / TOKENIZER).read_text(encoding="utf-8"))
    content["truncation"] = content["padding"] = None
    return Tokenizer.from_str(json.dumps(content))


def write(graph: onnx.ModelProto, tokenizer: Tokenizer, identity: Identity, folder: Path) -> None:
    """Only what passed its checks gets here, so that a folder never holds half a model."""
    size = graph.ByteSize()
    if size > identity.largest_bytes:
        raise ValueError(f"{identity.name} has {size} bytes, more than {identity.largest_bytes}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
    onnx.save(graph, folder / MODEL)


def measured(
    model: Classifier, tokenizer: Tokenizer, texts: Sequence[str], identity: Identity
) -> Ranges:
    """Ranges over the first window of each text."""
    encodings = tokenizer.encode_batch_fast(list(texts))
    return measure(model.encoder, (e.ids[: identity.window_tokens] for e in encodings))


def scorer_of(model: onnx.ModelProto, tokenizer: Tokenizer, identity: Identity) -> Scorer:
    return Scorer(
        session=open_session(model.SerializeToString()),
        tokenizer=tokenizer,
        window_tokens=identity.window_tokens,
    )


def fitted(small: Scorer, validation: Sequence[Row]) -> list[Line]:
    """One line per head, on the rows that are labelled for it, each scored whole."""
    logits = whole(small, [row.text for row in validation])
    targets = np.array([row.targets for row in validation], dtype=np.float32)
    known = ~np.isnan(targets)
    return [platt(logits[k, n], targets[k, n]) for n, k in enumerate(known.T)]


def limits(
    small: Scorer, lines: Sequence[Line], material: Material, rough_rate: float
) -> list[float]:
    """Thresholds from ordinary texts and from those that look rough, each scored whole."""
    ordinary, rough = whole(small, material.benign), whole(small, material.rough)
    return [
        max(threshold(line(ordinary[:, n])), threshold(line(rough[:, n]), rough_rate))
        for n, line in enumerate(lines)
    ]


def check_texts(material: Material) -> list[str]:
    """Texts of all sources that set no range, and the odd ones."""
    return [*first_by_hash((r.text for r in material.validation), CHECKED, "check"), *ODD]


def checked(
    original: Scorer, small: Scorer, texts: Sequence[str], found: list[HeadReading]
) -> None:
    left, right = (outputs(scorer, texts) for scorer in (original, small))
    gap = difference(left, right, found)
    log.info("int8 against float32: %s", gap)
    require_close(gap, Tolerance())


def calibrate(model: Classifier, base: Path, material: Material, identity: Identity) -> Calibration:
    """All that the data say: ranges, and how the outputs of the small model are read."""
    tokenizer = bare_tokenizer(base)
    ranges = measured(model, tokenizer, material.ranges, identity)
    small = scorer_of(classifier_graph(model, ranges), tokenizer, identity)
    lines = fitted(small, material.validation)
    found = readings(lines, limits(small, lines, material, identity.rough_rate))
    return Calibration(ranges=ranges, readings=found)


def build_classifier(
    model: Classifier,
    base: Path,
    calibration: Calibration,
    identity: Identity,
    *,
    texts: Sequence[str],
    folder: Path,
) -> None:
    """Write model, tokenizer and manifest, unless the model is too far from its original.

    texts: on which the two are compared. Raises TooFarFromOriginalError.
    """
    tokenizer, found = bare_tokenizer(base), calibration.readings
    graph = classifier_graph(model, calibration.ranges)
    small = scorer_of(graph, tokenizer, identity)
    original = scorer_of(classifier_graph(model, None), tokenizer, identity)
    checked(original, small, texts, found)
    write(graph, tokenizer, identity, folder)
    write_manifest(identity, folder, {"heads": [asdict(reading) for reading in found]})


def export_classifier(model: Classifier, base: Path, material: Material, folder: Path) -> None:
    """From data to files."""
    calibration = calibrate(model, base, material, CLASSIFIER)
    texts = check_texts(material)
    build_classifier(model, base, calibration, CLASSIFIER, texts=texts, folder=folder)


def export_embedder(model: Classifier, base: Path, material: Material, folder: Path) -> Floats:
    """Write the embedder, and return its cosines with the original."""
    tokenizer = bare_tokenizer(base)
    graph = embedder_graph(model, measured(model, tokenizer, material.ranges, EMBEDDER))
    original, small = (
        replace(scorer_of(graph_, tokenizer, EMBEDDER), batch_rows=8)
        for graph_ in (embedder_graph(model, None), graph)
    )
    sample = check_texts(material)
    found = cosines(outputs(original, sample), outputs(small, sample))
    log.info("cosine with float32: lowest %.4f mean %.4f", found.min(), found.mean())
    require_parallel(found, Tolerance())
    write(graph, tokenizer, EMBEDDER, folder)
    write_manifest(EMBEDDER, folder, {"dimension": model.encoder.config.hidden_size})
    return found
