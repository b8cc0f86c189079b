"""The import, from the files of somebody else to a folder of the catalogue."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
from tokenizers import Tokenizer

from guard.errors import ModelError
from guard.importing.comparison import (
    Cost,
    Floats,
    ModelComparison,
    Precision,
    compare_scores,
    compare_vectors,
    cosines_of,
    read_labels,
    require_close,
)
from guard.importing.export.graphs import with_heads
from guard.importing.export.opening import open_original
from guard.importing.export.original import (
    Original,
    clear_errors,
    clear_panics,
    quiet_libraries,
)
from guard.importing.export.precision import with_precision
from guard.importing.export.smoothing import smooth
from guard.importing.labels import LabelHead, heads_of
from guard.importing.manifest import (
    MODEL,
    TOKENIZER,
    ComparedModels,
    Description,
    write_card,
    write_manifest,
)
from guard.importing.request import (
    OVERLAP_TOKENS,
    RUN_SECONDS,
    ImportedModel,
    ImportRequest,
    Progress,
)
from guard.importing.source import SourceKind
from guard.importing.storage import ModelStorage
from guard.scoring import (
    Classifier,
    ModelKind,
    model_at,
    open_embedder,
    open_pair_classifier,
)
from guard.scoring.models import open_classifier, open_parts
from guard.scoring.pairs import PAIR_LABELS
from guard.scoring.vocabulary import TokenWindow, Vocabulary
from guard.text import clean

CHARACTERS_PER_TOKEN = 4  # an estimate, for speeds alone
BATCH_WINDOWS = 8
LARGEST_BYTES = 2**31 - 1
"""A file of ONNX can be no larger."""


def run_import(request: ImportRequest, storage: ModelStorage, progress: Progress) -> ImportedModel:
    """See `import_model`."""
    with storage.staged(request.name) as folder, clear_panics(str(request.source)):
        progress("files")
        with quiet_libraries():
            original, licence = open_original(request, progress)
        heads = heads_of_request(request, original)
        progress("precision")
        graph = graph_of(request, original, heads)
        what = describe(request, original, heads, licence)
        with storage.writing():
            write_model(folder, graph, original.tokenizer, what)
        progress("comparison")
        with clear_errors(f"{request.name}: does not run as the engine runs it"):
            evidence = COMPARE[original.task](folder, original, heads, request.texts)
        require_close(evidence.comparison, request.tolerance)
        progress("catalogue")
        with storage.writing():
            write_manifest(folder, what, evidence)
            write_card(folder, what, evidence)
    return ImportedModel(
        name=request.name,
        folder=storage.root / request.name,
        precision=what.precision,
        heads=tuple(head.key for head in heads),
        comparison=evidence.comparison,
        original=evidence.original,
        ours=evidence.ours,
    )


def heads_of_request(request: ImportRequest, original: Original) -> tuple[LabelHead, ...]:
    """None for an embedder; for pairs, one for each label. Raises ModelError."""
    if original.task is ModelKind.EMBEDDING:
        return ()
    if original.task is ModelKind.NLI:
        return tuple(
            LabelHead(key=label, weights=tuple(float(label == one) for one in PAIR_LABELS))
            for label in PAIR_LABELS
        )
    return heads_of(
        original.labels,
        exclusive=original.exclusive,
        given=request.labels,
        family=request.family,
    )


def graph_of(
    request: ImportRequest, original: Original, heads: Sequence[LabelHead]
) -> onnx.ModelProto:
    """What is written. Raises ModelError where it is too large."""
    graph = original.graph
    if original.task is ModelKind.CLASSIFICATION:
        graph = with_heads(graph, heads, exclusive=original.exclusive)
    if request.tolerance.precision is Precision.INT8:
        smooth(graph, token_ids(original, request.texts))
    if request.library() is not SourceKind.ONNX:
        graph = with_precision(graph, request.tolerance.precision)
    if (size := graph.ByteSize()) > LARGEST_BYTES:
        raise ModelError(
            f"{request.source}: has {size / 1e9:.1f} GB in"
            f" {request.tolerance.precision.value}, and ONNX files end at 2 GB; try int8"
        )
    return graph


def token_ids(original: Original, texts: Sequence[str]) -> Iterator[list[int]]:
    """Of every other text, cut to the window: the others are only compared."""
    tokenizer = Tokenizer.from_str(original.tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(original.window_tokens)
    for text in texts[::2]:
        yield tokenizer.encode(clean(text)).ids


def describe(
    request: ImportRequest, original: Original, heads: tuple[LabelHead, ...], licence: str
) -> Description:
    """For the manifest."""
    return Description(
        name=request.name,
        task=original.task,
        source=str(request.source),
        revision=original.revision,
        licence=licence,
        architecture=original.architecture,
        precision=request.tolerance.precision,
        window_tokens=original.window_tokens,
        overlap_tokens=min(OVERLAP_TOKENS, original.window_tokens // 4),
        languages=request.languages,
        labels=original.labels,
        exclusive=original.exclusive,
        heads=heads,
        dimension=original.run(["a"]).shape[1] if original.task is ModelKind.EMBEDDING else 0,
    )


def write_model(folder: Path, graph: onnx.ModelProto, tokenizer: str, what: Description) -> None:
    """Everything but the figures."""
    (folder / MODEL).write_bytes(graph.SerializeToString())
    (folder / TOKENIZER).write_text(tokenizer, encoding="utf-8")
    write_manifest(folder, what)


def compare_classifier(
    folder: Path, original: Original, heads: Sequence[LabelHead], texts: Sequence[str]
) -> ComparedModels:
    """What the engine will make of texts, beside what the original does."""
    classifier = open_classifier(model_at(folder), threads=1, run_seconds=RUN_SECONDS)
    kept = in_one_window(classifier.vocabulary, texts)
    theirs, original_seconds = timed(lambda: original.run([text for text, _ in kept]))
    windows = [window for _, window in kept]
    ours, seconds = timed(lambda: scores(classifier, windows))
    together = scores(classifier, windows, size=BATCH_WINDOWS)
    read = read_labels(theirs, heads, exclusive=original.exclusive)
    tokens = sum(len(window.ids) for window in windows)
    return evidence(
        replace(compare_scores(read, ours, heads), batch=furthest(ours, together)),
        folder,
        original,
        tokens=tokens,
        seconds=(original_seconds, seconds),
    )


def compare_embedder(
    folder: Path, original: Original, _heads: Sequence[LabelHead], texts: Sequence[str]
) -> ComparedModels:
    """The same for the vectors of an embedder."""
    model = model_at(folder)
    embedder, (vocabulary, _) = open_embedder(model), open_parts(model, threads=1)
    kept = in_one_window(vocabulary, texts)
    cleaned = [text for text, _ in kept]
    theirs, original_seconds = timed(lambda: original.run(cleaned))
    ours, seconds = timed(lambda: np.concatenate([embedder.embed([text]) for text in cleaned]))
    apart = 1 - float(cosines_of(ours, embedder.embed(cleaned)).min())
    tokens = sum(len(window.ids) for _, window in kept)
    return evidence(
        replace(compare_vectors(theirs, ours), batch=apart),
        folder,
        original,
        tokens=tokens,
        seconds=(original_seconds, seconds),
    )


def compare_pairs(
    folder: Path, original: Original, heads: Sequence[LabelHead], texts: Sequence[str]
) -> ComparedModels:
    """Of each text with itself, and with the one after it."""
    classifier = open_pair_classifier(model_at(folder))
    cleaned = [clean(text) for text in texts]
    pairs = [*zip(cleaned, cleaned, strict=True), *pairwise(cleaned)]
    theirs, original_seconds = timed(lambda: original.run(pairs))
    ours, seconds = timed(
        lambda: np.concatenate([classifier.probabilities([pair]) for pair in pairs])
    )
    read = read_labels(theirs, heads, exclusive=True)
    together = classifier.probabilities(pairs)
    return evidence(
        replace(compare_scores(read, ours, heads), batch=furthest(ours, together)),
        folder,
        original,
        tokens=sum(len(one) + len(other) for one, other in pairs) // CHARACTERS_PER_TOKEN,
        seconds=(original_seconds, seconds),
    )


COMPARE = {
    ModelKind.CLASSIFICATION: compare_classifier,
    ModelKind.EMBEDDING: compare_embedder,
    ModelKind.NLI: compare_pairs,
}


def evidence(
    comparison: ModelComparison,
    folder: Path,
    original: Original,
    *,
    tokens: int,
    seconds: tuple[float, float],
) -> ComparedModels:
    """seconds: that the original and the imported model took for so many tokens."""
    before, here = (tokens / max(each, 1e-9) for each in seconds)
    return ComparedModels(
        comparison=comparison,
        original=Cost(size_bytes=original.size_bytes, tokens_per_second=before),
        ours=Cost(size_bytes=(folder / MODEL).stat().st_size, tokens_per_second=here),
    )


def in_one_window(vocabulary: Vocabulary, texts: Sequence[str]) -> list[tuple[str, TokenWindow]]:
    """The texts that the model reads at once, whole, as the engine cleans them.

    Raises ModelError where there are none.
    """
    cleaned = map(clean, texts)
    windows = ((text, list(vocabulary.windows(text))) for text in cleaned)
    kept = [(text, found[0]) for text, found in windows if len(found) == 1]
    if not kept:
        raise ModelError("--calibration: no text in it fits one window of the model")
    return kept


def scores(classifier: Classifier, windows: Sequence[TokenWindow], size: int = 1) -> Floats:
    """[windows, heads], in batches of so many windows; not a number where the model gives none."""
    batches = (windows[start : start + size] for start in range(0, len(windows), size))
    rows = [row for batch in batches for row in classifier.values(batch)]
    nothing = [float("nan")] * len(classifier.heads)
    return np.array([nothing if row is None else row for row in rows])


def furthest(left: Floats, right: Floats) -> float:
    """The largest difference."""
    return float(np.abs(left - right).max())


def timed(work: Callable[[], Floats]) -> tuple[Floats, float]:
    """What it gives, and the seconds of processor time it took, of all threads."""
    began = time.process_time()
    found = work()
    return found, time.process_time() - began
