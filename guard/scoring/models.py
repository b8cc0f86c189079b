"""Models in memory: a vocabulary, a session, and the meaning of its outputs.

The one place where ONNX Runtime is met.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from math import isnan, tanh
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guard.errors import ModelError
from guard.records import Span
from guard.scoring.catalogue import ManifestHead, Model, ModelKind, read_files
from guard.scoring.readable import Reader
from guard.scoring.run_limit import RunLimit
from guard.scoring.vocabulary import TokenWindow, Vocabulary, open_vocabulary
from guard.scoring.whole_file import require_whole

Ids: TypeAlias = NDArray[np.int64]
Output: TypeAlias = NDArray[np.float32]
Session: TypeAlias = Callable[[Ids, Ids], Output]
"""(token ids, attention mask), both int64 [batch, length], to float32 [batch, outputs]."""

_ERRORS_ONLY, _NOTHING = 3, 4
_NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"


def open_session(
    model: bytes, *, threads: int, name: str, run_seconds: float | None = None
) -> Session:
    """A session over the ONNX file `model`, safe to call from several threads at once.

    threads: inside one call; 1 means the calling thread alone, and survives a fork. run_seconds:
    that loading and each call may take; then they are made by threads of their own, and raise
    ModelError where they take longer.
    Raises ModelError when ONNX Runtime refuses the model `name`, or it keeps weights elsewhere.
    """
    run = open_graph(model, threads=threads, name=name, run_seconds=run_seconds)
    return lambda ids, mask: run(ids, mask)[0]


def open_graph(
    model: bytes, *, threads: int = 1, name: str = "model", run_seconds: float | None = None
) -> Callable[[Ids, Ids], list[Output]]:
    """The same for a graph with several outputs. Its bytes are all that is read of it."""
    require_whole(model, name)
    runtime = _onnxruntime()
    settings = _settings(runtime, threads)

    def load() -> Any:
        try:
            made = runtime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime has no common base of its errors
            raise ModelError(f"{name}: ONNX Runtime cannot load the model: {error}") from error
        _require_tensors(made, name)
        return made

    if run_seconds is None:
        return _runner(load())
    limit = RunLimit(name=name, seconds=run_seconds)
    return _limited_runner(limit.within(load), limit, runtime.RunOptions)


def _onnxruntime() -> Any:
    """ONNX Runtime, loaded here and not before, without its telemetry.

    From 1.29 on it reports to its maker unless the variable is set when it is first loaded; the
    thread it does so from also keeps forked children from ending.
    """
    with _set_by_default(_NO_TELEMETRY, "1"):
        runtime = import_module("onnxruntime")
    runtime.disable_telemetry_events()  # in case the application had loaded it before
    return runtime


@contextmanager
def _set_by_default(variable: str, value: str) -> Iterator[None]:
    """Set an environment variable for a while, unless the user has set it."""
    if variable in os.environ:
        yield
        return
    os.environ[variable] = value
    try:
        yield
    finally:
        del os.environ[variable]


def _settings(runtime: Any, threads: int) -> Any:
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.inter_op_num_threads = 1
    settings.enable_mem_pattern = False  # kept per shape, and there are many shapes
    settings.enable_cpu_mem_arena = False  # no slower here; memory stays flat, forks stay safe
    settings.log_severity_level = _ERRORS_ONLY
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    settings.add_session_config_entry("session.load_model_format", "ONNX")  # as it was looked at
    return settings


def _require_tensors(session: Any, name: str) -> None:
    for output in session.get_outputs():
        if not output.type.startswith("tensor("):
            raise ModelError(f"{name}: output {output.name!r} is a {output.type}, not a tensor")


def _runner(session: Any) -> Callable[[Ids, Ids], list[Output]]:
    names = [output.name for output in session.get_outputs()]

    def run(ids: Ids, mask: Ids) -> list[Output]:
        outputs: list[Output] = session.run(names, {"input_ids": ids, "attention_mask": mask})
        return outputs

    return run


def _limited_runner(
    session: Any, limit: RunLimit, run_options: Callable[[], Any]
) -> Callable[[Ids, Ids], list[Output]]:
    def run(ids: Ids, mask: Ids) -> list[Output]:
        options = run_options()
        options.log_severity_level = _NOTHING  # what is wrong is raised
        return limit.within(
            lambda: session.run(None, {"input_ids": ids, "attention_mask": mask}, options),
            stop=lambda: setattr(options, "terminate", True),
        )

    return run


_BATCH_TEXTS = 16


@dataclass(kw_only=True, eq=False)
class Classifier:
    """Scores windows.

    session: called with int64 [batch, length] twice, gives logits, float32 [batch, heads].
    heads: in the order of the logits. languages: that it was made for, ISO 639-1; none means any.
    """

    vocabulary: Vocabulary
    session: Session
    heads: Sequence[ManifestHead]
    languages: Sequence[str] = ()

    def __post_init__(self) -> None:
        self._reader = Reader(vocabulary=self.vocabulary, languages=tuple(self.languages))
        self._halves = tuple((head.scale / 2, head.bias / 2) for head in self.heads)

    def windows(self, text: str) -> Iterator[TokenWindow]:
        """The windows of `text`, those marked that the model cannot be trusted about."""
        return self._reader.windows(text)

    def values(self, windows: Sequence[TokenWindow]) -> list[list[float] | None]:
        """For each window the values of all heads, in [0, 1]; None where one is not a number.

        Raises whatever the session raises, and ValueError when it gives another shape.
        """
        logits = self.session(*packed(windows, self.vocabulary))
        if logits.shape != (len(windows), len(self.heads)):
            raise ValueError(f"{len(windows)} windows, {len(self.heads)} heads: {logits.shape}")
        return [self._read(row) for row in logits.tolist()]

    def _read(self, logits: list[float]) -> list[float] | None:
        """sigmoid(scale * logit + bias) for each head, by way of tanh, which cannot overflow."""
        halves = zip(logits, self._halves, strict=True)
        values = [(1.0 + tanh(scale * logit + bias)) / 2 for logit, (scale, bias) in halves]
        return None if isnan(sum(values)) else values


class Embedder:
    """Gives each text a vector of unit length; of a long text its first window counts. A vector
    depends on its text alone."""

    def __init__(self, *, vocabulary: Vocabulary, session: Session, dimension: int) -> None:
        self._vocabulary = vocabulary
        self._session = session
        self._dimension = dimension

    def embed(self, texts: Sequence[str]) -> Output:
        """float32 [texts, dimension]. Runs on the calling thread; raises what the model raises."""
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        windows = [self._first_window(text) for text in texts]
        for chosen in _of_one_length(windows):
            vectors[chosen] = self._session(
                *packed([windows[at] for at in chosen], self._vocabulary)
            )
        return vectors

    def _first_window(self, text: str) -> TokenWindow:
        nothing = TokenWindow(span=Span(start=0, end=len(text)), ids=())
        return next(self._vocabulary.windows(text), nothing)


def _of_one_length(windows: Sequence[TokenWindow]) -> Iterator[list[int]]:
    """The places of windows of the same length, some at a time: nothing is padded, and what the
    model makes of a text is the same to the last bit whatever stands beside it."""
    places: dict[int, list[int]] = {}
    for at, window in enumerate(windows):
        places.setdefault(len(window.ids), []).append(at)
    for same in places.values():
        yield from (
            same[start : start + _BATCH_TEXTS] for start in range(0, len(same), _BATCH_TEXTS)
        )


def packed(windows: Sequence[TokenWindow], vocabulary: Vocabulary) -> tuple[Ids, Ids]:
    """Token ids and attention mask, padded to the longest window."""
    rows = [[*vocabulary.before, *window.ids, *vocabulary.after] for window in windows]
    longest = max(map(len, rows))
    padded = [row + [vocabulary.padding] * (longest - len(row)) for row in rows]
    ids = np.array(padded, dtype=np.int64)
    mask = np.zeros(ids.shape, dtype=np.int64)
    for number, row in enumerate(rows):
        mask[number, : len(row)] = 1
    return ids, mask


def open_classifier(model: Model, *, threads: int, run_seconds: float | None = None) -> Classifier:
    """`model` verified and loaded. threads: per call. run_seconds: see `open_session`.

    ModelError when it cannot be used.
    """
    if model.manifest.task is not ModelKind.CLASSIFICATION:
        raise ModelError(f"{model.folder}: {model.manifest.name} is no classifier")
    vocabulary, session = open_parts(model, threads=threads, run_seconds=run_seconds)
    classifier = Classifier(
        vocabulary=vocabulary,
        session=session,
        heads=model.manifest.heads,
        languages=model.manifest.languages,
    )
    _try_out(classifier, model)
    return classifier


def open_embedder(model: Model, *, threads: int = 1) -> Embedder:
    """`model` verified and loaded. threads: per call. ModelError when it cannot be used."""
    if model.manifest.task is not ModelKind.EMBEDDING:
        raise ModelError(f"{model.folder}: {model.manifest.name} makes no embeddings")
    vocabulary, session = open_parts(model, threads=threads)
    return Embedder(vocabulary=vocabulary, session=session, dimension=model.manifest.dimension)


def open_parts(
    model: Model, *, threads: int, run_seconds: float | None = None
) -> tuple[Vocabulary, Session]:
    """The tokenizer and the session of `model`, its files verified."""
    files, manifest = read_files(model), model.manifest
    vocabulary = open_vocabulary(
        files["tokenizer.json"],
        window=manifest.window_tokens,
        overlap=manifest.overlap_tokens,
        name=str(model.folder / "tokenizer.json"),
    )
    name = str(model.folder / "model.onnx")
    content = files["model.onnx"]
    return vocabulary, open_session(content, threads=threads, name=name, run_seconds=run_seconds)


def _try_out(classifier: Classifier, model: Model) -> None:
    """A short text and a whole window, for which the graph may have no room."""
    short = list(classifier.vocabulary.windows("a"))
    try:
        classifier.values(short)
        classifier.values(
            [replace(one, ids=[*one.ids[:1]] * classifier.vocabulary.size) for one in short[:1]]
        )
    except Exception as error:
        raise ModelError(
            f"{model.folder / 'model.onnx'}: does not fit its manifest ({error}); import it again"
        ) from error
