"""From a source to the model in it: fetched, looked through, loaded."""

from __future__ import annotations

from pathlib import Path

from guard.errors import ModelError
from guard.importing.embedder_folder import look_through_embedder
from guard.importing.export import (
    classifiers,
    detoxify,
    embedders,
    onnx_folder,
    pair_classifiers,
)
from guard.importing.export.hub import DETOXIFY_LICENCE, fetch, fetch_checkpoint, revision_of
from guard.importing.export.original import Original
from guard.importing.folder import licence_of, look_through, refuse_pickle, refuse_pointer
from guard.importing.request import ImportRequest, Progress
from guard.importing.source import SourceKind


def open_original(request: ImportRequest, progress: Progress) -> tuple[Original, str]:
    """The model of the source, and its licence. Raises ModelError."""
    openers = {
        SourceKind.DETOXIFY: _detoxify,
        SourceKind.HUGGING_FACE: _transformers,
        SourceKind.NLI: _transformers,
        SourceKind.SENTENCE_TRANSFORMERS: _sentence_transformers,
        SourceKind.ONNX: _onnx,
    }
    return openers[request.library()](request, progress)


def _transformers(request: ImportRequest, progress: Progress) -> tuple[Original, str]:
    path, revision = _folder(request)
    folder = look_through(path, trust_pickle=request.trust_pickle)
    licence = licence_of(path, request.licence)
    progress("weights")
    revision = revision or revision_of(folder.weights)
    window = request.window_tokens
    if request.library() is SourceKind.NLI:
        pairs = pair_classifiers.open_pairs(
            folder, request.labels, window=window, revision=revision
        )
        return pairs, licence
    return classifiers.open_classifier(folder, window=window, revision=revision), licence


def _sentence_transformers(request: ImportRequest, progress: Progress) -> tuple[Original, str]:
    path, revision = _folder(request)
    encoder = look_through_embedder(path, trust_pickle=request.trust_pickle)
    licence = licence_of(path, request.licence)
    progress("weights")
    revision = revision or revision_of(encoder.weights)
    original = embedders.open_embedder(
        path, encoder, window=request.window_tokens, revision=revision
    )
    return original, licence


def _detoxify(request: ImportRequest, progress: Progress) -> tuple[Original, str]:
    checkpoint, revision, licence = _checkpoint(request)
    refuse_pointer(checkpoint)
    refuse_pickle(checkpoint, trust_pickle=request.trust_pickle)
    progress("weights")
    encoder = checkpoint.parent
    if not (encoder / "config.json").is_file():
        encoder, _ = fetch(detoxify.encoder_name(checkpoint), None)
    original = detoxify.open_checkpoint(
        checkpoint, encoder, window=request.window_tokens, revision=revision
    )
    return original, licence


def _checkpoint(request: ImportRequest) -> tuple[Path, str, str]:
    """Its file, what it was made from, and its licence."""
    if (folder := request.source.folder) is not None:
        file = detoxify.find_checkpoint(folder)
        return file, revision_of(file), licence_of(folder, request.licence)
    _refuse_missing_folder(request)
    file, revision = fetch_checkpoint(request.source.place)
    return file, revision, request.licence or DETOXIFY_LICENCE


def _onnx(request: ImportRequest, progress: Progress) -> tuple[Original, str]:
    folder = request.source.folder
    if folder is None:
        raise ModelError(f"{request.source.place}: no folder; expected one with model.onnx")
    licence = licence_of(folder, request.licence)
    progress("weights")
    return onnx_folder.open_folder(folder, window=request.window_tokens), licence


def _folder(request: ImportRequest) -> tuple[Path, str]:
    """The folder of the source, and its commit on the hub; empty for a folder of the user's."""
    if (folder := request.source.folder) is not None:
        return folder, ""
    _refuse_missing_folder(request)
    return fetch(request.source.place, request.revision, pickles=request.trust_pickle)


def _refuse_missing_folder(request: ImportRequest) -> None:
    """Raises ModelError where the source can only be meant as a folder."""
    place = request.source.place
    if place.startswith((".", "/", "~")) or place.count("/") > 1:
        raise ModelError(f"{place}: no such folder")
